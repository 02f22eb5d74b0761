"""Appends beside the fastest thing that the same server can do durably.

Ours is one event, or four, sealed (canonical text, record, hash) and appended by one statement,
which commits on its own; no receipt, no load. The limit is pgbench with prepared statements: one
bare INSERT of a json row of 226 bytes with unique (stream, version), by as many clients. Limit and
trial take turns; a trial's ratio is to the mean of the limits before and after it. The sequencer
works all the while, as it does in the product; what it costs is a figure of its own, and so is the
processor time of an event, client and server together, which is measured without it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import django
import psycopg

from benchmarks import pgbench
from benchmarks.measure import Figure, say
from benchmarks.servers import processor_seconds, sequencer
from eventstore import store
from eventstore.core.chain import START, Fact, head_of, seal
from eventstore.core.ids import table_stream
from eventstore.ports import new_id
from games.rules.events import CardDiscarded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from tonk_site.embedded_services import Services

GOALS = {(1, 1): 0.70, (8, 1): 0.60, (1, 4): 2.0, (8, 4): 1.2}  # by clients and events in a call
PROCESSOR_GOAL = 1.3  # times the processor time of a bare insert
SEQUENCER_GOAL = 0.95  # of the rate without it
SEQUENCER_CLIENTS = 8
PEER = "pgbench"
WARM_SECONDS = 0.5
ROW_BYTES = 226
VERSIONS_A_RUN = 1_000_000  # by far more than one client inserts in a run
LIMIT_RELATION = """
    CREATE TABLE bench_limit (stream text NOT NULL, version int NOT NULL, data json NOT NULL,
        CONSTRAINT bench_limit_once UNIQUE (stream, version))"""
LIMIT_SCRIPT = r"""\set version :version + 1
INSERT INTO bench_limit (stream, version, data)
VALUES (concat('table/0199c2b2-6c1f-7033-818c-', lpad(:client_id::text, 12, '0')), :version,
        '{"text":"%s"}');
"""


@dataclass(frozen=True, slots=True)
class Done:
    """Events written, in how many seconds, with how much processor time of the clients."""

    events: int
    seconds: float
    processor: float

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds


Trial = Callable[[float], Done]
"""Work for some seconds."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Length of a run in whole seconds, and the number of trials, each between two limits."""

    seconds: int = 3
    pairs: int = 5


QUICK = Plan(seconds=1, pairs=2)


def measure(services: Services, plan: Plan) -> Iterator[Figure]:
    """Rates beside the limit with the sequencer at work, then its cost, then processor time."""
    with sequencer():
        for clients, events in GOALS:
            yield _figure(services, clients, events, plan)
    yield _cost_of_sequencer(plan)
    yield _processor(services, plan)


def _figure(services: Services, clients: int, events: int, plan: Plan) -> Figure:
    with bare_insert(services, clients) as limit, appends(clients, events) as trial:
        trial(WARM_SECONDS)
        limit(1)
        own: list[float] = []
        limits = [limit(plan.seconds).rate]
        for number in range(1, plan.pairs + 1):
            say(f"append: clients {clients}, events {events}, pair {number} of {plan.pairs}")
            own.append(trial(plan.seconds).rate)
            limits.append(limit(plan.seconds).rate)
    return Figure(
        bench="append",
        case=_case(clients, events),
        rate=median(own),
        peer=PEER,
        peer_rate=median(limits),
        ratios=[rate / mean(around) for rate, around in zip(own, pairwise(limits), strict=True)],
        goal=GOALS[clients, events],
        facts={"clients": clients, "events": events},
    )


def _case(clients: int, events: int) -> str:
    return f"{clients} client{'s' * (clients > 1)}, {events} event{'s' * (events > 1)} a call"


def _cost_of_sequencer(plan: Plan) -> Figure:
    """Writers with the sequencer and its checkpoints, between two runs without."""
    own, limits = [], []
    with appends(SEQUENCER_CLIENTS, 1) as trial:
        trial(WARM_SECONDS)
        limits.append(trial(plan.seconds).rate)
        for number in range(1, plan.pairs + 1):
            say(f"append: the sequencer's cost, pair {number} of {plan.pairs}")
            with sequencer():
                own.append(trial(plan.seconds).rate)
            limits.append(trial(plan.seconds).rate)
    return Figure(
        bench="append",
        case=f"{SEQUENCER_CLIENTS} clients, sequencer on",
        rate=median(own),
        peer="off",
        peer_rate=median(limits),
        ratios=[rate / mean(around) for rate, around in zip(own, pairwise(limits), strict=True)],
        goal=SEQUENCER_GOAL,
    )


