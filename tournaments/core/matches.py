"""The one shape in which every match format is driven (`tournaments.md` section 2).

A schedule holds the seeded field; what was played so far gives what is to be played now, and the
places that are settled. Settled stays settled: a later result or withdrawal undoes nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from types import MappingProxyType
from typing import Protocol

from eventstore.core.refusal import InvariantBroken
from tournaments.core.attendance import MEAN_POINTS, WIN_POINTS
from tournaments.core.busts import Place, tie_groups

Group = tuple[str, ...]
"""Players who share a place."""

Key = tuple[int | Fraction, ...]
"""What players are ranked by, exact; more is better."""


@dataclass(frozen=True, slots=True)
class Result:
    """Net chips of those who came to a match, and who did not.

    A match won by walkover has chips of the winner alone, a double no-show none. Who is in neither
    had withdrawn when it was played.
    """

    chips: Mapping[str, int]
    absent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Played:
    """Results by key of the match, and who withdrew, in that order.

    A correction that came too late to change a pairing (11.3) is no result in here.
    """

    results: Mapping[str, Result] = field(default_factory=lambda: MappingProxyType({}))
    withdrawn: tuple[str, ...] = ()

    def result(self, key: str, players: Iterable[str]) -> Result | None:
        """Result of the match `key` of `players`. Raises: InvariantBroken if it is of others."""
        known = self.results.get(key)
        if known is not None and not {*known.chips, *known.absent} <= set(players):
            raise InvariantBroken(f"match {key} of {players} has the result {known}")
        return known

    def present(self, players: Sequence[str]) -> Group:
        """Who of `players` can play. Of those who have all withdrawn, who did so last.

        He was alone at the table once, and has won it; that a later withdrawal must not undo.

        >>> Played(withdrawn=("b", "a")).present(["a", "b"])
        ('a',)
        """
        here = tuple(player for player in players if player not in self.withdrawn)
        return here or tuple(sorted(players, key=self.withdrawn.index)[-1:])


@dataclass(frozen=True, slots=True)
class Ready:
    """A match to be played now. `round` counts from 1 through the whole event."""

    key: str
    round: int
    players: Group


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a format stands. When it is over, everybody has his place."""

    ready: tuple[Ready, ...]
    places: Mapping[str, Place]
    is_over: bool

    @property
    def groups(self) -> list[list[str]]:
        """Players with a place from first on, those who share one together."""
        return tie_groups(self.places)


class Schedule(Protocol):
    """A match format with its seeded field."""

    def progress(self, played: Played) -> Progress:
        """What can be played now, and who has which place."""
        ...


NOTHING_PLAYED = Played()


def places_from_last(groups: Iterable[Group | None], players: int) -> dict[str, Place]:
    """Places of groups from the last place of `players` on, up to one that is still open (None).

    >>> places_from_last([("d",), ("b", "c"), None], 4)
    {'d': (4, 4), 'b': (2, 3), 'c': (2, 3)}
    """
    places: dict[str, Place] = {}
    for group in groups:
        if group is None:
            break
        worst = players - len(places)
        places |= dict.fromkeys(group, (worst - len(group) + 1, worst))
    return places


def levels(keys: Mapping[str, Key]) -> list[Group]:
    """Players by their keys, the best first, those who are equal together as given.

    >>> levels({"a": (1, 0), "b": (2, 5), "c": (1, 0)})
    [('b',), ('a', 'c')]
    """
    ranked = sorted(keys, key=keys.__getitem__, reverse=True)
    return [tuple(group) for _, group in groupby(ranked, key=keys.__getitem__)]


def match_points(chips: Mapping[str, int]) -> dict[str, int]:
    """Points of those at a table by their match chips; who came alone has won.

    >>> match_points({"a": 10, "b": -5, "c": -5})
    {'a': 120, 'b': 30, 'c': 30}
    """
    if len(chips) == 1:
        return dict.fromkeys(chips, WIN_POINTS)
    return {
        player: MEAN_POINTS * (2 * beaten + tied) // (len(chips) - 1)
        for player, (beaten, tied) in beaten_and_tied(chips).items()
    }


def beaten_and_tied(chips: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """How many of the others each has beaten, and with how many he is level.

    >>> beaten_and_tied({"a": 10, "b": -5, "c": -5})
    {'a': (2, 0), 'b': (0, 1), 'c': (0, 1)}
    """
    nets = list(chips.values())
    return {
        player: (sum(other < net for other in nets), nets.count(net) - 1)
        for player, net in chips.items()
    }
