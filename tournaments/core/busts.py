"""Places of those who bust, and the final order (`tournaments.md` section 5)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from games.rules.payment import places_of_busts

Place = tuple[int, int]
"""Best and worst place of a player; they differ when he shares."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one synchronised hand of all tables has decided (6.4)."""

    places: Mapping[str, Place]
    remaining: int
    goes_on: bool


def worst_first(chips_at_start: Mapping[str, int]) -> list[str]:
    """Players who bust together in the order in which they are out, equal chips as given.

    >>> worst_first({"a": 30, "b": 20})
    ['b', 'a']
    """
    return sorted(chips_at_start, key=chips_at_start.__getitem__)


def judge_round(remaining_before: int, paid_places: int, busts: Mapping[str, int]) -> Round:
    """All hands of a round are one moment: its busts rank by their chips at its start.

    >>> judge_round(6, 5, {"a": 40, "b": 25}).places
    {'a': (5, 5), 'b': (6, 6)}
    """
    remaining = remaining_before - len(busts)
    places = places_of_busts(remaining_before, busts)
    return Round(places, remaining, goes_on=remaining > paid_places)


def bubble(remaining: int, paid_places: int) -> bool:
    """Whether the next to bust is the last one without a prize."""
    return remaining == paid_places + 1


def tie_groups(places: Mapping[str, Place]) -> list[list[str]]:
    """Players by place from first on, those who share a place together."""
    by_place: dict[int, list[str]] = {}
    for player, (best, _) in places.items():
        by_place.setdefault(best, []).append(player)
    return [by_place[best] for best in sorted(by_place)]


def cover_all(places: Sequence[Place]) -> bool:
    """Whether the ranges cover each place from 1 on exactly once.

    >>> cover_all([(1, 1), (2, 3), (2, 3)]), cover_all([(1, 1), (2, 3)])
    (True, False)
    """
    groups = Counter(places)
    covered = sorted(place for best, worst in groups for place in range(best, worst + 1))
    whole = all(worst - best + 1 == count for (best, worst), count in groups.items())
    return whole and covered == list(range(1, len(places) + 1))
