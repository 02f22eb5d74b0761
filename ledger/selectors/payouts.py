"""What was paid to players, and the way from a payout down to the hands."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from eventstore import store as log
from eventstore.core.ids import subject, table_stream, tournament_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import refuse
from ledger.core.entries import FIRST_PAYOUT
from ledger.core.kinds import Kind
from ledger.core.receipts import is_dealt_in, seats_at
from ledger.selectors.balances import escrow
from ledger.store.books import LIVE

PAYOUTS = (Kind.CASH_OUT, Kind.REFUND, Kind.BOUNTY, Kind.PRIZE, Kind.COMPENSATION)
PAID_IN = (Kind.ENTRY, Kind.RE_ENTRY, Kind.REBUY, Kind.ADD_ON)
TABLES, TOURNAMENTS = table_stream(""), tournament_stream("")
NEWEST = (2**63 - 1, 2**31 - 1)


@dataclass(frozen=True, slots=True)
class Payout:
    """What an entry paid to one player; `line` tells payouts of one entry apart."""

    entry_id: int
    line: int
    kind: Kind
    stream: str
    version: int
    at: datetime
    player: UUID
    amount: int
    currency: str
    place: int | None  # of a prize
    reversed: bool

    @property
    def tournament(self) -> UUID | None:
        """The event that it was paid in."""
        return subject(self.stream) if self.stream.startswith(TOURNAMENTS) else None

    @property
    def table(self) -> UUID | None:
        """The cash table that it was taken from."""
        return subject(self.stream) if self.stream.startswith(TABLES) else None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which payouts are asked for, by the time of their events; what is None is not asked."""

    tournament: UUID | None = None
    table: UUID | None = None
    player: UUID | None = None
    currency: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    amount_min: int | None = None
    amount_max: int | None = None
    reversed: bool | None = None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """How the prizes of a tournament came about: what its events say, and what its books hold."""

    currency: str
    entries: int
    collected: int
    rake: int
    overlay: int
    fees: int
    heads: int
    heads_to_pool: int
    bounties: int
    refunds: int
    prizes: Sequence[Mapping[str, Any]]  # place, player, amount
    escrow: Mapping[str, int]

    @property
    def pool(self) -> int:
        """What the places got together."""
        return self.collected - self.rake + self.overlay + self.heads_to_pool


# The list stands as it does in the index `entry_payout`, which serves nothing else.
_KINDS = ", ".join(str(int(kind)) for kind in PAYOUTS)
_PAYOUTS = """
SELECT found.id, found.line, found.kind, found.stream, found.version, found.effective_at,
    found.owner, -found.amount, found.currency,
    CASE WHEN found.kind = %(prize)s THEN (
        SELECT (e.data->'prizes'->(found.part - %(first)s)->>'place')::int
        FROM eventstore_event e WHERE (e.stream, e.version) = (found.stream, found.version)) END,
    EXISTS (SELECT FROM ledger.entry r WHERE r.reverses = found.id)
FROM (
    SELECT n.id, p.line, n.kind, n.stream, n.version, n.part, n.effective_at, a.owner, p.amount,
        n.currency
    FROM ledger.entry n JOIN ledger.posting p ON p.entry_id = n.id
    JOIN ledger.account a ON a.id = p.account_id
    WHERE n.kind IN (KINDS) AND a.role = 'wallet' AND p.amount < 0
        AND (n.id, p.line) < (%(id)s, %(line)s) AND CONDITIONS
    ORDER BY n.id DESC, p.line DESC LIMIT %(limit)s) found
ORDER BY found.id DESC, found.line DESC"""
_CONDITIONS = {
    "tournament": "n.stream = %(tournament)s",
    "table": "n.stream = %(table)s",
    "player": "a.owner = %(player)s",
    "currency": "n.currency = %(currency)s",
    "start": "n.effective_at >= %(start)s",
    "end": "n.effective_at < %(end)s",
    "amount_min": "p.amount <= -%(amount_min)s",
    "amount_max": "p.amount >= -%(amount_max)s",
}
_REVERSED = "EXISTS (SELECT FROM ledger.entry r WHERE r.reverses = n.id)"
_FLOWS = """
SELECT n.kind, a.role, -sum(p.amount)::bigint
FROM ledger.entry n JOIN ledger.posting p ON p.entry_id = n.id
JOIN ledger.account a ON a.id = p.account_id
WHERE n.stream = %s GROUP BY n.kind, a.role"""


