"""Histories that are not what they should be, and what the checkers say of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tonk_site.proving.processes.history import Call, Outcome
from tonk_site.proving.processes.history_checks import (
    Record,
    Snapshot,
    bank,
    durable,
    order_of_reads,
)

TABLE, ONA, PETRAS = "0" * 8 + "-0000-7000-8000-" + "0" * 12, "ona", "petras"
STREAM = f"table/{TABLE}"


def a_call(what: str = "moves", outcome: Outcome = "ok", **given: Any) -> Call:
    """A write of Ona's at the table; the instants are those of `at`, a second after it."""
    at = given.pop("at", 0.0)
    values: dict[str, Any] = {
        "player": ONA, "began": at, "ended": at + 1, "method": "POST",
        "path": f"/tables/{TABLE}/{what}", "key": "key-1", "body": {}, "outcome": outcome,
        "status": 200 if outcome == "ok" else 409,
    }  # fmt: skip
    return Call(**(values | given))


def a_move(version: int, **given: Any) -> Call:
    return a_call(answer={"version": version}, **given)


def a_record(version: int, kind: str = "Discarded", **given: Any) -> Record:
    values: dict[str, Any] = {
        "stream": STREAM, "version": version, "type": kind, "actor": f"player:{ONA}",
        "command": f"command-{version}",
    }  # fmt: skip
    return Record(**(values | given))


def whats(calls: Sequence[Call], log: Sequence[Record]) -> list[str]:
    return [wrong.what for wrong in durable(calls, log).wrongs]


def test_a_write_that_is_in_the_log_once_is_well() -> None:
    found = durable([a_move(3)], [a_record(3)])
    assert found.wrongs == []
    assert dict(found.counts) == {"acknowledged": 1}


def test_one_that_was_repeated_with_its_key_counts_once() -> None:
    calls = [a_call(outcome="unknown", status=0), a_move(3, is_replayed=True)]
    assert durable(calls, [a_record(3)]).counts == {"acknowledged": 1}


def test_one_that_is_not_in_the_log_is_lost() -> None:
    found = durable([a_move(3)], [a_record(2, actor="player:petras")])
    assert found.counts == {"acknowledged": 1, "lost": 1}
    assert [wrong.what for wrong in found.wrongs] == ["acknowledged, not in the log"]


def test_one_that_stands_at_another_version_is_lost() -> None:
    found = durable([a_move(3)], [a_record(4)])
    assert found.counts == {"acknowledged": 1, "lost": 1, "twice": 1}


def test_two_that_had_one_effect_are_one_too_few() -> None:
    found = durable([a_move(3), a_move(3, key="key-2")], [a_record(3)])
    assert found.counts["lost"] == 1
    assert whats([a_move(3), a_move(3, key="key-2")], [a_record(3)]) == [
        "one effect for several writes"
    ]


def test_what_was_done_twice_is_found() -> None:
    found = durable([a_move(3)], [a_record(3), a_record(5)])
    assert found.counts == {"acknowledged": 1, "twice": 1}
    assert [wrong.what for wrong in found.wrongs] == ["in the log, acknowledged to nobody"]


def test_what_was_refused_is_not_in_the_log() -> None:
    refused = a_call(outcome="refused", answer={"code": "not_your_turn"})
    assert whats([refused], []) == []
    assert whats([refused], [a_record(3)]) == ["in the log, acknowledged to nobody"]


def test_an_unknown_write_must_get_an_answer_in_the_end() -> None:
    unknown = a_call(outcome="unknown", status=0)
    assert whats([unknown], []) == ["no answer at all"]
    refused = a_call(outcome="refused", answer={"code": "stale_version"})
    assert whats([unknown, refused], []) == []


@pytest.mark.parametrize(
    "second", [a_move(4), a_call(outcome="refused", answer={"code": "stale_version"})]
)
def test_one_key_has_one_answer(second: Call) -> None:
    assert whats([a_move(3), second], [a_record(3)]) == ["answered in two ways"]


