"""What a player may do, what a move makes happen, and what is done for one whose time ran out."""

from collections.abc import Sequence

import msgspec

from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules import events, facts, legality, melds
from games.rules.cards import LANES, RANKS, TEXTS
from games.rules.melds import Reading
from games.rules.moves import DISCARDS, DRAW, KNOCK, SLAP, TAKE, Move, hit
from games.rules.result import Result, settle
from games.rules.rulebook import Rulebook
from games.rules.state import UNKNOWN, Hand, find_meld, fold, may_reshuffle
from games.rules.targets import hittable

FORCED_MOVES_MAX = 8
"""Moves of one time-out: a draw, four spreads of twelve cards and one, a hit, a discard."""

_BY_RANK_DOWN = tuple(
    (len(RANKS) - 1 - card % len(RANKS)) * 4 + card // len(RANKS) if card < 52 else card
    for card in range(len(TEXTS))
)
"""Order of discards by card code: the highest rank first, of one rank the lowest suit, jokers last.
"""


class Decision(msgspec.Struct, frozen=True, gc=False):
    """The facts that a move makes, in order, and the result if it ended the hand."""

    events: tuple[events.Event, ...]
    result: Result | None = None


def legal(hand: Hand) -> tuple[Move, ...]:
    """Every move that `decide` accepts of the player to act, none once the hand is over.

    Sorted by the choice order of `greedy-1` (`bots.md` section 4), knock last: the first is a
    sensible move. A spread lists its cards in deck order; `low` and `high` are never needed here.
    """
    if hand.finish:
        return ()
    candidates = _to_play(hand) if hand.drew else _to_draw(hand)
    checks = legality.CHECKS
    return tuple([move for move in candidates if checks[move.verb](hand, move) is None])


def legal_slaps(hand: Hand, seat: int) -> tuple[Move, ...]:
    """Every slap that `decide` accepts of a seat now, in the order of discards (V16)."""
    if hand.finish or hand.discarder == UNKNOWN:
        return ()
    rules, held = hand.setup.rules, hand.cards[hand.index(seat)]
    sheds = _discard_moves(rules.pack.cards_in(held), rules.pack.cards_in(_loners(held)))
    candidates = (SLAP, *(Move("P", shed.cards) for shed in sheds))
    return tuple([move for move in candidates if legality.refusal(hand, seat, move) is None])


def decide(hand: Hand, seat: int, move: Move) -> Decision | Refusal:
    """The facts of a move by a seat, or why it is refused. The deck must be known."""
    refused = legality.refusal(hand, seat, move)
    if refused:
        return refused
    made = facts.slap(hand, seat, move) if move.verb == "P" else facts.of_move(hand, move)
    if not _ends(hand, seat, move):
        return Decision(made)
    return Decision(made, settle(fold(hand, made)))


def default_action(hand: Hand) -> tuple[Move, ...]:
    """The forced moves of the player to act (D18), up to his discard or the end of the hand."""
    moves: list[Move] = []
    turn = hand.turn
    while not hand.finish and hand.turn == turn:
        if len(moves) == FORCED_MOVES_MAX:
            raise InvariantBroken("a default action does not end")
        moves.append(_forced(hand))
        hand = fold(hand, facts.of_move(hand, moves[-1]))
    return tuple(moves)


def time_out(hand: Hand, *, in_row: int, bank_ms: int) -> Decision | Refusal:
    """The facts of a turn whose time ran out: `TurnTimedOut`, then those of the default action.

    `in_row` counts the player's time-outs in a row, this one included; `bank_ms` is what is left.
    """
    seat = hand.to_act
    if seat is None:
        return Refusal("hand_over", "D7")
    made: list[events.Event] = [events.TurnTimedOut(seat=seat, in_row=in_row, bank_ms=bank_ms)]
    for move in default_action(hand):
        decided = decide(hand, seat, move)
        if isinstance(decided, Refusal):
            raise InvariantBroken(f"the default action {move.text} is refused: {decided.code}")
        made += decided.events
        hand = fold(hand, decided.events)
        if decided.result:
            return Decision(tuple(made), decided.result)
    return Decision(tuple(made))


def _to_draw(hand: Hand) -> tuple[Move, ...]:
    return (TAKE, DRAW, KNOCK) if _wants_discard(hand) else (DRAW, TAKE, KNOCK)


def _wants_discard(hand: Hand) -> bool:
    """The discard fits a meld, or makes the first spread of the hand."""
    if not hand.pile:
        return False
    rules, held = hand.setup.rules, hand.cards[hand.actor]
    card = rules.pack.bits[hand.pile[-1]]
    if hittable(hand) & card:
        return True
    return rules.holds_spread(held | card) and not rules.holds_spread(held)


def _to_play(hand: Hand) -> list[Move]:
    """Spreads, hits, discards and the knock, whether legal or not."""
    rules, held = hand.setup.rules, hand.cards[hand.actor]
    candidates: list[Move] = []
    spreads = rules.spreads(held)
    if spreads:
        candidates += _spread_moves(rules, spreads)
    if hand.melds:
        candidates += _hit_moves(hand, held)
    candidates += _discard_moves(rules.pack.cards_in(held), rules.pack.cards_in(_loners(held)))
    if rules.options.knock_when == "own_turn":
        candidates.append(KNOCK)
    return candidates


