"""Reads of tables: states, events and lists, each for one viewer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.db.models import Q, QuerySet

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored, time_text
from eventstore.core.refusal import InvariantBroken, refuse
from games import dealer
from games.folds import Folded, at_clock, current
from games.models import RuleSet, Sitting
from games.models import Table as Live
from games.rules import events, views
from games.rules.liability import liability
from games.rules.options import Options, rules_hash
from games.rules.presets import preset_rules
from games.rules.seat_view import SeatView, seat_view
from games.rules.table import Table, fold
from games.rules.views import Document, Viewer
from games.rules.words.explanation import Statement, explain, explain_voided
from games.rules.words.sheet import TableTerms
from ledger.core.limits import Spell
from players.selectors import people

HandEnd = events.HandEnded | events.HandVoided
HAND_BOUNDS = ("HandDealt", "HandEnded", "HandVoided")


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
    """The table for a viewer; without a seat he sees a running hand with the table's delay.

    Raises: Refused with `not_found`.
    """
    row = live_row(table_id)
    folded, now = at_clock(table_id, row.hand_version)
    place = folded.table.seat_of(str(player)) if player is not None else None
    if place is not None:
        return Seen(folded.table, Viewer(place.seat), folded.stored, row)
    return _delayed(row, folded, now)


def see_now(table_id: UUID) -> Seen:
    """The table as it is now, for services that act on it."""
    row = live_row(table_id)
    folded = current(table_id, row.hand_version)
    return Seen(folded.table, views.PUBLIC, folded.stored, row)


def public_at(table_id: UUID, version: int) -> tuple[Seen, int]:
    """The table as it was at a version, for anybody, and the newest version that he may see.

    A version above that one gives the newest. Raises: Refused with `not_found`.
    """
    newest = see(table_id, None)
    if version >= newest.table.version:
        return newest, newest.table.version
    stored = _up_to(table_stream(table_id), max(version, 1))
    return Seen(fold(stored), views.PUBLIC, stored, newest.row), newest.table.version


def as_opened(table_id: UUID, version: int) -> Seen:
    """A table as its opening left it, at this version: the answer to it never changes.

    Raises: Refused with `not_found`.
    """
    stored = store.events_after(table_stream(table_id), 0, limit=version)
    return Seen(fold(stored), views.PUBLIC, stored, live_row(table_id))


def state_document(seen: Seen) -> Document:
    """The state document of `api.md` section 5."""
    names = {player: person.name for player, person in _people(seen.table).items()}
    return views.state_document(
        seen.table, seen.viewer, table_id=str(seen.row.id), names=names, time_text=time_text
    )


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a hand ended so: its number, the players dealt in by their seats, the statements."""

    hand_no: int
    players: Mapping[int, str]
    statements: tuple[Statement, ...]


def explanation(seen: Seen) -> Explained | None:
    """Why the last hand that the viewer has seen end ended so; None where none has ended.

    While a hand runs it is the one before, from two statements; nothing of the running one is in
    it. Who deals next is said only where no later hand was dealt and the table is not closed.
    """
    end = _end_among(seen.stored)
    deal = seen.table.dealt
    if end is None:
        deal, end = _hand_before(seen)
    if deal is None or end is None:
        return None
    if isinstance(end, events.HandEnded):
        statements = explain(end, deal.rules, deal.stake)
    else:
        statements = explain_voided(end, deal.rules)
    if seen.table.closed or seen.table.playing:
        statements = tuple(one for one in statements if one.key != "next_dealer")
    players = {one.seat: one.player for one in deal.players}
    return Explained(deal.hand_no, players, statements)


def _end_among(records: Iterable[Stored]) -> HandEnd | None:
    """The end of a hand among the records of its table from its deal on, None while it runs."""
    ends = (one.event for one in records)
    return next((one for one in ends if isinstance(one, HandEnd)), None)


def _hand_before(seen: Seen) -> tuple[events.HandDealt | None, HandEnd | None]:
    """Deal and end of the hand before the running one; the first of a table has none."""
    table, stream = seen.table, table_stream(seen.row.id)
    if table.dealt is None or table.dealt_version is None or table.dealt.hand_no == 1:
        return None, None
    version = store.version_before(stream, "HandDealt", table.dealt_version) or 1
    found = store.events_after(stream, version - 1, types=HAND_BOUNDS, limit=2)
    deal = next((one.event for one in found if isinstance(one.event, events.HandDealt)), None)
    return deal, _end_among(found)


def table_terms(seen: Seen, money: Callable[[int], str]) -> TableTerms:
    """What the table adds to its options on its rule sheet; `money` writes an amount."""
    table, seats = seen.table, seen.row.seats
    worst = None if table.of_tournament else liability(table.rules.options, seats, table.stake)
    return TableTerms(
        stake=money(table.stake),
        seats=seats,
        liability=None if worst is None else money(worst),
        rake_bp=table.rake.bp,
        rake_cap=None if table.rake.cap is None else money(table.rake.cap),
    )


def rules_by(ref: str) -> events.RuleSet:
    """The rules of a preset, or those of a hash that is a preset's or of a table once opened.

    Raises: Refused with `not_found`.
    """
    rules = preset_rules(ref)
    if rules is not None:
        return rules
    row = RuleSet.objects.filter(hash=ref).first()
    if row is None:
        raise refuse("not_found")
    options = msgspec.convert(row.options, Options)
    if rules_hash(options, row.version) != ref:
        raise InvariantBroken(f"the options stored under {ref} have another hash")
    return events.RuleSet(preset=None, version=row.version, hash=ref, options=options)


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


