"""The price of a table: the terms of 9.3, the first one the heaviest, packed into one integer."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from tournaments.core import lot
from tournaments.core.swiss.field import Ranked, Table

FIRSTS_PRESENT_MAX = 60
"""Above it the numbers of the lot for the seats cost more than the pairing: not weighed."""

_NOBODY: frozenset[str] = frozenset()


class Terms(NamedTuple):
    """A price unpacked. Pairs that the director forbade weigh more than all of 9.3."""

    forbidden: int
    rematches: int
    groups: int
    spread: int
    firsts: int


class Rest(NamedTuple):
    """What is left of a table when one player gets up, for the price with another in his place."""

    leaves: int
    top: int  # most points of the others
    low: int
    against: int  # price of those among them who should not meet
    turn: bytes  # number of the lot of him who would deal first
    first: int  # and the price of that


class Costs:
    """Prices of tables of one field, the lower the better; they add up over tables.

    Who would deal first is known before the pairing: of a table, he whom the lot of this round's
    seats names first. So his growing number of first deals can be weighed.
    """

    __slots__ = (
        "_declared", "_known", "_met", "_rests", "avoided", "firsts", "forbidden", "group",
        "names", "points", "rematch", "spread", "turns", "weighs_firsts",
    )  # fmt: skip

    def __init__(self, given: Ranked) -> None:
        self.names = given.field.players
        self.points = given.points
        self.weighs_firsts = given.count <= FIRSTS_PRESENT_MAX
        self.firsts: Sequence[int] = [0] * given.count
        self.turns: Sequence[bytes] = [b""] * given.count
        if self.weighs_firsts:
            context = f"seat/{given.field.act}"
            self.firsts = [2 * count + 1 for count in given.firsts]
            self.turns = [lot.key(given.field.seed, context, name) for name in self.names]
        self._weigh(given)
        self._declared = self._declared_pairs(given)
        self._met = [given.field.met.of.get(name, _NOBODY) for name in self.names]
        self.avoided = self._avoided()
        self._known: dict[Table, int] = {}
        self._rests: dict[Table, tuple[Rest, ...]] = {}

    def _weigh(self, given: Ranked) -> None:
        """One more of a term costs more than all that the terms after it can come to."""
        widest = given.points[0] - given.points[-1] if given.points else 0
        pairs = given.count * given.field.seats
        self.spread = given.count * max(self.firsts, default=0) + 1
        self.group = self.spread * (given.count * widest**2 + 1)
        self.rematch = self.group * (pairs + 1)
        self.forbidden = self.rematch * (pairs + 1)

    def _declared_pairs(self, given: Ranked) -> dict[Table, int]:
        """Price of the pairs of groups and of the forbidden ones, the better rank first."""
        prices: dict[Table, int] = {}
        for price, lists in ((self.group, given.groups), (self.forbidden, given.forbidden)):
            # A pair may stand in several lists, and pays once.
            for pair in {pair for ranks in lists for pair in combinations(ranks, 2)}:
                prices[pair] = prices.get(pair, 0) + price
        return prices

    def _avoided(self) -> list[frozenset[str]]:
        """Names of those whom everybody should not meet, for whatever reason."""
        avoided = [*self._met]
        declared: dict[int, set[str]] = {}
        for one, other in self._declared:
            declared.setdefault(one, set()).add(self.names[other])
            declared.setdefault(other, set()).add(self.names[one])
        for player, names in declared.items():
            avoided[player] |= names
        return avoided

    def pair(self, one: int, other: int) -> int:
        """Price of a meeting of two players; 0 if nothing is against it."""
        if self.names[other] not in self.avoided[one]:
            return 0
        met = self.rematch if self.names[other] in self._met[one] else 0
        return met + self._declared.get((min(one, other), max(one, other)), 0)

    def table(self, table: Table) -> int:
        """Price of one table."""
        price = self._known.get(table)
        if price is None:
            price = self._known[table] = self._price(table)
        return price

    def _price(self, table: Table) -> int:
        price = (self.points[table[0]] - self.points[table[-1]]) ** 2 * self.spread
        names = [self.names[player] for player in table]
        if not all(self.avoided[player].isdisjoint(names) for player in table[:-1]):
            met_by_each = sum([len(self._met[player].intersection(names)) for player in table])
            price += self.rematch * (met_by_each // 2)
            if self._declared:
                price += sum(self._declared.get(pair, 0) for pair in combinations(table, 2))
        if self.weighs_firsts:
            price += self.firsts[min(table, key=self.turns.__getitem__)]
        return price

    def rests(self, table: Table) -> tuple[Rest, ...]:
        """The table without each of its players in turn."""
        rests = self._rests.get(table)
        if rests is None:
            rests = self._rests[table] = tuple([self._rest(table, player) for player in table])
        return rests

    def _rest(self, table: Table, leaves: int) -> Rest:
        others = [player for player in table if player != leaves]
        first = min(others, key=self.turns.__getitem__)
        return Rest(
            leaves,
            self.points[others[0]],
            self.points[others[-1]],
            sum(self.pair(one, other) for one, other in combinations(others, 2)),
            self.turns[first],
            self.firsts[first],
        )

    def total(self, tables: Iterable[Table]) -> int:
        """Price of tables together."""
        return sum(map(self.table, tables))

    def terms(self, price: int) -> Terms:
        """What a price is made of."""
        forbidden, price = divmod(price, self.forbidden)
        rematches, price = divmod(price, self.rematch)
        groups, price = divmod(price, self.group)
        return Terms(forbidden, rematches, groups, *divmod(price, self.spread))
