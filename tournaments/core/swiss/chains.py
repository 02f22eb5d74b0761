"""At two seats: chains of players who each take the companion of the next one.

A table gives up its pair. One of the two takes a player from another table, whose companion takes
one from a third, and so on, until the last one left over takes the other of the first two. A
cheaper pairing of the same players always differs by such chains.
"""

from collections import deque
from collections.abc import Sequence

from tournaments.core.swiss.cost import Costs
from tournaments.core.swiss.field import Table

STEPS_MAX = 500  # players followed on from; some 160 take part, most of them once


def chain(first: Table, others: Sequence[Table], costs: Costs) -> list[Table] | None:
    """Tables that replace the first one and some of the others for less, if a chain is found.

    Who is left over at which price is worked out as shortest ways are.
    """
    start, end = first
    limit = costs.table(first)
    points, spread = costs.points, costs.spread
    seats = [(*pair, costs.table(table)) for table in others for pair in (table, table[::-1])]
    least = {start: 0}
    ways: dict[int, tuple[Table, ...]] = {start: ()}
    queue = deque([start])
    steps = 0
    while queue and steps < STEPS_MAX:
        steps += 1
        player = queue.popleft()
        price, formed, own_points = least[player], ways[player], points[player]
        if formed and price + costs.table(_pair(player, end)) < limit:
            return [*formed, _pair(player, end)]
        passed = {player, *(one for table in formed for one in table)}
        for other, left, given_up in seats:
            known = least.get(left, limit)
            # The spread alone is quick to see, and mostly too wide.
            reached = price - given_up + (own_points - points[other]) ** 2 * spread
            if reached >= known or other in passed or left in passed:
                continue
            reached = price - given_up + costs.table(_pair(player, other))
            if reached < known:
                least[left] = reached
                ways[left] = (*formed, _pair(player, other))
                queue.append(left)
    return None


def _pair(one: int, other: int) -> Table:
    return (one, other) if one < other else (other, one)
