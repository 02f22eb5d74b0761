"""The books beside what the same server can do, and beside other ledgers.

All is measured in databases of the benchmark's own: entries that nothing but a benchmark posted
stand in no log, and would make the product's books wrong. Variants take turns; a round gives one
ratio to the peer. After each part the books are checked, and where they are wrong there is no rate.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.ledger import databases, play, posting, prizes, reading, transfers
from benchmarks.measure import say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.measure import Figure
    from tonk_site.embedded_services import Services


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of the books and of what is done with them, seconds of a run, and rounds."""

    seconds: int = 3
    rounds: int = 5
    wallets: int = 100_000
    scale: int = 10  # of pgbench's own relations
    prizes: int = 10_000
    holders: int = 1_000  # of the legs that are read
    lines: int = 100_000  # on the account of one of them
    legs: int = 1_000_000
    reads: int = 200  # a round
    tables: int = 50
    hands: int = 40  # a table
    rebuilt_tables: int = 500


QUICK = Plan(
    seconds=1, rounds=2, wallets=5_000, scale=1, prizes=1_000, holders=200, lines=2_000,
    legs=50_000, reads=50, tables=8, hands=10, rebuilt_tables=40,
)  # fmt: skip


def measure(services: Services, plan: Plan, pgledger: Path | None) -> Iterator[Figure]:
    """Postings, transfers through Django, prizes, reads, settlement, rebuild.

    Raises: WrongBooks.
    """
    say("ledger: making the databases")
    with contextlib.ExitStack() as kept:
        for name in (databases.BOOKS, databases.BARE, databases.LONG, databases.PLAY):
            kept.callback(databases.drop, services, name)
        databases.migrated(services, databases.BOOKS)
        databases.copy(services, databases.BOOKS, databases.LONG)
        databases.copy(services, databases.BOOKS, databases.PLAY)
        databases.fill(services, databases.BOOKS, plan.wallets)
        databases.fill(services, databases.LONG, plan.holders)
        databases.copy(services, databases.BOOKS, databases.BARE)
        yield from posting.measure(services, plan, pgledger)
        yield from transfers.measure(services, plan)
        yield from prizes.measure(services, plan)
        yield from reading.measure(services, plan)
        yield from play.measure(services, plan)
