"""The best tables of a small set of players: all partitions are weighed."""

from collections.abc import Callable, Sequence
from itertools import combinations

from tournaments.core.swiss.field import Table

EXACT_PLAYERS_MAX = 12  # 15,400 partitions at three seats

_Best = tuple[int, tuple[Table, ...]]


def best_tables(
    players: Sequence[int], size: int, price: Callable[[Table], int]
) -> tuple[Table, ...]:
    """The cheapest tables of `size`; of equally cheap ones the smallest list when written by rank.

    The best player left is tried with all companions in rising order, and what a set of players
    costs at best is worked out once, whoever sits elsewhere.

    >>> best_tables([0, 1, 2, 3], 2, lambda table: table == (0, 1))
    ((0, 2), (1, 3))
    """
    known: dict[tuple[int, ...], _Best] = {(): (0, ())}

    def best_of(left: tuple[int, ...]) -> _Best:
        if left in known:
            return known[left]
        best: _Best | None = None
        for others in combinations(left[1:], size - 1):
            table = (left[0], *others)
            least = price(table)
            if best is not None and least >= best[0]:
                continue
            rest, tables = best_of(tuple([one for one in left[1:] if one not in others]))
            if best is None or least + rest < best[0]:
                best = least + rest, (table, *tables)
        if best is None:
            raise ValueError(f"{len(left)} players do not fill tables of {size}")
        known[left] = best
        return best

    return best_of(tuple(sorted(players)))[1]
