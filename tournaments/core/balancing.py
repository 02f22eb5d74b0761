"""When tables are broken, who must move, and which table waits (`tournaments.md` 6.1 to 6.3).

Sizes are enough to decide from where to where; the second half of the module picks the player and
his seat.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tournaments.core import lot
from tournaments.core.seating import table_count

Waiting = Literal["alone", "short"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A table as balancing sees it. Only a table between hands gives players away."""

    size: int
    between_hands: bool


@dataclass(frozen=True, slots=True)
class Move:
    """One player goes from a table to another; tables by number."""

    source: int
    target: int
    breaking: bool


@dataclass(frozen=True, slots=True)
class Rebalance:
    """Moves in order, the tables broken, and the sizes of the tables that are left."""

    moves: tuple[Move, ...]
    broken: tuple[int, ...]
    sizes: Mapping[int, int]


def is_balanced(sizes: Collection[int], seats: int) -> bool:
    """Whether the number of tables is right and no two sizes differ by more than 1."""
    right = len(sizes) == table_count(sum(sizes), seats)
    return right and max(sizes) - min(sizes) <= 1


def rebalance(tables: Mapping[int, Standing], seats: int) -> Rebalance:
    """What must happen now, tables by number, `seats` at a full one.

    >>> full, short = Standing(3, between_hands=True), Standing(1, between_hands=True)
    >>> rebalance({1: full, 2: full, 3: short}, 3).moves
    (Move(source=1, target=3, breaking=False),)
    """
    sizes = {number: standing.size for number, standing in tables.items()}
    needed = table_count(sum(sizes.values()), seats)
    moves: list[Move] = []
    broken: list[int] = []
    while len(sizes) > needed:
        goes = min(sizes, key=lambda number: (sizes[number], -number))
        if not tables[goes].between_hands:
            break
        moves += _spread_out(goes, sizes)
        broken.append(goes)
    while len(sizes) == needed and max(sizes.values()) - min(sizes.values()) > 1:
        largest = max(sizes.values())
        able = [n for n, size in sizes.items() if size == largest and tables[n].between_hands]
        if not able:
            break
        moves.append(Move(min(able), _smallest(sizes), breaking=False))
        sizes[moves[-1].source] -= 1
        sizes[moves[-1].target] += 1
    return Rebalance(tuple(moves), tuple(broken), sizes)


def waiting_reason(size: int, largest: int) -> Waiting | None:
    """Why a table of `size` gets no hand now, or None if it plays on."""
    if size <= 1:
        return "alone"
    return "short" if size <= largest - 2 else None


def _smallest(sizes: Mapping[int, int]) -> int:
    return min(sizes, key=lambda number: (sizes[number], number))


def _spread_out(goes: int, sizes: dict[int, int]) -> Iterable[Move]:
    for _ in range(sizes.pop(goes)):
        target = _smallest(sizes)
        sizes[target] += 1
        yield Move(goes, target, breaking=True)


# Who moves, and where he sits


@dataclass(frozen=True, slots=True)
class Ring:
    """The seats of a table (1..seats), those that are taken, and who deals next."""

    seats: int
    taken: frozenset[int]
    next_dealer: int

    def free(self) -> list[int]:
        """Seats that nobody has, lowest first."""
        return [seat for seat in range(1, self.seats + 1) if seat not in self.taken]

    def hands_until_deal(self, seat: int) -> int:
        """Hands before the player at `seat` deals, if he sits there from now on."""
        players = self.taken | {seat}
        return sum((other - self.next_dealer) % self.seats < self._turn(seat) for other in players)

    def _turn(self, seat: int) -> int:
        return (seat - self.next_dealer) % self.seats


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player who may have to move."""

    player: str
    seat: int
    moves: int
    sitting_out: bool = False


def best_seat(candidate: Candidate, source: Ring, target: Ring) -> tuple[int, int]:
    """Least change of the hands until he deals, and the free seat that gives it."""
    here = source.hands_until_deal(candidate.seat)
    return min((abs(here - target.hands_until_deal(seat)), seat) for seat in target.free())


def mover(
    candidates: Iterable[Candidate], *, source: Ring, target: Ring, seed: bytes, draw: int
) -> tuple[Candidate, int]:
    """Who leaves the source and his seat at the target; the last word has the lot `mover/<draw>`.

    Fewest moves so far, then sitting out, then the least change of the hands until he deals.
    """

    def rank(candidate: Candidate) -> tuple[int, bool, int, bytes]:
        change, _ = best_seat(candidate, source, target)
        by_lot = lot.key(seed, f"mover/{draw}", candidate.player)
        return candidate.moves, not candidate.sitting_out, change, by_lot

    chosen = min(candidates, key=rank)
    return chosen, best_seat(chosen, source, target)[1]
