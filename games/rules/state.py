"""One hand, folded from its own facts: `start` at `HandDealt`, then `evolve`.

The same fold serves with the deck and without it. With the deck (card codes by place) every card is
known. Without it only public cards are, and the rest is counted; all public facts are equal.
Players are indexes 0..n-1 in seat order inside this module's values, seats 1..6 outside.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from eventstore.core.refusal import InvariantBroken
from games.rules import events, melds
from games.rules.cards import CODES, TEXTS, Pack, by_rank
from games.rules.melds import Meld
from games.rules.moves import meld_number
from games.rules.options import SEATS_MAX, SEATS_MIN
from games.rules.rulebook import Rulebook, rulebook
from games.rules.shuffles import FIRST_RESHUFFLED, NO_CARD, Deck, Shuffler

Finish = Literal["claim", "empty", "discard", "knock", "stock", "void", "voided"]
"""What ended the play: the deal, a last spread or hit, a last discard, a knock, the empty stock (by
option it voids the hand), or `HandVoided` from outside the rules."""
Phase = Literal["draw", "play", "ended"]

UNKNOWN = NO_CARD
"""In place of a card code: no card, or one that this fold may not know."""

Value = TypeVar("Value")

_FROM_LEFT = tuple(
    tuple(tuple((dealer + 1 + turn) % count for turn in range(count)) for dealer in range(count))
    for count in range(SEATS_MAX + 1)
)
"""Indexes of all players from the dealer's left, by their number and the dealer's index."""


class Setup(msgspec.Struct, frozen=True, gc=False):
    """What stays the same from the deal to the end of a hand."""

    hand: str
    rules: Rulebook
    seats: tuple[int, ...]
    players: tuple[str, ...]
    stacks: tuple[int, ...]
    """Stacks at the start of the hand."""
    dealer: int
    """Seat of the dealer."""
    stake: int
    currency: str
    deck: tuple[int, ...] | None
    """Card codes by place, the first card dealt at place 0; None where it is not known. A reshuffle
    adds places: it is the one change of a setup."""
    place_of: tuple[int, ...] = ()
    """Place of each card code; empty without the deck."""
    shuffler: Shuffler | None = None
    """Who knows the order of a reshuffle, where the deck is known."""

    @override
    def __repr__(self) -> str:
        """Without the cards: a log line or a trace must not be able to show them."""
        return f"<Setup of hand {self.hand}>"

    @property
    def from_left(self) -> tuple[int, ...]:
        """Indexes of all players from the dealer's left round to the dealer."""
        return _FROM_LEFT[len(self.seats)][self.seats.index(self.dealer)]