def payouts(asked: Wanted, *, below: tuple[int, int] = NEWEST, limit: int) -> list[Payout]:
    """Payouts before an entry and line, the newest first. One statement."""
    given: dict[str, object] = {
        name: getattr(asked, name) for name in _CONDITIONS if getattr(asked, name) is not None
    }
    conditions = ["true", *(_CONDITIONS[name] for name in given)]
    if asked.reversed is not None:
        conditions.append(_REVERSED if asked.reversed else f"NOT {_REVERSED}")
    for name, stream in (("tournament", tournament_stream), ("table", table_stream)):
        if name in given:
            given[name] = stream(getattr(asked, name))
    return _read(conditions, given | {"id": below[0], "line": below[1], "limit": limit})


def payouts_of(entry_id: int) -> list[Payout]:
    """What one entry paid, by its lines. One statement. Raises: Refused with `not_found`."""
    place = min(entry_id, NEWEST[0] - 1)
    given = {"entry": place, "id": place, "line": NEWEST[1], "limit": None}
    found = _read(["n.id = %(entry)s"], given)
    if not found:
        raise refuse("not_found")
    return found[::-1]


def _read(conditions: Sequence[str], parameters: Mapping[str, object]) -> list[Payout]:
    sql = _PAYOUTS.replace("KINDS", _KINDS, 1).replace("CONDITIONS", " AND ".join(conditions), 1)
    given = {"prize": Kind.PRIZE, "first": FIRST_PAYOUT, **parameters}
    return [Payout(row[0], row[1], Kind(row[2]), *row[3:]) for row in LIVE.rows(sql, given)]


# --- the way down ---------------------------------------------------------------------------------


def arithmetic(tournament: UUID) -> Arithmetic | None:
    """How the prizes of a tournament came about; None before they were computed."""
    stream = tournament_stream(tournament)
    parts = log.events_after(stream, 0, types=["PrizesComputed"])
    if not parts:
        return None
    flows = {(Kind(kind), role): amount for kind, role, amount in LIVE.rows(_FLOWS, [stream])}

    def into(role: str, kinds: Sequence[Kind]) -> int:
        return sum(flows.get((kind, role), 0) for kind in kinds)

    return Arithmetic(
        currency=str(parts[0].payload["currency"]),
        entries=len(log.events_after(stream, 0, types=["EntryPaid", "ReEntered"])),
        collected=into("tournament", [*PAID_IN, Kind.REFUND]),
        rake=_stated(parts, "rake"),
        overlay=_stated(parts, "overlay"),
        fees=_stated(parts, "fees"),
        heads=into("bounty", [*PAID_IN, Kind.REFUND]),
        heads_to_pool=_stated(parts, "heads_to_pool"),
        bounties=into("wallet", [Kind.BOUNTY]),
        refunds=into("wallet", [Kind.REFUND]),
        prizes=list(_prizes(parts)),
        escrow=escrow(tournament),
    )


def _prizes(parts: Sequence[Stored]) -> Iterator[Mapping[str, Any]]:
    for part in parts:
        prizes: Any = part.payload["prizes"]
        yield from prizes


def _stated(parts: Sequence[Stored], name: str) -> int:
    """The sum of an amount: it stands in one part, and is 0 in the others."""
    amounts: list[Any] = [part.payload[name] for part in parts]
    return sum(amounts)


def hands_of(payout: Payout) -> list[str]:
    """Ids of the hands that the player was dealt into: in the event, or on that seat of a table."""
    player = str(payout.player)
    return [
        str(deal.payload["hand"])
        for stream, first, below in _played(payout)
        for deal in log.events_after(stream, first, below=below, types=["HandDealt"])
        if is_dealt_in(deal, player)
    ]


def _played(payout: Payout) -> Iterator[tuple[str, int, int | None]]:
    """Streams of tables with the versions between which the player may have sat there."""
    player = str(payout.player)
    if payout.table is not None:
        seated = log.latest_of_player(
            payout.stream, types=["SeatTaken"], player=player, below=payout.version
        )
        yield payout.stream, seated.version if seated else 0, payout.version
    else:
        records = log.events_after(payout.stream, 0)
        for table in dict.fromkeys(seats_at(records, player)):
            yield table_stream(table), 0, None