def _spread_moves(rules: Rulebook, spreads: Sequence[int]) -> list[Move]:
    """Most points first, then more cards, then lower cards in deck order; each in meld order.

    With a wild card each meaning of the same cards is a move of its own.
    """
    ranked = sorted(
        (-rules.points(spread), -spread.bit_count(), rules.pack.cards_in(spread), spread)
        for spread in spreads
    )
    found: list[Move] = []
    for _, _, cards, spread in ranked:
        if rules.shape.top or spread & rules.shape.wilds:
            found += [_named(rules, spread, reading) for reading in rules.readings(spread)]
        else:
            found.append(Move("L", cards))
    return found


def _named(rules: Rulebook, spread: int, reading: Reading) -> Move:
    """The move that lays these cards in this meaning."""
    if reading.kind == "book":
        return Move("L", rules.pack.cards_in(spread))
    pairs = melds.layout(spread, reading, rules.shape)
    return Move("L", tuple(rules.pack.code_of(card) for card, _ in pairs))


def _hit_moves(hand: Hand, held: int) -> list[Move]:
    """Lowest card in deck order first, then lowest meld, then the low end.

    An end is named only for a wild card that may go to either.
    """
    rules = hand.setup.rules
    fitting = [
        (card, meld.number)
        for meld in hand.melds
        if held & meld.fits
        for card in rules.pack.cards_in(held & meld.fits)
    ]
    fitting.sort()
    if held & rules.shape.wilds:
        return [move for card, number in fitting for move in _hits_at(hand, card, number)]
    return [hit(card, number) for card, number in fitting]


def _hits_at(hand: Hand, card: int, number: int) -> tuple[Move, ...]:
    rules, meld = hand.setup.rules, find_meld(hand, number)[1]
    if meld is not None and meld.kind == "run" and rules.pack.bits[card] & rules.shape.wilds:
        low, high = melds.ends_of(meld.span, rules.shape)
        if low and high:
            return hit(card, number, "low"), hit(card, number, "high")
    return (hit(card, number),)


def _discard_moves(held: Sequence[int], loners: Sequence[int]) -> list[Move]:
    """Cards without a partner first, each group from the highest rank down."""
    order = _BY_RANK_DOWN.__getitem__
    ranked = sorted(loners, key=order)
    if len(loners) < len(held):
        ranked += sorted(set(held).difference(loners), key=order)
    return [DISCARDS[card] for card in ranked]


def _loners(held: int) -> int:
    """Cards with no held neighbour of their suit within two ranks and no equal rank; no joker."""
    held &= LANES
    return held & ~(
        held << 1
        | held >> 1
        | held << 2
        | held >> 2
        | held << 16
        | held >> 16
        | held << 32
        | held >> 32
        | held << 48
        | held >> 48
    )


def _ends(hand: Hand, seat: int, move: Move) -> bool:
    """Whether a legal move ends the hand: a knock, the empty stock, or no card left."""
    match move.verb:
        case "K":
            return True
        case "S":
            return not hand.stock_count and not may_reshuffle(hand)
        case "T":
            return False
        case "P":
            return hand.cards[hand.index(seat)].bit_count() == len(move.cards)
        case _:
            return hand.cards[hand.actor].bit_count() == len(move.cards)


def _forced(hand: Hand) -> Move:
    """The next move of the default action (`rules.md` section 6)."""
    if not hand.drew:
        return DRAW
    rules, held = hand.setup.rules, hand.cards[hand.actor]
    options = rules.options
    if options.must_use_discard and legality.holds_taken(hand):
        return _forced_use(hand)
    if options.must_spread and rules.must_lay(held):
        return _first_spread(rules, [one for one in rules.spreads(held) if rules.must_lay(one)])
    return DISCARDS[_forced_discard(hand)]


def _forced_use(hand: Hand) -> Move:
    rules, taken = hand.setup.rules, hand.taken
    card = rules.pack.bits[taken]
    with_taken = [spread for spread in rules.spreads(hand.cards[hand.actor]) if spread & card]
    if with_taken:
        return _first_spread(rules, with_taken)
    numbers = sorted(meld.number for meld in hand.melds)
    hits = (hit(taken, number) for number in numbers)
    # D25 keeps the taken card usable: one of the hits is legal.
    return next(move for move in hits if legality.CHECKS["H"](hand, move) is None)


def _first_spread(rules: Rulebook, spreads: Sequence[int]) -> Move:
    """The first by deck order, card by card; a longer list stands before its own beginning.

    Of several meanings of the same cards it is the one with the highest low end.
    """
    cards_in = rules.pack.cards_in
    first = min(spreads, key=lambda spread: (*cards_in(spread), len(TEXTS)))
    return _named(rules, first, rules.readings(first)[0])


def _forced_discard(hand: Hand) -> int:
    """The card drawn in this turn, else the dearest held card but the taken one, last in order."""
    rules, held = hand.setup.rules, hand.cards[hand.actor]
    bits = rules.pack.bits
    if hand.drew == "stock" and hand.drawn != UNKNOWN and held & bits[hand.drawn]:
        return hand.drawn
    cards = rules.pack.cards_in(held)
    free = [card for card in cards if card != hand.taken] or cards
    return max(free, key=lambda card: (rules.points(bits[card]), card))
