"""Groups, then finals: who meets in which group, who goes on, and as which seed (2.6)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from tournaments.core.matches import (
    NOTHING_PLAYED,
    Group,
    Key,
    Played,
    Progress,
    Ready,
    Schedule,
    levels,
    places_from_last,
)
from tournaments.core.round_robin import RoundRobin, Row, Standings


@dataclass(frozen=True, slots=True)
class Candidates:
    """A group as the cut sees it: who may go on, and pairs of winner and loser among them."""

    rows: Mapping[str, Row]
    wins: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """Who goes on. `advance`: by group, best first; `by_lot`: who has his place by lot alone.

    `seeds`: all of them by strength, before anybody is exchanged.
    """

    advance: tuple[Group, ...]
    wildcards: Group
    by_lot: Group
    seeds: Group


def snake(players: int, groups: int) -> list[list[int]]:
    """Ranks of the players of each group.

    >>> snake(9, 2)
    [[1, 4, 5, 8, 9], [2, 3, 6, 7]]
    """
    ranks: list[list[int]] = [[] for _ in range(groups)]
    for index in range(players):
        lap, position = divmod(index, groups)
        ranks[groups - 1 - position if lap % 2 else position].append(index + 1)
    return ranks


def cut(groups: Sequence[Candidates], *, advance: int, wildcards: int, lot: Sequence[str]) -> Cut:
    """Who goes on from the groups. `lot`: the players in order of the lot `tie`."""
    drawn = {player: number for number, player in enumerate(lot)}
    rows = {player: row for group in groups for player, row in group.rows.items()}
    blocks = [_ordered(group, drawn) for group in groups]
    orders = [_flat(one) for one in blocks]
    # Rank by rank over all groups: the winners, the seconds, and so on.
    ranks = [
        _by_strength([player for player in rank if player], rows, drawn)
        for rank in zip_longest(*orders)
    ]
    going = [player for rank in ranks[:advance] for player in _flat(rank)]
    next_placed = [block for rank in ranks[advance:] for block in rank]
    lucky = _flat(next_placed)[:wildcards]
    through = {*going, *lucky}
    all_blocks = [block for one in (*blocks, next_placed) for block in one]
    split = [block for block in all_blocks if not through.issuperset(block)]
    advancing = tuple(tuple(order[:advance]) for order in orders)
    by_lot = [
        player for player in (*_flat(advancing), *lucky) if any(player in block for block in split)
    ]
    return Cut(advancing, tuple(lucky), tuple(by_lot), (*going, *lucky))


def parted(seeds: Group, tables: Sequence[Group], group_of: Mapping[str, int]) -> Group:
    """The seeds without meetings of one group at `tables`, the first of the finals, if possible.

    The lower seed of two is exchanged with the next lower seed of another group, or, where no
    lower one helps, with the next higher one. The first at a table and who has a bye stay.

    >>> groups = {"ann": 1, "bob": 2, "cid": 2, "dan": 1}
    >>> parted(("ann", "bob", "cid", "dan"), [("ann", "dan"), ("bob", "cid")], groups)
    ('ann', 'bob', 'dan', 'cid')
    """
    exchange = _Exchange(list(seeds), tables, group_of)
    for seed in sorted(exchange.home):
        exchange.resolve(seed)
    return tuple(exchange.order)


class _Exchange:
    """Seeds, from 0, while some of them change places."""

    def __init__(
        self, order: list[str], tables: Sequence[Group], group_of: Mapping[str, int]
    ) -> None:
        self.order, self.group_of = order, group_of
        seated = [[order.index(player) for player in table] for table in tables]
        # The table of each seed that may be exchanged.
        self.home = {seed: table for table in seated for seed in table[1:]}

    def resolve(self, seed: int) -> None:
        """If a better seed at the table is of his group, exchange with the first who parts them.

        That is one who clashes with nobody here, as this player does not there.
        """
        table = self.home[seed]
        if not self._clash(seed, [one for one in table if one < seed]):
            return
        here = [one for one in table if one != seed]
        for other in sorted(self.home, key=lambda one: (one < seed, abs(one - seed))):
            there = [one for one in self.home[other] if one != other]
            if not (other in table or self._clash(other, here) or self._clash(seed, there)):
                order = self.order
                order[seed], order[other] = order[other], order[seed]
                return

    def _clash(self, seed: int, others: Sequence[int]) -> bool:
        group = self.group_of[self.order[seed]]
        return any(self.group_of[self.order[other]] == group for other in others)


@dataclass(frozen=True, slots=True)
class GroupsFinals:
    """Groups `G<n>.` as round robins, then finals of those who go on.

    `lot`: the players in order of the lot `tie`. `frozen`: the seeds of the finals once they are
    recorded, so that a late correction moves nobody (11.3).
    """

    groups: tuple[RoundRobin, ...]
    advance: int
    wildcards: int
    lot: Group
    finals: Callable[[Group], Schedule]
    frozen: Group | None = None

    def cut(self, played: Played) -> Cut:
        """Who goes on as it stands. Who left his group does not, whatever he won there."""
        return self._cut([group.standings(played) for group in self.groups])

    def seeds(self, played: Played) -> Group:
        """Field of the finals: those who go on, rivals of one group parted in the first round."""
        return self._seeds([group.standings(played) for group in self.groups])

    def progress(self, played: Played) -> Progress:
        """The finals begin when all groups are over; who is not in them has his place then."""
        ready = tuple(match for group in self.groups for match in group.ready(played))
        if ready:
            return Progress(ready, {}, is_over=False)
        tables = [group.standings(played) for group in self.groups]
        seeds = self._seeds(tables)
        finals = self.finals(seeds).progress(played)
        before = max(len(group.rounds) for group in self.groups)
        ready = tuple(replace(match, round=before + match.round) for match in finals.ready)
        players = sum(len(group.field) for group in self.groups)
        rest = places_from_last(_left_out(tables, seeds), players)
        return Progress(ready, {**finals.places, **rest}, finals.is_over)

    def _cut(self, tables: Iterable[Standings]) -> Cut:
        going = [
            Candidates(
                {player: row for player, row in one.rows.items() if player not in one.left},
                one.wins,
            )
            for one in tables
        ]
        return cut(going, advance=self.advance, wildcards=self.wildcards, lot=self.lot)

    def _seeds(self, tables: Iterable[Standings]) -> Group:
        if self.frozen is not None:
            return self.frozen
        seeds = self._cut(tables).seeds
        first = self.finals(seeds).progress(NOTHING_PLAYED).ready
        group_of = {
            player: number for number, group in enumerate(self.groups) for player in group.field
        }
        return parted(seeds, [one.players for one in first if one.round == 1], group_of)


@dataclass(frozen=True, slots=True)
class FinalTable:
    """One table of all finalists, played as a freezeout: the match `final`.

    As chips of its result stands who was out when: the later, the more; equal numbers tie.
    """

    field: Group

    def progress(self, played: Played) -> Progress:
        """Everybody's place follows from the one result."""
        result = played.result("final", self.field)
        present = played.present(self.field)
        if result is None and len(present) > 1:
            return Progress((Ready("final", 1, present),), {}, is_over=False)
        chips = result.chips if result else dict.fromkeys(present, 0)
        away = tuple(player for player in self.field if player not in chips)
        ranked = levels({player: (net,) for player, net in chips.items()})
        places = places_from_last([away, *reversed(ranked)], len(self.field))
        return Progress((), places, is_over=True)


