"""Reads of long books: a balance of the past, a page of a statement, the trial balance."""

from __future__ import annotations

from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

import psycopg

from benchmarks.goals import at_most, percentile
from benchmarks.ledger import databases
from benchmarks.ledger.turns import ratios
from benchmarks.ledger.workers import Worker
from benchmarks.measure import Figure, say
from games.bots.rng import Chance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.ledger.books import Plan
    from tonk_site.embedded_services import Services

READER = 1  # number of the player whose wallet has the many lines
LINES_A_BATCH = 100  # recorded at one instant
FIRST_AT = databases.FUNDED_AT
STEP = timedelta(minutes=1)  # between two batches
BALANCE_SECONDS, PAGE_SECONDS, TRIAL_SECONDS = 0.020, 0.050, 0.050
TRIAL, TRIAL_AIM = 1 / 3, 1 / 1.5  # of the rate of a plain sum
SHARE = 0.95


def measure(services: Services, plan: Plan) -> Iterator[Figure]:
    """Times, and the trial balance beside the plainest statement about as many legs.

    That of the past is asked for where about half of the legs came later: it takes them away.
    """
    last, end = grow(services, plan)
    middle = last + (end - last) / 2
    balances, pages, trials, earlier, sums = [], [], [], [], []
    reader = str(databases.player(READER))
    with Worker("reads", databases.environment(services, databases.LONG)) as worker:
        for number in range(1, plan.rounds + 1):
            say(f"ledger: reads, round {number} of {plan.rounds}")
            asked = (reader, FIRST_AT.isoformat(), last.isoformat(), plan.reads)
            balances.append(percentile(worker.ask("balance", *asked), SHARE))
            pages.append(percentile(worker.ask("page", *asked), SHARE))
            trials.append(worker.ask("trial", None))
            earlier.append(worker.ask("trial", middle.isoformat()))
            sums.append(worker.ask("legs"))
    databases.check(services, databases.LONG)
    lines = f"{plan.lines:,} lines"
    yield at_most("ledger", f"balance at an instant, p95, {lines}", balances, BALANCE_SECONDS)
    yield at_most("ledger", f"statement page, p95, {lines}", pages, PAGE_SECONDS)
    legs = f"{plan.legs:,} legs"
    yield at_most("ledger", f"trial balance, {legs}", trials, TRIAL_SECONDS)
    yield Figure(
        bench="ledger",
        case=f"trial balance of the past, {legs}",
        rate=1 / median(earlier),
        peer="sum(amount)",
        peer_rate=1 / median(sums),
        ratios=ratios(sums, earlier),
        goal=TRIAL,
        aim=TRIAL_AIM,
    )


def grow(services: Services, plan: Plan) -> tuple[datetime, datetime]:
    """Post until there are so many lines and legs; instants of the reader's last line, of all."""
    chance, at = Chance(b"grow"), FIRST_AT
    say(f"ledger: {plan.lines:,} lines on one account")
    with psycopg.connect(databases.address(services, databases.LONG)) as connection:
        for _ in range(0, plan.lines, LINES_A_BATCH):
            at += STEP
            others = [2 + chance.below(plan.holders - 1) for _ in range(LINES_A_BATCH)]
            pairs = [
                (READER, other) if number % 2 else (other, READER)
                for number, other in enumerate(others)
            ]
            databases.post(connection, pairs, at)
        last, legs = at, _legs(connection)
        while legs < plan.legs:
            say(f"ledger: {legs:,} legs of {plan.legs:,}")
            at += STEP
            firsts = [
                1 + chance.below(plan.holders - 1)
                for _ in range(min(databases.ENTRIES_A_BATCH, (plan.legs - legs + 1) // 2))
            ]
            databases.post(connection, [(first, first + 1) for first in firsts], at)
            legs = _legs(connection)
    databases.settle_down(services, databases.LONG)
    return last, at


def _legs(connection: psycopg.Connection) -> int:
    connection.commit()
    found = connection.execute("SELECT count(*) FROM ledger.posting").fetchone()
    return int(found[0]) if found else 0
