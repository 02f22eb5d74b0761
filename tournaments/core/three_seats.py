"""Single elimination of three seats (`tournaments.md` 2.8)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tournaments.core.duels import Slot, seeds_of
from tournaments.core.matches import Group, Played, Progress, Ready, places_from_last
from tournaments.core.seating import table_sizes


@dataclass(frozen=True, slots=True)
class Bout:
    """How one table of a round stands: chips of those who came, and who goes on (None: open)."""

    key: str
    players: Group
    chips: Mapping[str, int]
    winner: Slot
    ready: Ready | None


@dataclass(frozen=True, slots=True)
class ThreeSeatElimination:
    """Tables of three and two, one winner each. Matches: `R<round>.<table>`; best seed first.

    >>> event = ThreeSeatElimination(("ann", "bob", "cid", "dan", "eve"))
    >>> [(ready.key, ready.players) for ready in event.progress(Played()).ready]
    [('R1.1', ('ann', 'bob')), ('R1.2', ('cid', 'dan', 'eve'))]
    """

    field: Group

    def rounds(self, played: Played) -> list[list[Bout]]:
        """The tables of every round that is seated so far; only the last may have open ones."""
        seeds = seeds_of(self.field)
        rounds: list[list[Bout]] = []
        left: Slot = self.field
        while left is not None and len(left) > 1:
            number = len(rounds) + 1
            seated = [tuple(left[seed - 1] for seed in table) for table in tables(len(left))]
            bouts = [
                _bout(Ready(f"R{number}.{table}", number, players), seeds, played)
                for table, players in enumerate(seated, start=1)
            ]
            rounds.append(bouts)
            left = _going_on(bouts, seeds)
        return rounds

    def progress(self, played: Played) -> Progress:
        """Losers of one round rank by their match chips; who was absent is behind all who came."""
        rounds = self.rounds(played)
        last = rounds[-1] if rounds else []
        left = _going_on(last, seeds_of(self.field)) if rounds else self.field
        groups = [group for bouts in rounds for group in _out(bouts)]
        places = places_from_last([*groups, left], len(self.field))
        ready = tuple(bout.ready for bout in last if bout.ready)
        return Progress(ready, places, is_over=left is not None)


def tables(players: int) -> list[tuple[int, ...]]:
    """Seeds by table: short tables first, with the top seeds; a snake over each size.

    >>> tables(9)
    [(1, 6, 7), (2, 5, 8), (3, 4, 9)]
    >>> tables(7)
    [(1, 4), (2, 3), (5, 6, 7)]
    """
    sizes = table_sizes(players, 3)
    short, full = sizes.count(2), sizes.count(3)
    pairs = [(table, 2 * short + 1 - table) for table in range(1, short + 1)]
    first = 2 * short  # seeds that sit at short tables
    triples = [
        (first + table, first + 2 * full + 1 - table, first + 2 * full + table)
        for table in range(1, full + 1)
    ]
    return [*pairs, *triples]


def _bout(match: Ready, seeds: Mapping[str, int], played: Played) -> Bout:
    result = played.result(match.key, match.players)
    if result:
        chips = result.chips
        best = sorted(chips, key=lambda player: (-chips[player], seeds[player]))
        return Bout(match.key, match.players, chips, tuple(best[:1]), None)
    present = played.present(match.players)
    if len(present) == 1:
        return Bout(match.key, match.players, dict.fromkeys(present, 0), present, None)
    return Bout(match.key, match.players, {}, None, Ready(match.key, match.round, present))


def _going_on(bouts: Sequence[Bout], seeds: Mapping[str, int]) -> Slot:
    """The winners by seed, or None while a table is open."""
    winners: list[str] = []
    for bout in bouts:
        if bout.winner is None:
            return None
        winners += bout.winner
    return tuple(sorted(winners, key=seeds.__getitem__))


def _out(bouts: Sequence[Bout]) -> Iterator[Slot]:
    """Groups of a round's losers, the last ones first; None while a table is open."""
    if any(bout.winner is None for bout in bouts):
        yield None
        return
    yield tuple(player for bout in bouts for player in bout.players if player not in bout.chips)
    lost = [
        (net, player)
        for bout in bouts
        for player, net in bout.chips.items()
        if (player,) != bout.winner
    ]
    lost.sort(key=lambda one: one[0])
    for _, group in groupby(lost, key=lambda one: one[0]):
        yield tuple(player for _, player in group)
