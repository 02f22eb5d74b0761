"""The deal as facts: what a deck gives, before any move (D3)."""

import msgspec

from games.rules import events, initial
from games.rules.cards import TEXTS
from games.rules.result import Result, settle
from games.rules.state import Hand, Setup, dealt_hand


class Dealt(msgspec.Struct, frozen=True, gc=False):
    """What a deal decides."""

    hand: Hand
    result: Result | None
    """The result where initial claims ended the hand."""

    @property
    def next(self) -> int | None:
        """Seat to act first, None if a claim ended the hand."""
        return self.hand.to_act

    @property
    def upcard(self) -> events.PlacedCard | None:
        """The card turned up, as `HandDealt` states it."""
        if not self.hand.pile:
            return None
        card = self.hand.pile[0]
        return events.PlacedCard(card=TEXTS[card], place=self.hand.setup.place_of[card])


def deal(setup: Setup) -> Dealt:
    """The deal of a setup whose deck is known; initial claims are judged at once."""
    options, count = setup.rules.options, len(setup.seats)
    if setup.deck is None:
        raise ValueError("a deal needs the deck")
    upcard = setup.deck[count * options.hand_size] if options.initial_upcard else None
    return judged(dealt_hand(setup, upcard=upcard))


def judged(hand: Hand) -> Dealt:
    """A hand just dealt with its initial claims judged."""
    if not initial.claims(hand):
        return Dealt(hand, None)
    claimed = hand.claimed()
    return Dealt(claimed, settle(claimed))
