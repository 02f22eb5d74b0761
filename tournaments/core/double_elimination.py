"""Double elimination of two seats (`tournaments.md` 2.9).

Who loses above (`W`) drops into the lower bracket (`L`); who loses there is out. The grand final
`GF` is between the winners of both; if the lower one wins it, `GR` is played and decides.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tournaments.core.brackets import rounds_of, upper
from tournaments.core.duels import (
    Duel,
    Entrances,
    Exit,
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

GRAND_FINAL = "GF"
SECOND_FINAL = "GR"

Rounds = Sequence[Sequence[Node]]
"""Matches of one bracket, round by round."""


@dataclass(frozen=True, slots=True)
class DoubleElimination:
    """Both brackets of a field, best seed first. Matches: `W1.1`, `L1.1`, ..., `GF`, `GR`.

    With `best_of` above 1 the n-th match of a tie is `W1.1#<n>`.

    >>> bracket = DoubleElimination(("ann", "bob", "cid", "dan"))
    >>> [(ready.key, ready.players) for ready in bracket.progress(Played()).ready]
    [('W1.1', ('ann', 'dan')), ('W1.2', ('bob', 'cid'))]
    """

    field: Group
    best_of: int = 1

    def duels(self, played: Played) -> dict[str, Duel]:
        """How every match stands, by its key; `GR` is among them only once it is needed."""
        return self._duels(*self._rounds(), played)

    def progress(self, played: Played) -> Progress:
        """Losers of one round below share their places."""
        above, below = self._rounds()
        duels = self._duels(above, below, played)
        groups = [*_groups(above, below, duels)] if above else [self.field]
        is_over = all(duel.winner is not None for duel in duels.values())
        places = places_from_last(groups, len(self.field))
        return Progress(ready_of(duels.values()), places, is_over)

    def _rounds(self) -> tuple[Rounds, Rounds]:
        count = rounds_of(len(self.field))
        above = upper(self.field, drops=range(1, count + 1))
        return above, lower(above)

    def _duels(self, above: Rounds, below: Rounds, played: Played) -> dict[str, Duel]:
        if not above:
            return {}
        judge = Judge(seeds_of(self.field), self.best_of, played)
        nodes = [node for one in (*above, *below) for node in one]
        duels = judge.duels([*nodes, _grand_final(above, below)])
        final = duels[GRAND_FINAL]
        if final.loser and final.winner == final.slots[1]:
            duels[GRAND_FINAL] = replace(final, node=replace(final.node, drops=True))
            again = Node(SECOND_FINAL, final.node.round + 1, final.node.entrances)
            duels[SECOND_FINAL] = judge.duel(again, final.slots)
        return duels


def lower(above: Rounds) -> list[list[Node]]:
    """The rounds of the lower bracket under those of the upper one.

    In an even round the player who drops is the second of the match.
    """
    count = len(above)
    if count < 2:
        return []
    rounds = [matches_of("L1", losers_of(above[0]), count + 1, drops=False)]
    for number in range(2, 2 * count - 1):
        if number % 2:
            pairs = winners_of(rounds[-1])
        else:
            pairs = _crossed(rounds[-1], _dropping_to(number, above), number // 2)
        rounds.append(matches_of(f"L{number}", pairs, count + number, drops=False))
    return rounds


def _dropping_to(number: int, above: Rounds) -> Sequence[Node]:
    """The matches above whose losers come into round `number` below."""
    if number == 1:
        return above[0]
    return [] if number % 2 else above[number // 2]


def _crossed(staying: Sequence[Node], dropping: Sequence[Node], j: int) -> list[Entrances]:
    """Pairs of round 2j: those who drop come reversed for odd j, shifted by half for even j.

    So nobody soon meets again whom he met above.
    """
    half = len(dropping) // 2
    order = [*dropping[::-1]] if j % 2 else [*dropping[half:], *dropping[:half]]
    return [
        (Exit(one.key), Exit(other.key, won=False))
        for one, other in zip(staying, order, strict=True)
    ]


def _grand_final(above: Rounds, below: Rounds) -> Node:
    winner = above[-1][0].key
    challenger = Exit(below[-1][0].key) if below else Exit(winner, won=False)
    return Node(GRAND_FINAL, 3 * len(above) - 1, (Exit(winner), challenger))


def _groups(above: Rounds, below: Rounds, duels: Mapping[str, Duel]) -> Iterator[Slot]:
    """Those who share a place, the last ones first."""
    for number, nodes in enumerate(below or [[]], start=1):
        # Two who were both absent above share with the losers of the round they would drop to.
        ended = [*_dropping_to(number, above), *nodes]
        yield out_of(duels[node.key] for node in ended)
    last = duels.get(SECOND_FINAL, duels[GRAND_FINAL])
    yield last.out
    yield last.winner
