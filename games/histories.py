"""Hand histories from the log (`api.md` section 8): one hand, for one viewer."""

from collections.abc import Mapping
from uuid import UUID

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal, Refused, refuse
from games import dealer
from games.models import Table as Live
from games.rules import events
from games.rules.shuffles import Deck
from games.rules.tonkh.history import ALL, PUBLIC, HandHistory
from games.rules.tonkh.telling import NO_NAMES, from_events

CLOCKS_DIFFER_MS = 60_000
"""How far the clocks that gave a table and a hand their ids may be apart."""
REVEALS = ("HandRevealed", "HandVoided")


def hand_history(hand: UUID, viewer: str, *, names: Mapping[str, str] = NO_NAMES) -> HandHistory:
    """The history of a hand as it is now, for `all`, `public` or `seat N`.

    A running hand is told as its viewer knows it; who may ask for that is the caller's matter.
    Raises: Refused with `not_found`, `no_reveal_yet` (all of a running hand), `not_seated`.
    """
    deal, dealt = _deal_of(hand)
    # The seed first: once it is gone, the records that are read after it show it.
    deck = None if viewer in (ALL, PUBLIC) else _deck(dealt)
    history = from_events(_records(deal), viewer=viewer, deck=deck, names=names)
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


def _deal_of(hand: UUID) -> tuple[Stored, events.HandDealt]:
    """The record of a hand's deal.

    Ids tell when they were given: only tables older than the hand are asked, the newest first.
    Raises: Refused with `not_found`.
    """
    latest = UUID(int=min(hand.int + (CLOCKS_DIFFER_MS << 80), (1 << 128) - 1))
    tables = Live.objects.filter(id__lte=latest).order_by("-id").values_list("id", flat=True)
    for table in tables.iterator():
        for one in store.events_after(table_stream(table), 0, types=["HandDealt"]):
            if isinstance(one.event, events.HandDealt) and one.event.hand == str(hand):
                return one, one.event
    raise refuse("not_found")


def _records(deal: Stored) -> tuple[Stored, ...]:
    """The table's opening, then all of a hand from its commitment to its reveal, or to now."""
    stream = deal.stream
    first = store.version_before(stream, "ShuffleCommitted", deal.version) or deal.version
    ends = store.events_after(stream, deal.version, types=REVEALS, limit=1)
    limit = ends[0].version - first + 1 if ends else None
    opening = store.events_after(stream, 0, limit=1)
    return opening + store.events_after(stream, first - 1, limit=limit)


def _deck(dealt: events.HandDealt) -> Deck | None:
    """The deck of a running hand; None once it has ended."""
    seed = dealer.seed_of(UUID(dealt.hand))
    return None if seed is None else dealer.deck_from(dealt, seed)
