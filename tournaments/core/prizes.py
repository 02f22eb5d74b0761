"""The pool and how it is divided among places (`tournaments.md` section 10). Whole units only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from eventstore.core.refusal import InvariantBroken
from eventstore.core.shares import split_even, split_largest_remainder

_WEIGHTS: tuple[tuple[int, ...], ...] = (
    (100,),
    (65, 35),
    (50, 30, 20),
    (40, 30, 18, 12),
    (37, 25, 17, 12, 9),
)
_PAID_UP_TO = ((3, 1), (6, 2), (12, 3), (20, 4), (30, 5))
_HARMONIC = 10**9
_BASIS_POINTS = 10_000


@dataclass(frozen=True, slots=True)
class Pool:
    """The prize pool and what it is made of."""

    collected: int
    rake: int
    overlay: int

    @property
    def amount(self) -> int:
        """What the places get together."""
        return self.collected - self.rake + self.overlay


@dataclass(frozen=True, slots=True)
class Payout:
    """How a pool is divided: automatic, own vector in basis points, or a fixed number of places."""

    kind: str = "auto"
    bp: tuple[int, ...] | None = None
    top: int | None = None
    round_to: int = 1


def pool_of(collected: int, *, rake_bp: int, guarantee: int) -> Pool:
    """Rake first, then the overlay that tops up to the guarantee.

    >>> pool_of(19000, rake_bp=1000, guarantee=20000)
    Pool(collected=19000, rake=1900, overlay=2900)
    """
    rake = collected * rake_bp // _BASIS_POINTS
    return Pool(collected, rake, max(0, guarantee - (collected - rake)))


def paid_places(entries: int) -> int:
    """Number of paid places by entries, before any is dropped.

    >>> [paid_places(entries) for entries in (3, 9, 31, 34)]
    [1, 3, 5, 6]
    """
    for up_to, places in _PAID_UP_TO:
        if entries <= up_to:
            return places
    return -(-15 * entries // 100)


def weights(places: int) -> tuple[int, ...]:
    """Weights of so many paid places, the best first."""
    if places <= len(_WEIGHTS):
        return _WEIGHTS[places - 1]
    return tuple(_HARMONIC // place for place in range(1, places + 1))


def divide(pool: int, shares: Sequence[int], round_to: int = 1) -> list[int]:
    """Prizes by largest remainder, each floored to `round_to`, the rest to first.

    >>> divide(12345, [50, 30, 20], 100)
    [6245, 3700, 2400]

    Raises: InvariantBroken where a worse place would get more than a better one.
    """
    prizes = [amount - amount % round_to for amount in split_largest_remainder(pool, shares)]
    prizes[0] += pool - sum(prizes)
    if sum(prizes) != pool or any(a < b for a, b in pairwise(prizes)):
        raise InvariantBroken(f"prizes {prizes} of {pool}")
    return prizes


def vector(pool: int, payout: Payout, *, entries: int, players: int, price: int) -> list[int]:
    """Prize of each paid place, never more places than players.

    `price` is what one entry costs (buy-in and fee): in the automatic division the last prize is
    at least that, or a place is dropped.

    >>> vector(3200, Payout(), entries=4, players=4, price=1300)
    [3200]
    """
    if payout.kind == "bp" and payout.bp is not None:
        return divide(pool, payout.bp[:players], payout.round_to)
    if payout.kind == "top" and payout.top is not None:
        return divide(pool, weights(min(payout.top, players)), payout.round_to)
    places = min(paid_places(entries), players)
    while True:
        prizes = divide(pool, weights(places), payout.round_to)
        if places == 1 or prizes[-1] >= price:
            return prizes
        places -= 1


def share_places(prizes: Sequence[int], ranks: Sequence[Sequence[str]]) -> dict[str, int]:
    """Amount of each player, groups from first place on, each in the order of the lot.

    The prizes of the places that a group covers are summed and split evenly.

    >>> share_places([5001, 3000, 2000], [["a"], ["b", "c"]])
    {'a': 5001, 'b': 2500, 'c': 2500}
    """
    amounts: dict[str, int] = {}
    place = 0
    for group in ranks:
        covered = sum(prizes[place : place + len(group)])
        amounts.update(zip(group, split_even(covered, len(group)), strict=True))
        place += len(group)
    return amounts


def assert_paid_out(amounts: Mapping[str, int], pool: Pool) -> None:
    """Raises: InvariantBroken unless the amounts give out exactly the pool."""
    if sum(amounts.values()) != pool.amount or min(amounts.values(), default=0) < 0:
        raise InvariantBroken(f"prizes {sum(amounts.values())} of a pool of {pool.amount}")
