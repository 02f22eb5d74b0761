"""Manual entries as their events tell them, and the rules of who waits how long."""

from datetime import UTC, datetime
from typing import Any

import pytest

from eventstore.core.ids import HOUSE
from eventstore.core.refusal import Refused
from ledger.case_reading import id_of, stored
from ledger.core.adjustments import (
    COOLING,
    REASONS,
    REVERSAL_REASONS,
    check_reason,
    concerned,
    cooling_until,
    debits,
    fold,
    subject_of,
)
from ledger.core.events import Line

STREAM, AT = f"wallet/{id_of('A')}", datetime(2026, 12, 1, tzinfo=UTC)
SAID: dict[str, Any] = {
    "adjustment": "a1",
    "lines": [{"account": "promotion:EUR", "amount": 5}],
    "currency": "EUR",
    "reason_code": "goodwill",
    "proposer": "s1",
    "reverses": None,
    "effective": None,
}


def told(*facts: tuple[str, dict[str, Any]]) -> Any:
    """What the one manual entry of these events came to."""
    events = [stored(STREAM, number, *fact) for number, fact in enumerate(facts, 1)]
    (found,) = fold(events).values()
    return found


def proposed(**changed: Any) -> tuple[str, dict[str, Any]]:
    return "AdjustmentProposed", SAID | changed


def approved(**changed: Any) -> tuple[str, dict[str, Any]]:
    return "AdjustmentApproved", SAID | {"approver": "s2"} | changed


def rejected(by: str | None) -> tuple[str, dict[str, Any]]:
    return "AdjustmentRejected", {"adjustment": "a1", "reason_code": "x", "rejected_by": by}


def test_states_follow_the_events() -> None:
    open_one = told(proposed())
    assert (open_one.state, open_one.version, open_one.decided) == ("proposed", 1, None)
    done = told(proposed(), approved())
    assert (done.state, done.decided_by, done.decided, done.faults) == ("approved", "s2", 2, ())
    assert told(proposed(), rejected("s2")).state == "rejected"
    ended = told(proposed(), rejected(None))
    assert (ended.state, ended.decided_by, ended.faults) == ("expired", None, ())


FAULTY: list[tuple[tuple[Any, ...], str]] = [
    ((proposed(), approved(approver="s1")), "decided by one person alone"),
    ((proposed(), rejected("s1")), "decided by one person alone"),
    ((proposed(), approved(currency="XTK")), "approved with other content"),
    ((proposed(), approved(lines=[])), "approved with other content"),
    ((proposed(), approved(reason_code="correction")), "approved with other content"),
    ((approved(),), "decided without a proposal"),
    ((approved(), proposed()), "proposed twice"),
    ((proposed(), proposed()), "proposed twice"),
    ((proposed(), approved(), rejected("s3")), "decided twice"),
    ((proposed(), rejected("s3"), approved()), "decided twice"),
    ((proposed(reason_code="because"),), "without a reason"),
    ((proposed(reason_code="duplicate"),), "without a reason"),
    ((proposed(reason_code="goodwill", reverses="wallet/x@1#0"),), "without a reason"),
]


@pytest.mark.parametrize(("facts", "fault"), FAULTY)
def test_what_is_wrong_is_told(facts: tuple[Any, ...], fault: str) -> None:
    assert fault in told(*facts).faults


def test_each_entry_has_its_own_story() -> None:
    facts = [proposed(), proposed(adjustment="a2"), rejected("s2"), approved(adjustment="a2")]
    events = [stored(STREAM, number, *fact) for number, fact in enumerate(facts, 1)]
    found = fold(events)
    assert {name: one.state for name, one in found.items()} == {"a1": "rejected", "a2": "approved"}
    assert not any(one.faults for one in found.values())


def lines(*accounts: str) -> list[Line]:
    return [Line(account=account, amount=1) for account in accounts]


def test_the_stream_is_that_of_the_one_player() -> None:
    player, other = id_of("A"), id_of("B")
    own = lines("promotion:EUR", f"wallet:{player}:EUR", f"receivable:{player}:EUR")
    assert subject_of(own, None) == player
    assert subject_of(own, "wallet/x@1#0") == str(HOUSE)
    assert subject_of(lines("promotion:EUR", "cash:manual:EUR"), None) == str(HOUSE)
    assert concerned(own) == {player}
    assert concerned(lines(f"seat:{other}:{player}:EUR", "rake:EUR")) == {player}
    for accounts, code in (
        ((f"wallet:{player}:EUR", f"wallet:{other}:EUR"), "not_adjustable"),
        (("nonsense",), "unknown_account"),
    ):
        with pytest.raises(Refused) as refused:
            subject_of(lines(*accounts), None)
        assert refused.value.refusal.code == code


def test_every_reason_belongs_to_one_of_both() -> None:
    assert not REASONS & REVERSAL_REASONS
    for reason in REASONS | REVERSAL_REASONS:
        reverses = "wallet/x@1#0" if reason in REVERSAL_REASONS else None
        check_reason(reason, reverses)
        with pytest.raises(Refused):
            check_reason(reason, None if reverses else "wallet/x@1#0")


def test_above_the_cap_a_day_is_waited() -> None:
    assert cooling_until("EUR", 100_000, AT) is None
    assert cooling_until("EUR", 100_001, AT) == AT + COOLING
    assert cooling_until("XTK", 100_000, AT) is None
    assert cooling_until("XTK", 100_001, AT) == AT + COOLING
    assert cooling_until("JPY", 1, AT) == AT + COOLING  # nobody has said what is much there


def test_a_line_moves_something() -> None:
    assert debits([Line(account="a", amount=7), Line(account="b", amount=-7)]) == 7
    with pytest.raises(Refused):
        debits([Line(account="a", amount=0)])
