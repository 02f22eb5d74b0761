"""Actions of a hand followed without its deck, as far as somebody's knowledge goes.

The viewer's own moves are judged by all the rules, as his cards are known. Of others it is known
what the table shows; refusals that turn on cards which nobody here has seen are left open.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from games.rules import events, facts, legality
from games.rules.cards import CODES, TEXTS
from games.rules.moves import Move
from games.rules.result import Result
from games.rules.shuffles import FIRST_RESHUFFLED
from games.rules.state import UNKNOWN, Hand, Setup, dealt_hand, fold, may_reshuffle
from games.rules.tonkh.actions import Action, told
from games.rules.tonkh.history import UNSEEN

HANDS_CARDS_DECIDE = frozenset(
    {"knock_over_limit", "discard_unusable", "must_use_discard", "must_spread"}
)
"""Refusals for which a player's unseen cards may matter: nobody else can judge them."""


@dataclass(frozen=True, slots=True)
class Made:
    """What one action makes."""

    hand: Hand
    result: Result | None
    facts: tuple[events.Event, ...]


def without_deck(setup: Setup) -> Setup:
    """The setup for a fold without the deck whose moves still make facts: their places say nothing.

    Only kinds, cards and what these stand for are read of such facts.
    """
    return replace(setup, place_of=(UNKNOWN,) * len(TEXTS))


def shown_deal(setup: Setup, dealt: Sequence[str], upcard: int | None) -> Hand:
    """The hand after its deal, with the cards that the text shows: a text a player, in order."""
    hand = dealt_hand(without_deck(setup), upcard=upcard)
    for index, cards in enumerate(dealt):
        for card in cards.split():
            if card != UNSEEN:
                hand = _shown(hand, index, CODES[card])
    return hand


def follow(hand: Hand, action: Action) -> Made | str:
    """The state after an action, or why it can not be, by all that is known."""
    if action.seat not in hand.setup.seats:
        return "not_seated"
    before, made = hand, list[events.Event]()
    if action.timed_out:
        made.append(events.TurnTimedOut(seat=action.seat, in_row=1, bank_ms=0))
    for step in action.steps:
        followed = _follow_move(hand, action, step.move)
        if isinstance(followed, str):
            return followed
        hand = followed.hand
        made += followed.facts
    if action.timed_out and not hand.over and hand.turn == before.turn:
        return "a time-out that ends no turn"
    right = told(before, made, lambda _: action.drawn)
    return (
        Made(hand, None, tuple(made)) if action.is_told_by(right) else f"the rules say {right.text}"
    )


def _follow_move(hand: Hand, action: Action, move: Move) -> Made | str:
    """The state after one move of a seat that may hold cards that nobody here knows."""
    index = hand.index(action.seat)
    named = _with_named(hand, index, move.cards)
    if isinstance(named, str):
        return named
    refused = legality.refusal(named, action.seat, move)
    if refused and not (named.hidden[index] and refused.code in HANDS_CARDS_DECIDE):
        return refused.code
    made = _facts(named, action.seat, move)
    after = fold(named, made)
    drew = any(isinstance(one, events.CardDrawn) and one.card is None for one in made)
    if not drew or action.drawn == UNKNOWN:
        return Made(after, None, made)
    bit = after.setup.rules.pack.bits[action.drawn]
    if not bit or _seen(after) & bit:
        return f"{TEXTS[action.drawn]} can not be drawn"
    return Made(replace(_shown(after, index, action.drawn), drawn=action.drawn), None, made)


def _facts(hand: Hand, seat: int, move: Move) -> tuple[events.Event, ...]:
    """The facts of a legal move; of a reshuffle it is known that it was, and of how many cards."""
    if move.verb == "P":
        return facts.slap(hand, seat, move)
    if move.verb != "S" or hand.stock_count or not may_reshuffle(hand):
        return facts.of_move(hand, move)
    covered = (UNKNOWN,) * (len(hand.pile) - 1)
    return (
        events.PileReshuffled(hand=hand.setup.hand, shuffle_no=1, places=covered, root=""),
        events.CardDrawn(seat=seat, source="stock", place=FIRST_RESHUFFLED, card=None),
    )


def _with_named(hand: Hand, index: int, cards: tuple[int, ...]) -> Hand | str:
    """The hand with the cards that a move names known to be the player's."""
    pack = hand.setup.rules.pack
    for card in cards:
        if hand.cards[index] & pack.bits[card]:
            continue
        if not pack.bits[card] or not hand.hidden[index]:
            return "card_not_in_hand"
        if _seen(hand) & pack.bits[card]:
            return f"{TEXTS[card]} twice"
        hand = _shown(hand, index, card)
    return hand


def _shown(hand: Hand, index: int, card: int) -> Hand:
    """The hand with one of a player's unseen cards seen to be this one."""
    cards, hidden = list(hand.cards), list(hand.hidden)
    cards[index] |= hand.setup.rules.pack.bits[card]
    hidden[index] -= 1
    return replace(hand, cards=tuple(cards), hidden=tuple(hidden))


def _seen(hand: Hand) -> int:
    """Every card of which it is known where it lies, as a set."""
    seen = hand.setup.rules.pack.set_of(hand.pile)
    for cards in (*hand.cards, *(meld.cards for meld in hand.melds)):
        seen |= cards
    return seen
