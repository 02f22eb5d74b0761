"""A transfer between two accounts through Django: `ledger.services` beside django-hordak."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.ledger import databases
from benchmarks.ledger.turns import in_turn, ratios
from benchmarks.ledger.workers import Worker, together, workers
from benchmarks.measure import Figure, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.ledger.books import Plan
    from tonk_site.embedded_services import Services

PEER = "django-hordak"
PROCESSES = (1, 8)
GOAL, AIM = 3.0, 3.5
SETTINGS = "benchmarks.ledger.hordak_settings"
ACCOUNTS = 1_000  # on either side; each process knows them before it begins


def measure(services: Services, plan: Plan) -> Iterator[Figure]:
    """By one process and by eight; without a ratio where the package is absent."""
    installed = find_spec("hordak") is not None
    if not installed:
        say(f"ledger: {PEER} is absent: `make bench` installs it")
    with ExitStack() as kept:
        theirs = {**os.environ, "DJANGO_SETTINGS_MODULE": SETTINGS}
        if installed:
            kept.callback(databases.drop, services, databases.HORDAK)
            theirs |= _hordak(services)
        for processes in PROCESSES:
            with ExitStack() as stack:
                own = databases.environment(services, databases.BOOKS)
                ours = stack.enter_context(workers(processes, "transfers", own))
                variants = {"ours": partial(_rate, ours, plan.seconds)}
                if installed:
                    others = stack.enter_context(workers(processes, "hordak", theirs))
                    variants[PEER] = partial(_rate, others, plan.seconds)
                for run in variants.values():
                    run()
                case = f"through Django, {processes} process{'es' * (processes > 1)}"
                rates = in_turn(case, variants, plan.rounds)
            databases.check(services, databases.BOOKS)
            yield _figure(case, rates["ours"], rates.get(PEER, []))


def _hordak(services: Services) -> dict[str, str]:
    """Variables of its processes, once its database is made as its documents say."""
    databases.create(services, databases.HORDAK)
    named = {"PGHOST": str(services.sockets), "PGDATABASE": databases.HORDAK}
    variables = {**os.environ, "DJANGO_SETTINGS_MODULE": SETTINGS, **named}
    with Worker("hordak", variables) as one:
        one.ask("prepare", ACCOUNTS)
    databases.settle_down(services, databases.HORDAK)
    return named


def _rate(those: Sequence[Worker], seconds: float) -> float:
    """Transfers a second of all processes."""
    done = together(those, "transfer", lambda number: (seconds, ACCOUNTS, number))
    return float(sum(number / passed for number, passed in done))


def _figure(case: str, ours: list[float], theirs: list[float]) -> Figure:
    return Figure(
        bench="ledger",
        case=case,
        rate=median(ours),
        peer=PEER,
        peer_rate=median(theirs) if theirs else None,
        ratios=ratios(ours, theirs),
        goal=GOAL,
        aim=AIM,
    )
