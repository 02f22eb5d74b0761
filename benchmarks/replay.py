"""From rows to state: real hands, folded by the rules; and reading alone, with a trivial fold.

Rates are events for a second of this process's own processor time.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any

from django.db import connections

from benchmarks.goals import at_least
from benchmarks.histories import hands, records
from benchmarks.measure import Figure, say
from eventstore import store
from eventstore.core.chain import Head
from eventstore.core.record import EVENTS_PER_APPEND_MAX, Stored
from eventstore.core.registry import registry
from games.rules import state, table
from games.rules.events import HandDealt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

REPLAY_GOAL, READ_GOAL = 250_000, 1_000_000
FETCH_ROWS = 2_000

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Hands that are played, and how often they are folded."""

    hands: int = 2_000
    rounds: int = 5


QUICK = Plan(hands=200, rounds=3)


def measure(plan: Plan) -> Iterator[Figure]:
    """The fold of hands from rows, that of whole tables, and reading alone."""
    say(f"replay: {plan.hands} hands are played and appended")
    appended = append_hands(plan.hands)
    rows = [tuple(getattr(one, name) for name in one.__struct_fields__) for one in appended]
    facts = {"events": len(rows), "hands": plan.hands}
    yield at_least("replay", "rows to hands", _rates(_hands, rows, plan), REPLAY_GOAL, **facts)
    yield at_least("replay", "rows to tables", _rates(_table, rows, plan), REPLAY_GOAL, **facts)
    read = [_read(appended[0].stream) for _ in range(plan.rounds)]
    yield at_least("replay", "fetch and decode", read, READ_GOAL, **facts)


def append_hands(number: int, seed: str = "replay") -> list[Stored]:
    """Records of that many hands at one table, in the log."""
    head, done = Head(), list[Stored]()
    for hand in records(hands(number, seed=seed), seed):
        for first in range(0, len(hand), EVENTS_PER_APPEND_MAX):
            part = hand[first : first + EVENTS_PER_APPEND_MAX]
            store.append(part, head)
            head = Head(part[-1].version, part[-1].hash, part[-1].at)
        done += hand
    return done


def _rates(fold: Callable[[Sequence[Row]], object], rows: Sequence[Row], plan: Plan) -> list[float]:
    """Events for a second of processor time, a round each."""
    rates = []
    for number in range(1, plan.rounds + 1):
        say(f"replay: round {number} of {plan.rounds}")
        start = process_time()
        fold(rows)
        rates.append(len(rows) / (process_time() - start))
    return rates


def _hands(rows: Sequence[Row]) -> state.Hand | None:
    """Every hand folded from its deal to its end, as somebody sees it who knows no deck."""
    hand, decode, evolve = None, registry.decode, state.evolve
    for row in rows:
        event = decode(row[3], row[4], row[5])
        if isinstance(event, HandDealt):
            hand = state.start(event)
        elif hand is not None:
            hand = evolve(hand, event)
    return hand


def _table(rows: Sequence[Row]) -> table.Table | None:
    """The table folded with all that it is: seats, stacks, clocks, and the hands."""
    found = None
    for row in rows:
        if found is None and row[3] != "HandDealt":
            continue  # a fold may begin at a deal
        found = table.evolve(found, Stored(*row))
    return found


def _read(stream: str) -> float:
    """Events fetched from the database and decoded for a second of processor time."""
    decode, kinds = registry.decode, dict[str, int]()
    sql = "SELECT type, schema, data::text FROM eventstore_event WHERE stream = %s ORDER BY version"
    start, count = process_time(), 0
    with connections["default"].cursor() as cursor:
        cursor.execute(sql, [stream])
        while rows := cursor.fetchmany(FETCH_ROWS):
            for name, schema, data in rows:
                decode(name, schema, data)
                kinds[name] = kinds.get(name, 0) + 1
            count += len(rows)
    return count / (process_time() - start)
