"""Who is dealt in, who sits where, who deals: customs of a table (`rules.md` section 7)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from games.rules.liability import liability
from games.rules.rotation import next_dealer
from games.rules.table import Place, Table

HANDS_NEED = 2  # players
DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Times:
    """Times of a clock profile in milliseconds (`tournaments.md` 7.1)."""

    move_ms: int
    bank_ms: int
    first_move_ms: int
    first_move_of_match_ms: int


CLOCKS = MappingProxyType(
    {
        "turbo": Times(10_000, 20_000, 60_000, 60_000),
        "normal": Times(20_000, 40_000, 60_000, 300_000),
        "casual": Times(45_000, 90_000, 120_000, 300_000),
        "correspondence": Times(DAY_MS, 0, DAY_MS, DAY_MS),
    }
)
BUY_IN_STAKES_MIN, BUY_IN_STAKES_MAX = 20, 100  # `tournaments.md` 2.1


def dealt_in(table: Table) -> tuple[Place, ...]:
    """The seats of the next hand, in seat order; none where it can not be dealt.

    At a money table each stack covers the worst case of the hand. At a tournament table short
    stacks are dealt in.
    """
    ready = [place for place in table.places if place.sat_out is None and place.leaving is None]
    if not table.of_tournament:
        ready = _secured(table, ready)
    return tuple(ready) if len(ready) >= HANDS_NEED else ()


def may_be_dealt_in(table: Table) -> bool:
    """Whether a hand can be dealt: two seats or more, and at a money table one of a person.

    House bots do not play one another for their wallets: nobody would be there to see it.
    """
    players = dealt_in(table)
    people = [place for place in players if place.bot is None]
    return bool(players) and (table.of_tournament or bool(people))


def _secured(table: Table, ready: Sequence[Place]) -> list[Place]:
    """The most players whose stacks all cover the worst case among so many, in seat order.

    Where stacks decide who stays out, the greatest play; of equal ones the lower seats.
    """
    by_stack = sorted(ready, key=lambda place: -place.stack)
    for count in range(len(ready), HANDS_NEED - 1, -1):
        if by_stack[count - 1].stack >= liability(table.rules.options, count, table.stake):
            return sorted(by_stack[:count], key=lambda place: place.seat)
    return []


def away_reason(place: Place) -> str:
    """Why a taken seat is not dealt in."""
    return place.sat_out or ("asked" if place.leaving else "stack")


def dealer_among(table: Table, seats: Sequence[int]) -> int | None:
    """Who deals the next hand to these seats; None where the cut must decide."""
    if table.dealer is None or not seats:
        return None
    if table.dealer in seats:
        return table.dealer
    return next_dealer(table.rules.options, seats, table.dealer, None)


def newcomers_seat(seat_count: int, taken: Iterable[int], dealer: int | None) -> int | None:
    """The first free seat counting from the next dealer to the right; None with all taken (R7).

    >>> newcomers_seat(3, [1, 3], 3), newcomers_seat(4, [2], None)
    (2, 1)
    """
    used = set(taken)
    if dealer is None:
        order = list(range(1, seat_count + 1))
    else:
        order = [(dealer - 1 - step) % seat_count + 1 for step in range(1, seat_count + 1)]
    return next((seat for seat in order if seat not in used), None)


def buy_in_bounds(worst: int, stake: int) -> tuple[int, int]:
    """Default bounds of a buy-in: 20 to 100 stakes, and never below the worst case of a hand."""
    least = max(BUY_IN_STAKES_MIN * stake, worst)
    return least, max(BUY_IN_STAKES_MAX * stake, least)
