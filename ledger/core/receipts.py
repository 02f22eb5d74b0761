"""What a receipt says: whom an entry pays, and the file that proves it (`eventstore.md` 6.1).

Nothing is looked up here: `ledger.receipts` brings the entry, the records and the signed size.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from eventstore.core.record import Stored, record_bytes, time_text
from ledger.core.accounts import OWNER, parse_stored, unstriped
from ledger.core.entries import key_of
from ledger.core.kinds import Kind

FORMAT = "tonk/receipt/1"
RECORDS_MAX = 20_000  # of one slice; beyond it the export of the stream serves
CLAIMED = frozenset(
    {
        Kind.HAND,
        Kind.CASH_OUT,
        Kind.PRIZE,
        Kind.BOUNTY,
        Kind.REFUND,
        Kind.COMPENSATION,
        Kind.DEPOSIT,
        Kind.GRANT,
        Kind.WITHDRAWAL_PAID,
        Kind.WITHDRAWAL_RETURNED,
        Kind.ADJUSTMENT,
        Kind.REVERSAL,
    }
)
"""Kinds that pay a player."""
_TABLE_IN = MappingProxyType(
    {"SeatAssigned": "table", "PlayerMoved": "to", "MatchStarted": "table"}
)
_CREDITED = frozenset({"wallet", "seat"})  # what is credited there is the player's


@dataclass(frozen=True, slots=True)
class Line:
    """One leg as the books hold it: debit positive, credit negative."""

    number: int
    account: str
    amount: int


@dataclass(frozen=True, slots=True)
class Booked:
    """An entry as the books hold it."""

    id: int
    kind: Kind
    currency: str
    stream: str
    version: int
    part: int
    recorded_at: datetime
    reverses: str | None  # key of the entry that it takes back
    lines: tuple[Line, ...]

    @property
    def parties(self) -> frozenset[str]:
        """Players with an account in it."""
        owners = (parse_stored(line.account)[0].id_of(OWNER) for line in self.lines)
        return frozenset(owner for owner in owners if owner)


@dataclass(frozen=True, slots=True)
class Claim:
    """What an entry pays to one player."""

    player: str
    line: Line

    @property
    def amount(self) -> int:
        """In minor units, above 0."""
        return abs(self.line.amount)


@dataclass(frozen=True, slots=True)
class Slice:
    """Records of one stream, and the path from the last one's leaf to the signed root."""

    records: Sequence[Stored]
    index: int
    path: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Sealed:
    """The signed size under a receipt."""

    origin: str
    keys: Sequence[str]  # as verifiers read them
    size: int
    note: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What proves a claim: the source of the entry, and the records around it under a signature."""

    source: Stored
    slices: Sequence[Slice]
    sealed: Sealed


def claims(entry: Booked) -> tuple[Claim, ...]:
    """Whom an entry pays what, in the order of its lines: at most one line a player and role.

    A withdrawal that was paid out is claimed by the debit of what waited for it.
    """
    if entry.kind not in CLAIMED:
        return ()
    return tuple(
        Claim(owner, line)
        for line in entry.lines
        if (owner := _paid(line, paid_out=entry.kind is Kind.WITHDRAWAL_PAID)) is not None
    )


def _paid(line: Line, *, paid_out: bool) -> str | None:
    """The player whom a line pays."""
    named, _ = parse_stored(line.account)
    if paid_out:
        pays = named.role.name == "withdrawal" and line.amount > 0
    else:
        pays = named.role.name in _CREDITED and line.amount < 0
    return named.id_of(OWNER) if pays else None


def document(
    entry: Booked,
    claim: Claim,
    evidence: Evidence,
    *,
    made_at: datetime,
    names: Mapping[str, str],
) -> dict[str, object]:
    """The receipt, with exactly the members of its format."""
    sealed = evidence.sealed
    return {
        "format": FORMAT,
        "made_at": time_text(made_at),
        "log": {"origin": sealed.origin, "keys": list(sealed.keys), "checkpoint": sealed.note},
        "claim": {
            "kind": entry.kind.word,
            "entry": entry.id,
            "line": claim.line.number,
            "account": unstriped(claim.line.account),
            "player": claim.player,
            "amount": claim.amount,
            "currency": entry.currency,
            "source": {"stream": entry.stream, "version": entry.version},
        },
        "entry": {
            "id": entry.id,
            "key": key_of(entry.stream, entry.version, entry.part),
            "kind": entry.kind.word,
            "source_stream": entry.stream,
            "source_version": entry.version,
            "source_hash": evidence.source.hash.hex(),
            "recorded_at": time_text(entry.recorded_at),
            "reverses": entry.reverses,
            "postings": [_posting(line, entry.currency) for line in entry.lines],
        },
        "streams": [_slice(one, sealed.size) for one in evidence.slices],
        "names": dict(names),
    }


def _posting(line: Line, currency: str) -> dict[str, object]:
    return {
        "line": line.number,
        "account": unstriped(line.account),
        "amount": line.amount,
        "currency": currency,
    }


def _slice(one: Slice, size: int) -> dict[str, object]:
    return {
        "stream": one.records[0].stream,
        "from": one.records[0].version,
        "to": one.records[-1].version,
        "records": [record_bytes(record).decode() for record in one.records],
        "inclusion": {"index": one.index, "size": size, "path": [step.hex() for step in one.path]},
    }


# --- which records prove what ---------------------------------------------------------------------


def first_of_matter(source: Stored, earlier: Sequence[Stored]) -> int:
    """Version of the first event of the payment or correction that `source` concludes.

    Of a deposit or a grant it is `source` itself.
    """
    for name in ("withdrawal", "adjustment"):
        matter = source.payload.get(name)
        same = [one.version for one in earlier if matter and one.payload.get(name) == matter]
        if same:
            return min(same)
    return source.version


def last_part(source: Stored) -> int:
    """Version of the last part of an event that may come in parts."""
    part, parts = source.payload.get("part"), source.payload.get("parts")
    return source.version + (_count(parts) - _count(part))


def _count(number: object) -> int:
    return number if isinstance(number, int) else 1


def last_table(records: Sequence[Stored], player: str) -> str | None:
    """Id of the table of a player's last match in a tournament; None before he had a seat."""
    found = seats_at(records, player)
    return found[-1] if found else None


def seats_at(records: Sequence[Stored], player: str) -> list[str]:
    """Ids of the tables at which a tournament seated a player, in order."""
    found = []
    for record in records:
        fields = record.payload
        if player in (fields.get("player"), *_items(fields.get("players"))):
            found.append(fields.get(_TABLE_IN.get(record.type, "")))
    return [table for table in found if isinstance(table, str)]


def directors(records: Sequence[Stored]) -> frozenset[str]:
    """Who directs a tournament."""
    named = {"TournamentDrafted": "organiser", "DirectorAdded": "player"}
    return frozenset(
        str(record.payload.get(named[record.type])) for record in records if record.type in named
    )


def is_dealt_in(record: Stored, player: str) -> bool:
    """Whether a player was dealt into the hand of a `HandDealt`."""
    seats = _items(record.payload.get("players"))
    return any(isinstance(seat, Mapping) and seat.get("player") == player for seat in seats)


def _items(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()
