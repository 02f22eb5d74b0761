"""A running hand as its viewers see it, and the same hand with the cards elsewhere that one of
them may not know (`trust.md` section 7).

A hand is played at random up to some moment. Then every card that the viewer does not know is put
elsewhere, the same facts are folded over that other deck, and all that he is served is compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import msgspec

from eventstore.core.chain import head_of
from eventstore.core.record import Stored, time_text
from eventstore.core.refusal import Refusal
from games import selectors
from games.folds import Folded
from games.rules import events, moves, views
from games.rules.decide import decide
from games.rules.legality import refusal
from games.rules.options import Options
from games.rules.selfplay import Random, shuffled
from games.rules.shuffles import FIRST_RESHUFFLED, Deck, GivenShuffle, extended
from games.rules.state import Hand, dealt_hand, fold, with_deck
from games.rules.table import Table
from games.rules.table import fold as fold_table
from games.rules.tonkh.telling import from_events
from games.rules.tonkh.text import write
from games.rules.views import PUBLIC, Viewer
from tonk_site.proving.cards.random_hands import Act, walk
from tonk_site.proving.cards.streams import HAND, TABLE, opening, recorded

MOVES_MAX = 40
UNSEATED = Viewer(6)
"""A seat that no hand here is dealt to."""


class Unreachable(Exception):
    """These acts do not lead there: by some options what a player holds decides what he must do."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A running hand: the facts that lead to it, and the deck that they were dealt from."""

    stored: tuple[Stored, ...]
    deck: Deck

    def table(self, deck: Deck | None) -> Table:
        """The table as one folds it who knows this deck, or none."""
        return fold_table(self.stored, {} if deck is None else {HAND: deck})


def moment_of(first: Hand, options: Options, acts: Sequence[Act]) -> Moment:
    """The hand after some acts, none of which ends it."""
    facts = facts_of(first, acts)
    again = [fact for fact in facts if isinstance(fact, events.PileReshuffled)]
    deck = Deck(first.setup.deck or (), first.setup.shuffler)
    if again:
        cards = deck.reshuffled(again[0].places)[0]
        deck = Deck(deck.cards, GivenShuffle(cards[FIRST_RESHUFFLED:]))
    return Moment(recorded([*opening(first, options), *facts]), deck)


def random_acts(first: Hand, rng: Random, count: int) -> list[Act]:
    """So many random acts of a hand, or all but the last where it ends earlier."""
    acts = list[Act]()
    for _, act, _, following in walk(first, rng):
        if following.over or len(acts) == count:
            break
        acts.append(act)
    return acts


def facts_of(first: Hand, acts: Sequence[Act]) -> list[msgspec.Struct]:
    """What the log holds of a hand's acts. Raises: Unreachable where one of them is refused."""
    hand, facts = first, list[msgspec.Struct]()
    for seat, move in acts:
        decided = decide(hand, seat, move)
        if isinstance(decided, Refusal):
            raise Unreachable(f"seat {seat} may not {move.text}: {decided.code}")
        facts += decided.events
        hand = fold(hand, decided.events)
    return facts


def redealt(first: Hand, deck: Deck) -> Hand:
    """A hand just dealt, as another deck would have dealt it."""
    upcard = first.pile[0] if first.pile else None
    return dealt_hand(with_deck(first.setup, deck), upcard=upcard)


def viewers(moment: Moment) -> list[Viewer]:
    """Everybody, somebody whose seat was dealt nothing, and each seat of the hand."""
    return [PUBLIC, UNSEATED, *(Viewer(place.seat) for place in moment.table(None).places)]


def known(moment: Moment, viewer: Viewer) -> set[int]:
    """Codes of the cards that everybody has seen, and of those that the viewer holds."""
    return known_of(moment.table(None).hand, moment.table(moment.deck).hand, viewer)


def known_of(public: Hand | None, full: Hand | None, viewer: Viewer) -> set[int]:
    """The same of a hand folded without its deck and with it; nothing where none runs."""
    if public is None or full is None:
        return set()
    cards_in = public.setup.rules.pack.cards_in
    seen = set(public.pile) | {card for held in public.cards for card in cards_in(held)}
    seen |= {card for meld in public.melds for card in cards_in(meld.cards)}
    if viewer.seat in full.setup.seats:
        seen |= set(full.held_cards(viewer.seat))
    return seen


