"""The levels of bots under one signature (`bots.md` sections 3 and 4)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from games.bots.rng import Chance
from games.rules.seat_view import SeatView


@dataclass(frozen=True, slots=True)
class Budget:
    """What a decision may cost."""

    samples: int = 0
    cpu_ms_max: int = 250


@dataclass(frozen=True, slots=True)
class Decision:
    """A bot's choice: the move's text, and how it came about."""

    move: str
    values: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # stakes: mean, error
    samples: int = 0
    fallback: str | None = None


Policy = Callable[[SeatView, tuple[str, ...], bytes, Budget], Decision]


def random_0(view: SeatView, legal: tuple[str, ...], seed: bytes, budget: Budget) -> Decision:
    """Any legal move, evenly."""
    del view, budget
    return Decision(Chance(seed).pick(legal))


def greedy_1(view: SeatView, legal: tuple[str, ...], seed: bytes, budget: Budget) -> Decision:
    """Sheds points and never knocks: the first of the published order of legal moves."""
    del view, seed, budget
    return Decision(legal[0])


LEVELS: Mapping[str, Policy] = MappingProxyType({"random-0": random_0, "greedy-1": greedy_1})
VERSIONS: Mapping[str, int] = MappingProxyType({"random-0": 1, "greedy-1": 1})
"""A version never changes its play; a better one is the next number."""


def policy(name: str) -> Policy:
    """The policy of a level, with or without its version. Raises: KeyError.

    >>> policy("greedy-1@1") is greedy_1
    True
    """
    return LEVELS[name.split("@", maxsplit=1)[0]]


def versioned(level: str) -> str:
    """The level with its newest version, as events and names show it.

    >>> versioned("random-0")
    'random-0@1'
    """
    return f"{level}@{VERSIONS[level]}"
