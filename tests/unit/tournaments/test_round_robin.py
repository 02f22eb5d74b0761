"""Round robin: who meets whom, the league table, and what is left of those who leave."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken
from tests.unit.tournaments.driving import drive, generators, names, not_so_often, won
from tournaments.core import meetings
from tournaments.core.matches import NOTHING_PLAYED, Played, Result, match_points
from tournaments.core.meetings import Matrix, Round, circle, triples
from tournaments.core.results import NET_CHIPS_MAX
from tournaments.core.round_robin import RoundRobin
from tournaments.core.seating import table_sizes


def find(above: Matrix, short: Sequence[int]) -> Round:
    """A plain search: each table gets the one who costs least beside those who sit there."""
    sizes = table_sizes(len(short), 3)
    free = sorted(range(len(short)), key=lambda player: (-short[player], player))
    tables = []
    for size in sizes:
        table = [free.pop(0)]
        while len(table) < size:
            best = min(free, key=lambda one: (sum(above[one][other] for other in table), one))
            free.remove(best)
            table.append(best)
        tables.append(tuple(table))
    return tuple(tables)


# Who meets whom


@pytest.mark.parametrize("players", range(2, 25))
def test_each_meets_each_once_in_the_circle(players: int) -> None:
    rounds = circle(players)
    assert len(rounds) == players - 1 + players % 2
    pairs = [tuple(sorted(pair)) for tables in rounds for pair in tables]
    assert sorted(pairs) == list(combinations(range(players), 2))
    for tables in rounds:
        assert len({player for pair in tables for player in pair}) == players - players % 2
    assert sorted(meetings.byes(rounds, players)) == list(range(players) if players % 2 else [])


@pytest.mark.parametrize("players", range(2, 25))
def test_a_double_round_swaps_the_seats(players: int) -> None:
    pairs = [pair for tables in circle(players, double=True) for pair in tables]
    assert sorted(pairs) == list(permutations(range(players), 2))


@pytest.mark.parametrize(("players", "rounds"), [(9, 4), (15, 7)])
def test_each_meets_each_once_at_tables_of_three(players: int, rounds: int) -> None:
    schedule = triples(players, rounds, find)
    assert len(schedule) == rounds
    assert meetings.span(meetings.meetings(schedule, players)) == (1, 1)
    assert {len(table) for tables in schedule for table in tables} == {3}
    assert triples(players, rounds - 1, find) == schedule[:-1]


@given(st.integers(0, 24).filter(lambda players: players not in (9, 15)), st.integers(1, 10))
def test_searched_rounds_seat_everybody(players: int, rounds: int) -> None:
    schedule = triples(players, rounds, find)
    assert len(schedule) == (rounds if players > 1 else 0)
    for tables in schedule:
        assert sorted(player for table in tables for player in table) == list(range(players))
        assert [len(table) for table in tables] == table_sizes(players, 3)
    matrix = meetings.meetings(schedule, players)
    assert all(matrix[i][i] == 0 for i in range(players))
    in_pairs = sum(len(table) * (len(table) - 1) for tables in schedule for table in tables)
    assert sum(map(sum, matrix)) == in_pairs


def test_the_search_is_told_what_was_played() -> None:
    told = []

    def listen(above: Matrix, short: Sequence[int]) -> Round:
        told.append((above, tuple(short)))
        return ((0, 1, 2), (3, 4)) if len(told) == 1 else ((0, 3, 4), (1, 2))

    schedule = triples(5, 3, listen)
    assert told[0] == (((0,) * 5,) * 5, (0,) * 5)
    assert told[1][0][0] == (0, 1, 1, 0, 0)
    assert told[1][1] == (0, 0, 0, 1, 1)
    assert meetings.cost(schedule[1], *told[1]) == (2, 0)
    assert meetings.cost(((0, 1, 2), (3, 4)), *told[1]) == (4, 2)


def test_meetings_count_above_the_least() -> None:
    assert meetings.above_least([[0, 2, 1], [2, 0, 1], [1, 1, 0]]) == (
        (0, 1, 0), (1, 0, 0), (0, 0, 0),
    )  # fmt: skip


@pytest.mark.parametrize("found", [((0, 1), (2, 2)), ((0, 1, 2), (3,)), ((0, 1),)])
def test_a_round_that_does_not_fit_is_a_bug(found: Round) -> None:
    with pytest.raises(InvariantBroken):
        triples(4, 1, lambda *_: found)


# Played to the end


@not_so_often
@given(st.integers(1, 16), generators, st.booleans())
def test_a_league_comes_to_its_end(players: int, random: Random, double: bool) -> None:
    field = names(players)
    league = RoundRobin(field, circle(players, double=double))
    played, _ = drive(league, field, random, trouble=False)
    pairs = Counter(frozenset(result.chips) for result in played.results.values())
    assert set(pairs.values()) <= {1 + double}
    assert len(pairs) == players * (players - 1) // 2
    drive(league, field, random)


@not_so_often
@given(st.integers(2, 15), generators)
def test_a_league_at_tables_of_three_comes_to_its_end(players: int, random: Random) -> None:
    field = names(players)
    league = RoundRobin(field, triples(players, 7, find))
    drive(league, field, random, trouble=False)
    drive(league, field, random)


def plain_rows(
    field: Sequence[str], results: Sequence[Result]
) -> dict[str, tuple[int, Fraction, int, int]]:
    """The keys of everybody by counting, where nobody was absent."""
    tables = [result.chips for result in results]
    points = dict.fromkeys(field, 0)
    for chips in tables:
        for player, more in match_points(chips).items():
            points[player] += more
    rows = {}
    for player in field:
        sonneborn, net, firsts = Fraction(0), 0, 0
        for chips in tables:
            if player in chips:
                for other in set(chips) - {player}:
                    share = {1: 2, 0: 1, -1: 0}[
                        (chips[player] > chips[other]) - (chips[player] < chips[other])
                    ]
                    sonneborn += Fraction(share * points[other], 2 * (len(chips) - 1))
                net += chips[player]
                firsts += list(chips.values()).count(max(chips.values())) == 1 and (
                    chips[player] == max(chips.values())
                )
        rows[player] = (points[player], sonneborn, net, firsts)
    return rows


@not_so_often
@given(st.sampled_from([2, 3]), st.integers(2, 9), generators)
def test_the_keys_are_those_of_plain_counting(seats: int, players: int, random: Random) -> None:
    field = names(players)
    rounds = circle(players) if seats == 2 else triples(players, 4, find)
    league = RoundRobin(field, rounds)
    played, progress = drive(league, field, random, trouble=False)
    rows = plain_rows(field, list(played.results.values()))
    standings = league.standings(played)
    assert {player: row.keys for player, row in standings.rows.items()} == rows
    ranked = [rows[player] for group in progress.groups for player in group]
    assert ranked == sorted(ranked, reverse=True)


FOUR = RoundRobin(("a", "b", "c", "d"), circle(4))  # ad bc, ac db, ab cd
ROUND_1 = {"R1.1": won("a", "d"), "R1.2": won("b", "c")}
ROUND_2 = {"R2.1": won("a", "c"), "R2.2": won("d", "b")}
ROUND_3 = {"R3.1": won("a", "b"), "R3.2": won("c", "d")}


def test_one_round_after_another() -> None:
    assert [one.key for one in FOUR.progress(NOTHING_PLAYED).ready] == ["R1.1", "R1.2"]
    half = FOUR.progress(Played({"R1.1": won("a", "d")}))
    assert [(one.key, one.round) for one in half.ready] == [("R1.2", 1)]
    assert [one.players for one in FOUR.progress(Played(ROUND_1)).ready] == [("a", "c"), ("d", "b")]
    ended = FOUR.progress(Played({**ROUND_1, **ROUND_2, **ROUND_3}))
    assert ended.groups == [["a"], ["b", "c", "d"]]  # a ring: each beat one of the others


def pair(one: str, net: int, other: str) -> Result:
    return Result({one: net, other: -net})


def test_direct_encounter_parts_two_who_are_equal() -> None:
    # c, b, d beat a and each other in a ring; b and d have one chip each, and b has beaten d.
    results = {
        "R1.1": pair("d", 2, "a"), "R2.1": pair("c", 2, "a"), "R3.1": pair("b", 1, "a"),
        "R1.2": pair("c", 2, "b"), "R2.2": pair("b", 2, "d"), "R3.2": pair("d", 1, "c"),
    }  # fmt: skip
    rows = FOUR.standings(Played(results)).rows
    assert rows["b"].keys == rows["d"].keys == (240, Fraction(240), 1, 2)
    assert FOUR.progress(Played(results)).groups == [["c"], ["b"], ["d"], ["a"]]


def test_two_meetings_are_no_direct_encounter() -> None:
    twice = RoundRobin(("a", "b"), circle(2, double=True))
    results = {"R1.1": won("a", "b"), "R2.1": won("b", "a")}
    assert twice.progress(Played(results)).groups == [["a", "b"]]


def test_net_chips_of_a_match_are_capped() -> None:
    pair = RoundRobin(("a", "b"), circle(2))
    rows = pair.standings(Played({"R1.1": Result({"a": 75, "b": -75})})).rows
    assert (rows["a"].net_chips, rows["b"].net_chips) == (NET_CHIPS_MAX, -NET_CHIPS_MAX)


def test_absent_from_one_match_is_a_walkover() -> None:
    rows = FOUR.standings(Played({"R1.1": Result({"a": 0}, frozenset({"d"}))})).rows
    assert rows["a"].keys == (120, Fraction(0), 0, 0)
    assert (rows["d"].points, rows["d"].matches) == (0, 1)
    nobody = FOUR.standings(Played({"R1.1": Result({}, frozenset("ad"))})).rows
    assert (nobody["a"].points, nobody["a"].matches, nobody["d"].points) == (0, 1, 0)


def test_who_leaves_early_is_annulled() -> None:
    # d leaves after one match of three: his loss to a counts for nobody.
    played = Played({**ROUND_1, "R2.1": won("a", "c"), "R3.1": won("a", "b")}, ("d",))
    standings = FOUR.standings(played)
    assert standings.annulled == ("d",)
    assert {one: (row.matches, row.points) for one, row in standings.rows.items()} == {
        "a": (2, 240), "b": (2, 120), "c": (2, 0),
    }  # fmt: skip
    assert FOUR.progress(played).groups == [["a"], ["b"], ["c"], ["d"]]


def test_who_leaves_late_gives_walkovers() -> None:
    played = Played({**ROUND_1, **ROUND_2, "R3.1": won("a", "b")}, ("d",))
    standings = FOUR.standings(played)
    assert standings.left == {"d"}
    assert not standings.annulled
    assert {one: (row.matches, row.points) for one, row in standings.rows.items()} == {
        "a": (3, 360), "b": (3, 120), "c": (3, 120), "d": (3, 120),
    }  # fmt: skip
    # Who beat d has beaten 120 points and 60 for the round after he left; a walkover beats nobody.
    assert standings.rows["a"].sonneborn == 120 + 120 + 180
    assert standings.rows["c"].sonneborn == 0
    assert standings.rows["b"].sonneborn == 120


def test_who_withdraws_after_his_last_match_has_not_left() -> None:
    results = {**ROUND_1, **ROUND_2, "R3.2": won("c", "d")}
    assert FOUR.standings(Played(results, ("d",))).left == frozenset()
    # Nor has he who was alone in all that was to come: d, then a.
    assert FOUR.standings(Played(ROUND_1, ("b", "c", "d", "a"))).left == {"b", "c"}


def test_a_no_show_is_not_played_but_he_has_not_left() -> None:
    away = frozenset({"d"})
    results = {"R1.1": Result({"a": 0}, away), "R1.2": won("b", "c")}
    results |= {"R2.1": won("a", "c"), "R2.2": Result({"b": 0}, away)}
    results |= {"R3.1": won("a", "b"), "R3.2": Result({"c": 0}, away)}
    assert FOUR.standings(Played(results)).annulled == ()
    assert FOUR.standings(Played(results, ("d",))).annulled == ()
    results.pop("R3.2")
    assert FOUR.standings(Played(results, ("d",))).annulled == ("d",)


NINE = RoundRobin(names(9), triples(9, 4, find))


def test_at_three_seats_the_others_play_on() -> None:
    ready = NINE.progress(Played({}, ("p1",))).ready
    assert ready[0].players == ("p2", "p3")
    results = {
        "R1.1": won("p2", "p3"),
        "R1.2": won("p4", "p5", "p6"),
        "R1.3": won("p7", "p8", "p9"),
    }
    played = Played(results, ("p1",))
    standings = NINE.standings(played)
    assert standings.annulled == ("p1",)
    assert [standings.rows[one].points for one in ("p2", "p3", "p5")] == [120, 0, 60]


def test_an_annulled_third_at_a_table_leaves_a_match_of_two() -> None:
    results = {"R1.1": won("p1", "p2", "p3")}
    rows = NINE.standings(Played(results, ("p1",))).rows
    assert [(rows[one].matches, rows[one].points) for one in ("p2", "p3")] == [(1, 120), (1, 0)]
    both = NINE.standings(Played(results, ("p1", "p2"))).rows
    assert (both["p3"].matches, both["p3"].points) == (0, 0)
