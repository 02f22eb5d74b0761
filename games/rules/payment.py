"""What is really paid at tournament tables, where chips can run out (`tournaments.md` section 5).

The rules say who owes whom; this module says who pays what, who busts and who captured him.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from eventstore.core.shares import split_largest_remainder

Who = TypeVar("Who", bound=Hashable)

PAYMENTS = ("full", "table_stakes")
"""`full`: everybody pays all he owes. `table_stakes`: at most the chips he had at the start."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Chips or money that go from one seat to another because of a hand."""

    from_seat: int
    to_seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class Paid:
    """What a hand moved: the payments by payer in seat order, and each seat's stack after it."""

    paid: tuple[Transfer, ...]
    stacks: Mapping[int, int]


def pay(due: Iterable[Transfer], *, stacks: Mapping[int, int], payment: str) -> Paid:
    """Payments of a hand in which `due` is owed by seats with these `stacks` at its start.

    `stacks` lists every seat dealt in, in seat order. All payments are simultaneous: what the same
    hand brings a payer pays none of its debts. The dues of a pair are added first.

    >>> owed = [Transfer(1, 2, 30), Transfer(1, 3, 30)]
    >>> dict(pay(owed, stacks={1: 40, 2: 70, 3: 90}, payment="table_stakes").stacks)
    {1: 0, 2: 90, 3: 110}

    Raises: ValueError for an unknown payment, a due of a seat not dealt in, a negative amount, or
    debts of one pair that go both ways.
    """
    if payment not in PAYMENTS:
        raise ValueError(f"payment {payment!r} is none of {PAYMENTS}")
    debts = _debts_of_pairs(due, stacks)
    seats = sorted(stacks)
    paid: list[Transfer] = []
    for payer in seats:
        creditors = [seat for seat in from_the_left(payer, seats) if (payer, seat) in debts]
        owed = [debts[payer, seat] for seat in creditors]
        amounts = owed if payment == "full" else short_stack_shares(stacks[payer], owed)
        paid += [
            Transfer(payer, seat, amount)
            for seat, amount in zip(creditors, amounts, strict=True)
            if amount
        ]
    after = dict(stacks)
    for one in paid:
        after[one.from_seat] -= one.amount
        after[one.to_seat] += one.amount
    return Paid(tuple(paid), after)


def short_stack_shares(stack: int, owed: Sequence[int]) -> list[int]:
    """What each creditor gets, creditors in seat order from the payer's left.

    >>> short_stack_shares(5, [4, 4])
    [3, 2]
    """
    if sum(owed) <= stack:
        return list(owed)
    return split_largest_remainder(stack, owed)


def from_the_left(seat: int, seats: Iterable[int]) -> list[int]:
    """The other seats clockwise, the one at the left of `seat` first.

    >>> from_the_left(2, [1, 2, 4])
    [4, 1]
    """
    others = sorted(other for other in seats if other != seat)
    return [other for other in others if other > seat] + [other for other in others if other < seat]


def busted(outcome: Paid) -> list[int]:
    """Seats with no chips left, in seat order."""
    return [seat for seat, stack in sorted(outcome.stacks.items()) if stack == 0]


def capturers(seat: int, outcome: Paid) -> list[int]:
    """The seats that received chips from `seat` in the hand, in seat order from his left."""
    takers = {one.to_seat for one in outcome.paid if one.from_seat == seat}
    return [other for other in from_the_left(seat, outcome.stacks) if other in takers]


def places_of_busts(
    remaining: int, chips_at_start: Mapping[Who, int]
) -> dict[Who, tuple[int, int]]:
    """Best and worst place of those who bust together, out of `remaining` players before it.

    More chips at the start of the hand is the better place, equal chips tie.

    >>> places_of_busts(4, {1: 30, 2: 20})
    {1: (3, 3), 2: (4, 4)}
    """
    survivors = remaining - len(chips_at_start)
    places = {}
    for who, chips in chips_at_start.items():
        better = sum(other > chips for other in chips_at_start.values())
        equal = sum(other == chips for other in chips_at_start.values())
        places[who] = (survivors + better + 1, survivors + better + equal)
    return places


def _debts_of_pairs(
    due: Iterable[Transfer], stacks: Mapping[int, int]
) -> dict[tuple[int, int], int]:
    debts: dict[tuple[int, int], int] = defaultdict(int)
    for one in due:
        known = one.from_seat in stacks and one.to_seat in stacks
        if one.amount < 0 or not known or one.from_seat == one.to_seat:
            raise ValueError(f"no due of this hand: {one}")
        if one.amount:
            debts[one.from_seat, one.to_seat] += one.amount
    if any(pair[::-1] in debts for pair in debts):
        raise ValueError("between one pair of seats dues go one way only")
    return debts
