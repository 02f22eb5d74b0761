"""Prizes that are tickets: places of another tournament (`tournaments.md` section 10.6).

A ticket is cash: its price is credited, and an entry is bought with it at once. So everything here
is an amount, and a word about who buys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.core.prizes import share_places


@dataclass(frozen=True, slots=True)
class Tickets:
    """How a pool is cut into tickets; `remainder` is what is less than one."""

    number: int
    price: int
    remainder: int
    players: int

    @property
    def remainder_place(self) -> int:
        """The place whose prize the remainder is; first place where nobody comes after."""
        return self.number + 1 if self.number < self.players else 1

    @property
    def vector(self) -> list[int]:
        """Prize of each paid place.

        >>> cut(13001, price=5000, players=9).vector
        [5000, 5000, 3001]
        """
        prizes = [self.price] * self.number
        if self.number < self.players:
            return [*prizes, self.remainder] if self.remainder else prizes
        return [self.price + self.remainder, *prizes[1:]]


@dataclass(frozen=True, slots=True)
class Awards:
    """What each player gets, and who buys an entry with it, best place first."""

    amounts: Mapping[str, int]
    ticket_holders: tuple[str, ...]


def cut(pool: int, *, price: int, players: int) -> Tickets:
    """Tickets of a pool, never more than there are players.

    `price` is all that an entry of the target costs: buy-in, fee and head. Raises: ValueError for
    a target that costs nothing.
    """
    if price < 1:
        raise ValueError("a ticket for a tournament that costs nothing")
    number = min(pool // price, players)
    return Tickets(number, price, pool - number * price, players)


def award(tickets: Tickets, ranks: Sequence[Sequence[str]]) -> Awards:
    """Amounts by place, groups from first place on, each in the order of the lot `tie`.

    A group wholly inside the tickets gets tickets. One across the line gets none: a ticket can not
    be divided, so the prizes of its places are shared in cash.

    >>> award(cut(13001, price=5000, players=5), [["a"], ["b"], ["d", "c"], ["e"]])
    Awards(amounts={'a': 5000, 'b': 5000, 'd': 1501, 'c': 1500, 'e': 0}, ticket_holders=('a', 'b'))
    """
    holders: list[str] = []
    place = 0
    for group in ranks:
        place += len(group)
        if place <= tickets.number:
            holders += group
    return Awards(share_places(tickets.vector, ranks), tuple(holders))
