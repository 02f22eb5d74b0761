"""Load a table under its lock, and what its live row says after a command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from eventstore.core.chain import Fact, Head
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored
from eventstore.services import LiveRow, Row, Transaction
from games import dealer
from games.models import Seat
from games.rules import events
from games.rules.hosting import may_be_dealt_in
from games.rules.rotation import counted
from games.rules.table import BOT_TURN_MS, Table, evolve, fold
from games.wake import wake_for
from ledger.services import mark_due

RELATION = "games_table"
PAUSE_MS = 5_000  # between hands (`tournaments.md` 7.1)
PAUSE_TURBO_MS = 1_000
DEALER, CLOCK = "worker:dealer", "worker:clock"
SETTLED_TYPES = frozenset({"HandEnded", "SeatCashedOut", "TableClosed"})  # posted after the fact


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table as its stream tells, with the deck of a running hand, and the stream's head."""

    id: UUID
    table: Table
    head: Head

    @property
    def stream(self) -> str:
        """Name of the table's stream."""
        return table_stream(self.id)


def live(table_id: UUID) -> LiveRow:
    """The live row of a table."""
    return LiveRow(RELATION, table_id)


def load(tx: Transaction, row: Row, *, settings: bool = False) -> Loaded:
    """The table of a locked live row, folded from its newest deal on.

    `settings` adds what only `TableOpened` says. One statement, and one more where a hand runs.
    """
    table_id, hand_version = row["id"], row["hand_version"]
    assert isinstance(table_id, UUID)  # noqa: S101  # columns of our own relation
    since = hand_version if isinstance(hand_version, int) else 1
    loaded = tx.load(table_stream(table_id), from_version=since, with_first=settings)
    return Loaded(table_id, fold(loaded.events, decks_of(loaded.events)), loaded.head)


def decks_of(stored: Sequence[Stored]) -> Mapping[str, dealer.Deck]:
    """The deck of the hand that runs at the end of these events, by the hand's id."""
    for one in reversed(stored):
        if one.type in {"HandEnded", "HandVoided"}:
            return {}
        if one.type == "HandDealt":
            dealt = one.event
            assert isinstance(dealt, events.HandDealt)  # noqa: S101  # the type says so
            seed = dealer.seed_of(UUID(dealt.hand))
            return {} if seed is None else {dealt.hand: dealer.deck_from(dealt, seed)}
    return {}


def append(
    tx: Transaction, loaded: Loaded, facts: Sequence[Fact]
) -> tuple[Table, tuple[Stored, ...]]:
    """Append facts; the table after them. Marks what the settler must post, wakes who acts next."""
    sealed = tx.append(loaded.stream, loaded.head, facts)
    return after_append(loaded, sealed), sealed


def after_append(loaded: Loaded, sealed: Sequence[Stored]) -> Table:
    """The table after records that were appended; settlement is marked, wake-ups are planned."""
    table: Table | None = loaded.table
    decks = decks_of(sealed) if any(one.type == "HandDealt" for one in sealed) else {}
    for one in sealed:
        table = evolve(table, one, decks)
    assert table is not None  # noqa: S101  # there was one before
    _keep_places(loaded.id, table, sealed)
    money = [one for one in sealed if one.type in SETTLED_TYPES]
    if money and not table.of_tournament:
        mark_due(loaded.stream, version=money[-1].version, at=money[0].at)
    wake_for(loaded.id, table.version, due(table)[0], table.to_act)
    return table


def _keep_places(table_id: UUID, table: Table, sealed: Sequence[Stored]) -> None:
    """Keep the relation of seats equal to the table's."""
    gone = "SeatLeft" if table.of_tournament else "SeatCashedOut"
    for one in sealed:
        if one.type == "SeatTaken":
            seat, player = one.payload["seat"], one.payload["player"]
            Seat.objects.create(table_id=table_id, seat=seat, player_id=player)
        elif one.type == gone:
            Seat.objects.filter(table_id=table_id, player_id=one.payload["player"]).delete()


def changes(table: Table) -> dict[str, object]:
    """The fields of a live row that are a fold of the stream."""
    what, at = due(table)
    found: dict[str, object] = {
        "version": table.version,
        "status": table.status,
        "due": what,
        "due_at": at,
        "to_act": table.to_act,
        "seats_taken": len(table.places),
        "attempts": 0,
    }
    return found


def counted_hands(row: Row, after: Table) -> dict[str, object]:
    """The row's number of counted hands, one more where this command ended one (D2)."""
    if after.ended is None or not counted(after.ended.end):
        return {}
    return {"hands_counted": int(str(row["hands_counted"])) + 1}


def due(table: Table) -> tuple[str | None, datetime | None]:
    """What is due at a table, and when."""
    if table.closed:
        return None, None
    if table.to_act is not None and table.turn_at is not None:
        if table.place(table.to_act).bot is not None:
            return "bot", table.turn_at + timedelta(milliseconds=BOT_TURN_MS)
        return "move", table.deadline
    if table.idle_since is None:
        return None, None
    at = table.idle_since + timedelta(milliseconds=pause_ms(table))
    if table.of_tournament:
        return "held", at
    return ("deal", at) if may_be_dealt_in(table) else (None, None)


def pause_ms(table: Table) -> int:
    """How long the table rests between hands: not at all among bots."""
    if all(place.bot is not None for place in table.places):
        return 0
    return PAUSE_TURBO_MS if table.clock.profile == "turbo" else PAUSE_MS
