"""An arena: who is paired now, what a match scores, who is ahead (`tournaments.md` 2.10)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from eventstore.core.refusal import InvariantBroken
from tournaments.core.matches import Group, levels

PAIRING_SECONDS = 10
"""Free players are paired this often."""
PATIENCE_SECONDS = 30
"""After that fewer than a full table are enough."""
STREAK = 2
"""So many sole wins in a row double what follows."""

PairTables = Callable[[Sequence[str], Sequence[int]], Sequence[Group]]
"""Seats players, the longest waiting first, at tables of these sizes, at the least cost."""


@dataclass(frozen=True, slots=True)
class Free:
    """A player without a match. `last_table`: who sat at his last one, he included."""

    player: str
    waiting_seconds: int
    last_table: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MatchScore:
    """Points of a match before any doubling, and whether the player won it alone."""

    points: int
    sole_win: bool


def pair_now(free: Sequence[Free], *, seats: int, pair: PairTables) -> list[Group]:
    """The tables that are dealt now; who has waited longest comes first, equals as given.

    Only full tables, until one of the rest has waited so long that a smaller one is enough.
    Raises: InvariantBroken where `pair` seats others, or at other tables.
    """
    queue = sorted(free, key=lambda one: -one.waiting_seconds)
    sizes = [seats] * (len(queue) // seats)
    rest = queue[sum(sizes) :]
    if len(rest) > 1 and rest[0].waiting_seconds >= PATIENCE_SECONDS:
        sizes.append(len(rest))
    called = [one.player for one in queue[: sum(sizes)]]
    tables = list(pair(called, sizes)) if called else []
    seated = sorted(player for table in tables for player in table)
    if seated != sorted(called) or sorted(map(len, tables), reverse=True) != sizes:
        raise InvariantBroken(f"tables {tables} of {called}")
    return tables


def same_again(tables: Iterable[Collection[str]], free: Iterable[Free]) -> int:
    """Cost of a pairing: tables whose players all come from one and the same table.

    >>> last = frozenset({"ann", "bob", "cid"})
    >>> same_again([("cid", "bob", "ann")], [Free(player, 0, last) for player in last])
    1
    """
    last = {one.player: one.last_table for one in free}
    seated = [frozenset(table) for table in tables]
    return sum(all(last.get(player) == table for player in table) for table in seated)


def scores(matches: Sequence[MatchScore]) -> list[int]:
    """What each match counts: double while the last two before it were sole wins.

    >>> win = MatchScore(120, sole_win=True)
    >>> scores([win, win, win, MatchScore(60, sole_win=False), win])
    [120, 120, 240, 120, 120]
    """
    return [
        one.points * (2 if _on_streak(matches[:number]) else 1)
        for number, one in enumerate(matches)
    ]


def counts_at_end(hands_played: int, hands: int) -> bool:
    """Whether a match that runs when time is over counts: half of its hands are played."""
    return 2 * hands_played >= hands


def ranking(scores_of: Mapping[str, Sequence[int]]) -> list[Group]:
    """Groups from first on: more points, then fewer matches; the rest share.

    >>> ranking({"ann": [120], "bob": [120, 0], "cid": [60, 60], "dan": [240]})
    [('dan',), ('ann',), ('bob', 'cid')]
    """
    return levels({player: (sum(all_), -len(all_)) for player, all_ in scores_of.items()})


def _on_streak(before: Sequence[MatchScore]) -> bool:
    return len(before) >= STREAK and all(one.sole_win for one in before[-STREAK:])
