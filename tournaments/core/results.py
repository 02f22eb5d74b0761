"""What a player brings into the standings: points and tie-breaks of his rounds (2.4, 9.4).

Players are numbers here, in the order in which they entered. Tie-breaks are whole numbers, a mean
over a table being so many sixtieths: 60 is a multiple of every number of opponents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from eventstore.core.refusal import InvariantBroken
from tournaments.core.attendance import MEAN_POINTS, WIN_POINTS, Without

SIXTIETHS = 60
NET_CHIPS_MAX = 20  # stakes of a match, each way: giving chips away brings nothing beyond
CUT_FROM_ROUNDS = 5

_CUT_FIRST = frozenset({Without.HALF_BYE, Without.ABSENT, Without.LATE, Without.WITHDRAWN})
_LOST, _TIED, _BEATEN = 0, 1, 2

_Player = TypeVar("_Player", str, int)


@dataclass(frozen=True, slots=True)
class Match:
    """A match that is final, with the chips that each of its players won."""

    round: int
    chips: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Missed:
    """A round that a player had without opponents."""

    round: int
    player: str
    why: Without
    points: int


class Played(NamedTuple):  # thousands are made in a round, and a tuple is made quickest
    """A match from one player's side: his opponents, and what became of each (0, 1, 2)."""

    round: int
    points: int
    share: int  # sixtieths of one opponent in the mean of the table
    opponents: tuple[tuple[int, int], ...]


class Sheet(NamedTuple):
    """All rounds of a player, and what they come to."""

    points: int = 0
    adjusted: int = 0  # what his points count for those whom he met
    net: int = 0
    firsts: int = 0
    first_cut: int | None = None  # index of a round that is cut before any other
    rounds: tuple[Played | Missed, ...] = ()


def match_points(chips: Mapping[str, int]) -> dict[str, int]:
    """Points of a match: 120 for each opponent beaten, 60 for each tied with, by their number.

    >>> match_points({"a": 10, "b": -5, "c": -5})
    {'a': 120, 'b': 30, 'c': 30}
    """
    return {player: _points(_scores(player, chips)) for player in chips}


def with_match(sheet: Sheet, number: int, player: int, chips: Mapping[int, int]) -> Sheet:
    """The sheet after a match in round `number`. Raises: InvariantBroken for a round twice."""
    _assert_later(sheet, number)
    scores = _scores(player, chips)
    points = _points(scores)
    return Sheet(
        points=sheet.points + points,
        adjusted=sheet.adjusted + points,
        net=sheet.net + max(-NET_CHIPS_MAX, min(NET_CHIPS_MAX, chips[player])),
        firsts=sheet.firsts + (points == WIN_POINTS),
        first_cut=sheet.first_cut,
        rounds=(*sheet.rounds, Played(number, points, SIXTIETHS // len(scores), scores)),
    )


def with_missed(sheet: Sheet, missed: Missed) -> Sheet:
    """The sheet after a round without opponents. Raises: InvariantBroken for a round twice.

    Who has withdrawn counts for those whom he met as if he went on with the mean.
    """
    _assert_later(sheet, missed.round)
    gone = MEAN_POINTS if missed.why is Without.WITHDRAWN else 0
    cut = sheet.first_cut
    if cut is None and missed.why in _CUT_FIRST:
        cut = len(sheet.rounds)
    return sheet._replace(
        points=sheet.points + missed.points,
        adjusted=sheet.adjusted + missed.points + gone,
        first_cut=cut,
        rounds=(*sheet.rounds, missed),
    )


def tie_breaks(sheet: Sheet, adjusted: Sequence[int]) -> tuple[list[int], list[int]]:
    """Buchholz in sixtieths and Sonneborn-Berger in hundred-and-twentieths, round by round.

    `adjusted` holds the points of all players by now, less those that a withdrawn one missed.
    """
    buchholz, sonneborn = [], []
    for one in sheet.rounds:
        if isinstance(one, Missed):
            # A dummy, who ends with as many points as the player himself.
            buchholz.append(sheet.points * SIXTIETHS)
            sonneborn.append(0)
            continue
        _, _, share, opponents = one
        met = beaten = 0
        for opponent, score in opponents:
            points = adjusted[opponent]
            met += points
            beaten += points * score
        buchholz.append(met * share)
        sonneborn.append(beaten * share)
    return buchholz, sonneborn


def cut_round(sheet: Sheet, buchholz: Sequence[int]) -> int | None:
    """Index of the round whose Buchholz does not count, from five rounds on.

    The lowest; but before any other a half bye, an absence, a round before entry.
    """
    if len(buchholz) < CUT_FROM_ROUNDS:
        return None
    return buchholz.index(min(buchholz)) if sheet.first_cut is None else sheet.first_cut


def direct_points(players: Sequence[int], sheets: Sequence[Sheet]) -> list[int]:
    """Points of the matches among these players; nothing unless each met each exactly once."""
    points = []
    among = set(players)
    for player in players:
        matches = [one for one in sheets[player].rounds if isinstance(one, Played)]
        met = [o for one in matches for o, _ in one.opponents if o in among]
        if len(met) != len(among) - 1 or len(set(met)) != len(met):
            return [0] * len(players)
        points.append(
            sum(one.points for one in matches if any(o in among for o, _ in one.opponents))
        )
    return points


def _assert_later(sheet: Sheet, number: int) -> None:
    if sheet.rounds and sheet.rounds[-1].round >= number:
        raise InvariantBroken(f"a result of round {number} after one of that round or a later one")


def _scores(player: _Player, chips: Mapping[_Player, int]) -> tuple[tuple[_Player, int], ...]:
    own = chips[player]
    return tuple(
        [
            (other, _BEATEN if own > won else _TIED if own == won else _LOST)
            for other, won in chips.items()
            if other != player
        ]
    )


def _points(scores: Sequence[tuple[object, int]]) -> int:
    return MEAN_POINTS * sum(score for _, score in scores) // len(scores)