def other_deck(moment: Moment, viewer: Viewer, rng: Random) -> Deck:
    """The deck with all that the viewer does not know in another order.

    Of a reshuffled stock he knows which cards lie there: only their order is hidden.
    """
    seen, shuffler = known(moment, viewer), moment.deck.shuffler
    again = reshuffled(moment)
    order = turned(again, {place for place, card in enumerate(again) if card in seen}, rng)
    fixed = seen | set(again)
    places = {place for place, card in enumerate(moment.deck.cards) if card in fixed}
    return Deck(turned(moment.deck.cards, places, rng), GivenShuffle(order) if again else shuffler)


def reshuffled(moment: Moment) -> tuple[int, ...]:
    """The stock that a reshuffle made, empty without one: all of it lay open in the pile before."""
    shuffler = moment.deck.shuffler
    return shuffler.order if isinstance(shuffler, GivenShuffle) else ()


def turned(cards: Sequence[int], fixed: set[int], rng: Random) -> tuple[int, ...]:
    """The cards in another order, but for those at fixed places."""
    places = [place for place in range(len(cards)) if place not in fixed]
    found = list(cards)
    for place, source in zip(places, shuffled(rng, places), strict=True):
        found[place] = cards[source]
    return tuple(found)


def served(moment: Moment, viewer: Viewer, deck: Deck | None) -> Iterator[tuple[str, bytes]]:
    """All that a viewer can fetch, each with its name: state, events, history; of a seat also what
    its bot is handed, and the answer to any move that somebody could name."""
    table = moment.table(deck)
    document = views.state_document(
        table, viewer, table_id=str(TABLE), names={}, time_text=time_text
    )
    yield "state", msgspec.json.encode(document)
    for one in moment.stored:
        fields = views.served_data(one.payload, kind=one.type, deck=by_place(deck), viewer=viewer)
        yield "event", msgspec.json.encode(fields)
    dealt_in = table.hand is not None and viewer.seat in table.hand.setup.seats
    if viewer == PUBLIC or (dealt_in and deck is not None):
        name = "public" if viewer.seat is None else f"seat {viewer.seat}"
        history = from_events(moment.stored, viewer=name, deck=deck)
        yield "history", repr(history).encode()
        if not isinstance(history, Refusal):
            yield "tonkh", write(history).encode()
    if viewer.seat is None:
        return
    folded = Folded(TABLE, table, head_of(moment.stored), moment.stored)
    view, legal = selectors.bots_view(folded, viewer.seat)
    yield "bot's view", view.to_bytes()
    yield "bot's moves", msgspec.json.encode(legal)
    if table.hand is not None and dealt_in:
        answers = [refusal(table.hand, viewer.seat, move) for move in nameable(table.hand)]
        yield "answers", repr(answers).encode()


def nameable(hand: Hand) -> Iterator[moves.Move]:
    """Moves that a caller could send, whatever he holds: of every verb, with every card."""
    codes = hand.setup.rules.pack.codes
    yield from (moves.DRAW, moves.TAKE, moves.KNOCK, *(moves.DISCARDS[card] for card in codes))
    for number in range(1, len(hand.melds) + 2):
        yield from (moves.hit(card, number) for card in codes)
    # Spreads of neighbours and of one rank, of anybody's cards.
    for at in range(len(codes) - 2):
        yield moves.lay(*codes[at : at + 3])
    for rank in range(13):
        same = [card for card in codes if card < 52 and card % 13 == rank]
        yield from (moves.lay(*three) for three in combinations(same, 3))


def by_place(deck: Deck | None) -> tuple[int, ...] | None:
    """Codes by place, those of a reshuffled stock too."""
    if deck is None:
        return None
    if not isinstance(deck.shuffler, GivenShuffle):
        return deck.cards
    return extended(deck.cards, deck.shuffler.order)