def test_an_answer_shows_what_is_in_the_log() -> None:
    shown = a_call(answer={"version": 3, "events": [{"version": 3, "type": "Knocked"}]})
    assert whats([shown], [a_record(3, "Knocked")]) == []
    assert whats([shown], [a_record(3)]) == ["shown, and otherwise in the log"]


def test_the_hands_end_belongs_to_the_move_that_ended_it() -> None:
    log = [a_record(3), a_record(4, "HandEnded", actor="worker:dealer", command="command-3")]
    assert whats([a_move(4)], log) == []


def test_a_seed_is_known_by_itself_and_may_be_given_again() -> None:
    seed = a_call("seeds", body={"seed": "ab"}, answer={"index": 1})
    log = [a_record(2, "SeedRevealed", data={"player": ONA, "seed": "ab"})]
    assert whats([seed, replace(seed, key="key-2")], log) == []
    other = replace(log[0], data={"player": ONA, "seed": "cd"})
    assert whats([seed], [other]) == [
        "acknowledged, not in the log",
        "in the log, acknowledged to nobody",
    ]


@pytest.mark.parametrize(
    ("method", "end", "kind"), [("POST", "seat", "SeatTaken"), ("DELETE", "seat", "SeatLeft")]
)
def test_a_seat_is_taken_and_left_once(method: str, end: str, kind: str) -> None:
    call = a_call(end, method=method, answer={"version": 2})
    taken = a_record(2, kind, data={"player": ONA})
    assert whats([call], [taken]) == []
    assert whats([call], [taken, a_record(7, kind, data={"player": ONA})]) != []
    assert whats([call], [a_record(2)]) != []  # a move is no seat


def test_the_last_entry_starts_the_tournament_with_it() -> None:
    path = f"/tournaments/{TABLE}/entries"
    call = a_call(path=path, answer={"version": 30})
    stream = f"tournament/{TABLE}"
    paid = a_record(12, "EntryPaid", stream=stream, data={"player": ONA})
    assert whats([call], [paid]) == []
    assert whats([call], [replace(paid, version=31)]) != []


def test_what_hosts_and_workers_did_is_not_asked_for() -> None:
    log = [
        a_record(1, "TableOpened"),
        a_record(2, "SeatTaken", data={"player": "a bot"}),  # seated by the host
        a_record(3, "TurnTimedOut", actor="worker:clock"),
        a_record(4, actor=f"player:{PETRAS}"),  # whose history is not here
    ]
    assert whats([a_call(outcome="refused", answer={"code": "no_hand"})], log) == []


def a_read(version: int, at: float, kind: str = "seat", player: str = ONA) -> Call:
    answer = {"version": version, "viewer": {"kind": kind}}
    return a_call("state", at=at, method="GET", key=None, answer=answer, player=player)


def test_what_a_seat_is_shown_never_goes_back() -> None:
    assert order_of_reads([a_read(3, 0), a_read(3, 2), a_read(7, 4)]) == []
    (wrong,) = order_of_reads([a_read(3, 0), a_read(7, 2), a_read(6, 4)])
    assert (wrong.expected, wrong.got) == ("version 7 or newer", "version 6")


def test_whoever_asks_after_an_acknowledgement_is_shown_it() -> None:
    moved = a_call(answer={"version": 7, "state": {"version": 7, "viewer": {"kind": "seat"}}})
    assert len(order_of_reads([moved, a_read(6, 1, player=PETRAS)])) == 1
    assert order_of_reads([moved, a_read(6, 0.5, player=PETRAS)]) == []  # at the same time
    assert order_of_reads([moved, a_read(6, 1, kind="public")]) == []  # shown later on purpose


def test_every_snapshot_of_the_books_sums_to_nothing() -> None:
    well = Snapshot({"XTK": (0, 0), "EUR": (0, 0)}, 0)
    assert bank([well, well]) == []
    whats = [wrong.what for wrong in bank([Snapshot({"XTK": (5, 0)}, 0), Snapshot({}, 2)])]
    assert whats == ["the books do not sum to 0", "a balance is not its postings"]
