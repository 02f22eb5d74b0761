"""A player's own money over HTTP."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.urls import include, path
from rest_framework.test import APIClient

from eventstore.core.record import time_text
from eventstore.services import in_transaction
from players import services
from tests.integration.ledger.commands import deposit, sit

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
urlpatterns = [path("api/v1/", include("ledger.api.urls"))]


class Caller:
    """A person with a token."""

    def __init__(self, *roles: str) -> None:
        name = f"p{uuid4().hex[:12]}"
        who = services.Registration(
            username=name, password="correct horse 9 battery", display_name=name
        )
        account = services.register(who, extra_roles=roles)
        self.id: UUID = account.id
        issued = services.issue_token(account, device="test")
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Token {issued.secret}")

    def get(self, address: str, **parameters: Any) -> Any:
        return self.client.get(f"/api/v1/ledger/{address}", parameters)


@pytest.fixture
def caller() -> Caller:
    return Caller()


def test_my_balances(caller: Caller) -> None:
    deposit(caller.id, 1_234)
    before = time_text(in_transaction(lambda tx: tx.now))
    sit(uuid4(), caller.id, 200)
    found = caller.get("me")
    assert found.status_code == 200
    assert found.json() == {
        "balances": [
            {
                "currency": "EUR",
                "available": 1_034,
                "in_play": 200,
                "total": 1_234,
                "display": "12.34 EUR",
            },
            {
                "currency": "XTK",
                "available": 10_000,
                "in_play": 0,
                "total": 10_000,
                "display": "10000 XTK",
            },
        ]
    }
    assert found["Cache-Control"] == "private, no-cache"
    assert caller.get("me", as_of=before).json()["balances"][0]["in_play"] == 0


def test_my_statement_page_by_page(caller: Caller) -> None:
    for amount in (5, 6, 7):
        deposit(caller.id, amount)
    first = caller.get("me/statement", limit=2).json()
    assert (first["currency"], first["opening"], first["closing"]) == ("EUR", 0, 18)
    assert [line["balance"] for line in first["items"]] == [5, 11]
    assert set(first["items"][0]) == {
        "entry_id",
        "kind",
        "text",
        "at",
        "amount",
        "balance",
        "source",
    }
    assert first["items"][0]["source"] == {"stream": f"wallet/{caller.id}", "version": 2}
    second = caller.get("me/statement", limit=2, cursor=first["next"]).json()
    assert [line["amount"] for line in second["items"]] == [7]
    assert "next" not in second


def test_a_statement_of_a_range(caller: Caller) -> None:
    deposit(caller.id, 5)
    now = in_transaction(lambda tx: tx.now)
    deposit(caller.id, 6)
    later = caller.get("me/statement", **{"from": time_text(now)}).json()
    assert (later["opening"], later["closing"], len(later["items"])) == (5, 11, 1)
    earlier = caller.get("me/statement", to=time_text(now)).json()
    assert (earlier["opening"], earlier["closing"], len(earlier["items"])) == (0, 5, 1)
    tomorrow: dict[str, Any] = {"from": time_text(now + timedelta(days=1)), "currency": "XTK"}
    assert caller.get("me/statement", **tomorrow).json()["opening"] == 10_000


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"currency": "JPY"}, "unknown_currency"),
        ({"cursor": "????"}, "bad_cursor"),
        ({"cursor": "MA"}, "bad_cursor"),
        ({"cursor": "MDE"}, "bad_cursor"),
        ({"from": "yesterday"}, "invalid_field"),
        ({"from": "2026-12-01T00:00:00"}, "invalid_field"),
        ({"limit": 0}, "invalid_field"),
        ({"player": "x"}, "unknown_field"),
    ],
)
def test_bad_parameters(caller: Caller, parameters: dict[str, Any], code: str) -> None:
    found = caller.get("me/statement", **parameters)
    assert (found.status_code, found.json()["code"]) == (400, code)


@pytest.mark.parametrize("address", ["me", "me/statement"])
def test_staff_holds_no_wallet(address: str) -> None:
    found = Caller("auditor").get(address)
    assert (found.status_code, found.json()["code"]) == (403, "staff_may_not_play")


@pytest.mark.parametrize("address", ["me", "me/statement"])
def test_strangers_see_nothing(address: str) -> None:
    found: Any = APIClient().get(f"/api/v1/ledger/{address}")
    assert (found.status_code, found.json()["code"]) == (401, "not_authenticated")
