"""A player's wallet, line by line."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ledger.core.accounts import account
from ledger.core.kinds import Kind
from ledger.models import Posting
from ledger.store.books import LIVE

LINES_MAX = 100  # of one page of a statement


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a statement; `amount` is positive for what the player got."""

    entry_id: int
    kind: Kind
    at: datetime
    amount: int
    balance: int
    stream: str
    version: int
    number: int  # of the line on the account, from 1: where the next page goes on


@dataclass(frozen=True, slots=True)
class Statement:
    """A player's wallet over a range of time: opening and closing are of the whole range."""

    currency: str
    opening: int
    closing: int
    lines: tuple[Line, ...]
    next_number: int | None  # where the next page begins; None: this is the last


@dataclass(frozen=True, slots=True)
class Range:
    """Which lines of a statement are asked for: recorded from `start` on, before `end`."""

    start: datetime | None = None
    end: datetime | None = None
    first_number: int = 0
    limit: int = LINES_MAX


def statement(player: UUID | str, currency: str, wanted: Range) -> Statement:
    """The wallet's lines in the order in which money moved under its lock. Three statements."""
    code = account("wallet", str(player), currency=currency)
    rows = LIVE.rows(
        """SELECT a.id, ledger.version_before(a.id, %(start)s::timestamptz),
            CASE WHEN %(end)s::timestamptz IS NULL THEN b.version
                ELSE ledger.version_before(a.id, %(end)s::timestamptz) END
        FROM ledger.account a JOIN ledger.account_balance b ON b.account_id = a.id
        WHERE a.code = %(code)s""",
        {"start": wanted.start, "end": wanted.end, "code": code},
    )
    if not rows:
        return Statement(currency, 0, 0, (), None)
    account_id, before, last = rows[0]
    first = max(wanted.first_number, before + 1)
    found = _lines(account_id, first, min(last, first + wanted.limit - 1))
    goes_on = first + wanted.limit <= last
    return Statement(
        currency,
        opening=_balance_at(account_id, before),
        closing=_balance_at(account_id, max(last, before)),
        lines=tuple(found),
        next_number=first + wanted.limit if goes_on else None,
    )


def _lines(account_id: int, first: int, last: int) -> Iterator[Line]:
    """Lines of a wallet, a liability: what it got is a credit, so the sign turns."""
    postings = Posting.objects.filter(
        account_id=account_id, account_version__range=(first, last)
    ).select_related("entry")
    # The limit says what the range says; without it the planner expects many more lines.
    for posting in postings.order_by("account_version")[: max(0, last - first + 1)]:
        yield Line(
            entry_id=posting.entry_id,
            kind=Kind(posting.entry.kind),
            at=posting.entry.recorded_at,
            amount=-posting.amount,
            balance=posting.balance_after,
            stream=posting.entry.stream,
            version=posting.entry.version,
            number=posting.account_version,
        )


def _balance_at(account_id: int, number: int) -> int:
    found = Posting.objects.filter(account_id=account_id, account_version=number)
    return found.values_list("balance_after", flat=True).first() or 0
