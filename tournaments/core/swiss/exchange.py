"""Tables made better by exchanging players between them, as long as the price falls."""

from collections import deque
from collections.abc import Iterable, Sequence

from tournaments.core.swiss.chains import chain
from tournaments.core.swiss.cost import Costs, Rest
from tournaments.core.swiss.field import Table

REACH = 40  # tables up and down in rank that a table exchanges with
CHAINED_TABLES_MAX = 100  # of larger rooms, chains go over the next tables only
CHAIN_REACH = 10
LOOKS_MAX = 20_000  # sets of tables looked at for one room: bounds its time


class Room:
    """Tables of one size, by rank of their best player, each with its price.

    Two moves, made only if they lower the price: two tables exchange a player each; at two seats,
    tables are formed anew along a chain.
    """

    def __init__(self, tables: Iterable[Table], costs: Costs) -> None:
        self.tables = sorted(tables)
        self._costs = costs
        self._prices = [costs.table(table) for table in self.tables]
        self._looks = 0

    @property
    def total(self) -> int:
        """Price of all tables."""
        return sum(self._prices)

    def exchange_all(self) -> None:
        """Exchange players until that helps no more, or enough was looked at."""
        self._exchange(range(len(self.tables)) if self._costs.weighs_firsts else self._costly())

    def chain_all(self) -> None:
        """At two seats: the same with chains, and exchanges again where they changed something."""
        while len(self.tables[0]) == 2 and not self._spreads_least():
            changed = self._chain()
            if not changed:
                break
            self._exchange(changed)

    def _costly(self) -> list[int]:
        """Tables that cost more than who deals first."""
        return [place for place, price in enumerate(self._prices) if price >= self._costs.spread]

    def _near(self, place: int, reach: int) -> list[int]:
        """Places of other tables up and down from one, while there is time."""
        around = range(max(0, place - reach), min(len(self.tables), place + reach + 1))
        near = [other for other in around if other != place]
        self._looks += len(near)
        return near if self._looks <= LOOKS_MAX else []

    def _exchange(self, todo: Sequence[int]) -> None:
        queue, queued = deque(todo), set(todo)
        while queue:
            place = queue.popleft()
            queued.remove(place)
            for other in self._near(place, REACH):
                if self._is_in_order(place, other):
                    continue
                if self._exchange_two(place, other):
                    again = sorted({place, other} - queued)
                    queue.extend(again)
                    queued.update(again)

    def _is_in_order(self, place: int, other: int) -> bool:
        """Whether no exchange of two tables helps: they keep apart whom they should, and one's
        players all have as many points as the other's or more.
        """
        costs, ours, theirs = self._costs, self.tables[place], self.tables[other]
        if costs.weighs_firsts or max(self._prices[place], self._prices[other]) >= costs.group:
            return False
        points = costs.points
        return points[ours[-1]] >= points[theirs[0]] or points[theirs[-1]] >= points[ours[0]]

    def _exchange_two(self, place: int, other: int) -> bool:
        """The exchange of two players that lowers the price most, if any does."""
        ours, theirs = self.tables[place], self.tables[other]
        least = self._prices[place] + self._prices[other]
        found = None
        against = [[self._costs.pair(mine, his) for his in theirs] for mine in ours]
        against_ours = [sum(column) for column in zip(*against, strict=True)]
        for mine, row in zip(self._costs.rests(ours), against, strict=True):
            against_theirs = sum(row)
            for his, between, sum_ours in zip(
                self._costs.rests(theirs), row, against_ours, strict=True
            ):
                price = self._with(mine, his.leaves) + sum_ours - between
                price += self._with(his, mine.leaves) + against_theirs - between
                if price < least:
                    least, found = price, (mine.leaves, his.leaves)
            if len(ours) == 2:
                break  # the other player for the other one is the same
        if found is None:
            return False
        mine_leaves, his_leaves = found
        tables = _swapped(ours, mine_leaves, his_leaves), _swapped(theirs, his_leaves, mine_leaves)
        self._set((place, other), tables)
        return True

    def _with(self, rest: Rest, player: int) -> int:
        """Price of a table that somebody joins, but for those whom he should not meet there."""
        costs, points = self._costs, self._costs.points[player]
        spread = (max(rest.top, points) - min(rest.low, points)) ** 2
        first = costs.firsts[player] if costs.turns[player] < rest.turn else rest.first
        return spread * costs.spread + rest.against + first

    def _spreads_least(self) -> bool:
        """Whether no two meet who should not, and points differ as little as at all possible."""
        players = sorted(player for table in self.tables for player in table)
        points = [self._costs.points[player] for player in players]
        pairs = zip(points[::2], points[1::2], strict=True)
        least = sum((one - other) ** 2 for one, other in pairs)
        return self.total // self._costs.spread == least

    def _chain(self) -> list[int]:
        """Places of tables that chains have changed."""
        changed: set[int] = set()
        reach = REACH if len(self.tables) <= CHAINED_TABLES_MAX else CHAIN_REACH
        for place in self._costly():
            near = self._near(place, reach)
            found = chain(self.tables[place], [self.tables[other] for other in near], self._costs)
            if found:
                players = {player for table in found for player in table}
                places = [one for one in (place, *near) if players.intersection(self.tables[one])]
                self._set(sorted(places), sorted(found))
                changed.update(places)
        return sorted(changed)

    def _set(self, places: Sequence[int], tables: Sequence[Table]) -> None:
        for place, table in zip(places, tables, strict=True):
            self.tables[place], self._prices[place] = table, self._costs.table(table)


def _swapped(table: Table, leaves: int, comes: int) -> Table:
    return tuple(sorted([comes if player == leaves else player for player in table]))
