"""Standings: tie-breaks as a plain reading of section 9.4 gives them, and folds that agree."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, groupby
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken
from tests.unit.tournaments.swiss_world import SEED
from tournaments.core import lot
from tournaments.core.attendance import Without
from tournaments.core.matches import match_points
from tournaments.core.results import Match, Missed
from tournaments.core.standings import Rank, Standings

Result = Match | Missed
CUT_FIRST = {Without.HALF_BYE, Without.ABSENT, Without.LATE, Without.WITHDRAWN}


@st.composite
def events(draw: st.DrawFn) -> tuple[list[str], list[list[Result]]]:
    """Players, and the results of each round; some rounds are missed in every possible way."""
    random = Random(draw(st.integers(0, 2**32)))
    players = [f"p{number}" for number in range(draw(st.integers(2, 14)))]
    seats = draw(st.integers(2, 6))
    gone: set[str] = set()
    rounds: list[list[Result]] = []
    for number in range(1, draw(st.integers(1, 7)) + 1):
        there = [name for name in players if name not in gone and random.random() < 0.9]
        random.shuffle(there)
        tables = [there[start : start + seats] for start in range(0, len(there), seats)]
        results: list[Result] = [
            Match(
                number, {name: random.randint(-30, 30) // random.choice([1, 20]) for name in table}
            )
            for table in tables
            if len(table) > 1
        ]
        for name in set(players).difference(*(table for table in tables if len(table) > 1)):
            why = Without.WITHDRAWN if name in gone else random.choice([*Without])
            if why is Without.WITHDRAWN:
                gone.add(name)
            points = {Without.BYE: 120, Without.WALKOVER: 120, Without.HALF_BYE: 60}.get(why, 0)
            results.append(Missed(number, name, why, points))
        rounds.append(results)
    return players, rounds


def folded(players: Sequence[str], rounds: Sequence[Sequence[Result]]) -> Standings:
    return Standings().entered(players).after(one for results in rounds for one in results)


# A plain reading of 9.4, player by player


def results_of(player: str, rounds: Sequence[Sequence[Result]]) -> list[Result]:
    return [
        one
        for results in rounds
        for one in results
        if (player == one.player if isinstance(one, Missed) else player in one.chips)
    ]


def points_of(player: str, rounds: Sequence[Sequence[Result]]) -> int:
    return sum(
        one.points if isinstance(one, Missed) else match_points(one.chips)[player]
        for one in results_of(player, rounds)
    )


def keys_of(player: str, rounds: Sequence[Sequence[Result]]) -> tuple[Fraction | int, ...]:
    def adjusted(name: str) -> int:
        missed = [one for one in results_of(name, rounds) if isinstance(one, Missed)]
        after = sum(one.why is Without.WITHDRAWN for one in missed)
        return points_of(name, rounds) + 60 * after

    own, parts, sonneborn, net, firsts = points_of(player, rounds), [], Fraction(0), 0, 0
    for one in results_of(player, rounds):
        if isinstance(one, Missed):
            parts.append((one.why not in CUT_FIRST, Fraction(own)))
            continue
        chips = one.chips[player]
        others = {name: won for name, won in one.chips.items() if name != player}
        parts.append((True, Fraction(sum(map(adjusted, others)), len(others))))
        beaten = sum(adjusted(name) for name, won in others.items() if won < chips)
        tied = sum(adjusted(name) for name, won in others.items() if won == chips)
        sonneborn += (beaten + Fraction(tied, 2)) / len(others)
        net += max(-20, min(20, chips))
        firsts += all(won < chips for won in others.values())
    if len(parts) >= 5:
        parts.remove(min(parts))
    return own, sum((part for _, part in parts), Fraction(0)), sonneborn, net, firsts


def keys(rank: Rank) -> tuple[Fraction | int, ...]:
    return rank.points, rank.buchholz, rank.sonneborn, rank.net_chips, rank.firsts


@given(events())
def test_standings_are_those_of_a_plain_reading(
    event: tuple[list[str], list[list[Result]]],
) -> None:
    players, rounds = event
    ranks = folded(players, rounds).ranks()
    assert {rank.player: keys(rank) for rank in ranks} == {
        player: keys_of(player, rounds) for player in players
    }
    order = [(*keys(rank), rank.direct) for rank in ranks]
    assert order == sorted(order, reverse=True)
    place = 1
    for _, equal in groupby(ranks, key=lambda rank: (*keys(rank), rank.direct)):
        sharing = list(equal)
        assert {(one.best, one.worst) for one in sharing} == {(place, place + len(sharing) - 1)}
        place += len(sharing)


@given(events())
def test_results_one_by_one_lead_to_the_same(event: tuple[list[str], list[list[Result]]]) -> None:
    players, rounds = event
    # So many others that a result counts for few of them.
    idle = [f"idle{number}" for number in range(200)]
    begun = Standings().entered(idle).entered(players)
    at_once = begun.after(one for results in rounds for one in results)
    for results in rounds:
        for one in results:
            begun = begun.after([one])
    assert begun == at_once


@given(events(), st.integers(1, 14), st.integers(1, 14))
def test_a_page_is_a_part_of_the_whole(
    event: tuple[list[str], list[list[Result]]], first: int, last: int
) -> None:
    players, rounds = event
    standings = folded(players, rounds)
    ranks = standings.ranks()
    assert standings.ranks(first, last) == [
        rank for rank in ranks if rank.worst >= first and rank.best <= last
    ]
    assert [standings.rank_of(rank.player) for rank in ranks] == ranks
    assert standings.ranking() == [rank.player for rank in ranks]


@given(events())
def test_how_the_tie_breaks_came_about(event: tuple[list[str], list[list[Result]]]) -> None:
    players, rounds = event
    standings = folded(players, rounds)
    for rank in standings.ranks():
        account = standings.account(rank.player)
        assert sum(one.points for one in account) == rank.points
        assert sum(one.buchholz for one in account if not one.cut) == rank.buchholz
        assert sum(one.sonneborn for one in account) == rank.sonneborn
        assert sum(one.cut for one in account) == (len(account) >= 5)


@given(events())
def test_the_lot_orders_only_those_who_share(event: tuple[list[str], list[list[Result]]]) -> None:
    standings = folded(*event)
    order = standings.pairing_order(SEED, 9)
    best = {rank.player: rank.best for rank in standings.ranks()}
    for _, equal in groupby(order, key=best.__getitem__):
        sharing = list(equal)
        assert sharing == lot.order(SEED, "round/9", sharing)
    assert sorted(order, key=best.__getitem__) == order


@given(st.dictionaries(st.text(max_size=3), st.integers(-9, 9), min_size=2, max_size=6))
def test_a_table_shares_sixty_points_a_player(chips: dict[str, int]) -> None:
    points = match_points(chips)
    assert sum(points.values()) == 60 * len(chips)
    for one, other in combinations(chips, 2):
        assert (chips[one] > chips[other]) == (points[one] > points[other])


def test_net_chips_are_capped_and_a_shared_win_is_no_first() -> None:
    chips = [{"a": 50, "b": -50}, {"a": 0, "b": 0}, {"a": -5, "b": 5}]
    results = [Match(number, one) for number, one in enumerate(chips, start=1)]
    one, other = Standings().entered("ab").after(results).ranks()
    assert (one.player, one.net_chips, one.firsts) == ("a", 15, 1)
    assert (other.player, other.net_chips, other.firsts) == ("b", -15, 1)


def test_a_withdrawn_opponent_counts_as_if_he_went_on_with_the_mean() -> None:
    results: list[Result] = [
        Match(1, {"a": 1, "b": -1}),
        Missed(2, "b", Without.WITHDRAWN, 0), Missed(2, "a", Without.BYE, 120),
        Missed(3, "b", Without.WITHDRAWN, 0), Missed(3, "a", Without.BYE, 120),
    ]  # fmt: skip
    one, other = Standings().entered("ab").after(results).ranks()
    assert [str(one.buchholz), str(one.sonneborn)] == ["840", "120"]
    assert [str(other.points), str(other.buchholz)] == ["0", "360"]


# Direct encounter


def after(*rounds: Sequence[tuple[str, int]]) -> Standings:
    """Matches of two, written as both names and what the first one won."""
    return (
        Standings()
        .entered("abcd")
        .after(
            Match(number, {pair[0]: net, pair[1]: -net})
            for number, results in enumerate(rounds, start=1)
            for pair, net in results
        )
    )


def places(standings: Standings) -> list[tuple[str, int, int]]:
    return [(rank.player, rank.best, rank.worst) for rank in standings.ranks()]


def test_who_is_equal_in_everything_is_told_apart_by_the_match_among_them() -> None:
    standings = after(
        [("ab", 1), ("cd", 1)], [("ac", 0), ("bd", 0)], [("ad", -1), ("bc", 0)]
    )  # fmt: skip
    assert places(standings) == [("c", 1, 1), ("d", 2, 2), ("a", 3, 3), ("b", 4, 4)]
    d, a = standings.ranks(2, 3)
    assert keys(d) == keys(a)
    assert (d.direct, a.direct) == (120, 0)
    assert standings.rank_of("d") == d
    assert d.written() == ("180/1", "540/1", "240/1", "0/1", "1/1", "120/1")


def test_a_circle_is_shared_and_so_is_what_did_not_meet_or_met_twice() -> None:
    first, second = [("ab", 1), ("cd", 1)], [("bc", 1), ("da", 1)]
    for rounds in (
        [first, second],  # a and c have not met
        [first, second, [("ac", 0), ("bd", 0)]],  # all have, and nobody did better
        [first, [("ab", -1), ("cd", -1)]],  # twice
    ):
        assert {(best, worst) for _, best, worst in places(after(*rounds))} == {(1, 4)}


def test_where_all_meet_all_buchholz_is_left_out() -> None:
    results = [Match(1, {"a": 1, "b": -1}), Match(2, {"b": 1, "c": -1})]
    ranks = Standings(with_buchholz=False).entered("abc").after(results).ranks()
    assert [(rank.player, str(rank.buchholz)) for rank in ranks] == [
        ("a", "0"), ("b", "0"), ("c", "0"),
    ]  # fmt: skip


def test_two_results_of_a_round_and_two_entries_are_bugs() -> None:
    standings = Standings().entered("ab").after([Match(1, {"a": 1, "b": -1})])
    for twice in (Match(1, {"a": 1, "b": -1}), Missed(1, "a", Without.BYE, 120)):
        with pytest.raises(InvariantBroken):
            standings.after([twice])
    with pytest.raises(InvariantBroken):
        standings.entered("a")


def test_standings_of_nobody() -> None:
    assert Standings().ranks() == []
    assert Standings().entered([]).ranking() == []
