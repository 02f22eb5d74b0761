"""Providers: how they are named, and who may call back."""

from datetime import UTC, date, datetime
from typing import Any, get_args
from uuid import uuid4

import msgspec
import pytest
from django.core.exceptions import ImproperlyConfigured

from eventstore.core.refusal import InvariantBroken, Refused
from ledger import cashier
from ledger.cashier.base import Declined, Line, Notice, Order, Outcome, Sent, Unknown
from ledger.cashier.manual import Manual
from ledger.cashier.sandbox import SIGNATURE, Fault, Sandbox, body_of, sign

MANUAL, SANDBOX = "ledger.cashier.manual.Manual", "ledger.cashier.sandbox.Sandbox"
AT = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
ORDER = Order(uuid4(), uuid4(), "sandbox", "EUR", 5_000)


def notice(**changed: Any) -> Notice:
    said: dict[str, Any] = {
        "event_id": "e1",
        "method": "sandbox",
        "reference": "r1",
        "purpose": "p",
        "direction": "in",
        "amount": 5_000,
        "currency": "EUR",
        "outcome": Outcome.PAID,
        "happened_at": AT,
    }
    return Notice(**said | changed)


class Doubled(Sandbox):
    """Speaks of a method that it does not offer."""

    methods = ("doubled",)


class Unnamed(Sandbox):
    """Has a method that can stand in no account."""

    methods = ("A bank",)


@pytest.fixture
def both(settings: Any) -> None:
    settings.CASHIER_PROVIDERS = [MANUAL, SANDBOX]


def code_of(headers: dict[str, str], body: bytes) -> str:
    with pytest.raises(Refused) as caught:
        cashier.read_callback(headers, body)
    return caught.value.refusal.code


def test_the_manual_cashier_is_built_in_alone() -> None:
    assert list(cashier.providers()) == ["manual"]
    assert cashier.methods_for("EUR") == ["manual"]
    assert cashier.methods_for("XTK") == []
    assert cashier.is_by_hand("manual")
    assert not cashier.is_by_hand("sandbox")
    with pytest.raises(InvariantBroken, match="sandbox"):
        cashier.provider_of("sandbox")


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (["nowhere.Provider"], "there is no nowhere.Provider"),
        (["ledger.cashier.manual.Nobody"], "there is no"),
        ([MANUAL, MANUAL], "'manual'"),
        ([f"{__name__}.Unnamed"], "'A bank'"),
    ],
)
def test_a_setting_that_does_not_work(paths: list[str], words: str, settings: Any) -> None:
    settings.CASHIER_PROVIDERS = paths
    with pytest.raises(ImproperlyConfigured, match=words):
        cashier.providers()


def test_a_signed_notice_is_read(both: None) -> None:
    body = body_of(notice())
    assert cashier.read_callback({SIGNATURE: sign(body)}, body) == [notice()]


def test_the_signature_covers_every_byte(both: None) -> None:
    body = body_of(notice())
    good = sign(body)
    assert code_of({}, body) == "bad_signature"
    assert code_of({SIGNATURE: ""}, body) == "bad_signature"
    assert code_of({SIGNATURE: good.upper()}, body) == "bad_signature"
    assert code_of({SIGNATURE: "ą"}, body) == "bad_signature"
    assert code_of({SIGNATURE: good}, body + b" ") == "bad_signature"
    assert code_of({SIGNATURE: good}, body.replace(b"5000", b"9000")) == "bad_signature"


def test_nobody_signs_for_the_manual_cashier() -> None:
    body = body_of(notice(method="manual"))
    assert code_of({SIGNATURE: sign(body)}, body) == "bad_signature"


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": 0},
        {"amount": -5},
        {"amount": 5.0},
        {"amount": "5000"},
        {"amount": True},
        {"amount": 10**12 + 1},
        {"direction": "sideways"},
        {"outcome": "perhaps"},
        {"happened_at": "2026-12-01T09:30:00"},
        {"reference": ""},
        {"more": 1},
    ],
)
def test_a_signed_body_that_says_nothing_sensible(wrong: dict[str, object], both: None) -> None:
    body = msgspec.json.encode(msgspec.to_builtins(notice()) | wrong)
    assert code_of({SIGNATURE: sign(body)}, body) == "malformed_json"
    assert code_of({SIGNATURE: sign(b"{")}, b"{") == "malformed_json"


def test_a_method_that_is_not_the_signers(settings: Any) -> None:
    settings.CASHIER_PROVIDERS = [f"{__name__}.Doubled"]
    body = body_of(notice())
    with pytest.raises(InvariantBroken, match="does not offer"):
        cashier.read_callback({SIGNATURE: sign(body)}, body)


def test_a_payout_is_made_once_under_one_reference() -> None:
    sandbox = Sandbox()
    sandbox.fail_next(["no_answer", "declined"])
    answers = [sandbox.send_payout(ORDER) for _ in range(4)]
    sent = Sent(f"payout-{ORDER.id}")
    assert answers == [Unknown(), Declined("no_such_account"), sent, sent]
    assert sandbox.asked == [str(ORDER.id)] * 4
    assert [line.amount for line in sandbox.paid.values()] == [-5_000]
    assert set(get_args(Fault)) == {"no_answer", "declined"}


def test_a_statement_holds_the_lines_of_its_day() -> None:
    sandbox = Sandbox()
    sandbox.send_payout(ORDER)
    (line,) = sandbox.paid.values()
    came = Line("r1", line.happened_at, 700, "EUR")
    sandbox.receive(came)
    assert sandbox.statement(line.happened_at.date()) == [came, line]
    assert sandbox.statement(date(2000, 1, 1)) == []
    assert Manual().statement(date(2000, 1, 1)) is None


def test_what_the_manual_cashier_tells(settings: Any) -> None:
    text = Manual().start_deposit(ORDER).text
    assert text == f"Pay 50.00 EUR at the house's cashier. Purpose: {ORDER.id}"
    settings.CASHIER_ACCOUNT = "LT12 1000 0111 0100 1000"
    text = Manual().start_deposit(ORDER).text
    assert text == f"Pay 50.00 EUR to LT12 1000 0111 0100 1000. Purpose: {ORDER.id}"
    with pytest.raises(InvariantBroken):
        Manual().send_payout(ORDER)
