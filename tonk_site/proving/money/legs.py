"""The books as they are stored, line by line: read once, summed by whoever checks them.

Nothing of it is summed in SQL: the triggers that hold the books sum there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from ledger.core.entries import key_of
from ledger.store.books import LIVE

_BY_ENTRY = """
SELECT coalesce(e.id, p.entry_id), e.stream, e.version, e.part, e.currency, e.posting_count,
    p.amount, a.currency
FROM ledger.posting p FULL JOIN ledger.entry e ON e.id = p.entry_id
LEFT JOIN ledger.account a ON a.id = p.account_id ORDER BY 1"""
_BY_ACCOUNT = """
SELECT a.id, a.code, b.sign, b.min_balance, b.balance, b.version,
    p.account_version, p.amount, p.balance_after, e.recorded_at
FROM ledger.account a JOIN ledger.account_balance b ON b.account_id = a.id
LEFT JOIN ledger.posting p ON p.account_id = a.id
LEFT JOIN ledger.entry e ON e.id = p.entry_id ORDER BY a.id, p.account_version"""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry with its lines: amount and the currency of the account, of each."""

    key: str
    currency: str | None
    lines_stated: int | None
    lines: tuple[tuple[int, str | None], ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A line of an account, in the order in which its row was locked."""

    version: int
    amount: int
    after: int
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Account:
    """An account as it stands, with all that moved it."""

    code: str
    sign: int
    floor: int | None
    balance: int
    version: int
    moves: tuple[Move, ...]


def entries() -> Iterator[Entry]:
    """Every entry in the order of its making; lines without an entry come as one without a key."""
    for number, rows in groupby(LIVE.streamed(_BY_ENTRY), key=lambda row: row[0]):
        held = list(rows)
        stream, version, part, currency, stated = held[0][1:6]
        key = f"lines of {number}" if stream is None else key_of(stream, version, part)
        lines = tuple((row[6], row[7]) for row in held if row[6] is not None)
        yield Entry(key, currency, stated, lines)


def accounts() -> Iterator[Account]:
    """Every account by id, its lines by their versions."""
    for _, rows in groupby(LIVE.streamed(_BY_ACCOUNT), key=lambda row: row[0]):
        held = list(rows)
        moves = tuple(Move(*row[6:]) for row in held if row[6] is not None)
        code, sign, floor, balance, version = held[0][1:6]
        yield Account(code, sign, floor, balance, version, moves)
