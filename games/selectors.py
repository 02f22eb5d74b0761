"""Reads of tables: states, events and lists, each for one viewer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored, time_text
from eventstore.core.refusal import refuse
from games import dealer
from games.models import Table as Live
from games.rules import events, views
from games.rules.table import Table, fold
from games.rules.views import Document, Viewer
from players.selectors import people

OVER = frozenset({"HandEnded", "HandVoided"})


@dataclass(frozen=True, slots=True)
class Seen:
    """A table as one viewer may see it, and the events that lead there from the newest deal."""

    table: Table
    viewer: Viewer
    stored: tuple[Stored, ...]
    row: Live

    @property
    def etag(self) -> str:
        """Entity tag of the state document."""
        return f'"v{self.table.version}.{self.viewer.tag}"'


def live_row(table_id: UUID) -> Live:
    """The live row of a table. Raises: Refused with `not_found`."""
    row = Live.objects.filter(id=table_id).first()
    if row is None:
        raise refuse("not_found")
    return row


def see(table_id: UUID, player: UUID | None) -> Seen:
    """The table for a viewer: the deck is read for a seat of the running hand alone.

    A viewer without a seat sees a running hand with the table's delay. Raises: Refused with
    `not_found`.
    """
    row = live_row(table_id)
    loaded = store.load(table_stream(table_id), from_version=row.hand_version or 1, with_first=True)
    viewer = _viewer(loaded.events, player)
    stored = loaded.events
    if viewer.seat is None:
        stored = _delayed(row, loaded)
    deck = _deck(stored) if viewer.seat is not None else {}
    return Seen(fold(stored, deck), viewer, stored, row)


def state_document(seen: Seen) -> Document:
    """The state document of `api.md` section 5."""
    names = {player: person.name for player, person in _people(seen.table).items()}
    return views.state_document(
        seen.table, seen.viewer, table_id=str(seen.row.id), names=names, time_text=time_text
    )


def served_events(
    table_id: UUID, player: UUID | None, *, after: int, limit: int
) -> tuple[list[Document], int, bool]:
    """Events above `after` as the viewer may see them, his newest version, whether more follow."""
    seen = see(table_id, player)
    newest = seen.table.version
    stored = [
        one
        for one in store.events_after(table_stream(table_id), after, limit=limit + 1)
        if one.version <= newest
    ]
    page = stored[:limit]
    hands = _own_hands(table_stream(table_id), player, page)
    return [_served(one, hands) for one in page], newest, len(stored) > limit


def history(seen: Seen) -> list[Document]:
    """The running hand's events from its deal on, as the viewer saw them."""
    since = seen.table.dealt_version or 0
    hand = seen.table.hand
    own = _OwnHand(since, seen.viewer, hand.setup.deck if hand is not None else None)
    return [_served(one, [own]) for one in seen.stored if one.version >= since]


def lobby(filters: Mapping[str, object]) -> QuerySet[Live]:
    """Public tables, newest first, by the lobby's filters (`api.md` 4.4)."""
    found = Live.objects.filter(visibility="public").order_by("-opened_at", "-id")
    names = {"status": "status", "preset": "preset", "currency": "currency", "seats": "seats"}
    names |= {"tournament": "tournament", "stake_min": "stake__gte", "stake_max": "stake__lte"}
    for name, lookup in names.items():
        if filters.get(name) is not None:
            found = found.filter(**{lookup: filters[name]})
    return found


def tables_of(player: UUID) -> QuerySet[Live]:
    """Tables where a player sits, newest first."""
    return Live.objects.filter(places__player_id=player).order_by("-opened_at", "-id")


def tables_of_tournament(tournament: UUID) -> list[Live]:
    """Live rows of a tournament's tables, by id."""
    return list(Live.objects.filter(tournament=tournament).order_by("id"))


def due_held(now: datetime) -> list[tuple[UUID, UUID]]:
    """(table, tournament) of tables whose wait for their tournament is over."""
    held = Live.objects.filter(due="held", due_at__lte=now, parked_code=None)
    return list(held.order_by("due_at").values_list("id", "tournament"))


