"""Hand histories from the log (`api.md` section 8): one hand, for one viewer."""

from collections.abc import Mapping
from uuid import UUID

from eventstore import store
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal, Refused, refuse
from games import dealer
from games.hands import LAST, HandPlace, find
from games.rules import events
from games.rules.shuffles import Deck
from games.rules.tonkh.history import ALL, PUBLIC, HandHistory
from games.rules.tonkh.telling import NO_NAMES, from_events


def hand_history(hand: UUID, viewer: str, *, names: Mapping[str, str] = NO_NAMES) -> HandHistory:
    """The history of a hand as it is now, for `all`, `public` or `seat N`.

    A running hand is told as its viewer knows it; who may ask for that is the caller's matter.
    Raises: Refused with `not_found`, `no_reveal_yet` (all of a running hand), `not_seated`.
    """
    place = find(hand)
    if place is None or place.dealt_version is None:
        raise refuse("not_found")
    # The seed first: once it is gone, the records that are read after it show it.
    deck = None if viewer in (ALL, PUBLIC) else _deck(place)
    history = from_events(_records(place), viewer=viewer, deck=deck, names=names)
    if isinstance(history, Refusal):
        raise Refused(history)
    return history


def ended_history(hand: UUID, viewer: str, *, names: Mapping[str, str] = NO_NAMES) -> HandHistory:
    """The history of a hand that has ended: records of a running one are exported to nobody.

    Raises: Refused with `not_found`, `no_reveal_yet`, `not_seated`.
    """
    history = hand_history(hand, PUBLIC, names=names)
    if not history.ended:
        raise refuse("no_reveal_yet")
    return history if viewer == PUBLIC else hand_history(hand, viewer, names=names)


def history_for(hand: UUID, player: UUID | None) -> HandHistory:
    """The history of a hand as a player may have it: of an ended one all, else what his seat knows.

    Raises: Refused with `not_found`, `no_reveal_yet` (it runs, and he was not dealt in).
    """
    public = hand_history(hand, PUBLIC)
    if public.ended:
        return hand_history(hand, ALL)
    seats = dict(zip(public.players, public.seats, strict=True))
    if str(player) not in seats:
        raise refuse("no_reveal_yet")
    return hand_history(hand, f"seat {seats[str(player)]}")


def _records(place: HandPlace) -> tuple[Stored, ...]:
    """The table's opening, then all of a hand from its commitment to its reveal, or to now."""
    opening = store.events_after(place.stream, 0, limit=1)
    found = store.events_after(place.stream, place.first_version - 1, limit=_length(place))
    # A hand that ran when it was looked up may have ended since, and the next one begun.
    last = next((one.version for one in found if one.type in LAST), None)
    return opening + tuple(one for one in found if last is None or one.version <= last)


def _length(place: HandPlace) -> int | None:
    """Number of a hand's records, once it has ended."""
    return None if place.last_version is None else place.last_version - place.first_version + 1


def _deck(place: HandPlace) -> Deck | None:
    """The deck of a running hand; None once it has ended."""
    seed = dealer.seed_of(place.hand)
    if seed is None or place.dealt_version is None:
        return None
    deal = store.events_after(place.stream, place.dealt_version - 1, limit=1)[0].event
    return dealer.deck_from(deal, seed) if isinstance(deal, events.HandDealt) else None
