"""The prizes of a large tournament in one transaction, beside the same as single posts."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from benchmarks.goals import at_most
from benchmarks.ledger import databases
from benchmarks.ledger.turns import ratios
from benchmarks.ledger.workers import Worker
from benchmarks.measure import Figure, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.ledger.books import Plan
    from tonk_site.embedded_services import Services

GOAL, SECONDS, AIM_SECONDS = 5.0, 1.0, 0.5


def measure(services: Services, plan: Plan) -> Iterator[Figure]:
    """From the events to the commit: the time, and beside posts sent without waiting for each."""
    batches, singles = [], []
    with Worker("prizes", databases.environment(services, databases.BOOKS)) as worker:
        for number in range(1, plan.rounds + 1):
            say(f"ledger: prizes, round {number} of {plan.rounds}")
            batches.append(worker.ask("batch", plan.prizes))
            singles.append(worker.ask("pipeline", plan.prizes))
    databases.check(services, databases.BOOKS)
    yield Figure(
        bench="ledger",
        case=f"{plan.prizes:,} prizes in one transaction",
        rate=plan.prizes / median(batches),
        peer="single posts",
        peer_rate=plan.prizes / median(singles),
        ratios=ratios(singles, batches),
        goal=GOAL,
    )
    case = f"{plan.prizes:,} prizes, time"
    yield at_most("ledger", case, batches, SECONDS, aim_seconds=AIM_SECONDS)
