"""The system's own endpoints: is it alive, is it ready, what its refusals mean."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from redis import Redis
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.requests import Query
from players.api.base import ApiView, Operation
from tonk_site.refusals import MEANINGS


class RefusalsQuery(Query, frozen=True, kw_only=True):
    """The language of the texts."""

    lang: Literal["en", "lt"] = "en"


class Refusals(ApiView):
    """`GET /refusals`."""

    operations: ClassVar = {"GET": Operation("refusals.list", query=RefusalsQuery)}

    def get(self, request: Request) -> Response:
        """Every code with its status and meaning."""
        del request
        query: Any = self.query
        items = [
            {
                "status": meaning.status,
                "code": code,
                "meaning": getattr(meaning, query.lang),
                "retryable": meaning.retryable,
            }
            for code, meaning in MEANINGS.items()
        ]
        return Response({"items": items})


def alive(request: HttpRequest) -> HttpResponse:
    """`GET /healthz`: the process answers."""
    del request
    return HttpResponse("ok", content_type="text/plain")


def ready(request: HttpRequest) -> JsonResponse:
    """`GET /readyz`: 200 when every part works, else 503 with the part that does not."""
    del request
    checks = {name: _works(check) for name, check in CHECKS.items()}
    well = all(checks.values())
    words = {name: "ok" if check else "unavailable" for name, check in checks.items()}
    return JsonResponse({"ready": well, "checks": words}, status=200 if well else 503)


def _works(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except Exception:  # noqa: BLE001  # whatever a part dies of, it is not ready
        return False


def _database() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def _migrations() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _broker() -> bool:
    with Redis.from_url(settings.REDIS_URL) as broker:
        return bool(broker.ping())


CHECKS: Mapping[str, Callable[[], bool]] = {
    "database": _database,
    "migrations": _migrations,
    "broker": _broker,
}
