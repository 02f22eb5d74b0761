"""A hand history played again: its commands, and the state after each of them (`api.md` section 8).

With the deck, in the text or from the dealer's seed, the engine decides every action anew. Without
it the actions are followed as far as the viewer's knowledge goes.
"""

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules import events, fair, melds
from games.rules.cards import CODES, TEXTS, codes_of
from games.rules.dealing import deal
from games.rules.decide import Decision, decide, time_out
from games.rules.moves import Move, meld_name
from games.rules.result import Result
from games.rules.rulebook import rulebook
from games.rules.shuffles import Deck, GivenShuffle, sealed_deck
from games.rules.state import UNKNOWN, Hand, Setup, fold, with_deck
from games.rules.table import CHIPS
from games.rules.tonkh.actions import Action, read_action, told
from games.rules.tonkh.follow import Made, follow, shown_deal
from games.rules.tonkh.history import HandHistory


@dataclass(frozen=True, slots=True)
class Replay:
    """What the actions of a history come to."""

    hands: tuple[Hand, ...]
    """The state after the deal, and after each action up to the first that does not fit."""
    result: Result | None
    """The result by the rules, where the deck is known and the hand came to its end."""
    facts: int
    """Number of facts that the actions are in the log."""
    fault: str | None
    """Which action does not fit, and why: a code of the rules, or what it should be."""


def commands(history: HandHistory) -> tuple[tuple[int, Move | None], ...]:
    """Seat and move of each action, in order; None in place of a move is a time-out.

    Raises: ValueError for a text that is no action; a history that was read has none.
    """
    actions = map(_action, history.actions)
    return tuple(
        (action.seat, None if action.timed_out else action.steps[0].move) for action in actions
    )


def replay(history: HandHistory) -> Replay:
    """The states of a hand, decided anew from the deck or followed without it.

    Raises: InvariantBroken for a deck that is not the pack, or rules of an unknown version.
    """
    deck = deck_of(history)
    hand, result = _shown_deal(history) if deck is None else _deal(history, deck)
    hands, count = [hand], 0
    for number, text in enumerate(history.actions, start=1):
        action = _action(text)
        made = follow(hand, action) if deck is None else _decide(hand, action)
        if isinstance(made, str):
            return Replay(tuple(hands), result, count, f"action {number}: {made}")
        hand, result, count = made.hand, made.result, count + len(made.facts)
        hands.append(hand)
    return Replay(tuple(hands), result, count, None)


def deck_of(history: HandHistory) -> Deck | None:
    """The deck that the text lists, else the one that its seed gives, None where it has neither."""
    if history.deck is not None:
        again = [GivenShuffle(codes_of(one.split())) for one in history.reshuffles or ()]
        return Deck(codes_of(history.deck.split()), again[0] if again else None)
    key = key_of(history)
    if key is None:
        return None
    return sealed_deck(UUID(history.hand).bytes, key, history.proof.deck_spec)


def key_of(history: HandHistory) -> bytes | None:
    """The key of the hand, by steps 1 and 3 of the fair deal; None before the reveal."""
    proof = history.proof
    if proof.server_seed is None:
        return None
    hand, server_seed = UUID(history.hand).bytes, bytes.fromhex(proof.server_seed)
    seats = zip(history.seats, history.players, proof.seeds, strict=True)
    transcript = fair.transcript(
        hand,
        commitment=fair.commit(hand, server_seed),
        spec=proof.deck_spec,
        seats=[
            fair.SeatSeed(seat, UUID(player).bytes, bytes.fromhex(seed))
            for seat, player, seed in seats
        ],
        beacon=bytes.fromhex(proof.beacon or ""),
    )
    return fair.hand_key(server_seed, transcript)


def dealt_places(setup: Setup, player: int) -> range:
    """Places of the cards that a player, by index, was dealt (D3)."""
    count, size = len(setup.seats), setup.rules.options.hand_size
    return range(setup.from_left.index(player), count * size, count)


