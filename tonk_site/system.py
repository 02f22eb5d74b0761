"""The system's own endpoints: is it alive, is it ready, what its refusals mean."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, Literal

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from redis import Redis
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore import lag
from eventstore.api.requests import Query
from ledger import lag as books
from players.api.base import ApiView, Operation
from tonk_site.errors import plain
from tonk_site.refusals import MEANINGS

LOOKS = ("GET", "HEAD")
View = Callable[[HttpRequest], HttpResponse]


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


def looks_only(view: View) -> View:
    """The view for GET and HEAD; another method gets 405 with `Allow`."""

    @wraps(view)
    def judged(request: HttpRequest) -> HttpResponse:
        if request.method in LOOKS:
            return view(request)
        response = plain("method_not_allowed", request)
        response["Allow"] = ", ".join(LOOKS)
        return response

    return judged


@looks_only
def alive(request: HttpRequest) -> HttpResponse:
    """`GET /healthz`: the process answers."""
    del request
    return HttpResponse("ok", content_type="text/plain")


@looks_only
def ready(request: HttpRequest) -> HttpResponse:
    """`GET /readyz`: 200 when every part works, else 503 with the part that does not."""
    found = {name: _works(check) for name, check in CHECKS.items()}
    words = {name: "ok" if works else "unavailable" for name, works in found.items()}
    if all(found.values()):
        return JsonResponse({"ready": True, "checks": words})
    return plain("unavailable", request, checks=words)


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
    "sequencer": lag.is_ready,
    "settle": books.is_ready,
}
