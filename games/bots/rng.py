"""Chance for bots, made from a seed: the one file of the cores that may import `random`.

Only `Random.random()` is used: the one method whose sequence Python keeps for ever.
"""

import random  # noqa: TID251  # this file is the exception, see above
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Choices that a seed decides."""

    __slots__ = ("_next",)

    def __init__(self, seed: bytes) -> None:
        """The same seed gives the same choices, in every process and version of Python."""
        self._next = random.Random(seed).random  # noqa: S311  # it guards no secret

    def below(self, count: int) -> int:
        """A number from 0 to count - 1."""
        return int(self._next() * count)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, evenly."""
        return items[self.below(len(items))]
