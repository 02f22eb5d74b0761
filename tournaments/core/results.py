"""What a player brings into the standings: points and tie-breaks of his rounds (2.4, 9.4).

Players are numbers here, in the order in which they entered. Tie-breaks are whole numbers, a mean
over a table being so many sixtieths: 60 is a multiple of every number of opponents.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from eventstore.core.refusal import InvariantBroken
from tournaments.core.attendance import MEAN_POINTS, WIN_POINTS, Without

SIXTIETHS = 60
NET_CHIPS_MAX = 20  # stakes of a match, each way: giving chips away brings nothing beyond
CUT_FROM_ROUNDS = 5

_SHARES = (0, *(SIXTIETHS // opponents for opponents in range(1, 6)))  # by number of opponents
_CUT_FIRST = frozenset({Without.HALF_BYE, Without.ABSENT, Without.LATE, Without.WITHDRAWN})


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


class Sheet(NamedTuple):  # thousands are made in a round, and a tuple is made quickest
    """All rounds of a player, and what they come to.

    Opponents of all rounds stand in one row, as many of each round as it says; so do the weights:
    nothing for one that won, a share of the table's mean for one tied with, two for one beaten.
    """

    points: int = 0
    adjusted: int = 0  # what his points count for those whom he met
    net: int = 0
    firsts: int = 0
    first_cut: int | None = None  # index of a round that is cut before any other
    rounds: tuple[tuple[int, int, int], ...] = ()  # number, points, opponents
    opponents: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()


class Round(NamedTuple):
    """A round of a sheet; nobody and nothing where it had no opponents."""

    number: int
    points: int
    opponents: tuple[int, ...]
    weights: tuple[int, ...]


def enter_match(sheets: list[Sheet], number: int, chips: Mapping[int, int]) -> None:
    """Enter a match of round `number` into the sheets of its players.

    Raises: InvariantBroken for a second result of a player in one round.
    """
    players, nets = tuple(chips), [*chips.values()]
    for place, player in enumerate(players):
        sheet = sheets[player]
        _assert_later(sheet, number)
        weights = _weights(nets, place)
        points = sum(weights)
        net = max(-NET_CHIPS_MAX, min(NET_CHIPS_MAX, nets[place]))
        sheets[player] = Sheet(
            sheet.points + points,
            sheet.adjusted + points,
            sheet.net + net,
            sheet.firsts + (points == WIN_POINTS),
            sheet.first_cut,
            (*sheet.rounds, (number, points, len(weights))),
            sheet.opponents + players[:place] + players[place + 1 :],
            sheet.weights + weights,
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
        rounds=(*sheet.rounds, (missed.round, missed.points, 0)),
    )


def tie_breaks(sheet: Sheet, adjusted: Sequence[int]) -> tuple[list[int], int]:
    """Buchholz of each round in sixtieths, and Sonneborn-Berger in hundred-and-twentieths.

    `adjusted` holds what the points of all players count by now. A round without opponents has a
    dummy, who ends with as many points as the player himself.
    """
    own, _, _, _, _, rounds, opponents, weights = sheet
    met = [adjusted[opponent] for opponent in opponents]
    sums = [0, *accumulate(met)]
    buchholz, start = [], 0
    for _, _, count in rounds:
        end = start + count
        buchholz.append((sums[end] - sums[start]) * _SHARES[count] if count else own * SIXTIETHS)
        start = end
    return buchholz, sum(map(mul, met, weights))


def cut_round(sheet: Sheet, buchholz: Sequence[int]) -> int | None:
    """Index of the round whose Buchholz does not count, from five rounds on.

    The lowest; but before any other a half bye, an absence, a round before entry.
    """
    if len(buchholz) < CUT_FROM_ROUNDS:
        return None
    return buchholz.index(min(buchholz)) if sheet.first_cut is None else sheet.first_cut


def rounds_of(sheet: Sheet) -> Iterator[Round]:
    """The rounds one by one."""
    start = 0
    for number, points, count in sheet.rounds:
        row = slice(start, start + count)
        yield Round(number, points, sheet.opponents[row], sheet.weights[row])
        start += count


def direct_points(players: Sequence[int], sheets: Sequence[Sheet]) -> list[int]:
    """Points of the matches among these players; nothing unless each met each exactly once."""
    points = []
    among = set(players)
    for player in players:
        met = [other for other in sheets[player].opponents if other in among]
        if len(met) != len(among) - 1 or len(set(met)) != len(met):
            return [0] * len(players)
        rounds = rounds_of(sheets[player])
        points.append(sum(one.points for one in rounds if not among.isdisjoint(one.opponents)))
    return points


def _assert_later(sheet: Sheet, number: int) -> None:
    if sheet.rounds and sheet.rounds[-1][0] >= number:
        raise InvariantBroken(f"a result of round {number} after one of that round or a later one")


def _weights(nets: Sequence[int], place: int) -> tuple[int, ...]:
    """Of the others at a table, for the player at this place; together they are his points."""
    share, own = _SHARES[len(nets) - 1], nets[place]
    others = [*nets[:place], *nets[place + 1 :]]
    return tuple([2 * share if own > net else share if own == net else 0 for net in others])
