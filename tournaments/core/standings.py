"""Standings of formats that are played in matches (`tournaments.md` 9.4).

They are folded from results. After one of them only those are weighed anew who met its players.
"""

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from operator import mul

from eventstore.core.refusal import InvariantBroken
from tournaments.core import lot
from tournaments.core.results import (
    SIXTIETHS,
    Match,
    Missed,
    Sheet,
    cut_round,
    direct_points,
    enter_match,
    rounds_of,
    tie_breaks,
    with_missed,
)

_FEW = 8  # up to an eighth of all are put into their new places one by one

_Place = tuple[int, int, int, int, int, int]
"""Points, Buchholz, Sonneborn-Berger, net chips, firsts, all negative, and the player's number."""


@dataclass(frozen=True, slots=True)
class Rank:
    """A player's places, which differ if he shares, and what gave them, the weightiest first."""

    player: str
    best: int
    worst: int
    points: int
    buchholz: Fraction
    sonneborn: Fraction
    net_chips: int
    firsts: int
    direct: int  # points of the direct encounters; 0 where they do not count

    def written(self) -> tuple[str, ...]:
        """The keys as `n/d`, in order."""
        keys = (
            Fraction(self.points), self.buchholz, self.sonneborn,
            Fraction(self.net_chips), Fraction(self.firsts), Fraction(self.direct),
        )  # fmt: skip
        return tuple(f"{key.numerator}/{key.denominator}" for key in keys)


@dataclass(frozen=True, slots=True)
class Account:
    """What a round adds to a player's tie-breaks."""

    round: int
    points: int
    buchholz: Fraction
    sonneborn: Fraction
    cut: bool


