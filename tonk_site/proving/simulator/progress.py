"""Whatever strikes, once it stops everything comes to its end (`trust.md` sections 1 and 3).

Whole worlds are simulated, every third one of cash tables, every fifth one under faults that never
stop. Runs go on until enough has struck, every kind of fault among it, and every command of the
world was carried out. Later runs prefer the kinds of which least has struck, and people are keen on
the commands that nobody has carried out yet. Live: what the watchdog of the product looks at.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator

from django.db import connection

from tonk_site import watchdog
from tonk_site.proving import live
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.simulator.coverage import Coverage
from tonk_site.proving.simulator.database import at_once, simulator
from tonk_site.proving.simulator.faults import KINDS
from tonk_site.proving.simulator.order import Order as Run
from tonk_site.proving.simulator.order import Report
from tonk_site.proving.world import ACTS

WAVE = 4  # runs between two looks at what has struck least
TRIED_MAX = 3  # times as many runs as are demanded: then what is missing is a breach
CASH_EVERY, UNLIMITED_EVERY, LEAST_EVERY = 3, 5, 2  # so that each meets each
PREFERRED = 8
"""Kinds of which least has struck, that later runs are about."""
PLAYERS = (3, 4, 5, 9)
COMMANDS = tuple(act.operation for act in ACTS)
RARE = {act.operation for act in ACTS if act.share < 1} | {"seat.leave", "tournament.start"}
NEEDED = {
    "adjustment": "adjustment.propose", "deposit": "deposit.create", "proposal": "wallet.freeze",
    "withdrawal": "withdrawal.create",
}  # fmt: skip
"""Whoever decides about something needs one that is open."""
_WATCHED = """SELECT (SELECT count(*) FROM games_table),
    (SELECT count(*) FROM tournaments_tournament),
    (SELECT count(*) FROM ledger.settlement_cursor)"""
ALL = {"kinds": len(KINDS), "commands": len(COMMANDS), "stuck": 0}


def run(order: Order) -> Found:
    """Waves of runs until the sizes are reached."""
    found, coverage = Found(), Coverage()
    numbers = itertools.count(1)
    most = TRIED_MAX * order.sizes["tournaments"]
    with simulator() as simulate:
        while not _is_enough(order, found) and found.done["worlds"] < most:
            runs = list(itertools.islice(_runs(order.seed, numbers, coverage), WAVE))
            for one, report in zip(runs, at_once(simulate, runs), strict=True):
                _add(found, coverage, one, report)
                if not report.ok:
                    order.say(f"{found.breaches[-1].what}\nagain: {one.again()}")
            order.say(f"{found.done['worlds']} worlds, {found.done['faults']:,} faults")
    missing = (*coverage.missing_kinds(), *_missing(coverage))
    found.seen = {
        "faults": Counter(coverage.faults()),
        "commands": coverage.done,
        "missing": Counter(dict.fromkeys(missing, 0)),
    }
    return found


def _missing(coverage: Coverage) -> tuple[str, ...]:
    """Commands of the world that nobody has carried out yet."""
    return tuple(name for name in COMMANDS if not coverage.succeeded[name])


def _runs(seed: str, numbers: Iterator[int], coverage: Coverage) -> Iterator[Run]:
    struck = Counter(dict.fromkeys(KINDS, 0)) + Counter(coverage.faults())
    least = tuple(sorted(KINDS, key=lambda kind: (struck[kind], kind))[:PREFERRED])
    for number in numbers:
        yield Run(
            f"{seed}/{number}",
            mode="unlimited" if number % UNLIMITED_EVERY == 0 else "bounded",
            kind="cash" if number % CASH_EVERY == 0 else "tournament",
            players=PLAYERS[number // 2 % len(PLAYERS)],
            only=least if number > WAVE and number % LEAST_EVERY == 0 else KINDS,
            first=_keen_on(_missing(coverage)),
        )


def _keen_on(missing: Iterable[str]) -> tuple[str, ...]:
    """What people would seldom do and should now, and what must be done before that."""
    wanted = {name for name in missing if name in RARE}
    wanted |= {NEEDED[kind] for name in wanted if (kind := name.split(".")[0]) in NEEDED}
    return tuple(name for name in COMMANDS if name in wanted)


def _add(found: Found, coverage: Coverage, one: Run, report: Report) -> None:
    coverage.add(report)
    found.done["worlds"] += 1
    found.done["tournaments"] += one.kind == "tournament" and (
        one.mode != "unlimited" or report.is_ended
    )
    found.done["faults"] = sum(coverage.faults().values())
    found.done["kinds"] = len(KINDS) - len(coverage.missing_kinds())
    found.done["commands"] = len(COMMANDS) - len(_missing(coverage))
    found.done["stuck"] += report.progress not in {"ok", "not asked"}
    if not report.ok:
        what = report.safety if report.safety != "ok" else report.progress
        found.breaches.append(Breach(what, one.seed, "ok", "broken", one.again()))


def _is_enough(order: Order, found: Found) -> bool:
    return all(found.done[name] >= size for name, size in order.sizes.items())


def look() -> Found:
    """Nothing that is due has waited longer than the watchdog allows."""
    with connection.cursor() as cursor:
        cursor.execute(_WATCHED)
        tables, tournaments, streams = cursor.fetchone()
    found = Found(Counter(tables=tables, tournaments=tournaments, streams=streams))
    found.breaches = [
        live.told("stands still", one.subject, expected="done", got=f"{one.due}, {one.seconds} s")
        for one in watchdog.look()
    ]
    return found


CHECK = Check(
    name="progress",
    promise=8,
    quick={"tournaments": 6, "faults": 120, **ALL},
    full={"tournaments": 5_000, "faults": 100_000, **ALL},
    run=run,
    live=look,
)
