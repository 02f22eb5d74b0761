"""Money by hand over HTTP: what is asked for, decided, shown and listed."""

import json
from typing import Any
from uuid import UUID

import pytest

from eventstore.api.requests import AMOUNT_MAX
from ledger.selectors import available
from tests.api.callers import Answer, Caller, caller, picture, refused
from tonk_site.proving.acting.factories import a_gift

pytestmark = pytest.mark.django_db
PATH = "/ledger/adjustments"


@pytest.fixture
def algis(db: None) -> Caller:
    return caller("algis", "admin")


@pytest.fixture
def daiva(db: None) -> Caller:
    return caller("daiva", "admin")


def asked(by: Caller, player: UUID, **more: Any) -> Any:
    answer = by.post(PATH, a_gift(player) | more)
    assert answer.status == 201, answer.document
    return answer.document


# --- amounts and fields ---------------------------------------------------------------------------

NO_AMOUNTS = ["1.5", "100.0", "1e3", '"100"', "true", "[1]", "{}", "null", str(AMOUNT_MAX + 1)]


def test_what_is_no_amount(ona: Caller, algis: Caller) -> None:
    before = picture()
    for text in [*NO_AMOUNTS, str(-AMOUNT_MAX - 1), "0"]:
        body = json.dumps(a_gift(ona.who.id, 4711)).replace("4711", text, 1)
        refused(algis.call("POST", PATH, raw=body.encode()), 400, "bad_amount")
    for text in ("NaN", "Infinity", "01", "+1"):
        body = json.dumps(a_gift(ona.who.id, 4711)).replace("4711", text, 1)
        refused(algis.call("POST", PATH, raw=body.encode()), 400, "malformed_json")
    assert picture() == before


WRONG: list[tuple[dict[str, Any], int, str]] = [
    ({"text": ""}, 400, "invalid_field"),
    ({"text": "x" * 1_001}, 400, "invalid_field"),
    ({"reason_code": "Because I say so"}, 400, "invalid_field"),
    ({"reason_code": "duplicate"}, 400, "invalid_field"),
    ({"effective": "2026-02-30"}, 400, "invalid_field"),
    ({"effective": "2999-01-01"}, 400, "invalid_field"),
    ({"effective": 1}, 400, "invalid_field"),
    ({"tournament_id": "x"}, 400, "invalid_field"),
    ({"currency": "USD"}, 400, "unknown_currency"),
    ({"proposer": "x"}, 400, "unknown_field"),
    ({"lines": [{"account": "rake:EUR", "amount": 1, "stripe": 1}]}, 400, "unknown_field"),
    ({"lines": [{"account": "rake:EUR", "amount": 1}] * 101}, 400, "invalid_field"),
    ({"lines": []}, 422, "bad_entry"),
    ({"lines": [{"account": "promotion:EUR", "amount": 1}]}, 422, "unbalanced"),
    ({"lines": [{"account": "x" * 120, "amount": 1}]}, 404, "unknown_account"),
    ({"reverses": "wallet/x", "reason_code": "duplicate"}, 422, "bad_entry"),
    ({"reverses": "x" * 81, "reason_code": "duplicate"}, 400, "invalid_field"),
]


@pytest.mark.parametrize(("more", "status", "code"), WRONG)
def test_what_may_not_be_asked_for(
    more: dict[str, Any], status: int, code: str, ona: Caller, algis: Caller
) -> None:
    before = picture()
    refused(algis.post(PATH, a_gift(ona.who.id) | more), status, code)
    assert picture() == before


# --- one after the other --------------------------------------------------------------------------


def test_from_the_wish_to_the_money(ona: Caller, algis: Caller, daiva: Caller) -> None:
    body = a_gift(ona.who.id) | {"effective": "2026-11-01"}
    made = algis.post(PATH, body, Idempotency_Key="k" * 16)
    document = made.document
    path = f"{PATH}/{document['adjustment_id']}"
    assert made.headers["Location"] == f"/api/v1{path}"
    assert {name: document[name] for name in body} == body
    assert (document["status"], document["amount"], document["player_id"]) == (
        "proposed",
        250,
        str(ona.who.id),
    )
    refused(algis.post(f"{path}/approve"), 403, "four_eyes")
    said = daiva.post(f"{path}/comments", {"text": "I was there"}).document
    done = daiva.post(f"{path}/approve", {"note": "right"}, Idempotency_Key="l" * 16)
    assert done.document == document | {
        "status": "approved",
        "decided_by": str(daiva.who.id),
        "decided_at": done.document["decided_at"],
        "note": "right",
        "entry_id": done.document["entry_id"],
    }
    assert available(ona.who.id, "EUR") == 250
    refused(algis.post(f"{path}/reject"), 409, "already_decided")
    assert algis.get(path).document == done.document | {"comments": [said]}
    again = algis.post(PATH, body, Idempotency_Key="k" * 16)
    assert (again.content, again.headers["Idempotency-Replayed"]) == (made.content, "true")
    assert daiva.post(f"{path}/approve", {"note": "right"}, Idempotency_Key="l" * 16).content == (
        done.content
    )
    line = ona.get("/ledger/me/statement").document["items"][-1]
    assert (line["kind"], line["entry_id"]) == ("adjustment", done.document["entry_id"])


