"""Deposits, withdrawals and the door of payment providers over HTTP."""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from ledger import cashier
from ledger.cashier.base import Notice
from ledger.cashier.sandbox import SIGNATURE, body_of, sign
from ledger.selectors import balances
from ledger.services import deposits
from tests.api.callers import NOWHERE, Answer, Caller, api_bot, caller, picture, refused
from tests.corpus import NO_AMOUNTS
from tests.integration.ledger.payments import notice
from tonk_site.proving.acting.factories import a_deposit, a_withdrawal, pays_in

pytestmark = pytest.mark.django_db

CALLBACK = "/ledger/provider-callback"
EUR = {"currency": "EUR", "amount": 5_000}


@pytest.fixture
def algis(db: None) -> Caller:
    return caller("algis", "admin")


@pytest.fixture
def daiva(db: None) -> Caller:
    return caller("daiva", "admin")


@pytest.fixture
def sandbox(settings: Any) -> Iterator[None]:
    settings.CASHIER_PROVIDERS = [
        "ledger.cashier.manual.Manual",
        "ledger.cashier.sandbox.Sandbox",
    ]
    cashier._made.cache_clear()
    yield
    cashier._made.cache_clear()


def available(who: Caller) -> int:
    return next(one.available for one in balances(who.who.id) if one.currency == "EUR")


def tells(said: Notice, **headers: Any) -> Answer:
    """The provider's signed call."""
    body = body_of(said)
    return Caller().call("POST", CALLBACK, raw=body, **{SIGNATURE: sign(body)} | headers)


# --- deposits -------------------------------------------------------------------------------------


def test_a_deposit_from_the_wish_to_the_wallet(ona: Caller, algis: Caller, daiva: Caller) -> None:
    made = ona.post("/ledger/deposits", EUR)
    order = made.document["deposit_id"]
    assert (made.status, made.headers["Location"]) == (201, f"/api/v1/ledger/deposits/{order}")
    text = f"Pay 50.00 EUR at the house's cashier. Purpose: {order}"
    assert made.document["instructions"] == {"text": text}
    assert made.document["status"] == "requested"
    path = f"/ledger/deposits/{order}"
    assert ona.get(path).document == made.document
    body = {"decision": "approve", "reference": "bank-17"}
    first = algis.post(f"{path}/approve", body)
    assert (first.status, first.document["status"]) == (202, "approved_once")
    second = daiva.post(f"{path}/approve", body)
    assert (second.status, second.document["status"]) == (200, "recorded")
    assert second.document == algis.get(path).document
    assert second.document["first_approver"] == str(algis.who.id)
    seen = ona.get(path).document
    assert set(seen) == {
        "deposit_id",
        "status",
        "method",
        "currency",
        "amount",
        "paid",
        "display",
        "created_at",
        "updated_at",
    }
    assert (seen["paid"], seen["display"], available(ona)) == (5_000, "50.00 EUR", 5_000)


def test_instructions_are_in_the_readers_language(ona: Caller) -> None:
    made = ona.post("/ledger/deposits", EUR, Accept_Language="lt")
    order = made.document["deposit_id"]
    assert made.document["instructions"]["text"] == (
        f"Sumokėkite 50.00 EUR kasoje. Mokėjimo paskirtis: {order}"
    )


