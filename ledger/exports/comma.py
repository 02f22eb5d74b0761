"""The books as CSV: one row a leg."""

import csv
import io
from collections.abc import Iterable, Iterator

from eventstore.core.record import time_text
from ledger.core.currencies import decimal_text
from ledger.exports.records import Head, Leg, Record

COLUMNS = (
    "entry", "key", "part", "line", "kind", "recorded_at", "effective_at", "log_index", "stream",
    "version", "event_hash", "entry_hash", "account", "class", "amount_minor", "currency",
    "amount", "reverses",
)  # fmt: skip


def lines(head: Head, records: Iterable[Record]) -> Iterator[str]:
    """The file, in pieces; there is no free text in it that could begin a formula."""
    exponents = head.exponents
    yield _rows([COLUMNS])
    for record in records:
        yield _rows(_row(record, leg, exponents) for leg in record.legs)


def _rows(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _row(record: Record, leg: Leg, exponents: dict[str, int]) -> tuple[object, ...]:
    """Balances that are brought forward have no entry: what would name it is empty."""
    source = record.source
    return (
        source.entry_id if source else "",
        record.key,
        source.part if source else 0,
        leg.line,
        record.kind,
        time_text(source.recorded_at) if source else "",
        time_text(source.effective_at) if source else f"{record.day}T00:00:00.000000Z",
        record.log_index,
        source.stream if source else "",
        source.version if source else "",
        source.event_hash if source else "",
        record.hash,
        leg.account,
        leg.account_class,
        leg.amount,
        leg.currency,
        decimal_text(leg.amount, exponents[leg.currency]),
        (source and source.reverses) or "",
    )
