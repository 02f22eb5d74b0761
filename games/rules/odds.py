"""How often a dealt hand claims by itself (`rules.md` section 12 holds figures for checks)."""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import comb

from games.rules.options import Options
from games.rules.rulebook import rulebook


def claim_odds(options: Options, seat_count: int) -> Fraction:
    """Share of dealt hands that claim by their total; whole spreads are rare and left out.

    >>> from games.rules.options import DEFAULTS
    >>> claim_odds(DEFAULTS, 3) == Fraction(4_368 + 7_280, 2_598_960)
    True
    """
    rules = rulebook(options, seat_count)
    low = max((tier[0] for tier in options.initial_low), default=-1)
    points = tuple(rules.points(rules.pack.bits[code]) for code in rules.pack.codes)
    ways = _ways(points, options.hand_size)
    claims = sum(number for total, number in ways if total <= low or total in rules.initial_counts)
    return Fraction(claims, comb(len(points), options.hand_size))


@lru_cache(maxsize=16)
def _ways(points: tuple[int, ...], size: int) -> tuple[tuple[int, int], ...]:
    """(total, number of hands of `size` cards with it) over a pack with these points."""
    hands: list[Counter[int]] = [Counter({0: 1}), *(Counter() for _ in range(size))]
    for value in points:
        for count in range(size, 0, -1):
            for total, number in hands[count - 1].items():
                hands[count][total + value] += number
    return tuple(sorted(hands[size].items()))