class Hand(msgspec.Struct, frozen=True, gc=False):
    """A hand between two facts. `evolve` gives the next one; nothing changes in place."""

    setup: Setup
    cards: tuple[int, ...]
    """Known held cards of each player, as sets; with the deck, all of them."""
    hidden: tuple[int, ...]
    """Number of held cards of each player that this fold does not know; zeros with the deck."""
    melds: tuple[Meld, ...]
    pile: tuple[int, ...]
    """Discards, the top one last."""
    stock_next: int
    """Place of the top card of the stock."""
    stock_count: int
    turn: int
    """Turns begun in this hand before the present one."""
    actor: int
    """Index of the player whose turn it is; after the end, of the one whose act ended the hand."""
    drew: events.Source | None = None
    """Where this turn's card came from; None while nothing is drawn."""
    drawn: int = UNKNOWN
    """The card drawn or taken in this turn."""
    hits: int = 0
    """Hits made in this turn."""
    laid: bool = False
    """Whether a new spread was laid in this turn."""
    discard_turns: int = 0
    """Turns in a row, of all players, that began with the discard (D17)."""
    holds: tuple[int, ...] = ()
    """Units of hold of each player; the unit charged for the present turn is gone from it."""
    held: bool = False
    """Whether a hold was charged at the start of this turn (D26)."""
    discarder: int = UNKNOWN
    """Index of who made the top discard, while it may be slapped (V16)."""
    finish: Finish | None = None
    end: events.End | None = None
    """Named by `HandEnded` or `HandVoided`."""

    @override
    def __repr__(self) -> str:
        """Without the cards, as of its setup."""
        return f"<Hand {self.setup.hand}, turn {self.turn}>"

    @property
    def over(self) -> bool:
        """Whether nobody is to act any more."""
        return self.finish is not None

    @property
    def to_act(self) -> int | None:
        """Seat whose move is awaited, None after the end."""
        return None if self.finish else self.setup.seats[self.actor]

    @property
    def phase(self) -> Phase:
        """`draw`: knock or take a card; `play`: lay, hit, discard."""
        if self.finish:
            return "ended"
        return "play" if self.drew else "draw"

    @property
    def round(self) -> int:
        """Turns that the player to act has begun, the present one included."""
        return self.turn // len(self.cards) + 1

    @property
    def taken(self) -> int:
        """The card taken from the discards in this turn, even once laid; -1 without one."""
        return self.drawn if self.drew == "discard" else UNKNOWN

    @property
    def top(self) -> int:
        """The top discard, -1 with an empty pile."""
        return self.pile[-1] if self.pile else UNKNOWN

    def index(self, seat: int) -> int:
        """Index of the player at a seat. Raises: ValueError where the seat is not dealt in."""
        return self.setup.seats.index(seat)

    def held_cards(self, seat: int) -> tuple[int, ...]:
        """Known held cards of a seat, in rank order."""
        cards = self.setup.rules.pack.cards_in(self.cards[self.index(seat)])
        return tuple(sorted(cards, key=by_rank))

    def held_number(self, seat: int) -> int:
        """Number of cards that a seat holds."""
        index = self.index(seat)
        return self.cards[index].bit_count() + self.hidden[index]

    def count(self, seat: int) -> int:
        """Held total of a seat by `count_method`; only where all its cards are known."""
        return self.setup.rules.count(self.cards[self.index(seat)])

    def claimed(self) -> "Hand":
        """The hand ended by an initial claim."""
        return replace(self, finish="claim")


def with_deck(setup: Setup, deck: Deck) -> Setup:
    """The setup with the deck known. Raises: InvariantBroken if it is not that pack, shuffled."""
    if tuple(sorted(deck.cards)) != setup.rules.pack.codes:
        raise InvariantBroken("the deck is not the pack of these rules")
    place_of = places_of(setup.rules.pack, deck.cards)
    return replace(setup, deck=deck.cards, place_of=place_of, shuffler=deck.shuffler)


def places_of(pack: Pack, deck: tuple[int, ...]) -> tuple[int, ...]:
    """Place of each card code in a deck that is this pack, shuffled."""
    place_of = [UNKNOWN] * len(pack.bits)
    for place, card in enumerate(deck):
        place_of[card] = place
    return tuple(place_of)


def setup_of(dealt: events.HandDealt, deck: Deck | None) -> Setup:
    """The setup that a `HandDealt` states, under the version of the rules that it names.

    Raises: InvariantBroken for a version, options or a number of players that can not be.
    """
    if not SEATS_MIN <= len(dealt.players) <= dealt.rules.options.max_players:
        raise InvariantBroken(f"{len(dealt.players)} players were dealt in")
    setup = Setup(
        hand=dealt.hand,
        rules=rulebook(dealt.rules.options, len(dealt.players), dealt.rules.version),
        seats=tuple(player.seat for player in dealt.players),
        players=tuple(player.player for player in dealt.players),
        stacks=tuple(player.stack for player in dealt.players),
        dealer=dealt.dealer,
        stake=dealt.stake,
        currency=dealt.currency,
        deck=None,
    )
    return with_deck(setup, deck) if deck is not None else setup


def start(dealt: events.HandDealt, deck: Deck | None = None) -> Hand:
    """The hand as `HandDealt` leaves it; `deck` is None where it is not known."""
    setup = setup_of(dealt, deck)
    upcard = CODES[dealt.upcard.card] if dealt.upcard else None
    return dealt_hand(setup, upcard=upcard, finish="claim" if dealt.next is None else None)


