"""Tables from the top down: everybody takes the next one whom nobody at his table should avoid."""

from collections.abc import Sequence

from tournaments.core.swiss.cost import Costs
from tournaments.core.swiss.field import Table

WINDOW = 60  # players looked at before two meet who should not


def top_down(order: Sequence[int], size: int, costs: Costs) -> list[Table]:
    """Tables in order of their first player; `order` holds a multiple of `size` players."""
    after = [*range(1, len(order) + 1)]  # place of the next one who sits nowhere yet
    tables = []
    head = 0
    while head < len(order):
        table = [order[head]]
        while len(table) < size:
            before = _before_next(table, head, order, after, costs)
            chosen = after[before]
            table.append(order[chosen])
            after[before] = after[chosen]
        head = after[head]
        table.sort()
        tables.append(tuple(table))
    return tables


def _before_next(
    table: Sequence[int], head: int, order: Sequence[int], after: Sequence[int], costs: Costs
) -> int:
    """Place before that of the next companion; before the one least to be avoided, if all are."""
    avoided, names = costs.avoided, costs.names
    least, best = 0, head
    before = head
    for seen in range(WINDOW):
        here = after[before]
        if here == len(order):
            break
        player = order[here]
        for one in table:
            if names[player] in avoided[one]:
                break
        else:
            return before
        price = sum(costs.pair(one, player) for one in table)
        if not seen or price < least:
            least, best = price, before
        before = here
    return best
