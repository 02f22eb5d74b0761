"""What explains a result: statements, and the finished hand that they are derived from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from games.rules import events
from games.rules.cards import codes_of
from games.rules.options import Options, Tier
from games.rules.rulebook import Rulebook


class SeatTotal(NamedTuple):
    """A seat with its total; `how`: lower, equal, or the kind of an initial claim."""

    seat: int
    total: int
    how: str | None = None


Fact = int | str | tuple[str, ...] | tuple[SeatTotal, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that explains a result."""

    key: str
    rule: str | None
    """Number of the rule that says so; that of the transfer for a payment."""
    facts: Mapping[str, Fact]
    also: tuple[str, ...] = ()
    """Rules that decide as well: options, ties."""


@dataclass(frozen=True, slots=True)
class Case:
    """A result with what it is judged by."""

    ended: events.HandEnded
    book: Rulebook
    stake: int
    counts: Mapping[int, int]
    """Held total of each seat, in seat order."""
    by: int
    """Seat whose act ended the hand, 0 for none."""

    @property
    def options(self) -> Options:
        """The options of the hand."""
        return self.book.options

    @property
    def fixed(self) -> bool:
        """Whether stakes are paid, not points."""
        return self.options.settlement == "fixed"

    @property
    def winner(self) -> int:
        """Seat that won, the first of them where several did."""
        return self.ended.winners[0]

    @property
    def tied(self) -> bool:
        """Whether several won: the lowest totals tie, a caught knocker's left out."""
        return len(self.ended.winners) > 1

    def totals(self, seats: Iterable[int]) -> tuple[SeatTotal, ...]:
        """Seats with what they hold."""
        return tuple(SeatTotal(seat, self.counts[seat]) for seat in seats)

    def dealt_total(self, seat: int) -> int:
        """Points of the cards that a seat held at the end of a hand that was not played."""
        return next(
            self.book.points(self.cards(held)) for held in self.ended.held if held.seat == seat
        )

    def cards(self, held: events.HeldHand) -> int:
        """The cards of a seat as a set."""
        return self.book.pack.set_of(codes_of(held.cards))

    def priced(self, points: int) -> int:
        """How many times the stake one payment for so many points is, before a multiplier."""
        cap = self.options.difference_cap
        return 1 if cap is None else min(points, cap)

    def compared(self, seat: int) -> str:
        """How the total of another seat compares to that of the knocker."""
        theirs, own = self.counts[seat], self.counts[self.by]
        return "equal" if theirs == own else "lower" if theirs < own else "higher"

    def with_stakes(self, **facts: Fact) -> Mapping[str, Fact]:
        """Facts of which `amount` is one, with its whole stakes where it has them."""
        amount = facts["amount"]
        if isinstance(amount, int) and self.fixed and amount % self.stake == 0:
            facts["stakes"] = amount // self.stake
        return MappingProxyType(facts)


def said(key: str, rule: str | None, *also: str, **facts: Fact) -> Statement:
    """A statement of a rule with the facts that it names."""
    return Statement(key, rule, MappingProxyType(facts), also)


def tier_max(tiers: Iterable[Tier], total: int) -> int:
    """Greatest total of the first tier that a total is within (V6)."""
    return next(greatest for greatest, _ in tiers if total <= greatest)
