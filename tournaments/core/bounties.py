"""Heads: the price on each player, and who gets it (`tournaments.md` section 10.5).

A head is money of the bounty escrow. What the capturers are paid leaves it; what is added to their
own heads stays in it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eventstore.core.shares import split_even
from tournaments.core import events

BountyKind = Literal["plain", "progressive"]
Heads = Mapping[str, int]
"""The price on each player's head."""
Bust = tuple[str, Sequence[str]]
"""Who is out, and his capturers in seat order from his left."""


@dataclass(frozen=True, slots=True)
class Won:
    """What one head brings: money, and a higher price on the capturers' own heads."""

    paid: Mapping[str, int]
    added: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LastHeads:
    """Where the heads that nobody captured go at the end."""

    facts: tuple[events.BountyPaid, ...]
    heads_to_pool: int


def win(head: int, capturers: Sequence[str], kind: BountyKind) -> Won:
    """A head among its capturers: all of it is paid, or one half (rounded down) if progressive.

    >>> win(200, ["x", "y", "z"], "plain").paid
    {'x': 67, 'y': 67, 'z': 66}
    >>> win(501, ["x"], "progressive")
    Won(paid={'x': 250}, added={'x': 251})
    """
    paid = head // 2 if kind == "progressive" else head
    return Won(_evenly(paid, capturers), _evenly(head - paid, capturers))


def busts_of_hand(
    heads: Heads, busts: Iterable[Bust], *, kind: BountyKind, currency: str
) -> tuple[events.BountyPaid, ...]:
    """Each bust of a hand by itself, in place order from the worst, as `busts` must list them.

    No capturers, or no price on the head: nothing is paid and the head stays as it is.

    >>> [fact.paid[0].amount for fact in busts_of_hand(
    ...     {"a": 500, "b": 500, "c": 500}, [("c", ["a"]), ("a", ["b"])],
    ...     kind="progressive", currency="XTK")]
    [250, 375]
    """
    raised: Counter[str] = Counter()
    facts = []
    for player, capturers in busts:
        head = heads.get(player, 0) + raised[player]
        if head and capturers:
            won = win(head, capturers, kind)
            raised.update(won.added)
            facts.append(_fact(player, won, currency))
    return tuple(facts)


def at_completion(heads: Heads, first: Sequence[str], currency: str) -> LastHeads:
    """The winner gets all heads that are left, his own last.

    `first` are the players of first place. Where several share it nobody can win a head any more:
    all that is left joins the prize pool.

    >>> at_completion({"a": 200, "b": 200}, ["a", "b"], "XTK")
    LastHeads(facts=(), heads_to_pool=400)
    """
    if len(first) > 1:
        return LastHeads((), sum(heads.values()))
    (winner,) = first
    owners = [*(player for player in heads if player != winner), winner]
    facts = (
        _fact(owner, Won({winner: heads[owner]}, {}), currency)
        for owner in owners
        if heads.get(owner)
    )
    return LastHeads(tuple(facts), 0)


def to_first_place(
    amounts: Mapping[str, int], first: Sequence[str], heads_to_pool: int
) -> dict[str, int]:
    """Amounts with the heads that joined the pool: those who share first place divide them.

    `first` is in the order of the lot `tie`.

    >>> to_first_place({"a": 500, "b": 500, "c": 200}, ["b", "a"], 301)
    {'a': 650, 'b': 651, 'c': 200}
    """
    shares = dict(zip(first, split_even(heads_to_pool, len(first)), strict=True))
    return {player: amount + shares.get(player, 0) for player, amount in amounts.items()}


def changes(fact: events.Event) -> dict[str, int]:
    """How much higher or lower each head stands after a fact.

    A new entry brings a new head. A player out without capturers leaves his where it is.
    """
    match fact:
        case events.EntryPaid() | events.ReEntered():
            return {fact.player: fact.bounty}
        case events.EntryRefunded():
            return {fact.player: -fact.bounty}
        case events.BountyPaid():
            added = {one.player: one.amount for one in fact.added_to_head}
            paid = sum(one.amount for one in fact.paid)
            return {**added, fact.head: -paid - sum(added.values())}
        case _:
            return {}


def after(heads: Heads, facts: Iterable[events.Event]) -> dict[str, int]:
    """The heads as further facts leave them; those without a price are not in it."""
    standing = dict(heads)
    for fact in facts:
        for player, change in changes(fact).items():
            standing[player] = standing.get(player, 0) + change
    return {player: head for player, head in standing.items() if head}


def _evenly(amount: int, players: Sequence[str]) -> dict[str, int]:
    """Equal shares, odd units to the first; who gets nothing is not in it."""
    shares = zip(players, split_even(amount, len(players)), strict=True)
    return {player: share for player, share in shares if share}


def _fact(head: str, won: Won, currency: str) -> events.BountyPaid:
    return events.BountyPaid(
        head=head,
        paid=_amounts(won.paid),
        added_to_head=_amounts(won.added),
        currency=currency,
    )


def _amounts(of: Mapping[str, int]) -> tuple[events.AmountOfPlayer, ...]:
    return tuple(events.AmountOfPlayer(player=player, amount=one) for player, one in of.items())