@dataclass(frozen=True, slots=True)
class Standings:
    """All players by points, Buchholz, Sonneborn-Berger, net chips, firsts, direct encounter.

    Those who are equal in everything share their places. Where all meet all, Buchholz says nothing
    and is left out. Lists are by number of the player; all but the sheets follows from them.
    """

    with_buchholz: bool = True
    players: Sequence[str] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    sheets: Sequence[Sheet] = ()
    adjusted: Sequence[int] = ()
    places: Sequence[_Place] = ()
    order: Sequence[_Place] = ()

    def entered(self, players: Iterable[str]) -> "Standings":
        """With these players, who have no results yet. Raises: InvariantBroken for one twice."""
        names = [*self.players, *players]
        numbers = {player: number for number, player in enumerate(names)}
        if len(numbers) < len(names):
            raise InvariantBroken("a player enters the standings twice")
        fresh = range(len(self.players), len(names))
        places: list[_Place] = [(0, 0, 0, 0, 0, number) for number in fresh]
        return replace(
            self,
            players=names,
            numbers=numbers,
            sheets=[*self.sheets, *(Sheet() for _ in fresh)],
            adjusted=[*self.adjusted, *(0 for _ in fresh)],
            places=[*self.places, *places],
            order=sorted([*self.order, *places]),
        )

    def after(self, results: Iterable[Match | Missed]) -> "Standings":
        """With these results, of each player in the order of the rounds.

        >>> begun = Standings().entered(["a", "b"])
        >>> begun.after([Match(1, {"b": 3, "a": -3})]).ranking()
        ['b', 'a']

        Raises: InvariantBroken for two results of a player in one round.
        """
        sheets = [*self.sheets]
        changed: set[int] = set()
        for result in results:
            if isinstance(result, Missed):
                number = self.numbers[result.player]
                sheets[number] = with_missed(sheets[number], result)
                changed.add(number)
            else:
                chips = {self.numbers[player]: net for player, net in result.chips.items()}
                enter_match(sheets, result.round, chips)
                changed.update(chips)
        return self._weighed(sheets, changed)

    def _weighed(self, sheets: Sequence[Sheet], changed: Collection[int]) -> "Standings":
        adjusted, places = [*self.adjusted], [*self.places]
        for number in changed:
            adjusted[number] = sheets[number].adjusted
        concerned = _concerned(sheets, changed)
        for number in concerned:
            places[number] = self._place(number, sheets[number], adjusted)
        if len(concerned) * _FEW > len(sheets):
            order = sorted(places)
        else:
            order = [*self.order]
            for number in concerned:
                del order[bisect_left(order, self.places[number])]
                insort(order, places[number])
        return replace(self, sheets=sheets, adjusted=adjusted, places=places, order=order)

    def _place(self, number: int, sheet: Sheet, adjusted: Sequence[int]) -> _Place:
        """Negative, so that the best comes first."""
        parts, sonneborn = tie_breaks(sheet, adjusted)
        buchholz = 0
        if self.with_buchholz:
            cut = cut_round(sheet, parts)
            buchholz = sum(parts) - (0 if cut is None else parts[cut])
        return -sheet.points, -buchholz, -sonneborn, -sheet.net, -sheet.firsts, number

    def ranks(self, first: int = 1, last: int | None = None) -> list[Rank]:
        """The players on the places from the first (1..) to the last, and who shares with them."""
        until = len(self.order) if last is None else last
        found: list[Rank] = []
        for best, direct, numbers in self._shared(first):
            if best > until:
                break
            found += [self._rank(number, best, len(numbers), direct) for number in numbers]
        return [rank for rank in found if rank.worst >= first]

    def rank_of(self, player: str) -> Rank:
        """One player's places."""
        place = bisect_left(self.order, self.places[self.numbers[player]]) + 1
        best, equal = next(self._equal(place))
        ranks = self.ranks(best, best + len(equal) - 1)
        return next(rank for rank in ranks if rank.player == player)

    def ranking(self) -> list[str]:
        """All players from the first on; those who share places in the order of their entry."""
        return [self.players[number] for _, _, numbers in self._shared() for number in numbers]

    def pairing_order(self, seed: bytes, number: int) -> list[str]:
        """All players in rank order for a round: those who share places by lot."""
        ordered: list[str] = []
        for _, _, numbers in self._shared():
            names = [self.players[one] for one in numbers]
            ordered += lot.order(seed, f"round/{number}", names) if len(names) > 1 else names
        return ordered

    def account(self, player: str) -> list[Account]:
        """How his tie-breaks came about, round by round."""
        sheet = self.sheets[self.numbers[player]]
        parts, _ = tie_breaks(sheet, self.adjusted)
        cut = cut_round(sheet, parts)
        accounts = []
        for index, (number, points, opponents, weights) in enumerate(rounds_of(sheet)):
            met = [self.adjusted[opponent] for opponent in opponents]
            account = Account(
                round=number,
                points=points,
                buchholz=Fraction(parts[index], SIXTIETHS),
                sonneborn=Fraction(sum(map(mul, met, weights)), 2 * SIXTIETHS),
                cut=index == cut,
            )
            accounts.append(account)
        return accounts

    def _rank(self, number: int, best: int, sharing: int, direct: int) -> Rank:
        points, buchholz, sonneborn, net, firsts, _ = self.places[number]
        return Rank(
            player=self.players[number],
            best=best,
            worst=best + sharing - 1,
            points=-points,
            buchholz=Fraction(-buchholz, SIXTIETHS),
            sonneborn=Fraction(-sonneborn, 2 * SIXTIETHS),
            net_chips=-net,
            firsts=-firsts,
            direct=direct,
        )

    def _shared(self, first: int = 1) -> Iterator[tuple[int, int, list[int]]]:
        """Best place, direct points, numbers of those who share, from the group of `first` on."""
        for best, numbers in self._equal(first):
            if len(numbers) == 1:
                yield best, 0, numbers
                continue
            direct = direct_points(numbers, self.sheets)
            place = best
            for points in sorted(set(direct), reverse=True):
                sharing = [one for one, own in zip(numbers, direct, strict=True) if own == points]
                yield place, points, sharing
                place += len(sharing)

    def _equal(self, first: int) -> Iterator[tuple[int, list[int]]]:
        """Those with equal keys, with their best place, from the group of place `first` on."""
        order = self.order
        start = first - 1
        while 0 < start < len(order) and order[start - 1][:-1] == order[start][:-1]:
            start -= 1
        while start < len(order):
            keys, end = order[start][:-1], start + 1
            while end < len(order) and order[end][:-1] == keys:
                end += 1
            yield start + 1, [place[-1] for place in order[start:end]]
            start = end


def _concerned(sheets: Sequence[Sheet], changed: Collection[int]) -> Collection[int]:
    """Those whose tie-breaks depend on the players whose sheet has changed."""
    if len(changed) * _FEW > len(sheets):
        return range(len(sheets))
    return set(changed).union(*(sheets[number].opponents for number in changed))