def dealt_hand(setup: Setup, *, upcard: int | None, finish: Finish | None = None) -> Hand:
    """The hand right after its deal (D3): the player at the dealer's left is to act."""
    count, size = len(setup.seats), setup.rules.options.hand_size
    cards, hidden = [0] * count, [size] * count
    from_left, bits = setup.from_left, setup.rules.pack.bits
    if setup.deck is not None:
        hidden = [0] * count
        for turn, index in enumerate(from_left):
            for card in setup.deck[turn : count * size : count]:
                cards[index] |= bits[card]
    first = count * size + (upcard is not None)
    return Hand(
        setup=setup,
        cards=tuple(cards),
        hidden=tuple(hidden),
        melds=(),
        pile=() if upcard is None else (upcard,),
        stock_next=first,
        stock_count=len(setup.rules.pack.codes) - first,
        turn=0,
        actor=from_left[0],
        holds=(0,) * count,
        finish=finish,
    )


def evolve(hand: Hand, event: msgspec.Struct) -> Hand:
    """The hand after a fact of its table; facts that change no cards leave it as it is.

    Raises: InvariantBroken for a fact that can not follow: a bug, or a log that was changed.
    """
    change = _CHANGES.get(type(event))
    return hand if change is None else change(hand, event)


def fold(hand: Hand, facts: Iterable[msgspec.Struct]) -> Hand:
    """The hand after several facts."""
    for fact in facts:
        hand = evolve(hand, fact)
    return hand


def _with(values: tuple[Value, ...], index: int, value: Value) -> tuple[Value, ...]:
    changed = list(values)
    changed[index] = value
    return tuple(changed)


def _actor(hand: Hand, seat: int) -> int:
    """Index of the player to act, who must be at this seat."""
    actor = hand.actor
    if hand.finish or hand.setup.seats[actor] != seat:
        raise InvariantBroken(f"seat {seat} acted out of turn")
    return actor