def test_much_money_says_when(ona: Caller, algis: Caller, daiva: Caller) -> None:
    path = f"{PATH}/{algis.post(PATH, a_gift(ona.who.id, 100_001)).document['adjustment_id']}"
    problem = refused(daiva.post(f"{path}/approve"), 409, "cooling_off")
    assert problem["retryable"]
    assert problem["facts"]["until"] in problem["detail"]


def test_who_sees_which(ona: Caller, petras: Caller, algis: Caller) -> None:
    of_ona, of_petras = asked(algis, ona.who.id), asked(algis, petras.who.id)

    def listed(by: Caller, query: str = "") -> list[str]:
        items = by.get(PATH + query).document["items"]
        return [item["adjustment_id"] for item in items]

    both = [of_petras["adjustment_id"], of_ona["adjustment_id"]]
    assert listed(caller("auste", "auditor")) == listed(algis) == both
    assert (listed(ona), listed(petras)) == ([both[1]], [both[0]])
    assert listed(caller("jonas", "organiser")) == []
    assert listed(algis, f"?player={ona.who.id}") == [both[1]]
    assert listed(algis, "?status=approved") == []
    first = algis.get(f"{PATH}?limit=1").document
    assert [item["adjustment_id"] for item in first["items"]] == both[:1]
    assert listed(algis, f"?limit=1&cursor={first['next']}") == both[1:]
    refused(petras.get(f"{PATH}/{both[1]}"), 404, "not_found")
    assert ona.get(f"{PATH}/{both[1]}").document["comments"] == []


# --- wallets and proposals ------------------------------------------------------------------------


def test_a_wallet_is_frozen_by_two(ona: Caller, algis: Caller, daiva: Caller) -> None:
    path = f"/ledger/wallets/{ona.who.id}"
    body = {"reason_code": "review", "text": "a complaint"}
    made = algis.post(f"{path}/freeze", body, Idempotency_Key="k" * 16)
    assert made.status == 202
    proposal = made.document
    assert (proposal["kind"], proposal["subject"], proposal["status"]) == (
        "wallet_freeze",
        str(ona.who.id),
        "proposed",
    )
    refused(daiva.post(f"{path}/freeze", body), 409, "already_decided")
    decide = f"/admin/proposals/{proposal['proposal_id']}"
    refused(algis.post(f"{decide}/approve"), 403, "four_eyes")
    done = daiva.post(f"{decide}/approve", {"note": "seen"})
    assert done.document == proposal | {
        "status": "approved",
        "decided_by": str(daiva.who.id),
        "decided_at": done.document["decided_at"],
        "note": "seen",
    }
    refused(daiva.post(f"{decide}/reject"), 409, "already_decided")
    again = algis.post(f"{path}/freeze", body, Idempotency_Key="k" * 16)
    assert again.content == made.content
    assert algis.post(f"{path}/release", body).status == 202


def test_proposals_are_listed_for_the_staff(ona: Caller, petras: Caller, algis: Caller) -> None:
    for player in (ona, petras):
        body = {"reason_code": "review", "text": "a complaint"}
        assert algis.post(f"/ledger/wallets/{player.who.id}/freeze", body).status == 202

    def subjects(answer: Answer) -> list[str]:
        return [item["subject"] for item in answer.document["items"]]

    auste = caller("auste", "auditor")
    both = [str(petras.who.id), str(ona.who.id)]
    assert subjects(auste.get("/admin/proposals")) == both
    assert subjects(auste.get("/admin/proposals?kind=wallet_freeze&status=proposed")) == both
    assert subjects(auste.get("/admin/proposals?kind=period_close")) == []
    assert subjects(auste.get("/admin/proposals?status=approved")) == []
    first = auste.get("/admin/proposals?limit=1").document
    assert subjects(auste.get(f"/admin/proposals?limit=1&cursor={first['next']}")) == both[1:]
    for query in ("status=asleep", "kind=%00", "limit=0"):
        refused(auste.get(f"/admin/proposals?{query}"), 400, "invalid_field")


def test_a_month_that_is_none_is_not_found(algis: Caller) -> None:
    for period in ("2026-13", "2026", "october"):
        refused(algis.post(f"/ledger/periods/{period}/close"), 404, "not_found")
    refused(algis.post("/ledger/periods/2999-01/close"), 409, "wrong_state")
    assert algis.get("/ledger/periods").document == {"items": []}
