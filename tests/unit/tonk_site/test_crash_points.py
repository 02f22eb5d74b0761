"""What the crash points compare, and what they strike."""

import pytest

from eventstore.tasking import reasons
from tonk_site.proving.crash import crash_acts
from tonk_site.proving.crash.crash_life import AFTER, BEFORE, MADE, NOT_MADE, Strike, strikes
from tonk_site.proving.crash.crash_state import Facts, differences
from tonk_site.proving.points import Call

KNOWN, ONE, OTHER = (f"0199c2b2-6c1f-7033-818c-ef2df94c385{last}" for last in "012")


def told(*rows: str) -> dict[str, int]:
    return dict(Facts(rows).apart_from_ids(frozenset({KNOWN})))


def test_fresh_ids_times_hashes_and_numbers_do_not_count() -> None:
    first = told(f'event {{"table": "{ONE}", "at": "2026-11-30T12:00:00.5Z"}}', f"seed {'a' * 64}")
    second = told(f'event {{"table": "{OTHER}", "at": "2026-12-01T09:30:00Z"}}', f"seed {'b' * 64}")
    assert first == second
    assert told('answer {"entry_id": 4}') == told('answer {"entry_id": 14}')


def test_what_is_known_must_be_the_same() -> None:
    assert told(f"event {KNOWN}") != told(f"event {ONE}")
    assert told('seat {"stack": 500}') != told('seat {"stack": 499}')


def test_ids_that_mean_the_same_thing_must_be_the_same() -> None:
    whole = told(f"row {ONE}", f"zeile {ONE}")
    assert whole == told(f"row {OTHER}", f"zeile {OTHER}")
    assert whole != told(f"row {ONE}", f"zeile {OTHER}")


def test_a_hash_beside_an_id_hides_no_id() -> None:
    assert told(f"key {ONE}+{'ab' * 20}") == told(f"key {OTHER}+{'cd' * 20}")
    assert told(f"key {KNOWN}+{'ab' * 20}") != told(f"key {ONE}+{'ab' * 20}")


def test_differences_are_told_from_where_they_begin() -> None:
    start = "x" * 200
    ((expected, got),) = differences(told(f"row {start} 1"), told(f"row {start} 2"))
    assert (expected[-1], got[-1]) == ("1", "2")
    assert len(expected) < len(start)
    assert list(differences(told("row", "row"), told("row"))) == [("row", "nothing")]


def test_each_call_is_struck_on_both_sides_and_a_commit_is_made_unknown() -> None:
    calls = [Call("statement", "SELECT 1"), Call("commit", "")]
    assert strikes(calls) == [
        Strike(1, BEFORE),
        Strike(1, AFTER),
        Strike(2, BEFORE),
        Strike(2, AFTER),
        Strike(2, MADE),
        Strike(2, NOT_MADE),
    ]


def test_a_command_or_task_that_nobody_strikes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert crash_acts.missing() == []
    monkeypatch.setattr(crash_acts, "reasons", lambda: {**reasons(), "games.new": "never"})
    monkeypatch.setattr(crash_acts, "EXCLUDED", {})
    assert crash_acts.missing() == ["games.new", "tournaments.services.drafting.directed"]
