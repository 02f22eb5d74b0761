"""Spreads on the table of the fast twin: each is a span of places and a set of cards that it takes.

A book has no span (0). Under `hit_targets = runs_only` it takes no card.
"""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from games.bots.twin_tables import ACE_LOW, Tables
from games.rules import melds
from games.rules.cards import ACES, LANE, LANES
from games.rules.melds import SUITS_BIT


def laid_spread(tables: Tables, move: int) -> tuple[int, int]:
    """Span and fitting cards of a spread that a move lays.

    A run that holds ace and king has the ace high, but for a whole suit laid with the ace low.
    """
    cards = move & LANES
    ranks = (cards | cards >> 16 | cards >> 32 | cards >> 48) & LANE
    if not ranks & ranks - 1:
        runs_only = tables.options.hit_targets == "runs_only"
        return 0, 0 if runs_only else ranks * SUITS_BIT & ~cards
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
    if span.bit_count() == tables.book.pack.rank_count:
        return 0
    ends = ((span & -span) >> 1 | 1 << span.bit_length()) & tables.places
    return melds.lowered(ends, tables.top) if tables.top else ends


def union(fits: Iterable[int]) -> int:
    """All cards of several sets."""
    return reduce(or_, fits, 0)
