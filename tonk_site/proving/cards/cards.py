"""After every event of every hand each card is in exactly one place, and every hand has the size
that its phase gives it (`trust.md` section 1).

Where each card lies is followed here by the events alone, and compared with the engine's fold.
"""

from collections import Counter

import msgspec

from games.rules import events
from games.rules.cards import CODES, TEXTS
from games.rules.dealing import deal
from games.rules.selfplay import SeededNumbers
from games.rules.state import Hand, evolve
from tonk_site.proving.cards.random_hands import (
    below,
    random_deal,
    random_overrides,
    repaired,
    walk,
)
from tonk_site.proving.checks import Check, Found, Order, in_processes
from tonk_site.proving.differing import FAULTS, Differs, breach, same

Place = str | int
"""The number of a seat for its hand, or one of those."""
STOCK, PILE, TABLE = "stock", "pile", "table"
NOBODY = 0


def play(hand_seed: str) -> Found:
    """One random hand under random options, event by event. Raises: Differs, InvariantBroken."""
    rng = SeededNumbers(hand_seed)
    seats, overrides = 2 + below(rng, 5), random_overrides(rng)
    dealt = deal(random_deal(rng, repaired(overrides, seats), seats, hand=hand_seed))
    cards, found = Cards(dealt.hand), Found(Counter(hands=1))
    cards.check(dealt.hand)
    for before, _, decision, after in walk(dealt.hand, rng):
        hand = before
        for fact in decision.events:
            hand = evolve(hand, fact)
            cards.move(fact)
            cards.check(hand)
            found.done["events"] += 1
        same("the fold of a command", hand, after)
    return found


class Cards:
    """Where each card of a hand lies: sets of cards as the pack's bits, and the pile in order."""

    def __init__(self, hand: Hand) -> None:
        """After the deal, one card at a time from the dealer's left (`rules.md` section 3)."""
        setup = hand.setup
        self.deck, self.bits, self.seats = setup.deck or (), setup.rules.pack.bits, setup.seats
        self.size, self.drawer = setup.rules.options.hand_size, NOBODY
        self.parted = dict.fromkeys(self.seats, 0)
        """Cards that a seat has laid, hit or shed."""
        self.pile: list[int] = []
        self.sets: dict[Place, int] = dict.fromkeys((STOCK, PILE, TABLE, *self.seats), 0)
        self.sets[STOCK] = sum(self.bits)
        first, count = self.seats.index(setup.dealer) + 1, len(self.seats)
        for nth, card in enumerate(self.deck[: count * self.size]):
            self._put(card, STOCK, self.seats[(first + nth) % count])
        if setup.rules.options.initial_upcard:
            self._put(self.deck[count * self.size], STOCK, PILE)

    def move(self, fact: msgspec.Struct) -> None:
        """What an event moves. Raises: Differs for a card that is not where it comes from."""
        match fact:
            case events.CardDrawn():
                self._draw(fact)
            case events.SpreadLaid():
                for text in fact.cards:
                    self._part(fact.seat, text, TABLE)
            case events.CardHit():
                self._part(fact.seat, fact.card, TABLE)
            case events.CardDiscarded():
                self._put(CODES[fact.card], fact.seat, PILE)
                self.drawer = NOBODY
            case events.CardSlapped():
                self._put(CODES[fact.card], PILE, TABLE)
                if fact.shed is not None:
                    self._part(fact.seat, fact.shed.card, PILE)
            case events.PileReshuffled():
                for card in self.pile[:-1]:
                    self._put(card, PILE, STOCK)
            case _:
                pass  # moves no card

    def _draw(self, fact: events.CardDrawn) -> None:
        if fact.source == "stock":
            self._put(self.deck[fact.place], STOCK, fact.seat)
        else:
            self._put(CODES[fact.card or ""], PILE, fact.seat)
        self.drawer = fact.seat

    def _part(self, seat: int, card: str, to: Place) -> None:
        self._put(CODES[card], seat, to)
        self.parted[seat] += 1

    def _put(self, card: int, source: Place, to: Place) -> None:
        bit = self.bits[card]
        if not self.sets[source] & bit:
            raise Differs(f"card {TEXTS[card]}", expected=source, got="not there")
        self.sets[source] ^= bit
        self.sets[to] |= bit
        if source == PILE:
            self.pile.remove(card)
        if to == PILE:
            self.pile.append(card)

    def check(self, hand: Hand) -> None:
        """The engine has every card here, once, and nobody has too many. Raises: Differs."""
        self.deck = hand.setup.deck or ()  # a reshuffle gives its stock new places
        stock = self.deck[hand.stock_next : hand.stock_next + hand.stock_count]
        places: dict[Place, list[int]] = {
            TABLE: [meld.cards for meld in hand.melds],
            PILE: [self.bits[card] for card in hand.pile],
            STOCK: [self.bits[card] for card in stock],
        }
        places |= {seat: [cards] for seat, cards in zip(self.seats, hand.cards, strict=True)}
        for place, sets in places.items():
            expected = self.sets[place]
            # With their number, so that a card that lies there twice is no other card.
            found = sum(sets), sum(map(int.bit_count, sets))
            same(f"cards at {place}", (expected, expected.bit_count()), found)
        same("order of the pile", self.pile, list(hand.pile))
        for seat in self.seats:
            size = self.size - self.parted[seat] + (seat == self.drawer)
            same(f"size of hand {seat}", size, self.sets[seat].bit_count())
        if not hand.over:
            same("phase", "draw" if self.drawer == NOBODY else "play", hand.phase)
            same("who has drawn", self.drawer or hand.to_act, hand.to_act)


def hands(seed: str, numbers: range) -> Found:
    """Play these hands of a seed."""
    found = Found()
    for number in numbers:
        try:
            found.add(play(f"{seed}/{number}"))
        except FAULTS as error:
            found.breaches.append(breach(error, CHECK.name, seed, number))
    return found


def run(order: Order) -> Found:
    """All hands of an order."""
    return in_processes(hands, order)


CHECK = Check(
    name="cards",
    promise=2,
    quick={"hands": 3_000, "events": 100_000},
    full={"hands": 1_000_000, "events": 30_000_000},
    run=run,
)
