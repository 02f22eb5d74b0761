"""Spreads on the table of the fast twin: each is a span of places and a set of cards that it takes.

A book has no span (0). Under `hit_targets = runs_only` it takes no card.
"""

from games.bots.twin_tables import ACE_LOW, Tables
from games.rules import melds
from games.rules.cards import ACES, LANE, LANES
from games.rules.melds import SUITS_BIT


def laid_spread(tables: Tables, move: int) -> tuple[int, int]:
    """Span and fitting cards of a spread that a move lays.

    A run that holds ace and king has the ace high, but for a whole suit laid with the ace low.
    """
    cards = move & LANES
    # Of three cards in a row two lie side by side even where the ace follows the king.
    if not cards & cards >> 1:
        if tables.options.hit_targets == "runs_only":
            return 0, 0
        return 0, tables.equals[tables.at[cards.bit_length()]] & ~cards
    if tables.top and not move & ACE_LOW and tables.ace_follows_king(cards):
        aces = cards & ACES
        cards ^= aces | aces << tables.top - 1
    return cards, _run_fits(tables, cards)


def grown_spread(tables: Tables, span: int, fits: int, card: int) -> tuple[int, int]:
    """Span and fitting cards of a spread once a card that fits it was added."""
    if not span:
        return 0, fits & ~card
    top = tables.top
    if top and card & ACES and card << top - 1 == 1 << span.bit_length():
        card <<= top - 1
    return span | card, _run_fits(tables, span | card)


def _run_fits(tables: Tables, span: int) -> int:
    """The cards below and above a run; a whole suit takes none."""
    if span.bit_count() == tables.ranks:
        return 0
    ends = ((span & -span) >> 1 | 1 << span.bit_length()) & tables.places
    return melds.lowered(ends, tables.top) if tables.top else ends


def largest(cards: int) -> list[int]:
    """The spreads of a hand, the ace being low, that lie in no larger one.

    >>> largest(0b1111 << 5)
    [480]
    """
    found = []
    starts = cards & cards >> 1 & cards >> 2
    while starts:
        # The lowest start begins a whole run: added to it, it carries through to the run's end.
        run = cards & ~(cards + (starts & -starts))
        found.append(run)
        starts &= ~run
    b, c, d = cards >> 16, cards >> 32, cards >> 48
    ranks = (cards & b & (c | d) | c & d & (cards | b)) & LANE
    while ranks:
        rank = ranks & -ranks
        found.append(cards & rank * SUITS_BIT)
        ranks ^= rank
    return found
