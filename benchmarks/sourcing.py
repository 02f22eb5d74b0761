"""Append and replay beside `eventsourcing`, the event store of Python that is used most.

It runs on the same durable server through its own PostgreSQL module, as its documents set it up: a
pool of connections, its own relations, one aggregate whose events have the fields of ours. It keeps
neither hash nor chain; ours makes both. Its replay folds into a list, ours by the rules.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from statistics import mean, median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from benchmarks.append import WARM_SECONDS, Done, append_for
from benchmarks.measure import Figure, say
from benchmarks.replay import append_hands
from eventstore import store
from games.rules.table import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tonk_site.embedded_services import Services

PEER = "eventsourcing"
HANDS = 10  # that are replayed, some three hundred events


@dataclass(frozen=True, slots=True)
class Plan:
    """Seconds of a run, and pairs of runs."""

    seconds: int = 3
    pairs: int = 5


QUICK = Plan(seconds=1, pairs=2)


def measure(services: Services, plan: Plan) -> Iterator[Figure]:
    """Both figures, without a ratio where the package is absent."""
    theirs = _application(services)
    if theirs is None:
        say("sourcing: eventsourcing is absent: `make bench` installs it")
    yield _figure("append, 1 client", append_one, theirs and theirs[0], plan)
    hand = append_hands(HANDS, "sourcing")
    stream, length = hand[0].stream, len(hand)

    def replay(seconds: float) -> Done:
        return _repeated(lambda: fold(store.load(stream, from_version=2).events), length, seconds)

    yield _figure(f"replay of {length} events", replay, theirs and theirs[1](length), plan)


def _figure(
    case: str,
    ours: Callable[[float], Done],
    theirs: Callable[[float], Done] | None,
    plan: Plan,
) -> Figure:
    own, limits = [], []
    ours(WARM_SECONDS)
    if theirs:
        theirs(WARM_SECONDS)
        limits.append(theirs(plan.seconds).rate)
    for number in range(1, plan.pairs + 1):
        say(f"sourcing: {case}, pair {number} of {plan.pairs}")
        own.append(ours(plan.seconds).rate)
        if theirs:
            limits.append(theirs(plan.seconds).rate)
    return Figure(
        bench="sourcing",
        case=case,
        rate=median(own),
        peer=PEER,
        peer_rate=median(limits) if limits else None,
        ratios=[mine / mean(two) for mine, two in zip(own, pairwise(limits), strict=bool(limits))],
        goal=1.0,
    )


def append_one(seconds: float) -> Done:
    """Ours: one event a call."""
    return append_for(seconds, 1)


def _repeated(act: Callable[[], object], events: int, seconds: float) -> Done:
    start, spent, done = perf_counter(), process_time(), 0
    while (passed := perf_counter() - start) < seconds:
        act()
        done += events
    return Done(done, passed, process_time() - spent)


def _application(
    services: Services,
) -> tuple[Callable[[float], Done], Callable[[int], Callable[[float], Done]]] | None:
    """Their appends, and their replays of so many events."""
    try:
        application = import_module("eventsourcing.application")
        domain = import_module("eventsourcing.domain")
    except ImportError:
        return None
    os.environ |= {
        "PERSISTENCE_MODULE": "eventsourcing.postgres", "POSTGRES_DBNAME": "tonk",
        "POSTGRES_HOST": str(services.sockets), "POSTGRES_PORT": "5432",
        "POSTGRES_USER": "tonk_owner", "POSTGRES_PASSWORD": "none",
    }  # fmt: skip

    class Seat(domain.Aggregate):  # type: ignore[misc,name-defined]  # a module of another's
        """What a table is to them: events by a method each."""

        def __init__(self) -> None:
            self.discards: list[tuple[int, str, int]] = []

        def discard(self, seat: int, card: str, place: int) -> None:
            """One event."""
            self.discards.append((seat, card, place))

        discard = domain.event("CardDiscarded")(discard)

    app: Any = application.Application()

    def append(seconds: float) -> Done:
        seat = Seat()
        app.save(seat)

        def act() -> None:
            seat.discard(seat=2, card="5H", place=17)
            app.save(seat)

        return _repeated(act, 1, seconds)

    def replays(length: int) -> Callable[[float], Done]:
        seat = Seat()
        for _ in range(length - 1):
            seat.discard(seat=2, card="5H", place=17)
        app.save(seat)
        return lambda seconds: _repeated(lambda: app.repository.get(seat.id), length, seconds)

    return append, replays