def document(history: HandHistory, hand: Hand) -> dict[str, object]:
    """A state of the hand as JSON values: what the history's viewer knows of it."""
    setup = hand.setup
    found: dict[str, object] = {
        "hand": history.hand,
        "hand_no": history.hand_no,
        "viewer": history.viewer,
        "dealer": setup.dealer,
        "phase": hand.phase,
        "round": hand.round,
        "to_act": hand.to_act,
        "discard_top": _text(hand.top),
        "discard_count": len(hand.pile),
        "stock_count": hand.stock_count,
        "taken": _text(hand.taken),
        "discard_turns": hand.discard_turns,
        "hits_this_turn": hand.hits,
        "melds": [_meld(hand, index) for index in range(len(hand.melds))],
        "seats": [_seat(hand, seat) for seat in setup.seats],
    }
    return found


def setup_of(history: HandHistory) -> Setup:
    """What stays the same in the hand, the deck left out."""
    return Setup(
        hand=history.hand,
        rules=rulebook(history.options, len(history.seats), history.rules_version),
        seats=history.seats,
        players=history.players,
        stacks=history.stacks,
        dealer=history.dealer,
        stake=history.stake,
        currency=history.currency or CHIPS,
        deck=None,
    )


def _shown_deal(history: HandHistory) -> tuple[Hand, None]:
    upcard = None if history.upcard is None else CODES[history.upcard]
    return shown_deal(setup_of(history), history.deal, upcard), None


def _action(text: str) -> Action:
    found = read_action(text)
    if found is None:
        raise ValueError(f"{text!r} is no action")
    return found


def _text(card: int) -> str | None:
    return None if card == UNKNOWN else TEXTS[card]


def _seat(hand: Hand, seat: int) -> dict[str, object]:
    index = hand.index(seat)
    return {
        "seat": seat,
        "cards": [TEXTS[card] for card in hand.held_cards(seat)],
        "cards_held": hand.held_number(seat),
        "hold": hand.holds[index],
    }


def _meld(hand: Hand, index: int) -> dict[str, object]:
    meld, setup = hand.melds[index], hand.setup
    code_of = setup.rules.pack.code_of
    pairs = melds.layout(meld.cards, meld.reading, setup.rules.shape)
    return {
        "meld": meld_name(meld.number),
        "owner": setup.seats[meld.owner],
        "kind": meld.kind,
        "cards": [TEXTS[code_of(card)] for card, _ in pairs],
        "stands_for": [TEXTS[code_of(stands)] for _, stands in pairs],
    }


# --- with the deck --------------------------------------------------------------------------------


def _deal(history: HandHistory, deck: Deck) -> tuple[Hand, Result | None]:
    dealt = deal(with_deck(setup_of(history), deck))
    return dealt.hand, dealt.result


def _decide(hand: Hand, action: Action) -> Made | str:
    """What the rules make of an action; a code or the right action where they say otherwise."""
    try:
        decided = _decision(hand, action)
    except (InvariantBroken, ValueError) as broken:
        # A reshuffle that the text does not list, or not of these cards.
        return str(broken)
    if isinstance(decided, Refusal):
        return decided.code
    after = fold(hand, decided.events)
    card_of = partial(_card_at, after.setup.deck or ())
    right = told(hand, decided.events, card_of)
    if not action.is_told_by(right):
        return f"the rules say {right.text}"
    return Made(after, decided.result, decided.events)


def _decision(hand: Hand, action: Action) -> Decision | Refusal:
    if action.seat not in hand.setup.seats:
        return Refusal("not_seated")
    if not action.timed_out:
        return decide(hand, action.seat, action.steps[0].move)
    if not hand.over and hand.to_act != action.seat:
        return Refusal("not_your_turn", "R14")
    return time_out(hand, in_row=1, bank_ms=0)


def _card_at(deck: tuple[int, ...], event: events.CardDrawn) -> int:
    return deck[event.place]