def _people(table: Table) -> dict[str, Any]:
    return people([place.player for place in table.places])


def _viewer(stored: Sequence[Stored], player: UUID | None) -> Viewer:
    if player is None:
        return views.PUBLIC
    place = fold(stored).seat_of(str(player))
    return Viewer(place.seat) if place is not None else views.PUBLIC


def _deck(stored: Sequence[Stored]) -> Mapping[str, dealer.Deck]:
    """Deck of a hand that runs at the end of these events."""
    if any(one.type in OVER for one in stored):
        return {}
    for one in stored:
        if isinstance(one.event, events.HandDealt):
            seed = dealer.seed_of(UUID(one.event.hand))
            return {} if seed is None else {one.event.hand: dealer.deck_from(one.event, seed)}
    return {}


def _delayed(row: Live, loaded: store.Loaded) -> tuple[Stored, ...]:
    """What a viewer without a seat may see: a running hand as it was some seconds ago."""
    first = loaded.events[0].event
    delay_s = first.spectator_delay_s if isinstance(first, events.TableOpened) else 0
    running = row.hand_version is not None and not any(one.type in OVER for one in loaded.events)
    if not delay_s or not running:
        return loaded.events
    until = loaded.now - timedelta(seconds=delay_s)
    hand_version = row.hand_version or 1
    seen = tuple(one for one in loaded.events if one.version < hand_version or one.at <= until)
    if seen[-1].version >= hand_version:
        return seen
    # Not even the deal may be seen yet: the table as the hand before left it.
    stream = table_stream(row.id)
    before = store.version_before(stream, "HandDealt", hand_version) or 1
    earlier = store.load(stream, from_version=before, with_first=True).events
    return tuple(one for one in earlier if one.version < hand_version)


@dataclass(frozen=True, slots=True)
class _OwnHand:
    """A hand into which the viewer was dealt: from which version, at which seat, with its deck."""

    version: int
    viewer: Viewer
    deck: dealer.Deck | None


def _own_hands(stream: str, player: UUID | None, page: Sequence[Stored]) -> list[_OwnHand]:
    """Hands that the page touches, in order; a viewer is served his own cards at any time alike."""
    if player is None or not page:
        return []
    start = store.version_before(stream, "HandDealt", page[0].version + 1) or page[0].version
    marks = store.events_after(
        stream, start - 1, types=["HandDealt", "HandRevealed"], limit=2 * len(page) + 2
    )
    seeds = {
        one.event.hand: bytes.fromhex(one.event.server_seed)
        for one in marks
        if isinstance(one.event, events.HandRevealed)
    }
    return [
        _own_hand(one, one.event, str(player), seeds)
        for one in marks
        if isinstance(one.event, events.HandDealt)
    ]


def _own_hand(
    one: Stored, dealt: events.HandDealt, player: str, seeds: Mapping[str, bytes]
) -> _OwnHand:
    seat = next((place.seat for place in dealt.players if place.player == player), None)
    if seat is None:
        return _OwnHand(one.version, views.PUBLIC, None)
    seed = seeds.get(dealt.hand) or dealer.seed_of(UUID(dealt.hand))
    return _OwnHand(one.version, Viewer(seat), dealer.deck_from(dealt, seed) if seed else None)


def _served(one: Stored, hands: Sequence[_OwnHand]) -> Document:
    """An event as the viewer may see it."""
    own = next((hand for hand in reversed(hands) if hand.version <= one.version), None)
    fields = views.served_data(
        one.payload,
        kind=one.type,
        deck=own.deck if own else None,
        viewer=own.viewer if own else views.PUBLIC,
    )
    found: Document = {"version": one.version, "at": time_text(one.at), "type": one.type}
    if isinstance(fields.get("hand"), str):
        found["hand_id"] = fields["hand"]
    return found | {
        "data": fields,
        "auto": bool(one.facts.get("auto", False)),
        "hash": one.hash.hex(),
    }