def test_each_way_to_pay_tells_how(
    ona: Caller, sandbox: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ona.post("/ledger/deposits", EUR | {"method": "sandbox"}).document
    assert made["instructions"] == {"text": f"manage.py sandbox_notice {made['deposit_id']}"}
    monkeypatch.setattr(deposits, "PLAY_DAY", timedelta(0))  # registration was yesterday
    made = ona.post("/ledger/deposits", {"currency": "XTK", "amount": 500}).document
    assert (made["status"], made["display"], "instructions" in made) == (
        "recorded",
        "500 XTK",
        False,
    )


def test_play_chips_over_http(ona: Caller) -> None:
    problem = refused(
        ona.post("/ledger/deposits", {"currency": "XTK", "amount": 1}), 409, "limit_reached"
    )
    assert problem["facts"] == {"limit": "play_day", "most": 10_000, "left": 0}


@pytest.mark.parametrize("path", ["/ledger/deposits", "/ledger/withdrawals"])
def test_what_is_no_amount(path: str, ona: Caller) -> None:
    pays_in(ona.who)
    before = picture()
    for text in NO_AMOUNTS:
        raw = b'{"currency": "EUR", "method": "manual", "amount": %s}' % text.encode()
        problem = refused(ona.call("POST", path, raw=raw), 400, "bad_amount")
        assert [one["pointer"] for one in problem["errors"]] == ["/amount"], text
    for text in ("NaN", "Infinity", "\u0663", "1_000"):
        raw = b'{"currency": "EUR", "method": "manual", "amount": %s}' % text.encode()
        refused(ona.call("POST", path, raw=raw), 400, "malformed_json")
    assert picture() == before


def test_too_small_a_withdrawal(ona: Caller) -> None:
    pays_in(ona.who)
    body = EUR | {"amount": 999, "method": "manual"}
    problem = refused(ona.post("/ledger/withdrawals", body), 400, "bad_amount")
    assert problem["facts"] == {"field": "amount", "least": 1_000}


REFERENCES = ["", " ", "a b", "ąč", "-1", "a" * 81, "a\n", 7, "Jonas Jonaitis"]


@pytest.mark.parametrize("reference", REFERENCES)
def test_references_that_may_not_be(reference: object, ona: Caller, algis: Caller) -> None:
    order = a_deposit(ona.who)
    body = {"decision": "approve", "reference": reference}
    before = picture()
    answer = algis.post(f"/ledger/deposits/{order}/approve", body)
    assert refused(answer, 400, "invalid_field")["errors"][0]["pointer"] == "/reference"
    assert picture() == before


# --- lists ----------------------------------------------------------------------------------------


def test_lists_are_ones_own_and_all_for_staff(
    ona: Caller, petras: Caller, algis: Caller, sandbox: None
) -> None:
    own = [str(a_deposit(ona.who)) for _ in range(3)]
    others = str(a_deposit(petras.who))
    assert tells(notice("rent")).status == 200

    def ids(who: Caller, query: str = "") -> list[str]:
        return [one["deposit_id"] for one in who.get(f"/ledger/deposits{query}").document["items"]]

    assert ids(ona) == own[::-1]
    assert ids(petras) == [others]
    assert len(ids(algis)) == 5
    (nobodys,) = algis.get("/ledger/deposits?status=unassigned").document["items"]
    assert (nobodys["status"], nobodys["reference"], "player_id" in nobodys) == (
        "unassigned",
        "r1",
        False,
    )
    assert ids(ona, "?status=unassigned") == []
    assert ids(ona, "?status=recorded") == []
    assert ids(algis, "?status=requested") == [others, *own[::-1]]
    first = ona.get("/ledger/deposits?limit=2").document
    assert [one["deposit_id"] for one in first["items"]] == own[:0:-1]
    rest = ona.get(f"/ledger/deposits?limit=2&cursor={first['next']}").document
    assert ([one["deposit_id"] for one in rest["items"]], "next" in rest) == (own[:1], False)
    second = ona.get(f"/ledger/deposits/{own[1]}").document["created_at"]
    assert ids(ona, f"?from={second}") == own[:0:-1]
    assert ids(ona, f"?to={second}") == own[:1]


def test_staff_sees_whose_it_is(ona: Caller, algis: Caller) -> None:
    pays_in(ona.who)
    order = a_withdrawal(ona.who)
    for who in (algis, caller("auste", "auditor")):
        (one,) = who.get("/ledger/withdrawals").document["items"]
        assert (one["withdrawal_id"], one["player_id"]) == (str(order), str(ona.who.id))
        assert who.get(f"/ledger/withdrawals/{order}").document == one
    assert "player_id" not in ona.get(f"/ledger/withdrawals/{order}").document


@pytest.mark.parametrize("path", ["/ledger/deposits", "/ledger/withdrawals"])
def test_what_a_list_does_not_show(path: str, ona: Caller, petras: Caller) -> None:
    pays_in(ona.who)
    order = a_deposit(ona.who) if path.endswith("deposits") else a_withdrawal(ona.who)
    refused(api_bot().get(path), 403, "not_permitted")
    for who, found in ((petras, order), (ona, UUID(NOWHERE))):
        refused(who.get(f"{path}/{found}"), 404, "not_found")
    for query in ("status=lost", "from=2026", "to=yesterday", "limit=0"):
        refused(ona.get(f"{path}?{query}"), 400, "invalid_field")
    refused(ona.get(f"{path}?player=x"), 400, "unknown_field")
    refused(ona.get(f"{path}?cursor=xyz"), 400, "bad_cursor")


def test_an_order_of_the_other_direction_is_not_there(ona: Caller, algis: Caller) -> None:
    pays_in(ona.who)
    deposit, withdrawal = a_deposit(ona.who), a_withdrawal(ona.who)
    for path, order in (("deposits", withdrawal), ("withdrawals", deposit)):
        refused(ona.get(f"/ledger/{path}/{order}"), 404, "not_found")
        approve = f"/ledger/{path}/{order}/approve"
        refused(algis.post(approve, {"decision": "approve"}), 404, "not_found")
    refused(ona.post(f"/ledger/withdrawals/{deposit}/cancel"), 404, "not_found")


# --- withdrawals ----------------------------------------------------------------------------------


def test_a_withdrawal_from_the_wish_to_the_bank(ona: Caller, algis: Caller, daiva: Caller) -> None:
    pays_in(ona.who)
    made = ona.post("/ledger/withdrawals", EUR | {"method": "manual"})
    order = made.document["withdrawal_id"]
    path = f"/ledger/withdrawals/{order}"
    assert (made.status, made.headers["Location"]) == (201, f"/api/v1{path}")
    assert (made.document["status"], available(ona)) == ("requested", 5_000)
    assert ona.get(path).document == made.document
    found = []
    for body in ({}, {"reference": "bank-1"}):
        for admin in (algis, daiva):
            answer = admin.post(f"{path}/approve", {"decision": "approve"} | body)
            found.append((answer.status, answer.document["status"]))
    assert found == [(202, "approved_once"), (200, "sending"), (202, "sending"), (200, "paid")]
    refused(ona.post(f"{path}/cancel"), 409, "already_decided")
    assert ona.get(path).document["paid"] == 5_000


def test_a_withdrawal_is_taken_back(ona: Caller) -> None:
    pays_in(ona.who)
    order = a_withdrawal(ona.who)
    answer = ona.post(f"/ledger/withdrawals/{order}/cancel")
    assert (answer.status, answer.document["status"], available(ona)) == (200, "returned", 10_000)


# --- providers ------------------------------------------------------------------------------------


def test_a_notice_is_done_once_and_answered_alike(ona: Caller, sandbox: None) -> None:
    order = a_deposit(ona.who, method="sandbox")
    answers = [tells(notice(order, event_id=f"e{number // 2}")) for number in range(5)]
    assert {(one.status, one.content) for one in answers} == {(200, b"{}")}
    assert available(ona) == 5_000


def test_A13_a_captured_notice_sent_again_later_does_nothing(ona: Caller, sandbox: None) -> None:
    first, second = (a_deposit(ona.who, method="sandbox") for _ in range(2))
    one, other = notice(first, reference="r1"), notice(second, reference="r2", amount=700)
    assert tells(other).status == 200
    assert tells(one).status == 200
    before = picture()
    for captured in (other, one, other):
        assert tells(captured).status == 200
    assert picture() == before
    assert available(ona) == 5_700


def test_only_a_providers_signature_counts(ona: Caller, sandbox: None) -> None:
    order = a_deposit(ona.who, method="sandbox")
    said = notice(order)
    before = picture()
    body = body_of(said)
    for signature in (None, "", "0" * 64, sign(body + b" "), sign(b"")):
        answer = tells(said, **{SIGNATURE: signature})
        assert refused(answer, 401, "bad_signature")["facts"] == {}
    refused(ona.call("POST", CALLBACK, raw=body), 401, "bad_signature")
    refused(Caller().call("POST", CALLBACK, raw=b"\xff{"), 401, "bad_signature")
    refused(tells(said, Content_Type="text/plain"), 415, "unsupported_media_type")
    refused(Caller().call("POST", CALLBACK, raw=b" " * 70_000), 413, "body_too_large")
    assert picture() == before
    assert tells(said, Authorization="Basic whatever-the-provider-likes").status == 200


def test_signed_nonsense(sandbox: None) -> None:
    before = picture()
    for raw in (b"[]", b"{}", b'{"amount": 1}', b"null", b'"x"', b"\xff"):
        answer = Caller().call("POST", CALLBACK, raw=raw, **{SIGNATURE: sign(raw)})
        refused(answer, 400, "malformed_json")
    refused(tells(notice("rent", method="manual")), 400, "malformed_json")
    refused(tells(notice("rent", currency="JPY")), 400, "unknown_currency")
    assert picture() == before


def test_the_sandboxs_notice_of_an_order_is_printed_signed(
    ona: Caller,
    sandbox: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, port=8100))
    order = a_deposit(ona.who, method="sandbox")
    call_command("sandbox_notice", str(order), "--amount", "4000")
    words = shlex.split(capsys.readouterr().out)
    assert words[:3] == ["curl", "-sS", "-f"]
    assert words[-1] == f"http://127.0.0.1:8100/api/v1{CALLBACK}"
    headers = dict(word.split(": ") for word in words if ": " in word)
    raw = words[words.index("-d") + 1].encode()
    answer = Caller().call("POST", CALLBACK, raw=raw, **headers)
    assert (answer.status, available(ona)) == (200, 4_000)
    call_command("sandbox_notice", str(order), "--url", "https://tonk.example/")
    assert capsys.readouterr().out.endswith(f" https://tonk.example/api/v1{CALLBACK}\n")
    with pytest.raises(CommandError, match="no order"):
        call_command("sandbox_notice", NOWHERE)


def test_without_a_provider_nobody_may_call(ona: Caller) -> None:
    refused(tells(notice(ona.who.id)), 401, "bad_signature")
