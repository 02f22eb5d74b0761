"""What a player may do, what a move makes happen, and what is done for one whose time ran out."""

from collections.abc import Sequence

import msgspec

from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules import events, facts, legality, melds
from games.rules.cards import JOKERS, RANKS, TEXTS, Pack
from games.rules.melds import SPREAD_MIN, Reading
from games.rules.moves import DISCARDS, DRAW, KNOCK, SLAP, TAKE, Move, hit
from games.rules.result import Result, settle
from games.rules.rulebook import Rulebook
from games.rules.state import UNKNOWN, Hand, find_meld, fold, may_reshuffle
from games.rules.targets import hittable, is_target

FORCED_MOVES_MAX = 8
"""Moves of one time-out: a draw, four spreads of twelve cards and one, a hit, a discard."""

_SUITED = range(len(TEXTS) - len(JOKERS))
_DOWN = sorted(_SUITED, key=lambda card: (-(card % len(RANKS)), card))
"""Cards from the highest rank down, of one rank the lowest suit first."""
_DISCARDS = tuple(DISCARDS[card] for card in (*_DOWN, *_DOWN, *range(len(_DOWN), len(TEXTS))))
"""Discards in the order of choice: cards that lie near no other held one, then the others, jokers
last."""
_LONELY_AT = tuple(_DISCARDS.index(move) for move in DISCARDS)
"""Place of each card in that order while no other is near it; jokers have one place only."""
_PAIRED_AT = tuple(place + len(_DOWN) * (place < len(_DOWN)) for place in _LONELY_AT)
"""Its place while one is."""

_DRAWS = ((DRAW,), (DRAW, TAKE), (TAKE, DRAW))
_DRAWS_OR_KNOCK = tuple((*moves, KNOCK) for moves in _DRAWS)
"""All answers before the draw: the discard may not be taken, is of no use, is wanted."""


class Decision(msgspec.Struct, frozen=True, gc=False):
    """The facts that a move makes, in order, and the result if it ended the hand."""

    events: tuple[events.Event, ...]
    result: Result | None = None


def legal(hand: Hand) -> tuple[Move, ...]:
    """Every move that `decide` accepts of the player to act, none once the hand is over.

    Sorted by the choice order of `greedy-1` (`bots.md` section 4), knock last: the first is a
    sensible move. Cards of a run stand in run order, those of a book in suit order; an end is named
    only for a wild card that may go to either.
    """
    if hand.finish:
        return ()
    return _to_play(hand) if hand.drew else _to_draw(hand)


def legal_slaps(hand: Hand, seat: int) -> tuple[Move, ...]:
    """Every slap that `decide` accepts of a seat now, in the order of discards (V16)."""
    if hand.finish or hand.discarder == UNKNOWN:
        return ()
    held = hand.cards[hand.index(seat)]
    sheds = _discard_moves(hand.setup.rules.pack, held, held)
    candidates = (SLAP, *(Move("P", shed.cards) for shed in sheds))
    return tuple([move for move in candidates if legality.refusal(hand, seat, move) is None])


def decide(hand: Hand, seat: int, move: Move) -> Decision | Refusal:
    """The facts of a move by a seat, or why it is refused. The deck must be known."""
    refused = legality.refusal(hand, seat, move)
    if refused is not None:
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
    checks = legality.CHECKS
    answers = _DRAWS if checks["K"](hand, KNOCK) else _DRAWS_OR_KNOCK
    if checks["T"](hand, TAKE):
        return answers[0]
    return answers[2 if _wants_discard(hand) else 1]


def _wants_discard(hand: Hand) -> bool:
    """The discard, which lies there, fits a meld or makes the first spread of the hand."""
    rules, held, card = hand.setup.rules, hand.cards[hand.actor], hand.pile[-1]
    bit = rules.pack.bits[card]
    if hand.melds and hittable(hand) & bit:
        return True
    # A natural card makes a spread only with two that are near it.
    if rules.plain_spreads and (held & rules.pack.near[card]).bit_count() < SPREAD_MIN - 1:
        return False
    return rules.holds_spread(held | bit) and not rules.holds_spread(held)


def _to_play(hand: Hand) -> tuple[Move, ...]:
    """Spreads, hits, discards and the knock, all of them legal."""
    rules, held = hand.setup.rules, hand.cards[hand.actor]
    found: list[Move] = []
    if not rules.plain_spreads or melds.has_spread(held):
        found += _spread_moves(rules, rules.spreads(held))
    if hand.melds and legality.may_hit(hand):
        fitting = hittable(hand) & held
        if fitting:
            found += _hit_moves(hand, fitting)
    if found and rules.options.must_use_discard and legality.holds_taken(hand):
        uses = legality.uses_of_taken(hand)
        found = [move for move in found if legality.keeps_use(hand, move, uses)]
    found += _discard_moves(rules.pack, held, legality.discardable(hand))
    if rules.options.knock_when == "own_turn" and not legality.CHECKS["K"](hand, KNOCK):
        found.append(KNOCK)
    return tuple(found)


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
    """Hits with these cards: lowest in deck order first, then lowest meld, then the low end.

    An end is named only for a wild card that may go to either.
    """
    rules = hand.setup.rules
    fitting = [
        (card, meld.number)
        for meld in hand.melds
        if held & meld.fits and is_target(hand, meld)
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


def _discard_moves(pack: Pack, held: int, cards: int) -> list[Move]:
    """Discards of some held cards: those near no held one first, each group from the highest rank.

    The cards come off the set from the top, which is the cheapest way to take it apart.
    """
    code_at, bits, near = pack.code_at, pack.bits, pack.near
    places = []
    while cards:
        card = code_at[cards.bit_length() - 1]
        cards ^= bits[card]
        places.append((_PAIRED_AT if held & near[card] else _LONELY_AT)[card])
    places.sort()
    return [_DISCARDS[place] for place in places]


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
