"""What cards count: points of a hand, and its least count when held spreads do not count."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from games.rules.cards import LANE_BITS, RANKS_OF_DECK

LANE_VALUES = 1 << LANE_BITS - 2
"""Values of a lane; its two top bits are never set."""

Table = tuple[int, ...]
"""Points of every possible lane."""


@lru_cache(maxsize=4)
def points_table(deck: int, face_values: tuple[int, int, int]) -> Table:
    """Points of every lane of a pack whose jack, queen and king count `face_values`."""
    values = (*range(1, 11), *face_values)
    points = [0] * LANE_VALUES
    for position, rank in enumerate(RANKS_OF_DECK[deck], start=1):
        bit = 1 << position
        for lane in range(bit):
            points[bit | lane] = points[lane] + values[rank]
    return tuple(points)


def points(cards: int, table: Table) -> int:
    """Points of a set of cards.

    >>> points(1 << 1 | 1 << 13, points_table(52, (10, 10, 10)))
    11
    """
    return (
        table[cards & 0x3FFF]
        + table[cards >> 16 & 0x3FFF]
        + table[cards >> 32 & 0x3FFF]
        + table[cards >> 48]
    )


def deadwood(cards: int, found: Sequence[int], points_of: Callable[[int], int]) -> int:
    """Least points left over any choice of disjoint spreads among those `found` in the cards.

    Depth first over the cards that lie in a spread: each is left over or goes with one of them.
    """
    return points_of(cards) - _most_laid(cards, found, points_of)


def _most_laid(cards: int, found: Sequence[int], points_of: Callable[[int], int]) -> int:
    possible = [spread for spread in found if not spread & ~cards]
    if not possible:
        return 0
    first = min(spread & -spread for spread in possible)
    best = _most_laid(cards & ~first, possible, points_of)
    most = points_of(cards)
    for spread in possible:
        if best == most:  # nothing is left over: no choice is better
            break
        if spread & first:
            laid = points_of(spread) + _most_laid(cards & ~spread, possible, points_of)
            best = max(best, laid)
    return best
