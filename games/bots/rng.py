"""Chance for bots, made from a seed: the one file of the cores that may import `random`.

Only `Random.random()` is used: the one method whose sequence Python keeps for ever.
"""

import random  # noqa: TID251  # this file is the exception, see above
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Choices that a seed decides."""

    __slots__ = ("random",)

    random: Callable[[], float]
    """The next number, from 0 up to but not including 1; a slot, so that no call lies between."""

    def __init__(self, seed: bytes) -> None:
        """The same seed gives the same choices, in every process and version of Python."""
        self.random = random.Random(seed).random  # noqa: S311  # it guards no secret

    def below(self, count: int) -> int:
        """A number from 0 to count - 1."""
        return int(self.random() * count)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, evenly."""
        return items[self.below(len(items))]