def _without(hand: Hand, index: int, cards: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Known and hidden cards of all players once a player parted with some."""
    known, hidden = hand.cards[index], hand.hidden
    shown = known & cards
    if shown != cards:
        left = hidden[index] - (cards ^ shown).bit_count()
        if left < 0:
            raise InvariantBroken("a player parted with cards that he did not hold")
        hidden = _with(hidden, index, left)
    return _with(hand.cards, index, known ^ shown), hidden


def _drawn(hand: Hand, event: events.CardDrawn) -> Hand:
    actor = _actor(hand, event.seat)
    if event.source == "discard":
        return _taken(hand, actor, event)
    if event.place != hand.stock_next or not hand.stock_count:
        raise InvariantBroken(f"place {event.place} is not the top of the stock")
    setup, cards, hidden, card = hand.setup, hand.cards, hand.hidden, UNKNOWN
    if setup.deck is None:
        hidden = _with(hidden, actor, hidden[actor] + 1)
    else:
        card = setup.deck[event.place]
        cards = _with(cards, actor, cards[actor] | setup.rules.pack.bits[card])
    return replace(
        hand,
        cards=cards,
        hidden=hidden,
        stock_next=hand.stock_next + 1,
        stock_count=hand.stock_count - 1,
        drew="stock",
        drawn=card,
        discard_turns=0,
        discarder=UNKNOWN,
    )


def _taken(hand: Hand, actor: int, event: events.CardDrawn) -> Hand:
    card = hand.top
    if card == UNKNOWN or event.card != TEXTS[card]:
        raise InvariantBroken(f"{event.card} is not the top discard")
    bit = hand.setup.rules.pack.bits[card]
    return replace(
        hand,
        cards=_with(hand.cards, actor, hand.cards[actor] | bit),
        pile=hand.pile[:-1],
        drew="discard",
        drawn=card,
        discard_turns=hand.discard_turns + 1,
        discarder=UNKNOWN,
    )


def _spread_laid(hand: Hand, event: events.SpreadLaid) -> Hand:
    actor, rules = _actor(hand, event.seat), hand.setup.rules
    codes = [CODES[card] for card in event.cards]
    laid, reading = rules.pack.set_of(codes), rules.read(codes)
    if reading is None:
        raise InvariantBroken(f"{event.meld} is no spread")
    meld = melds.meld_of(meld_number(event.meld), actor, laid, reading, rules.shape)
    cards, hidden = _without(hand, actor, laid)
    holds, least = hand.holds, rules.options.spread_hold
    if holds[actor] < least:
        holds = _with(holds, actor, least)
    return replace(
        hand,
        cards=cards,
        hidden=hidden,
        melds=(*hand.melds, meld),
        laid=True,
        holds=holds,
        finish=None if cards[actor] or hidden[actor] else "empty",
    )


def _hit(hand: Hand, event: events.CardHit) -> Hand:
    actor = _actor(hand, event.seat)
    table, owner = _added(hand, event)
    bit = hand.setup.rules.pack.bits[CODES[event.card]]
    cards, hidden = _without(hand, actor, bit)
    holds = hand.holds
    if hand.setup.rules.options.hit_hold_first:
        holds = _after_hit(hand, actor, owner)
    return replace(
        hand,
        cards=cards,
        hidden=hidden,
        melds=table,
        hits=hand.hits + 1,
        holds=holds,
        finish=None if cards[actor] or hidden[actor] else "empty",
    )


def _added(hand: Hand, event: events.CardHit | events.CardSlapped) -> tuple[tuple[Meld, ...], int]:
    """The spreads on the table with a card added to one, and the owner of that one."""
    rules = hand.setup.rules
    bit, place = (rules.pack.bits[CODES[card]] for card in (event.card, event.stands_for))
    index, meld = find_meld(hand, meld_number(event.meld))
    if meld is None or not meld.fits & bit:
        raise InvariantBroken(f"{event.card} does not fit {event.meld}")
    if meld.kind == "run":
        low, high = melds.ends_of(meld.span, rules.shape)
        raised = melds.with_high_aces(place, rules.shape.top)
        place = raised & high or raised & low
    if not place:
        raise InvariantBroken(f"{event.card} can not stand for {event.stands_for} there")
    return _with(hand.melds, index, melds.grown(meld, bit, place, rules.shape)), meld.owner


def _after_hit(hand: Hand, actor: int, owner: int) -> tuple[int, ...]:
    """Holds after a hit on a spread of `owner` (V7)."""
    options, hold = hand.setup.rules.options, hand.holds[owner]
    if owner == actor and not options.hit_hold_self:
        return hand.holds
    added = options.hit_hold_extra if hold else options.hit_hold_first
    return _with(hand.holds, owner, hold + added)


def find_meld(hand: Hand, number: int) -> tuple[int, Meld | None]:
    """Index and meld of a meld's number, (-1, None) if there is none."""
    for index, meld in enumerate(hand.melds):
        if meld.number == number:
            return index, meld
    return -1, None


def _discarded(hand: Hand, event: events.CardDiscarded) -> Hand:
    actor, card = _actor(hand, event.seat), CODES[event.card]
    cards, hidden = _without(hand, actor, hand.setup.rules.pack.bits[card])
    pile = (*hand.pile, card)
    if not cards[actor] and not hidden[actor]:
        return replace(hand, cards=cards, hidden=hidden, pile=pile, finish="discard")
    following = (actor + 1) % len(cards)
    # What `begin_turn` does, in one step: no fact is more frequent.
    return replace(
        hand,
        cards=cards,
        hidden=hidden,
        pile=pile,
        turn=hand.turn + 1,
        actor=following,
        drew=None,
        drawn=UNKNOWN,
        hits=0,
        laid=False,
        holds=_charged(hand.holds, following),
        held=hand.holds[following] > 0,
        discarder=actor if hand.setup.rules.options.slap else UNKNOWN,
    )


def _slapped(hand: Hand, event: events.CardSlapped) -> Hand:
    """The top discard goes on a spread; the slapper's shed card is the new top (V16)."""
    if hand.finish or hand.discarder == UNKNOWN or event.card != TEXTS[hand.top]:
        raise InvariantBroken(f"{event.card} may not be slapped")
    player, shed = hand.index(event.seat), event.shed
    after = replace(hand, melds=_added(hand, event)[0], pile=hand.pile[:-1], discarder=UNKNOWN)
    if shed is None:
        return after
    card = CODES[shed.card]
    cards, hidden = _without(hand, player, hand.setup.rules.pack.bits[card])
    after = replace(after, cards=cards, hidden=hidden, pile=(*after.pile, card))
    return (
        after if cards[player] or hidden[player] else replace(after, actor=player, finish="discard")
    )


def may_reshuffle(hand: Hand) -> bool:
    """Whether an empty stock is made anew: by option, once a hand, of covered discards (D27)."""
    by_option = hand.setup.rules.options.on_empty_stock == "reshuffle"
    return by_option and hand.stock_next < FIRST_RESHUFFLED and len(hand.pile) > 1


def _reshuffled(hand: Hand, event: events.PileReshuffled) -> Hand:
    """The covered discards are the new stock; with the deck known their new places are, too."""
    if hand.finish or hand.stock_count or not may_reshuffle(hand):
        raise InvariantBroken("the pile may not be reshuffled")
    setup, covered = hand.setup, hand.pile[:-1]
    if setup.deck is not None:
        deck, root = Deck(setup.deck, setup.shuffler).reshuffled(event.places)
        if root != event.root or event.places != tuple(setup.place_of[card] for card in covered):
            raise InvariantBroken("the reshuffle is not that of the hand's key and its pile")
        setup = _with_places(setup, deck)
    return replace(
        hand,
        setup=setup,
        pile=hand.pile[-1:],
        stock_next=FIRST_RESHUFFLED,
        stock_count=len(covered),
    )


def _with_places(setup: Setup, deck: tuple[int, ...]) -> Setup:
    """The setup with the places of a reshuffled stock, `deck` being all codes by place."""
    place_of = list(setup.place_of)
    for place in range(FIRST_RESHUFFLED, len(deck)):
        place_of[deck[place]] = place
    return replace(setup, deck=deck, place_of=tuple(place_of))


def begin_turn(hand: Hand, *, turn: int, actor: int) -> Hand:
    """The hand with a turn begun; a hold of its player is charged (D26)."""
    return replace(
        hand,
        turn=turn,
        actor=actor,
        drew=None,
        drawn=UNKNOWN,
        hits=0,
        laid=False,
        holds=_charged(hand.holds, actor),
        held=hand.holds[actor] > 0,
    )


def _charged(holds: tuple[int, ...], actor: int) -> tuple[int, ...]:
    """Holds once the player whose turn begins has paid a unit of his."""
    return _with(holds, actor, holds[actor] - 1) if holds[actor] else holds


def _knocked(hand: Hand, event: events.Knocked) -> Hand:
    _actor(hand, event.seat)
    return replace(hand, finish="knock")


def _stock_refused(hand: Hand, event: events.StockRefused) -> Hand:
    _actor(hand, event.seat)
    void = hand.setup.rules.options.on_empty_stock == "void"
    return replace(hand, finish="void" if void else "stock")


def _ended(hand: Hand, event: events.HandEnded) -> Hand:
    """The end opens all hands: a fold without the deck learns them here."""
    if not hand.finish:
        raise InvariantBroken("a hand ended while a player was to act")
    pack = hand.setup.rules.pack
    cards = tuple(pack.set_of(CODES[card] for card in held.cards) for held in event.held)
    return replace(hand, cards=cards, hidden=(0,) * len(cards), end=event.end)


def _voided(hand: Hand, event: events.HandVoided) -> Hand:
    if event.hand != hand.setup.hand:  # one after this, which was never dealt
        return hand
    return replace(hand, finish="voided", end="void")


_CHANGES: Mapping[type[msgspec.Struct], Callable[[Hand, Any], Hand]] = MappingProxyType(
    {
        events.CardDrawn: _drawn,
        events.CardDiscarded: _discarded,
        events.SpreadLaid: _spread_laid,
        events.CardHit: _hit,
        events.CardSlapped: _slapped,
        events.Knocked: _knocked,
        events.StockRefused: _stock_refused,
        events.PileReshuffled: _reshuffled,
        events.HandEnded: _ended,
        events.HandVoided: _voided,
    }
)
