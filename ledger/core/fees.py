"""What the house takes from a hand (`ledger.md` section 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from eventstore.core.shares import split_largest_remainder

BASIS_POINTS = 10_000
# Hands that the deal decided, that were drawn or voided: no play, no rake.
UNRAKED_ENDS = frozenset({"initial_tonk", "initial_spread", "initial_low", "initial_draw", "void"})

Seat = TypeVar("Seat")


@dataclass(frozen=True, slots=True)
class RakeTerms:
    """Rake of a table: basis points (0..1000) of what is won, at most `cap` minor units a hand."""

    bp: int
    cap: int | None


def rake(
    terms: RakeTerms, end: str, net: Mapping[Seat, int], order: Sequence[Seat]
) -> dict[Seat, int]:
    """What each winner pays of his gain; those who pay nothing are left out.

    `net` is before rake; `order` names the seats from the dealer's left on, where odd units go
    first. The whole is rounded down, in the players' favour. A loser pays none.

    >>> rake(RakeTerms(bp=350, cap=None), "caught", {1: -300, 2: 200, 3: 100}, [3, 1, 2])
    {3: 3, 2: 7}
    """
    winners = [seat for seat in order if net[seat] > 0]
    if end in UNRAKED_ENDS or not winners:
        return {}
    gains = [net[seat] for seat in winners]
    total = sum(gains) * terms.bp // BASIS_POINTS
    if terms.cap is not None:
        total = min(total, terms.cap)
    shares = split_largest_remainder(total, gains)
    return {seat: share for seat, share in zip(winners, shares, strict=True) if share}
