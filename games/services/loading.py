"""Load a table under its lock, and what its live row says after a command."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from eventstore.core.chain import Fact
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken
from eventstore.services import LiveRow, Row, Transaction
from games.folds import Folded, current, keep, with_more, without_deck
from games.models import Seat, Sitting
from games.rules.hosting import may_be_dealt_in
from games.rules.rotation import counted
from games.rules.table import BOT_TURN_MS, Table, evolve
from games.rules.window import seal_at
from games.services.anchors import keep_anchors
from games.wake import wake_for
from ledger.services import mark_due

RELATION = "games_table"
PAUSE_MS = 5_000  # between hands (`tournaments.md` 7.1)
PAUSE_TURBO_MS = 1_000
DEALER, CLOCK = "worker:dealer", "worker:clock"
SETTLED_TYPES = frozenset({"HandEnded", "SeatCashedOut", "TableClosed"})  # posted after the fact


def live(table_id: UUID) -> LiveRow:
    """The live row of a table."""
    return LiveRow(RELATION, table_id)


def load(tx: Transaction, row: Row) -> Folded:
    """The table of a locked live row. One statement, and one more where a deal is new here."""
    return current(*_where(row), tx.load)


def load_without_deck(tx: Transaction, row: Row) -> Folded:
    """The same without the deck of a running hand. One statement."""
    return without_deck(*_where(row), tx.load)


def _where(row: Row) -> tuple[UUID, int | None]:
    """The table of a live row, and where its newest deal lies."""
    table_id, hand_version = row["id"], row["hand_version"]
    if not isinstance(table_id, UUID):
        raise InvariantBroken("a live row without an id")
    return table_id, hand_version if isinstance(hand_version, int) else None


@dataclass(frozen=True, slots=True)
class _Draft:
    """An event that is about to be appended, as the fold wants it."""

    version: int
    at: datetime
    event: msgspec.Struct


def preview(loaded: Folded, facts: Sequence[Fact], now: datetime) -> Table:
    """The table as these facts will leave it."""
    table = loaded.table
    for step, fact in enumerate(facts, start=1):
        table = evolve(table, _Draft(loaded.head.version + step, now, fact.event))
    return table


def append(
    tx: Transaction, before: Folded, facts: Sequence[Fact], *, wakes_bots: bool = True
) -> tuple[Folded, tuple[Stored, ...]]:
    """Append facts; the table after them, and their records. See `after_append`."""
    sealed = tx.append(before.stream, before.head, facts)
    return after_append(before, sealed, wakes_bots=wakes_bots), sealed


def after_append(before: Folded, sealed: Sequence[Stored], *, wakes_bots: bool = True) -> Folded:
    """The table after records that were appended.

    Keeps the relations of seats and anchors, marks what the settler must post, plans the wake-ups;
    a caller who plays on for the bots himself lets them sleep.
    """
    after = with_more(before, sealed)
    _keep_places(before.table, after, sealed)
    keep_anchors(after.id, before.table, sealed)
    money = [one for one in sealed if one.type in SETTLED_TYPES]
    if money and not after.table.of_tournament:
        mark_due(after.stream, version=money[-1].version, at=money[0].at)
    what, at = due(after.table)
    now = what == "bot" or (at is not None and at <= sealed[-1].at)  # else a pause comes first
    if now and (what != "bot" or wakes_bots):
        wake_for(after.id, after.table.version, what)
    keep(after)
    return after


class _Seated(msgspec.Struct):
    """What the events of coming and going have in common."""

    seat: int
    player: UUID
    bot: str | None = None


def _keep_places(before: Table, after: Folded, sealed: Sequence[Stored]) -> None:
    """Keep the relations of seats and of the time spent there equal to the table's stream."""
    table_id, gone = after.id, gone_type(after.table)
    for one in sealed:
        if one.type == "SeatTaken":
            event = msgspec.convert(one.payload, _Seated, strict=False)
            Seat.objects.create(table_id=table_id, seat=event.seat, player_id=event.player)
            if event.bot is None:
                Sitting.objects.create(table_id=table_id, player=event.player, taken_at=one.at)
        elif one.type == gone:
            event = msgspec.convert(one.payload, _Seated, strict=False)
            Seat.objects.filter(table_id=table_id, player_id=event.player).delete()
            place = before.seat_of(str(event.player))
            if place is None or place.bot is None:
                sits = Sitting.objects.filter(table_id=table_id, player=event.player, left_at=None)
                sits.update(left_at=one.at)
        elif one.type == "DealerCut":
            _reseat(table_id, after.table)


def gone_type(table: Table) -> str:
    """The event with which a seat is free again."""
    return "SeatLeft" if table.of_tournament else "SeatCashedOut"


def _reseat(table_id: UUID, table: Table) -> None:
    """Write the seats anew where the cut has moved people (`seat_by_cut`)."""
    kept = dict(Seat.objects.filter(table_id=table_id).values_list("player_id", "seat"))
    now = {UUID(place.player): place.seat for place in table.places}
    if kept != now:
        Seat.objects.filter(table_id=table_id).delete()
        Seat.objects.bulk_create(
            Seat(table_id=table_id, seat=seat, player_id=player) for player, seat in now.items()
        )


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
    if table.sealing and table.commitment is not None:
        return "seal", seal_at(table.commitment)
    if table.to_act is not None and table.turn_at is not None:
        if table.place(table.to_act).bot is not None:
            return "bot", table.turn_at + timedelta(milliseconds=BOT_TURN_MS)
        return "move", table.deadline
    return _due_at_rest(table)


def _due_at_rest(table: Table) -> tuple[str | None, datetime | None]:
    """What is due where no hand runs: a deal, or the word of a tournament."""
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
