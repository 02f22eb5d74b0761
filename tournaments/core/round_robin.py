"""A round robin as it is played: matches, who left, standings (`tournaments.md` 2.5).

Who leaves with under half of his matches played is annulled: what he did counts for nobody, and
of a table of three the match of the other two is left. Who leaves later keeps his results, and the
matches that he missed are walkovers for the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from tournaments.core.attendance import MEAN_POINTS
from tournaments.core.matches import (
    Group,
    Played,
    Progress,
    Ready,
    Result,
    levels,
    match_points,
    places_from_last,
)
from tournaments.core.meetings import Round
from tournaments.core.results import NET_CHIPS_MAX


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match of the schedule. `present`: who can play it, while it has no result."""

    key: str
    round: int
    players: Group
    result: Result | None
    present: Group

    @property
    def is_open(self) -> bool:
        """Whether it is still to be played."""
        return self.result is None and len(self.present) > 1

    def left_by(self, player: str) -> bool:
        """Whether one who withdrew missed this match by it."""
        if self.result is None:
            return player not in self.present
        return player not in self.result.chips and player not in self.result.absent


@dataclass(frozen=True, slots=True)
class Row:
    """What one player has to show, exact."""

    matches: int = 0
    points: int = 0
    sonneborn: Fraction = Fraction(0)
    net_chips: int = 0
    firsts: int = 0

    @property
    def keys(self) -> tuple[int, Fraction, int, int]:
        """What ranks him, in that order; more is better."""
        return self.points, self.sonneborn, self.net_chips, self.firsts

    @property
    def keys_per_match(self) -> tuple[Fraction, ...]:
        """The same for one match on average."""
        return tuple(Fraction(key, self.matches or 1) for key in self.keys)


@dataclass(frozen=True, slots=True)
class Standings:
    """Rows of all but the annulled, and groups from first on who are equal in everything.

    `left`: who withdrew before his matches were over. `wins`: pairs of winner and loser.
    """

    rows: dict[str, Row]
    ranking: tuple[Group, ...]
    annulled: Group
    left: frozenset[str]
    wins: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """A field in the order of its numbers in the rounds. Matches: `R<round>.<table>`.

    >>> from tournaments.core.meetings import circle
    >>> league = RoundRobin(("ann", "bob", "cid"), circle(3))
    >>> [(ready.key, ready.players) for ready in league.progress(Played()).ready]
    [('R1.1', ('bob', 'cid'))]
    """

    field: Group
    rounds: tuple[Round, ...]
    prefix: str = ""

    def fixtures(self, played: Played) -> list[Fixture]:
        """All matches and how they stand."""
        found = []
        for number, tables in enumerate(self.rounds, start=1):
            for table, seats in enumerate(tables, start=1):
                key = f"{self.prefix}R{number}.{table}"
                players = tuple(self.field[seat] for seat in seats)
                result = played.result(key, players)
                present = () if result else played.present(players)
                found.append(Fixture(key, number, players, result, present))
        return found

    def ready(self, played: Played) -> tuple[Ready, ...]:
        """What is to be played of the first round that is not over; nothing when all are."""
        still = [one for one in self.fixtures(played) if one.is_open]
        now = [one for one in still if one.round == still[0].round]
        return tuple(Ready(one.key, one.round, one.present) for one in now)

    def progress(self, played: Played) -> Progress:
        """One round after another; places when all are played, the annulled share the last."""
        ready = self.ready(played)
        if ready:
            return Progress(ready, {}, is_over=False)
        standings = self.standings(played)
        groups = [standings.annulled, *reversed(standings.ranking)]
        return Progress((), places_from_last(groups, len(self.field)), is_over=True)

    def standings(self, played: Played) -> Standings:
        """Rank of everybody by what is played so far."""
        fixtures = self.fixtures(played)
        left = frozenset(
            player
            for player in played.withdrawn
            if any(one.left_by(player) for one in _of(player, fixtures))
        )
        annulled = tuple(one for one in self.field if one in left and _played_few(one, fixtures))
        scored = [one for fixture in fixtures if (one := _scored(fixture, annulled))]
        rows = _rows([player for player in self.field if player not in annulled], scored)
        wins = tuple(
            (one, other)
            for match in scored
            for one, net in match.chips.items()
            for other, less in match.chips.items()
            if net > less
        )
        return Standings(rows, _ranking(rows, scored), annulled, left, wins)


