"""Faults of our own: a problem document with nothing of the fault in it, and a line in the log."""

import json
from typing import Any, ClassVar

import pytest
from django.db import DatabaseError, OperationalError
from django.http import HttpRequest
from django.test import Client
from django.urls import path
from psycopg_pool import PoolTimeout
from rest_framework.request import Request

from eventstore.core.refusal import Refusal, Refused, Retryable, VersionConflict
from players.api.base import ApiView, Operation

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]

SECRET = "KH lies on top"
FAULTS: dict[str, tuple[Exception, int, str]] = {
    "value": (ValueError(SECRET), 500, "internal"),
    "code": (Refused(Refusal("no_such_code", facts={"card": SECRET})), 500, "internal"),
    "database": (DatabaseError(SECRET), 500, "internal"),
    "away": (OperationalError(SECRET), 503, "unavailable"),
    "pool": (PoolTimeout(SECRET), 503, "unavailable"),
    "busy": (Retryable(SECRET), 503, "unavailable"),
    "stale": (VersionConflict("table/x", 3), 409, "stale_version"),
}


class Broken(ApiView):
    """A view that fails as its path says."""

    operations: ClassVar = {"GET": Operation("broken")}

    def get(self, request: Request, name: str) -> Any:
        raise FAULTS[name][0]


def broken_page(request: HttpRequest) -> Any:
    raise ValueError(SECRET)


def page_without_database(request: HttpRequest) -> Any:
    raise OperationalError(SECRET)


async def waiting_without_database(request: HttpRequest) -> Any:
    raise OperationalError(SECRET) from PoolTimeout(SECRET)


urlpatterns = [
    path("broken/<name>", Broken.as_view()),
    path("page", broken_page),
    path("away", page_without_database),
    path("waiting", waiting_without_database),
]
handler400 = "tonk_site.errors.bad_request"
handler404 = "tonk_site.errors.not_found"
handler500 = "tonk_site.errors.server_error"


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_view(name: str, caplog: pytest.LogCaptureFixture) -> None:
    _, status, code = FAULTS[name]
    answer = Client().get(f"/broken/{name}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert SECRET not in answer.content.decode()
    assert answer.headers.get("Retry-After") == ("1" if status >= 500 else None)
    assert ("a fault in /broken/" in caplog.text) == (code == "internal")


def test_a_fault_where_no_view_of_the_api_answers() -> None:
    client = Client(raise_request_exception=False)
    for answer, status, code in (
        (client.get("/page"), 500, "internal"),
        (client.get("/away"), 503, "unavailable"),
        (client.get("/waiting"), 503, "unavailable"),
        (client.get("/nowhere"), 404, "not_found"),
        (client.get("/nowhere", headers={"Host": "evil.example"}), 400, "malformed_json"),
    ):
        assert (answer.status_code, answer.headers["Content-Type"]) == (
            status,
            "application/problem+json",
        )
        assert json.loads(answer.content)["code"] == code
        assert SECRET not in answer.content.decode()
