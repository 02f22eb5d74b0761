"""A statement as CSV (RFC 4180): one row a line, opening and closing as rows of their own."""

import csv
import io
from collections.abc import Iterator

from eventstore.core.record import time_text
from ledger.core.words import WORDS, title
from ledger.statements.folder import Folder

COLUMNS = (
    "at", "kind", "text", "amount_minor", "amount", "balance_minor", "balance", "currency",
    "entry_id", "stream", "version",
)  # fmt: skip


def as_csv(folder: Folder) -> bytes:
    """The whole file. Its texts are the product's own: none begins a formula."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(_rows(folder))
    return text.getvalue().encode()


def _rows(folder: Folder) -> Iterator[tuple[object, ...]]:
    words, found, code = WORDS[folder.language], folder.statement, folder.currency.code
    yield COLUMNS
    yield _bound("opening", words["opening"], folder, found.opening)
    for line in found.lines:
        yield (
            time_text(line.at),
            line.kind.word,
            title(line.kind, folder.language),
            line.amount,
            folder.amount(line.amount),
            line.balance,
            folder.amount(line.balance),
            code,
            line.entry_id,
            line.stream,
            line.version,
        )
    yield _bound("closing", words["closing"], folder, found.closing)


def _bound(kind: str, text: str, folder: Folder, balance: int) -> tuple[object, ...]:
    at = folder.start if kind == "opening" else folder.end
    return (
        time_text(at) if at else "", kind, text, "", "",
        balance, folder.amount(balance), folder.currency.code, "", "", "",
    )  # fmt: skip