@dataclass(frozen=True, slots=True)
class _Match:
    """A decided match without the annulled. `missed`: who withdrew before it."""

    chips: Mapping[str, int]
    points: Mapping[str, int]
    missed: Group

    @property
    def met(self) -> Mapping[str, int]:
        """Chips of those who really played it; nobody in a walkover."""
        return self.chips if len(self.chips) > 1 else {}


def _ranking(rows: Mapping[str, Row], matches: Sequence[_Match]) -> tuple[Group, ...]:
    """Groups who are equal in everything, from first on; the last word has direct encounter."""
    groups: list[Group] = []
    for level in levels({player: row.keys for player, row in rows.items()}):
        groups += levels(_direct_points(level, matches))
    return tuple(groups)


def _of(player: str, fixtures: Iterable[Fixture]) -> list[Fixture]:
    return [one for one in fixtures if player in one.players]


def _played_few(player: str, fixtures: Iterable[Fixture]) -> bool:
    mine = _of(player, fixtures)
    played = sum(one.result is not None and player in one.result.chips for one in mine)
    return 2 * played < len(mine)


def _scored(fixture: Fixture, annulled: Group) -> _Match | None:
    """What a match counts, or None if it is open or nobody counts against anybody."""
    if fixture.is_open:
        return None
    came = fixture.result.chips if fixture.result else dict.fromkeys(fixture.present, 0)
    chips = {player: net for player, net in came.items() if player not in annulled}
    others = [one for one in fixture.players if one not in chips and one not in annulled]
    if len(chips) + len(others) < 2:
        return None
    missed = tuple(player for player in others if fixture.left_by(player))
    return _Match(chips, dict.fromkeys(others, 0) | match_points(chips), missed)


def _rows(players: Sequence[str], matches: Sequence[_Match]) -> dict[str, Row]:
    mine = {player: [one for one in matches if player in one.points] for player in players}
    points = {player: sum(one.points[player] for one in mine[player]) for player in players}
    # As opponents those who left are taken to have gone on with the mean of a table (9.4).
    adjusted = {
        player: points[player] + MEAN_POINTS * sum(player in one.missed for one in mine[player])
        for player in players
    }
    return {
        player: Row(
            matches=len(mine[player]),
            points=points[player],
            sonneborn=sum(
                (_sonneborn(player, one.met, adjusted) for one in mine[player]), Fraction()
            ),
            net_chips=sum(_capped(one.met.get(player, 0)) for one in mine[player]),
            firsts=sum(_is_first(player, one.met) for one in mine[player]),
        )
        for player in players
    }


def _capped(net: int) -> int:
    return max(-NET_CHIPS_MAX, min(NET_CHIPS_MAX, net))


def _is_first(player: str, met: Mapping[str, int]) -> bool:
    return player in met and all(net < met[player] for other, net in met.items() if other != player)


def _sonneborn(player: str, met: Mapping[str, int], adjusted: Mapping[str, int]) -> Fraction:
    """Mean over the others at the table: all of whom he beat, half of whom he tied with."""
    if player not in met:
        return Fraction(0)
    twice = sum(
        adjusted[other] * (2 if net < met[player] else 1)
        for other, net in met.items()
        if other != player and net <= met[player]
    )
    return Fraction(twice, 2 * (len(met) - 1))


def _direct_points(level: Group, matches: Sequence[_Match]) -> dict[str, tuple[int]]:
    """Points against each other, if all have met each other exactly once; otherwise none."""
    points = dict.fromkeys(level, 0)
    between = [one for one in matches if sum(player in one.met for player in level) > 1]
    pairs = sorted(
        pair
        for one in between
        for pair in combinations(sorted(player for player in level if player in one.met), 2)
    )
    if len(level) > 1 and pairs == list(combinations(sorted(level), 2)):
        for one in between:
            for player in set(level) & set(one.met):
                points[player] += one.points[player]
    return {player: (count,) for player, count in points.items()}