def _ordered(group: Candidates, drawn: Mapping[str, int]) -> list[Group]:
    """Players from first on; a group of several is one that only the lot has put in order."""
    return [
        block
        for level in levels({player: row.keys for player, row in group.rows.items()})
        for block in _by_wins(level, group.wins, drawn)
    ]


def _by_wins(
    level: Group, wins: Sequence[tuple[str, str]], drawn: Mapping[str, int]
) -> list[Group]:
    """Equal players by their wins among themselves if that separates all, otherwise by lot."""
    won = {player: sum(one == player and other in level for one, other in wins) for player in level}
    if len(set(won.values())) == len(level):
        return [(player,) for player in sorted(level, key=won.__getitem__, reverse=True)]
    return [_in_lot_order(level, drawn)]


def _by_strength(
    players: Sequence[str], rows: Mapping[str, Row], drawn: Mapping[str, int]
) -> list[Group]:
    """Players of several groups from the best on, by their keys per match, then by lot."""
    return [
        _in_lot_order(level, drawn)
        for level in levels({player: rows[player].keys_per_match for player in players})
    ]


def _in_lot_order(level: Group, drawn: Mapping[str, int]) -> Group:
    # A lot that was not needed may not have been drawn.
    return tuple(sorted(level, key=lambda player: drawn.get(player, len(drawn))))


def _left_out(tables: Iterable[Standings], seeds: Group) -> list[Group]:
    """Who is not in the finals, the last ones first: by rank in the group, then strength."""
    annulled: list[str] = []
    keys: dict[str, Key] = {}
    for table in tables:
        annulled += table.annulled
        better = 0
        for level in table.ranking:
            out = [player for player in level if player not in seeds]
            rank = better + len(level) - len(out)
            keys |= {player: (-rank, *table.rows[player].keys_per_match) for player in out}
            better += len(level)
    return [tuple(annulled), *reversed(levels(keys))]


def _flat(blocks: Iterable[Iterable[str]]) -> list[str]:
    return [player for block in blocks for player in block]
