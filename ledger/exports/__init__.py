"""The books to take away (`ledger.md` section 6.1), for programs that others wrote and trust.

An export ends at a size of the log that is signed and settled, so it is the same whenever it is
made. It is written to a file before the first byte of it goes out: whoever asks slowly holds no
transaction, and the record of the export can say what exactly it was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from types import MappingProxyType
from typing import IO

from django.db import transaction

from eventstore.core.refusal import refuse
from ledger import selectors
from ledger.exports import beancount, comma, hledger, json_lines
from ledger.exports.records import Head, Record
from ledger.exports.walk import Wanted, head, records
from ledger.store.books import LIVE

__all__ = ["FORMS", "Form", "Wanted", "Written", "wanted", "write"]


@dataclass(frozen=True, slots=True)
class Form:
    """A format: its media type, the ending of its files, and how it is written."""

    media_type: str
    ending: str
    lines: Callable[[Head, Iterable[Record]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: number of transactions, and SHA-256 of the bytes."""

    rows: int
    sha256: str


FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "beancount": Form("text/plain; charset=utf-8", "beancount", beancount.lines),
        "hledger": Form("text/plain; charset=utf-8", "journal", hledger.lines),
        "csv": Form("text/csv; charset=utf-8", "csv", comma.lines),
        "jsonl": Form("application/x-ndjson", "jsonl", json_lines.lines),
    }
)


def wanted(size: int | None, start: date | None, end: date | None, currency: str | None) -> Wanted:
    """The range that is asked for; without a size, all that is signed and settled.

    Raises: Refused with `unknown_currency`, `invalid_field`, `bad_proof_range`, `not_yet_sealed`.
    """
    if currency is not None and currency not in selectors.currency_kinds():
        raise refuse("unknown_currency", currency=currency)
    if start is not None and end is not None and end <= start:
        raise refuse("invalid_field", field="to", why="not after `from`")
    if start == date.max:  # balances are stated for the day after the last one
        raise refuse("invalid_field", field="from", why="there is no day after it")
    return Wanted(selectors.settled_size(size), start, end, currency)


def write(form: str, asked: Wanted, file: IO[bytes]) -> Written:
    """Write an export into a file, in a transaction of its own that may last."""
    summed, rows = sha256(), 0

    def counted() -> Iterator[Record]:
        nonlocal rows
        for record in records(asked):
            rows += 1
            yield record

    with transaction.atomic():
        LIVE.rows("SET LOCAL statement_timeout = 0")
        LIVE.rows("SET LOCAL idle_in_transaction_session_timeout = 0")
        for piece in FORMS[form].lines(head(asked), counted()):
            encoded = piece.encode()
            summed.update(encoded)
            file.write(encoded)
    return Written(rows, summed.hexdigest())
