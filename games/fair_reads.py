"""Reads of the fair deal: the open commitment, and the openings of cards for who may see them."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken, refuse
from games import dealer
from games.folds import Folded, current
from games.hands import HandPlace, find
from games.rules import events
from games.rules.openings import Openings, document, openings, shown
from games.rules.table import Table
from games.rules.views import Document
from games.rules.window import asked
from games.selectors import Seen, live_row, see

REVEALS = (events.HandRevealed, events.HandVoided, events.ShuffleAborted)
OF_A_COMMITMENT = ("ShuffleCommitted", "SeedRevealed")


def commitment(table_id: UUID, player: UUID | None) -> Document:
    """The commitment whose seed is not shown yet, as the viewer sees the table.

    Raises: Refused with `not_found`, `no_hand` where none is open.
    """
    table = see(table_id, player).table
    if not (table.sealing or table.playing):
        raise refuse("no_hand")
    below = table.version + 1
    if not table.sealing and table.dealt_version is not None:
        below = table.dealt_version
    stream = table_stream(table_id)
    first = store.version_before(stream, "ShuffleCommitted", below)
    if first is None:
        raise InvariantBroken(f"table {table_id} plays a hand that was never committed to")
    records = store.events_after(stream, first - 1, below=below, types=OF_A_COMMITMENT)
    return _committed(records[0], records[1:])


def _committed(record: Stored, seeds: Sequence[Stored]) -> Document:
    event = record.event
    if not isinstance(event, events.ShuffleCommitted):
        raise InvariantBroken("no commitment")
    given = {one.payload["seat"] for one in seeds}
    found: Document = {
        "hand_id": event.hand,
        "hand_no": event.hand_no,
        "version": record.version,
        "hash": record.hash.hex(),
        "commit": event.commit,
        "deck_spec": event.deck_spec,
        "fairness": event.fairness,
        "dealer": event.dealer,
        "seats": [
            {"seat": one.seat, "player_id": one.player}
            | ({} if one.bot is None else {"bot": one.bot})
            | {"anchored": one.anchored, "given": one.seat in given}
            for one in event.seats
        ],
    }
    if event.reveal_by is not None and asked(event):
        found["reveal_by"] = event.reveal_by
    if event.beacon is not None:
        found["beacon"] = msgspec.to_builtins(event.beacon)
    return found


def own_cards(table_id: UUID, player: UUID) -> Document:
    """The openings of all cards that a player holds now, by rising place.

    Raises: Refused with `not_found`, `not_seated`, `no_hand` (none runs, or he is not dealt in).
    """
    folded = current(table_id, live_row(table_id).hand_version)
    place = folded.table.seat_of(str(player))
    if place is None:
        raise refuse("not_seated")
    hand = folded.table.hand
    if hand is None or hand.over or folded.table.sealing or place.seat not in hand.setup.seats:
        raise refuse("no_hand")
    opened = _of_running(folded)
    if opened is None:
        raise refuse("no_hand")
    found = [opened.at(one) for one in _held(folded.table, place.seat)]
    return {
        "hand_id": hand.setup.hand,
        "openings": [document(one) for one in found if one is not None],
    }


def card(hand_id: UUID, place: int, player: UUID | None) -> Document:
    """The opening of a place: of a running hand where the viewer has seen the card, else of any.

    Raises: Refused with `not_found`.
    """
    where = _dealt(hand_id)
    seen = see(where.table, player)
    if where.last_version is None:
        where = _dealt(hand_id)  # it may have ended before the table was seen
    runs = seen.table.playing and _hand_of(seen.table) == str(hand_id)
    if where.last_version is None or runs or seen.table.version < where.last_version:
        opened = _seen_card(where, seen, place)
    else:
        opened = _of_ended(where)
    found = opened.at(place) if opened is not None else None
    if found is None:
        raise refuse("not_found")
    return document(found)


def _dealt(hand_id: UUID) -> HandPlace:
    """The place of a hand that was dealt. Raises: Refused with `not_found`."""
    where = find(hand_id)
    if where is None or where.dealt_version is None:
        raise refuse("not_found")
    return where


def _hand_of(table: Table) -> str | None:
    return table.dealt.hand if table.dealt is not None else None


def _held(table: Table, seat: int) -> list[int]:
    """Places of the cards that a seat holds; only where the deck is known."""
    hand = table.hand
    if hand is None or seat not in hand.setup.seats:
        return []
    return sorted(hand.setup.place_of[code] for code in hand.held_cards(seat))


def _seen_card(where: HandPlace, seen: Seen, place: int) -> Openings | None:
    """The openings of a running hand, where this viewer has seen the card of the place."""
    if not seen.table.playing or _hand_of(seen.table) != str(where.hand):
        return None
    public = {at for one in seen.stored for at, _ in shown(one.event)}
    folded = current(where.table, seen.row.hand_version)
    if _hand_of(folded.table) == str(where.hand) and folded.table.playing:
        seat = seen.viewer.seat
        own = _held(folded.table, seat) if seat is not None else []
        if place not in public and place not in own:
            return None
        opened = _of_running(folded)
        if opened is not None:
            return opened
    return _of_ended(_dealt(where.hand))  # it has ended just now: all is open


def _of_running(folded: Folded) -> Openings | None:
    """The openings of the hand that runs, for who may see the card alone; None once it has ended.

    Its seed goes with its end, which may come between two statements.
    """
    dealt = folded.table.dealt
    seed = dealer.seed_of(UUID(dealt.hand)) if dealt is not None else None
    if dealt is None or seed is None:
        return None
    return openings(dealt, seed, _reshuffled([one.event for one in folded.stored]))


def _of_ended(where: HandPlace) -> Openings | None:
    records = records_of(where)
    dealt = next((one for one in records if isinstance(one, events.HandDealt)), None)
    seed = next((one.server_seed for one in records if isinstance(one, REVEALS)), None)
    if dealt is None or seed is None:
        return None
    return openings(dealt, bytes.fromhex(seed), _reshuffled(records))


def records_of(where: HandPlace) -> list[msgspec.Struct]:
    """Facts of a hand, from its commitment on, to its reveal where that is there."""
    return [one.event for one in stored_of(where)]


def stored_of(where: HandPlace) -> tuple[Stored, ...]:
    """Records of a hand, from its commitment to its reveal where that is there."""
    below = None if where.last_version is None else where.last_version + 1
    return store.events_after(where.stream, where.first_version - 1, below=below)


def _reshuffled(facts: Sequence[msgspec.Struct]) -> tuple[int, ...] | None:
    return next((one.places for one in facts if isinstance(one, events.PileReshuffled)), None)
