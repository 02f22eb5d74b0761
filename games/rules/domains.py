"""Ranges of option values: what each accepts, what it offers instead, how a value is stored."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Protocol, TypeGuard


class Domain(Protocol):
    """The values that one option may have."""

    @property
    def default(self) -> object:
        """The value of an option that nobody set."""

    @property
    def allowed(self) -> object:
        """The accepted values as JSON, for the answer to a value that is refused."""

    def accepts(self, value: object) -> bool:
        """Whether a JSON value has the right type and lies in the range."""

    def stored(self, value: object) -> object:
        """An accepted value in its frozen form."""


def is_int(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number; a truth value is none."""
    return isinstance(value, int) and not isinstance(value, bool)


class Range:
    """Whole numbers from `low` to `high`; with the default None also null."""

    __slots__ = ("default", "high", "low")

    def __init__(self, low: int, high: int, *, default: int | None) -> None:
        self.low: Final = low
        self.high: Final = high
        self.default: Final[object] = default

    @property
    def allowed(self) -> object:
        """Both ends of the range, and whether null is a value."""
        return {"min": self.low, "max": self.high, "null": self.default is None}

    def accepts(self, value: object) -> bool:
        """Whether a value is null where it may be, or a whole number between the ends."""
        if value is None:
            return self.default is None
        return is_int(value) and self.low <= value <= self.high

    def stored(self, value: object) -> object:
        """The number."""
        return value


class Choice:
    """One of a few values, the first of them by default."""

    __slots__ = ("default", "values")

    def __init__(self, *values: object, default: object = None) -> None:
        self.values: Final = values
        self.default: Final = values[0] if default is None else default

    @property
    def allowed(self) -> object:
        """The values."""
        return [list(value) if isinstance(value, tuple) else value for value in self.values]

    def accepts(self, value: object) -> bool:
        """Whether a value is one of them; true is not 1."""
        value = self.stored(value)
        return any(type(value) is type(one) and _same(value, one) for one in self.values)

    def stored(self, value: object) -> object:
        """The value, a list as a tuple."""
        return tuple(value) if isinstance(value, list) else value


def _same(value: object, other: object) -> bool:
    if isinstance(value, tuple):
        return value == other and all(map(is_int, value))
    return value == other


class Flag(Choice):
    """True or false."""

    __slots__ = ()

    def __init__(self, *, default: bool) -> None:
        super().__init__(default, not default)


class Counts:
    """Null, or a list of distinct whole numbers from `low` to `high`."""

    __slots__ = ("default", "high", "low")

    def __init__(self, low: int, high: int) -> None:
        self.low: Final = low
        self.high: Final = high
        self.default: Final = None

    @property
    def allowed(self) -> object:
        """The ends of the range of each number."""
        return {"min": self.low, "max": self.high, "null": True}

    def accepts(self, value: object) -> bool:
        """Whether a value is null or such a list."""
        if value is None:
            return True
        if not isinstance(value, list | tuple):
            return False
        inside = all(is_int(one) and self.low <= one <= self.high for one in value)
        return inside and len(set(value)) == len(value)

    def stored(self, value: object) -> object:
        """Null or a tuple, in the order given."""
        return tuple(value) if isinstance(value, list) else value


class Tiers:
    """A list of [greatest total, multiplier], totals ascending, empty by default."""

    __slots__ = ("default", "multiplier_max", "total_max")

    def __init__(self, total_max: int, multiplier_max: int) -> None:
        self.total_max: Final = total_max
        self.multiplier_max: Final = multiplier_max
        self.default: Final = ()

    @property
    def allowed(self) -> object:
        """The ranges of both numbers of a tier."""
        return {
            "total": {"min": 0, "max": self.total_max},
            "multiplier": {"min": 1, "max": self.multiplier_max},
        }

    def accepts(self, value: object) -> bool:
        """Whether a value is a list of such pairs, no total twice and each above the one before."""
        if not isinstance(value, list | tuple) or not all(map(self._is_tier, value)):
            return False
        totals = [tier[0] for tier in value]
        return all(low < high for low, high in pairwise(totals))

    def stored(self, value: object) -> object:
        """A tuple of tuples."""
        return tuple(map(tuple, value)) if isinstance(value, Sequence) else value

    def _is_tier(self, tier: object) -> bool:
        match tier:
            case [total, multiplier] if is_int(total) and is_int(multiplier):
                return 0 <= total <= self.total_max and 1 <= multiplier <= self.multiplier_max
        return False
