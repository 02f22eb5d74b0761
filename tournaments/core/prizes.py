"""The pool and how it is divided among places (`tournaments.md` section 10). Whole units only."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from eventstore.core.refusal import InvariantBroken
from eventstore.core.shares import split_even, split_largest_remainder
from tournaments.core import events

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
    """The prize pool and what it is made of: all that entries, rebuys and add-ons brought in."""

    collected: int
    rake: int
    overlay: int
    heads_to_pool: int = 0

    @property
    def amount(self) -> int:
        """What the places get together."""
        return self.collected - self.rake + self.overlay + self.heads_to_pool


@dataclass(frozen=True, slots=True)
class Flow:
    """All that ever went through the three escrow accounts of a tournament."""

    paid_in: int
    overlay: int
    prizes: int
    bounties: int
    rake: int
    fees: int
    refunds: int


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
    Pool(collected=19000, rake=1900, overlay=2900, heads_to_pool=0)
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


def divide_among(pool: int, payout: Payout, places: int) -> list[int]:
    """Prizes of so many places, none dropped: the vector anew for a pool that has changed.

    >>> divide_among(8000, Payout(), 3)
    [4000, 2400, 1600]
    """
    shares = payout.bp[:places] if payout.bp is not None else weights(places)
    return divide(pool, shares, payout.round_to)


def vector(pool: int, payout: Payout, *, entries: int, players: int, price: int) -> list[int]:
    """Prize of each paid place, never more places than players.

    `price` is what one entry costs (buy-in and fee): in the automatic division the last prize is
    at least that, or a place is dropped.

    >>> vector(3200, Payout(), entries=4, players=4, price=1300)
    [3200]
    """
    if payout.bp is not None:
        return divide_among(pool, payout, players)
    if payout.top is not None:
        return divide_among(pool, payout, min(payout.top, players))
    for places in _enough_for(price, pool, payout.round_to, min(paid_places(entries), players)):
        prizes = divide_among(pool, payout, places)
        if prizes[-1] >= price:
            return prizes
    return [pool]


def share_places(prizes: Sequence[int], ranks: Sequence[Sequence[str]]) -> dict[str, int]:
    """Amount of each player, groups from first place on, each in the order of the lot.

    The prizes of the places that a group covers are summed and split evenly.

    >>> share_places([5001, 3000, 2000], [["a"], ["b", "c"]])
    {'a': 5001, 'b': 2500, 'c': 2500}
    """
    amounts: dict[str, int] = {}
    place = 0
    for index, group in enumerate(ranks):
        if place >= len(prizes):
            return amounts | dict.fromkeys(chain.from_iterable(ranks[index:]), 0)
        covered, count = prizes[place : place + len(group)], len(group)
        shares = covered if count == 1 else split_even(sum(covered), count)
        amounts.update(zip(group, shares, strict=True))
        place += count
    return amounts


def ranks_without(ranks: Sequence[Sequence[str]], disqualified: Collection[str]) -> list[list[str]]:
    """The ranking of all others: the disqualified take no place, all below move up.

    >>> ranks_without([["a"], ["b"], ["c", "d"]], {"b", "c"})
    [['a'], ['d']]
    """
    left = ([player for player in group if player not in disqualified] for group in ranks)
    return [group for group in left if group]


def prize_list(
    amounts: Mapping[str, int],
    ranks: Sequence[Sequence[str]],
    *,
    tickets: Collection[str] = (),
    ticket_for: str | None = None,
) -> list[events.Prize]:
    """Prizes as the pay-out states them, best place first; who gets nothing is not in it.

    `tickets` are the players whose prize is a ticket for the tournament `ticket_for`.
    """
    prizes, place = [], 1
    for group in ranks:
        for player in group:
            if amount := amounts[player]:
                target = ticket_for if player in tickets else None
                prizes.append(
                    events.Prize(place=place, player=player, amount=amount, ticket_for=target)
                )
        place += len(group)
    return prizes


def assert_paid_out(amounts: Mapping[str, int], pool: Pool) -> None:
    """Raises: InvariantBroken unless the amounts give out exactly the pool."""
    if sum(amounts.values()) != pool.amount or min(amounts.values(), default=0) < 0:
        raise InvariantBroken(f"prizes {sum(amounts.values())} of a pool of {pool.amount}")


def assert_balanced(flow: Flow) -> None:
    """Raises: InvariantBroken unless all that came in went out, to the unit (10.1)."""
    came = flow.paid_in + flow.overlay
    went = flow.prizes + flow.bounties + flow.rake + flow.fees + flow.refunds
    if came != went:
        raise InvariantBroken(f"{came} came in and {went} went out: {flow}")


def _enough_for(price: int, pool: int, round_to: int, most: int) -> Iterator[int]:
    """Numbers of places, above one, whose last prize may reach `price`, the greatest first.

    A prize is less than one unit above its exact share, so nearly all numbers that will not do are
    ruled out without a division of the whole pool: up to 1,500 places are judged like a few.
    """
    total = sum(weights(most))
    for places in range(most, len(_WEIGHTS), -1):
        weight = _HARMONIC // places
        highest = pool * weight // total + 1
        if highest - highest % round_to >= price:
            yield places
        total -= weight
    yield from range(min(most, len(_WEIGHTS)), 1, -1)
