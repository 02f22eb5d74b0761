"""The stand-alone verifier on an export of the log, in records a second of its own processor time.

The log is made by the product's rules: hands at several tables in turn, wallets in between, a
signed note every so many records. The verifier reads it line by line and checks all that it checks
of any export: canonical bytes, chains, tree, signatures, every deal and every hand. Each round also
reads the same lines with `json.loads` alone, to show what the machine gives at that moment.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import TYPE_CHECKING
from uuid import UUID

import django

from benchmarks.goals import at_least
from benchmarks.measure import say
from clients.verify import tonk_verify
from eventstore.core.ids import wallet_stream
from ledger.core.events import ChipsGranted
from tests.verify.hands import PLAYERS, Seating, options_of
from tests.verify.log import VKEY, Exported, Log, Sealed, dumps, log_lines, records_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.measure import Figure

GOAL = 1_000_000 / 60  # records a second of its own processor time (`eventstore.md` 8.2)
TABLES = 8
RECORDS_A_NOTE = 100
ANCHOR_LENGTH = 4096


@dataclass(frozen=True, slots=True)
class Plan:
    """Records of the export, and how often it is read."""

    records: int = 40_000
    rounds: int = 5


QUICK = Plan(records=8_000, rounds=3)


def measure(plan: Plan) -> Iterator[Figure]:
    """One figure: a whole export, all checks."""
    django.setup()  # for the registry of events
    say(f"verifier: making {plan.records:,} records")
    lines = export(plan.records)
    rates, bare = [], []
    for number in range(1, plan.rounds + 1):
        say(f"verifier: round {number} of {plan.rounds}")
        start = process_time()
        found = tonk_verify.verify_export(lines, [VKEY])
        done = process_time()
        for line in lines:
            json.loads(line)
        rates.append(found.records / (done - start))
        bare.append(found.records / (process_time() - done))
    facts = {"json_per_s": round(median(bare)), "us_per_record": round(1e6 / median(rates), 1)}
    yield at_least("verifier", "export of the log", rates, GOAL, **facts)


def export(records: int) -> list[bytes]:
    """Lines of an export of at least so many records."""
    log = Log()
    tables = [_table(log, number) for number in range(TABLES)]
    hand = 0
    while len(log.order) < records:
        hand += 1
        for number, table in enumerate(tables):
            table.play(f"bench {hand} {number}", policy="greedy-1" if hand % 3 else "quiet-0")
            granted = ChipsGranted(amount=hand, currency="XTK", reason_code="registration")
            log.append(wallet_stream(PLAYERS[number % 3]), granted)
    sealed = Sealed.of(rows_of(records_of(log)))
    return [dumps(line) + b"\n" for line in log_lines(sealed, Exported(every=RECORDS_A_NOTE))]


def _table(log: Log, number: int) -> Seating:
    table = Seating(
        log=log,
        table=UUID(f"0199c2b2-6c1f-7033-818c-{number:012x}"),
        options=options_of(),
        currency="XTK",
    )
    table.open()
    for seat, player in enumerate(PLAYERS[: 2 + number % 2], 1):
        table.sit(seat, player, 10_000_000)
        table.anchor(seat, f"{number} {seat}", ANCHOR_LENGTH)
    return table
