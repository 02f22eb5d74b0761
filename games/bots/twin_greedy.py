"""`greedy-1` on the fast twin (`bots.md` section 4): the move that the rules core lists first."""

from collections.abc import Sequence

from games.bots.twin import NO_CARD, Twin
from games.bots.twin_tables import CARDS, DRAW, HIT, LAY, NUMBERS, TAKE, code_of
from games.rules import melds
from games.rules.cards import LANES


def greedy(twin: Twin) -> int:
    """The move of `greedy-1` for the player to act."""
    if not twin.drew:
        return TAKE if _wants_discard(twin) and twin.may_take() else DRAW
    tables, actor = twin.tables, twin.actor
    held, near = twin.held[actor], tables.near
    if not tables.free_play:
        return _best(twin, twin.legal())
    if twin.has_spread[actor]:
        return _best_spread(twin, melds.spreads(held, tables.top))
    able = held & twin.fitting
    if able and twin.hits < tables.hits_max:
        return _first_hit(twin, able)
    ranked = sorted(twin.cards[actor])
    barred = twin.taken if len(ranked) > 1 else NO_CARD
    for card in ranked:
        if not held & near[card] and card != barred:
            return card
    return ranked[0] if ranked[0] != barred else ranked[1]


def _wants_discard(twin: Twin) -> bool:
    """The top discard fits a spread, or makes the first spread of the hand."""
    if not twin.pile:
        return False
    tables, card, held = twin.tables, twin.pile[-1], twin.held[twin.actor]
    bit, top, partners = tables.bit[card], tables.top, held & tables.near[card]
    if twin.fitting & bit:
        return True
    # Without two partners it makes no spread, but an ace may have others behind the king.
    if not (partners & partners - 1 or top):
        return False
    return melds.holds_spread(held | bit, top) and not melds.holds_spread(held, top)


def _first_hit(twin: Twin, able: int) -> int:
    """Of the cards that may be hit the lowest in deck order, on the first spread that takes it."""
    card = able & -able
    number = next(number for number, fits in enumerate(twin.fits, 1) if fits & card)
    return HIT * number + NUMBERS[twin.tables.book.pack.code_at[card.bit_length() - 1]]


def _best_spread(twin: Twin, spreads: Sequence[int]) -> int:
    """Most points first, then more cards, then lower cards in deck order."""
    if len(spreads) == 1:
        return LAY | spreads[0]
    book = twin.tables.book
    best = min(
        spreads, key=lambda one: (-book.points(one), -one.bit_count(), book.pack.cards_in(one))
    )
    return LAY | best


def _best(twin: Twin, moves: Sequence[int]) -> int:
    """The first of legal moves by the choice order of `greedy-1`, whatever options forbid."""
    spreads = [move & LANES for move in moves if move >= LAY]
    if spreads:
        return _best_spread(twin, spreads)
    hits = [move for move in moves if move >= HIT]
    if hits:
        return min(hits, key=lambda move: (code_of(move % HIT), move // HIT))
    near, held = twin.tables.near, twin.held[twin.actor]
    discards = [move for move in moves if move < CARDS]
    loners = [card for card in discards if not held & near[card]]
    return min(loners or discards or moves)
