"""Levels and stakes (`tournaments.md` 2.3). Levels count from 1."""

from collections.abc import Iterable, Sequence
from typing import Literal

STANDARD = (10, 15, 20, 30, 40, 60, 80)
"""The first seven stakes; each later group of seven is ten times the one before, without end."""

Stakes = Sequence[int] | Literal["standard"]


def stake(level: int, stakes: Stakes = "standard") -> int:
    """Stake of a level; after the end of a list its last stake holds.

    >>> [stake(level) for level in (1, 7, 8, 15)]
    [10, 80, 100, 1000]
    """
    if stakes == "standard":
        groups, index = divmod(level - 1, len(STANDARD))
        return STANDARD[index] * int(10**groups)
    return stakes[min(level, len(stakes)) - 1]


def level_by_hands(hands_completed: int, per_level: int) -> int:
    """Level of the next hand when the busiest table has completed so many counted hands."""
    return hands_completed // per_level + 1


def level_by_clock(running_seconds: int, per_level: int) -> int:
    """Level at the instant of a deal, after so many seconds without pauses."""
    return running_seconds // per_level + 1


def running_seconds(at: int, paused: Iterable[tuple[int, int]]) -> int:
    """Seconds since the start at second `at` without the pauses, each `[from, to)`.

    >>> running_seconds(359, [(200, 260)])
    299
    """
    return at - sum(max(0, min(to, at) - begin) for begin, to in paused)
