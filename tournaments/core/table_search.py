"""Tables of three for one round of a round robin whose size has no known design (2.5)."""

from collections.abc import Iterator, Sequence
from itertools import product

from tournaments.core.meetings import Matrix, Round, cost
from tournaments.core.seating import table_sizes

SEATS = 3


def find_round(above: Matrix, short: Sequence[int]) -> Round:
    """A round of little `cost`: one table after another, then exchanges while the cost falls.

    >>> find_round([[0] * 4] * 4, [0] * 4)
    ((0, 1), (2, 3))
    """
    tables = _one_by_one(above, short)
    best = cost(_fixed(tables), above, short)
    improved = True
    while improved:
        improved = False
        for changed in _exchanges(tables):
            price = cost(_fixed(changed), above, short)
            if price < best:
                tables, best, improved = changed, price, True
                break
    return _fixed(tables)


def _one_by_one(above: Matrix, short: Sequence[int]) -> list[list[int]]:
    """Each table takes who has met its players least; short ones whom few short tables had."""
    left = sorted(range(len(short)), key=lambda player: -short[player])
    tables = []
    for size in table_sizes(len(left), SEATS):
        table = [left.pop(0)]
        while len(table) < size:
            least = min(left, key=lambda one: sum(above[one][other] for other in table))
            table.append(least)
            left.remove(least)
        tables.append(table)
    return tables


def _exchanges(tables: Sequence[Sequence[int]]) -> Iterator[list[list[int]]]:
    """All ways for two players of different tables to change places."""
    for first, one in enumerate(tables):
        for second in range(first + 1, len(tables)):
            for here, there in product(range(len(one)), range(len(tables[second]))):
                changed = [list(table) for table in tables]
                changed[first][here] = tables[second][there]
                changed[second][there] = one[here]
                yield changed


def _fixed(tables: Sequence[Sequence[int]]) -> Round:
    return tuple(tuple(table) for table in tables)
