"""How many tables a field needs, and who sits where at the start (`tournaments.md` section 1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tournaments.core import lot


@dataclass(frozen=True, slots=True)
class Placing:
    """A seat (1..) at a table, tables counted from 1."""

    player: str
    table_number: int
    seat: int


def table_count(players: int, seats: int) -> int:
    """Tables that `players` need.

    >>> table_count(10, 3)
    4
    """
    return -(-players // seats)


def table_sizes(players: int, seats: int) -> list[int]:
    """Sizes of the tables, largest first; they differ by at most 1.

    >>> table_sizes(10, 3)
    [3, 3, 2, 2]
    """
    tables = table_count(players, seats)
    if not tables:
        return []
    size, larger = divmod(players, tables)
    return [size + 1] * larger + [size] * (tables - larger)


def draw_seats(seed: bytes, players: Sequence[str], *, seats: int, act: int) -> list[Placing]:
    """Seats by lot `seat/<act>`: in its order, one player to each table in turn."""
    tables = table_count(len(players), seats)
    drawn = lot.order(seed, f"seat/{act}", players)
    return [
        Placing(player, index % tables + 1, index // tables + 1)
        for index, player in enumerate(drawn)
    ]
