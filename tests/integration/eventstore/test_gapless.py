"""Writers in a hurry, a sequencer, a follower: what is delivered is what was committed."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest
from django.db import connections, transaction

from eventstore import store
from eventstore.following import Runner
from eventstore.store import Leaf
from tests.sealing import sequencer
from tonk_site.proving.log.gapless import CHECK, found_in
from tonk_site.proving.log.gapless_trial import (
    DELIVERED,
    RELATION,
    WRITERS,
    Told,
    Writer,
    at_rest,
    counts,
    hold,
    wrongs,
)
from tonk_site.proving.log.gapless_world import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eventstore.followers import Follower
    from eventstore.sequencer import Sequencer

EVENTS = 2_000
pytestmark = pytest.mark.usefixtures("delivered")


@pytest.fixture
def delivered(committed: None) -> Iterator[None]:
    """The relation in which the follower lists what it was given."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(RELATION)
    yield
    connections.close_all()
    with connections["owner"].cursor() as cursor:
        cursor.execute("DROP TABLE proving_delivered")


def write(number: int, events: int, told: list[Told]) -> None:
    """Life of a writer, on a thread of its own."""
    try:
        Writer("7", number).write(events, told.append)
    finally:
        connections.close_all()


def held(until: Callable[[], bool], told: list[Told]) -> None:
    try:
        told.append(hold(until))
    finally:
        connections.close_all()


def play(events: int, at_work: Sequencer, runner: Runner) -> list[Told]:
    """Let everybody write while this thread gives places and follows; what writers were told."""
    told: list[Told] = []
    done = threading.Event()
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        holder = pool.submit(held, done.is_set, told)
        writers = [pool.submit(write, number, events // WRITERS, told) for number in range(WRITERS)]
        while not all(writer.done() for writer in writers):
            at_work.round()
            runner.poll()
        done.set()
        for one in (*writers, holder):
            one.result()
    while at_work.round():
        pass
    runner.poll()
    return told


def a_runner(follower: Follower) -> Runner:
    """A runner for which time flies: on a starved machine its connection may be cut."""
    return Runner([follower], clock=count(step=1_000).__next__)


def kept(told: list[Told]) -> list[tuple[str, int]]:
    return [record for one in told for record in one.records]


@pytest.mark.slow
def test_J1_J2_what_is_delivered_is_what_was_committed() -> None:
    told = play(EVENTS, sequencer(), a_runner(DELIVERED))
    assert at_rest()
    assert wrongs(kept(told)) == []
    there, of_the_log = counts(), len(store.load(store.streams("log/")[0]).events)
    assert there["events"] - of_the_log == len(kept(told)) >= EVENTS
    assert there["late"] > 0  # else the trial shows nothing
    kinds = Counter(one.kind for one in told)
    assert kinds["undone"] > 0
    assert kinds["conflict"] > 0


FOR_ONE = "FROM proving_delivered WHERE log_index = 5"
# What each comparison finds, done by somebody who may do everything.
PLANTS = {
    "an event without a place": "DELETE FROM eventstore_log_leaf WHERE log_index = 5",
    "a leaf that is not its event's": """
        UPDATE eventstore_log_leaf SET hash = sha256('x') WHERE log_index = 5""",
    "places that are not dense": """
        UPDATE eventstore_log_leaf SET log_index = 1000000 WHERE log_index = 5""",
    "a stream out of order": """
        UPDATE eventstore_log_leaf l SET log_index = 1000000 + log_index FROM eventstore_event e
        WHERE e.position = l.position AND e.version = 1""",
    "an event that was not delivered": f"DELETE {FOR_ONE}",
    "an event that was delivered again": f"""
        INSERT INTO proving_delivered (follower_version, log_index, event_id, stream, version)
        SELECT follower_version, log_index, event_id, stream, version {FOR_ONE}""",
    "a delivery that is not of the log": """
        UPDATE proving_delivered SET version = version + 1 WHERE log_index = 5""",
    "deliveries out of order": """
        UPDATE proving_delivered SET log_index = 1 - log_index WHERE log_index IN (0, 1)""",
    "a follower that is not at the end": "UPDATE eventstore_follower SET log_index = 5",
}


def planted(statement: str, records: list[tuple[str, int]]) -> set[str]:
    """Kinds of faults that are found after a statement, which is undone again."""
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        for relation in ("eventstore_event", "eventstore_log_leaf"):
            cursor.execute(f"ALTER TABLE {relation} DISABLE TRIGGER USER")
        cursor.execute(statement)
        found = {wrong.what for wrong in wrongs(records, using="owner")}
        transaction.set_rollback(True, using="owner")
    return found


def test_the_comparison_finds_what_is_planted() -> None:
    records = kept(play(WRITERS * 4, sequencer(), a_runner(DELIVERED)))
    assert wrongs(records) == []
    connections["default"].close()  # else it holds what the owner alters
    for what, statement in PLANTS.items():
        assert what in planted(statement, records), what
    lost = wrongs([*records, ("player/nobody", 1)])
    assert [(one.what, one.where) for one in lost] == [
        ("an acknowledged event is lost", "player/nobody@1")
    ]


def test_J1_a_follower_that_reads_by_position_is_found() -> None:
    """Plant 35 of `trust.md`: what Marten, Axon and others did."""
    told = play(WRITERS * 8, sequencer(), a_runner(by_position(DELIVERED)))
    assert counts()["late"] > 0
    assert "an event that was not delivered" in {wrong.what for wrong in wrongs(kept(told))}


def by_position(follower: Follower) -> Follower:
    """The same follower, with the wrong idea of what is new: what has a higher position."""
    seen = [0]

    def handle(_: Sequence[Leaf], version: int) -> None:
        for position, event in store.read_all(seen[0]):
            follower.handle([Leaf(position, event.hash, event)], version)
            seen[0] = position

    return replace(follower, handle=handle)


def test_a_report_is_told_as_a_check_tells_it() -> None:
    missed = {"what": "an event that was not delivered", "where": "a@1", "expected": "", "got": ""}
    met = Counter({"undone": 5, "writer killed": 2, "follower killed": 1})
    report = Report({"streams": 33, "events": 2_000, "late": 7}, met, [missed])
    found = found_in(report, "9")
    assert found.done == {"streams": 33, "events": 2_000, "late": 7, "kills": 3, "missed": 1}
    assert found.breaches[0].rerun == "manage.py prove gapless --seed 9"
    assert set(CHECK.quick) == set(CHECK.full) == set(found.done)