def bots_view(folded: Folded, seat: int) -> tuple[SeatView, tuple[str, ...]]:
    """What the bot at a seat gets to know at its turn, and its legal moves: a viewer as any."""
    viewer, table = Viewer(seat), folded.table
    document = views.state_document(
        table, viewer, table_id=str(folded.id), names={}, time_text=time_text
    )
    legal = document.get("legal")
    moves = tuple(one["move"] for one in legal) if isinstance(legal, list) else ()
    since = table.dealt_version or 0
    own = [_OwnHand(since, viewer, table.hand.setup.deck if table.hand is not None else None)]
    history = [_served(one, own) for one in folded.stored if one.version >= since]
    return seat_view(document, history, seat=seat), moves


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


def spells_of(player: UUID, since: datetime, now: datetime) -> list[Spell]:
    """Time that a player was seated at tables and in events, as far as it reaches after `since`."""
    rows = Sitting.objects.filter(Q(left_at__isnull=True) | Q(left_at__gt=since), player=player)
    return [Spell(row.taken_at, max(row.left_at or now, row.taken_at)) for row in rows]


def cash_tables_of(player: UUID) -> list[UUID]:
    """Cash tables where a player sits, by id."""
    found = Live.objects.filter(places__player_id=player, tournament__isnull=True)
    return list(found.order_by("id").values_list("id", flat=True))


def sitters_at_rest() -> list[tuple[UUID, int, UUID]]:
    """Who sits at a cash table where nothing is due: table, its version, player."""
    found = Live.objects.filter(tournament__isnull=True, due__isnull=True, seats_taken__gt=0)
    rows = found.filter(places__isnull=False).order_by("id", "places__seat")
    return list(rows.values_list("id", "version", "places__player_id"))


def tables_of_tournament(tournament: UUID) -> list[Live]:
    """Live rows of a tournament's tables, by id."""
    return list(Live.objects.filter(tournament=tournament).order_by("id"))


def _people(table: Table) -> dict[str, Any]:
    return people([place.player for place in table.places])


def _delayed(row: Live, folded: Folded, now: datetime) -> Seen:
    """What a viewer without a seat may see: a running hand as it was some seconds ago."""
    opened, since = folded.table.opened, folded.table.dealt_version
    if opened is None or not opened.spectator_delay_s or not folded.table.playing or since is None:
        return Seen(folded.table, views.PUBLIC, folded.stored, row)
    until = now - timedelta(seconds=opened.spectator_delay_s)
    stored = tuple(one for one in folded.stored if one.version < since or one.at <= until)
    if stored[-1].version < since:
        # Not even the deal may be seen yet: the table as the hand before left it.
        stored = _up_to(folded.stream, since - 1)
    return Seen(fold(stored), views.PUBLIC, stored, row)


def _up_to(stream: str, version: int) -> tuple[Stored, ...]:
    """The events that make a table as of a version: its opening, and all from the deal before."""
    deal = store.version_before(stream, "HandDealt", version + 1) or 1
    opening = store.events_after(stream, 0, limit=1) if deal > 1 else ()
    return opening + store.events_after(stream, deal - 1, limit=version - deal + 1)


LOOKS_MAX = 3
MARKS = ("HandDealt", "PileReshuffled", "HandRevealed")


@dataclass(frozen=True, slots=True)
class _OwnHand:
    """A hand into which the viewer was dealt: from which version, at which seat, with its deck."""

    version: int
    viewer: Viewer
    deck: tuple[int, ...] | None  # codes by place


def _own_hands(stream: str, player: UUID | None, page: Sequence[Stored]) -> list[_OwnHand]:
    """Hands that the page touches, in order; a viewer is served his own cards at any time alike."""
    if player is None or not page:
        return []
    start = store.version_before(stream, "HandDealt", page[0].version + 1) or page[0].version
    hands: list[_OwnHand] = []
    for _ in range(LOOKS_MAX):
        marks = store.events_after(stream, start - 1, types=MARKS, limit=3 * len(page) + 3)
        hands = _hands_of(str(player), marks)
        # A seed goes with the end of its hand, which may come between the two looks.
        if all(hand.deck is not None for hand in hands if hand.viewer.seat is not None):
            break
    return hands


def _hands_of(player: str, marks: Sequence[Stored]) -> list[_OwnHand]:
    """The hands that these records deal, end or shuffle again."""
    seeds = {
        one.event.hand: bytes.fromhex(one.event.server_seed)
        for one in marks
        if isinstance(one.event, events.HandRevealed)
    }
    again = {
        one.event.hand: one.event.places
        for one in marks
        if isinstance(one.event, events.PileReshuffled)
    }
    return [
        _own_hand(one, player, seeds, again)
        for one in marks
        if isinstance(one.event, events.HandDealt)
    ]


def _own_hand(
    one: Stored,
    player: str,
    seeds: Mapping[str, bytes],
    again: Mapping[str, Sequence[int]],
) -> _OwnHand:
    dealt = one.event
    assert isinstance(dealt, events.HandDealt)  # noqa: S101  # the caller has chosen so
    seat = next((place.seat for place in dealt.players if place.player == player), None)
    if seat is None:
        return _OwnHand(one.version, views.PUBLIC, None)
    seed = seeds.get(dealt.hand) or dealer.seed_of(UUID(dealt.hand))
    if seed is None:
        return _OwnHand(one.version, Viewer(seat), None)
    deck = dealer.deck_from(dealt, seed)
    cards = deck.reshuffled(again[dealt.hand])[0] if dealt.hand in again else deck.cards
    return _OwnHand(one.version, Viewer(seat), cards)


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
