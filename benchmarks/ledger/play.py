"""Books that follow a log: how fast one worker settles what tables write, and the rebuild."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.goals import at_least
from benchmarks.histories import SEATS
from benchmarks.ledger import databases
from benchmarks.ledger.turns import ratios
from benchmarks.ledger.workers import Worker, together, workers
from benchmarks.measure import Figure, say
from benchmarks.servers import processor_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.ledger.books import Plan
    from tonk_site.embedded_services import Services

CLIENTS = 8
GOAL, AIM = 1.0, 3.0  # times the rate at which the clients write
REBUILD_GOAL = 20_000  # entries for a second of own processor time


def measure(services: Services, plan: Plan) -> Iterator[Figure]:
    """The settler beside the writers, and the rebuild of what it posted. Raises: WrongBooks.

    The rebuild that is judged is that of a log of money alone. What else lies in a log costs it
    what reading costs: the rebuild after the writers shows how much.
    """
    own = databases.environment(services, databases.PLAY)
    with Worker("rebuild", own) as rebuild, Worker("tables", own) as settler:
        with workers(CLIENTS, "tables", own) as writers:
            together(writers, "play", lambda number: (number, plan.hands))
            together(writers, "forget_cards", lambda _: ())
            _write(writers, plan.rebuilt_tables)
        settler.ask("settle")
        rebuilt = [_rebuilt(services, rebuild, number) for number in range(1, plan.rounds + 1)]
        with workers(CLIENTS, "tables", own) as writers:
            together(writers, "play", lambda number: (number, plan.hands))
            yield _settled(services, plan, writers, settler)
        last = _rebuilt(services, rebuild, plan.rounds + 1)
    facts = {
        "entries": rebuilt[0].entries,
        "with_server_per_s": round(median(one.entries / one.whole for one in rebuilt)),
        "events_of_whole_hands": last.events,
        "of_whole_hands_per_s": round(last.entries / last.own),
    }
    yield at_least(
        "ledger", "rebuild, log of money", [one.entries / one.own for one in rebuilt],
        REBUILD_GOAL, **facts,
    )  # fmt: skip


def _write(writers: Sequence[Worker], tables: int) -> float:
    """Seconds in which all hands are written at so many new tables, shared evenly."""
    together(writers, "seat", lambda one: (len(range(one, tables, CLIENTS)),))
    return float(max(together(writers, "write", lambda _: ())))


def _settled(services: Services, plan: Plan, writers: Sequence[Worker], settler: Worker) -> Figure:
    """A backlog of whole hands, and all of it settled."""
    written, settled, hands = [], [], plan.tables * plan.hands
    owed = hands + plan.tables * SEATS  # who sat down is posted already, and passed over
    for number in range(1, plan.rounds + 1):
        say(f"ledger: settler, round {number} of {plan.rounds}")
        written.append(hands / _write(writers, plan.tables))
        events, passed = settler.ask("settle")
        if events != owed:
            raise databases.WrongBooks(f"of {owed} events {events} were settled")
        settled.append(hands / passed)
    databases.check(services, databases.PLAY)
    return Figure(
        bench="ledger",
        case=f"settler, backlog of {hands:,} hands",
        rate=median(settled),
        peer=f"{CLIENTS} writers",
        peer_rate=median(written),
        ratios=ratios(settled, written),
        goal=GOAL,
        aim=AIM,
        facts={"hands": hands, "tables": plan.tables},
    )


@dataclass(frozen=True, slots=True)
class _Rebuilt:
    """A rebuild: entries, events of the log, processor seconds without and with the server."""

    entries: int
    events: int
    own: float
    whole: float


def _rebuilt(services: Services, worker: Worker, number: int) -> _Rebuilt:
    """The books made anew from the log beside the live ones, all guards on, and compared."""
    say(f"ledger: rebuild {number}")
    before = processor_seconds(services)
    entries, events, own, difference = worker.ask("compare")
    if difference is not None:
        raise databases.WrongBooks(f"the rebuild differs: {difference}")
    return _Rebuilt(entries, events, own, own + processor_seconds(services) - before)
