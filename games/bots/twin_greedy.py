"""`greedy-1` on the fast twin (`bots.md` section 4): the move that the rules core lists first."""

from collections.abc import Sequence

from games.bots.twin import Twin
from games.bots.twin_spreads import largest
from games.bots.twin_tables import CARDS, DRAW, HIT, LAY, TAKE, code_of
from games.rules import melds
from games.rules.cards import LANES


def greedy(twin: Twin) -> int:
    """The move of `greedy-1` for the player to act."""
    tables, actor = twin.tables, twin.actor
    held, near = twin.held[actor], tables.near
    if not twin.drew:
        if twin.pile:
            card = twin.pile[-1]
            bit, partners = tables.bit[card], held & near[card]
            # What neither fits nor has two partners is of no use, but for an ace after the king.
            if (
                (partners.bit_count() > 1 or twin.fitting & bit or tables.top)
                and _wants(twin, bit)
                and twin.may_take()
            ):
                return TAKE
        return DRAW
    if twin.has_spread[actor] or not tables.free_play:
        return _first_of_many(twin)
    able = held & twin.fitting
    if able and twin.hits < tables.hits_max:
        return _first_hit(twin, able)
    ranked, barred = sorted(twin.cards[actor]), twin.taken
    for card in ranked:
        if not held & near[card] and card != barred:
            return card
    return ranked[ranked[0] == barred and len(ranked) > 1]


def _first_of_many(twin: Twin) -> int:
    """The move where spreads or options are concerned."""
    tables = twin.tables
    if not tables.free_play:
        return _best(twin, twin.legal())
    held = twin.held[twin.actor]
    # A spread that lies in a larger one is never the best.
    return _best_spread(twin, melds.spreads(held, tables.top) if tables.top else largest(held))


def _wants(twin: Twin, card: int) -> bool:
    """The top discard fits a spread, or makes the first spread of the hand."""
    if twin.fitting & card:
        return True
    holds_spread, held = twin.tables.holds_spread, twin.held[twin.actor]
    return holds_spread(held | card) and not holds_spread(held)


def _first_hit(twin: Twin, able: int) -> int:
    """Of the cards that may be hit the lowest in deck order, on the first spread that takes it."""
    card = able & -able
    number = 0
    while not twin.fits[number] & card:
        number += 1
    return HIT * (number + 1) + twin.tables.at[card.bit_length()]


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
