"""Who has the bye, and who sits at a short table (9.2)."""

from collections.abc import Sequence
from itertools import combinations

from tournaments.core.seating import table_sizes
from tournaments.core.swiss.cost import Costs
from tournaments.core.swiss.field import Ranked
from tournaments.core.swiss.matching import pair_all

MATCHED_PLAYERS_MAX = 500
"""Above it nobody has met half of the field, and to look at all pairs takes too long."""


def has_bye(players: int, seats: int) -> bool:
    """Whether one of so many players present sits out.

    >>> has_bye(7, 2), has_bye(7, 3), has_bye(1, 3)
    (True, False, True)
    """
    return players == 1 or (seats == 2 and players % 2 == 1)


def bye(given: Ranked, costs: Costs) -> int | None:
    """Who sits out: the lowest of those with the fewest byes, so that the rest can be paired.

    If the rest of nobody can be paired without a rematch, the lowest of them.
    """
    if not has_bye(given.count, given.field.seats):
        return None
    fewest = min(given.byes)
    able = [player for player in reversed(range(given.count)) if given.byes[player] == fewest]
    for player in able:
        rest = [other for other in range(given.count) if other != player]
        if can_be_paired(rest, costs):
            return player
    return able[0]


def can_be_paired(players: Sequence[int], costs: Costs) -> bool:
    """Whether tables of two are possible without a rematch and without a forbidden pair."""
    # Whoever may meet half of all others or more: then there is a way for everybody (Dirac 1952).
    most = max((len(costs.avoided[player]) for player in players), default=0)
    if len(players) - 1 - most >= len(players) // 2 or len(players) > MATCHED_PLAYERS_MAX:
        return True
    return pairs(players, costs) is not None


def pairs(players: Sequence[int], costs: Costs) -> list[tuple[int, int]] | None:
    """Tables of two without a rematch and without a forbidden pair, if there are such."""
    barred: list[set[int]] = [set() for _ in players]
    for one, other in combinations(range(len(players)), 2):
        if costs.pair(players[one], players[other]) >= costs.rematch:
            barred[one].add(other)
            barred[other].add(one)
    mates = pair_all(barred)
    if mates is None:
        return None
    return [(players[one], players[other]) for one, other in enumerate(mates) if one < other]


def at_short_tables(seated: Sequence[int], given: Ranked) -> list[int]:
    """Those who sit at the smaller tables of the round, if not all are of one size.

    The lowest of those who sat at the fewest short tables so far. A table is short beside the
    others of its round: where all have the same size, nobody is worse off.
    """
    sizes = table_sizes(len(seated), given.field.seats)
    if not sizes or sizes[0] == sizes[-1]:
        return []
    seats = sizes[-1] * sizes.count(sizes[-1])
    from_below = [*reversed(seated)]
    from_below.sort(key=given.shorts.__getitem__)
    return sorted(from_below[:seats])
