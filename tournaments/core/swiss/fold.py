"""Round one: the field is folded, so that each table has a player of every strength (9.3)."""

from collections.abc import Iterator, Sequence

from tournaments.core.swiss.cost import Costs
from tournaments.core.swiss.field import Table


def fold(players: Sequence[int], size: int) -> list[Table]:
    """Table t of T gets t, t+T, t+2T, ...

    >>> fold([1, 2, 3, 4, 5, 6], 3)
    [(1, 3, 5), (2, 4, 6)]
    """
    count = len(players) // size
    return [tuple(players[first::count]) for first in range(count)]


def keep_apart(tables: Sequence[Table], costs: Costs) -> list[Table]:
    """The fold, with those parted who should not meet.

    From the top table down, a player is exchanged for one of the same row, so that all tables stay
    as strong as they were: the weakest row that helps, with the nearest table.
    """
    parted = list(tables)
    for place in range(len(parted)):
        while _part(parted, place, costs):
            pass
    return parted


def _part(tables: list[Table], place: int, costs: Costs) -> bool:
    """Whether an exchange lowered the number of pairs at this table that should not meet."""
    table = tables[place]
    if costs.table(table) < costs.group:
        return False
    for other in _nearest(place, len(tables)):
        before = _avoidable(costs, table, tables[other])
        for row in reversed(range(len(table))):
            changed = [
                (*mine[:row], his[row], *mine[row + 1 :])
                for mine, his in ((table, tables[other]), (tables[other], table))
            ]
            if _avoidable(costs, *changed) < before:
                tables[place], tables[other] = changed
                return True
    return False


def _nearest(place: int, count: int) -> Iterator[int]:
    """Other places, the nearest first, of two equally near the upper one."""
    for distance in range(1, count):
        yield from (one for one in (place - distance, place + distance) if 0 <= one < count)


def _avoidable(costs: Costs, *tables: Table) -> int:
    return sum(costs.table(table) // costs.group for table in tables)