def _processor(services: Services, plan: Plan) -> Figure:
    """Processor time of one event, client and server: how often it goes into that of the limit.

    The rate is events for a second of processor time; the goal is the inverse of 1.3.
    """
    own: dict[int, list[float]] = {1: [], 4: []}
    limits: list[float] = []
    with (
        bare_insert(services, 1) as limit,
        appends(1, 1) as single,
        appends(1, 4) as four,
    ):
        for trial in (single, four, limit):
            trial(1)
        for number in range(1, plan.pairs + 1):
            say(f"append: processor time, round {number} of {plan.pairs}")
            limits.append(_spent(services, limit, plan.seconds))
            own[1].append(_spent(services, single, plan.seconds))
            own[4].append(_spent(services, four, plan.seconds))
    ratios = {
        events: [theirs / ours for ours, theirs in zip(spent, limits, strict=True)]
        for events, spent in own.items()
    }
    return Figure(
        bench="append",
        case="processor time of an event",
        rate=1 / median(own[1]),
        peer=PEER,
        peer_rate=1 / median(limits),
        ratios=ratios[1],
        goal=1 / PROCESSOR_GOAL,
        facts={
            "microseconds": round(1e6 * median(own[1]), 1),
            "microseconds_of_four_in_a_call": round(1e6 * median(own[4]), 1),
            "microseconds_of_limit": round(1e6 * median(limits), 1),
            "times_the_limit": round(1 / median(ratios[1]), 3),
            "times_the_limit_of_four_in_a_call": round(1 / median(ratios[4]), 3),
        },
    )


def _spent(services: Services, trial: Trial, seconds: float) -> float:
    """Processor seconds of one event."""
    before = processor_seconds(services)
    done = trial(seconds)
    return (processor_seconds(services) - before + done.processor) / done.events


# --- the limit ------------------------------------------------------------------------------------


@contextlib.contextmanager
def bare_insert(services: Services, clients: int) -> Iterator[Trial]:
    """Bare inserts by pgbench, with prepared statements."""
    text = "x" * (ROW_BYTES - len('{"text":""}'))
    firsts = count(0, VERSIONS_A_RUN)
    with psycopg.connect(f"host={services.sockets} user=tonk_owner dbname=tonk") as connection:
        connection.execute("DROP TABLE IF EXISTS bench_limit")
        connection.execute(LIMIT_RELATION)
    with TemporaryDirectory(prefix="tonk-bench-") as folder:
        script = Path(folder) / "insert.sql"
        script.write_text(LIMIT_SCRIPT % text)

        def run(seconds: float) -> Done:
            before = _of_children()
            rate = pgbench.rate(
                services, clients, seconds, "--define", f"version={next(firsts)}",
                "--file", script, "--username", "tonk_owner", "tonk",
            )  # fmt: skip
            return Done(round(rate * seconds), seconds, _of_children() - before)

        yield run


def _of_children() -> float:
    """Processor seconds of processes that this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system


# --- ours -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def appends(clients: int, events: int) -> Iterator[Trial]:
    """Appends of so many events by that many processes, each on a stream of its own."""
    with workers(clients, append_for, events) as trial:
        yield trial


@contextlib.contextmanager
def workers(number: int, work: Callable[[float, int], Done], events: int) -> Iterator[Trial]:
    """Processes that do the same for some seconds whenever they are told."""
    context = get_context("spawn")
    ends = [context.Pipe() for _ in range(number)]
    processes = [
        context.Process(target=client, args=(theirs, work, events), daemon=True)
        for _, theirs in ends
    ]
    for process in processes:
        process.start()

    def run(seconds: float) -> Done:
        for ours, _ in ends:
            ours.send(seconds)
        parts: list[Done] = [ours.recv() for ours, _ in ends]
        longest = max(part.seconds for part in parts)
        rate = sum(part.rate for part in parts)
        return Done(round(rate * longest), longest, sum(part.processor for part in parts))

    try:
        yield run
    finally:
        for ours, _ in ends:
            ours.send(None)
        for process in processes:
            process.join()


def client(
    pipe: Connection[Done, float | None], work: Callable[[float, int], Done], events: int
) -> None:
    """One client: for every number of seconds that it is sent, what it did; None ends it."""
    django.setup()
    for seconds in iter(pipe.recv, None):
        pipe.send(work(seconds, events))


def append_for(seconds: float, events: int) -> Done:
    """Events appended to a new stream, some a statement and a commit."""
    stream, head, done = table_stream(new_id()), START, 0
    facts = [Fact(CardDiscarded(seat=2, card="5H", place=17), f"player:{new_id()}")] * events
    start, spent = perf_counter(), process_time()
    while (passed := perf_counter() - start) < seconds:
        ids = [new_id() for _ in range(events + 1)]
        sealed = seal(stream, head, facts, at=datetime.now(UTC), ids=ids)
        store.append(sealed, head)
        head, done = head_of(sealed), done + events
    return Done(done, passed, process_time() - spent)
