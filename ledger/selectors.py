"""Reads of the books: balances, statements, escrow, settlement."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import TypeVar
from uuid import UUID

from django.db.models import F, Sum

from eventstore import store as log
from eventstore.core.refusal import Refusal
from ledger.core.accounts import IN_PLAY, account
from ledger.core.currencies import decimal_text
from ledger.core.entries import entries_for
from ledger.core.kinds import TITLES, Kind
from ledger.models import Account, AccountBalance, Posting, SettlementCursor
from ledger.store.books import LIVE, hashes_of

PENDING_STREAMS = (
    20  # looked into for what is on its way to a player; more do not occur in a second
)
PENDING_EVENTS = 500  # of one stream
LINES_MAX = 100  # of one page of a statement
DIGEST_EVENTS = 1_000  # whose hashes are fetched at once

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Balance:
    """What a player has in one currency, in minor units."""

    currency: str
    available: int  # the wallet
    in_play: int  # at tables, and waiting to be paid out
    exponent: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.available + self.in_play

    @property
    def display(self) -> str:
        """The total as people read it."""
        return display(self.total, self.currency, self.exponent)


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

    @property
    def text(self) -> str:
        """What it was, in words."""
        return TITLES[self.kind]


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


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a stream is settled; nothing due yet is version 0."""

    version: int = 0
    parked_code: str | None = None


def display(minor: int, currency: str, exponent: int) -> str:
    """Amount as people read it."""
    return f"{decimal_text(minor, exponent)} {currency}"


def exponents() -> dict[str, int]:
    """Decimals of every installed currency."""
    return dict(LIVE.rows("SELECT code, exponent FROM ledger.currency ORDER BY code"))


def currency_kinds() -> dict[str, str]:
    """Every installed currency: `cash` or `play`."""
    return dict(LIVE.rows("SELECT code, kind FROM ledger.currency ORDER BY code"))


def balances(player: UUID | str, as_of: datetime | None = None) -> list[Balance]:
    """What a player has, one item an installed currency; `as_of` asks by `recorded_at`.

    Two statements. An empty currency is there with zeros.
    """
    held: dict[tuple[str, str], int] = {}
    for role, currency, balance in _held(player, as_of):
        held[role, currency] = held.get((role, currency), 0) + balance
    return [
        Balance(
            currency,
            available=held.get(("wallet", currency), 0),
            in_play=sum(held.get((role, currency), 0) for role in IN_PLAY),
            exponent=exponent,
        )
        for currency, exponent in exponents().items()
    ]


def _held(player: UUID | str, as_of: datetime | None) -> list[tuple[str, str, int]]:
    if as_of is None:
        found = AccountBalance.objects.filter(account__owner=player)
        return list(found.values_list("account__role", "currency", "balance"))
    rows = LIVE.rows(
        """SELECT a.role, a.currency, p.balance_after
        FROM ledger.account a JOIN ledger.posting p ON p.account_id = a.id
            AND p.account_version = ledger.version_before(a.id, %s)
        WHERE a.owner = %s""",
        [as_of, player],
    )
    return [(role, currency, balance) for role, currency, balance in rows]


def available(player: UUID | str, currency: str) -> int:
    """What the wallet holds, in minor units."""
    code = account("wallet", str(player), currency=currency)
    found = AccountBalance.objects.filter(account__code=code).values_list("balance", flat=True)
    return found.first() or 0


def who_can_pay(players: Collection[UUID], currency: str, amount: int) -> set[UUID]:
    """Those of the players whose wallets hold `amount` or more. One statement."""
    wallets = AccountBalance.objects.filter(
        account__role="wallet",
        account__currency=currency,
        account__owner__in=players,
        balance__gte=amount,
    )
    return {owner for owner in wallets.values_list("account__owner", flat=True) if owner}


def pending(player: UUID | str, currency: str) -> int:
    """What events already give to the wallet and the settler has not posted yet."""
    wallet = account("wallet", str(player), currency=currency)
    rows = LIVE.rows(
        """SELECT stream, c.version FROM ledger.settlement_due d
        JOIN ledger.settlement_cursor c USING (stream)
        WHERE d.version > c.version ORDER BY d.event_at LIMIT %s""",
        [PENDING_STREAMS],
    )
    return sum(
        -amount
        for stream, version in rows
        for entry in _unsettled(stream, version)
        for code, amount in entry
        if code == wallet and amount < 0
    )


def _unsettled(stream: str, version: int) -> Iterator[tuple[tuple[str, int], ...]]:
    """Legs of the entries that a stream still owes. A parked event gives nothing."""
    for event in log.events_after(stream, version, limit=PENDING_EVENTS):
        entries = entries_for(event)
        if not isinstance(entries, Refusal):
            yield from (entry.legs for entry in entries)


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
    for posting in postings.order_by("account_version"):
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


def escrow(tournament: UUID | str) -> dict[str, int]:
    """What a tournament holds, by role: `tournament` (the pool), `fees`, `bounty`."""
    found = AccountBalance.objects.filter(
        account__scope=tournament, account__role__in=("tournament", "fees", "bounty")
    )
    return {"tournament": 0, "fees": 0, "bounty": 0} | dict(
        found.values_list("account__role", "balance")
    )


def seats(table: UUID | str) -> dict[str, int]:
    """What the seats of a cash table hold in the books, by player."""
    found = AccountBalance.objects.filter(account__scope=table, account__role="seat")
    return {
        str(owner): balance for owner, balance in found.values_list("account__owner", "balance")
    }


def cursor(stream: str) -> Cursor:
    """How far a stream is settled."""
    found = SettlementCursor.objects.filter(stream=stream).first()
    return Cursor(found.version, found.parked_code) if found else Cursor()


def is_settled(stream: str, version: int) -> bool:
    """Whether all money of a stream up to `version` is posted."""
    return cursor(stream).version >= version


def sums() -> dict[str, int]:
    """Sum of all legs per currency: 0, or the books are wrong."""
    found = Posting.objects.values_list("entry__currency").annotate(total=Sum("amount"))
    return {currency: int(total) for currency, total in found}


def balance_sums() -> dict[str, int]:
    """Sum of all balances per currency, debits positive: 0, or the books are wrong."""
    found = AccountBalance.objects.values_list("currency").annotate(
        total=Sum(F("balance") * F("sign"))
    )
    return {currency: int(total) for currency, total in found}


def house(role: str, currency: str) -> int:
    """Balance of a house account: its stripes together."""
    found = AccountBalance.objects.filter(account__role=role, currency=currency)
    return int(found.aggregate(total=Sum("balance"))["total"] or 0)


def account_count() -> int:
    """Number of accounts, the stripes of the house each counted."""
    return Account.objects.count()


def digest() -> str:
    """SHA-256 over the hashes of all entries in the order of the log, for a log at rest."""
    summed = sha256()
    for events in batched((event for _, event in log.read_all()), DIGEST_EVENTS):
        hashes = hashes_of(LIVE, events)
        for event in events:
            for _, entry_hash in hashes.get((event.stream, event.version), []):
                summed.update(entry_hash)
    return summed.hexdigest()


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items in lists of `size`; the last one is shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
