"""Single elimination of two seats (`tournaments.md` 2.7)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tournaments.core.duels import (
    Duel,
    Entrances,
    Judge,
    Node,
    Slot,
    losers_of,
    matches_of,
    out_of,
    ready_of,
    seeds_of,
    winners_of,
)
from tournaments.core.matches import Group, Played, Progress, places_from_last

THIRD_PLACE = "third"
"""Key of the match between those who lost the semi-finals."""


@dataclass(frozen=True, slots=True)
class SingleElimination:
    """The bracket of a field, best seed first. Its matches are `W<round>.<match>` and `third`.

    With `best_of` above 1 the n-th match of a tie is `W<round>.<match>#<n>`.

    >>> bracket = SingleElimination(("ann", "bob", "cid"))
    >>> [ready.players for ready in bracket.progress(Played()).ready]
    [('bob', 'cid')]
    """

    field: Group
    best_of: int = 1
    third_place_match: bool = True

    def duels(self, played: Played) -> dict[str, Duel]:
        """How every match stands, by its key."""
        return self._duels(self._stages(), played)

    def progress(self, played: Played) -> Progress:
        """Losers of one round share their places; third place may have a match of its own."""
        stages = self._stages()
        duels = self._duels(stages, played)
        groups = [*_groups(stages, duels)] if stages else [self.field]
        is_over = all(duel.winner is not None for duel in duels.values())
        places = places_from_last(groups, len(self.field))
        return Progress(ready_of(duels.values()), places, is_over)

    def _stages(self) -> list[list[Node]]:
        """The rounds in the order of their places, the last ones first."""
        count = rounds_of(len(self.field))
        with_third = self.third_place_match and count > 1
        rounds = upper(self.field, drops={count - 1} if with_third else ())
        if with_third:
            third = [Node(THIRD_PLACE, count, pair) for pair in losers_of(rounds[-2])]
            rounds.insert(-1, third)
        return rounds

    def _duels(self, stages: Sequence[Sequence[Node]], played: Played) -> dict[str, Duel]:
        judge = Judge(seeds_of(self.field), self.best_of, played)
        return judge.duels([node for stage in stages for node in stage])


def order(size: int) -> list[int]:
    """Seeds of a bracket from top to bottom; `size` is a power of two.

    >>> order(8)
    [1, 8, 4, 5, 2, 7, 3, 6]
    """
    seeds = [1]
    while len(seeds) < size:
        total = 2 * len(seeds) + 1
        seeds = [one for seed in seeds for one in (seed, total - seed)]
    return seeds


def rounds_of(players: int) -> int:
    """Rounds that it takes to one winner.

    >>> [rounds_of(players) for players in (1, 2, 5, 8)]
    [0, 1, 3, 3]
    """
    return max(players - 1, 0).bit_length()


def first_pairs(players: int) -> list[tuple[int, int]]:
    """Pairs of seeds of the first round from top to bottom, the better seed first.

    A seed above `players` is a bye.

    >>> first_pairs(5)
    [(1, 8), (4, 5), (2, 7), (3, 6)]
    """
    seeds = order(2 ** rounds_of(players))
    return list(zip(seeds[::2], seeds[1::2], strict=False))


def upper(field: Group, *, drops: Collection[int]) -> list[list[Node]]:
    """The matches `W<round>.<match>` by rounds; `drops`: rounds whose losers go on elsewhere."""
    rounds: list[list[Node]] = []
    pairs: list[Entrances] = [
        (field[one - 1 : one], field[other - 1 : other]) for one, other in first_pairs(len(field))
    ]
    for number in range(1, rounds_of(len(field)) + 1):
        rounds.append(matches_of(f"W{number}", pairs, number, drops=number in drops))
        pairs = winners_of(rounds[-1]) if len(rounds[-1]) > 1 else []
    return rounds


def _groups(stages: Sequence[Sequence[Node]], duels: Mapping[str, Duel]) -> Iterator[Slot]:
    """Those who share a place, the last ones first."""
    for stage in stages:
        ended = [duels[node.key] for node in stage]
        yield out_of(ended)
        if stage[0].key == THIRD_PLACE or stage is stages[-1]:
            yield ended[0].winner
