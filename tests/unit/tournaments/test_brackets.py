"""Single elimination at two and three seats: order, byes, ties, third place, tables, places."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tournaments.driving import by_seed, drive, generators, names, not_so_often, won
from tournaments.core.brackets import SingleElimination, first_pairs, order, rounds_of
from tournaments.core.matches import NOTHING_PLAYED, Played, Result
from tournaments.core.seating import table_sizes
from tournaments.core.three_seats import ThreeSeatElimination, tables

fields = st.integers(2, 64)


# The bracket


@pytest.mark.parametrize("rounds", range(8))
def test_the_best_meet_as_late_as_they_can(rounds: int) -> None:
    left = order(2**rounds)
    while len(left) > 1:
        assert sorted(left) == list(range(1, len(left) + 1))
        pairs = list(zip(left[::2], left[1::2], strict=True))
        assert {sum(pair) for pair in pairs} == {len(left) + 1}
        left = [min(pair) for pair in pairs]


@given(fields)
def test_byes_go_to_the_best(players: int) -> None:
    pairs = first_pairs(players)
    assert len(pairs) == 2 ** (rounds_of(players) - 1)
    byes = {one for one, other in pairs if other > players}
    assert byes == set(range(1, 2 * len(pairs) - players + 1))


def twin(players: int, best_wins: bool) -> list[list[int]]:
    """Losers of each round, where always the better or always the worse seed wins."""
    size = 1
    while size < players:
        size *= 2
    left: list[int | None] = [seed if seed <= players else None for seed in order(size)]
    lost = []
    while len(left) > 1:
        pairs = list(zip(left[::2], left[1::2], strict=True))
        played = [sorted(p for p in pair if p is not None) for pair in pairs]
        lost.append(sorted(pair[best_wins] for pair in played if len(pair) == 2))
        left = [pair[0 if best_wins else -1] for pair in played]
    return [*lost, [left[0] or 0]]


@not_so_often
@given(fields, st.booleans())
def test_losers_of_a_round_share_their_places(players: int, best_wins: bool) -> None:
    bracket = SingleElimination(names(players), third_place_match=False)
    played = NOTHING_PLAYED
    while ready := bracket.progress(played).ready:
        results = {match.key: won(*by_seed(match, best_first=best_wins)) for match in ready}
        played = Played({**played.results, **results})
    groups = [sorted(int(one[1:]) for one in group) for group in bracket.progress(played).groups]
    assert groups == twin(players, best_wins)[::-1]
    assert len(played.results) == players - 1


@not_so_often
@given(fields, generators, st.sampled_from([1, 3, 5]), st.booleans())
def test_every_bracket_comes_to_its_end(
    players: int, random: Random, best_of: int, third: bool
) -> None:
    field = names(players)
    bracket = SingleElimination(field, best_of, third)
    played, _ = drive(bracket, field, random, trouble=False)
    ties = Counter(key.partition("#")[0] for key in played.results)
    assert len(ties) == players - 1 + (third and players > 3)
    assert all(best_of // 2 < count <= best_of for count in ties.values())
    drive(bracket, field, random)


def test_a_lone_player_has_won() -> None:
    for schedule in (SingleElimination(("a",)), ThreeSeatElimination(("a",))):
        assert schedule.progress(NOTHING_PLAYED).groups == [["a"]]
        assert schedule.progress(NOTHING_PLAYED).is_over
    assert SingleElimination(()).progress(NOTHING_PLAYED).is_over


FOUR = SingleElimination(("a", "b", "c", "d"))


def test_third_place_has_a_match_of_its_own() -> None:
    semis = {"W1.1": won("d", "a"), "W1.2": won("b", "c")}
    ready = FOUR.progress(Played(semis)).ready
    assert [(one.key, one.players) for one in ready] == [
        ("third", ("a", "c")),
        ("W2.1", ("d", "b")),
    ]
    third = {**semis, "third": won("c", "a")}
    assert FOUR.progress(Played(third)).places == {"a": (4, 4), "c": (3, 3)}
    final = {**third, "W2.1": won("d", "b")}
    assert FOUR.progress(Played(final)).groups == [["d"], ["b"], ["c"], ["a"]]
    without = SingleElimination(FOUR.field, third_place_match=False)
    assert without.progress(Played(final)).groups == [["d"], ["b"], ["a", "c"]]


def test_a_bracket_is_shown_with_its_open_slots() -> None:
    duels = FOUR.duels(Played({"W1.1": won("d", "a")}))
    assert list(duels) == ["W1.1", "W1.2", "third", "W2.1"]
    assert (duels["W2.1"].slots, duels["third"].slots) == ((("d",), None), (("a",), None))
    assert (duels["W1.1"].winner, duels["W1.2"].winner) == (("d",), None)


def test_of_three_the_loser_of_the_only_semi_final_is_third() -> None:
    results = {"W1.2": won("b", "c"), "W2.1": won("a", "b")}
    assert SingleElimination(("a", "b", "c")).progress(Played(results)).groups == [
        ["a"],
        ["b"],
        ["c"],
    ]


def test_two_who_are_both_absent_are_out_and_the_final_is_walked_over() -> None:
    results = {"W1.1": Result({}, frozenset({"a", "d"})), "W1.2": won("c", "b")}
    assert FOUR.progress(Played(results)).groups == [["c"], ["b"], ["a", "d"]]
    nobody = {**results, "W1.2": Result({}, frozenset({"b", "c"}))}
    assert FOUR.progress(Played(nobody)).groups == [["a", "d", "b", "c"]]


def test_equal_chips_send_the_better_seed_on() -> None:
    results = {"W1.1": Result({"d": 0, "a": 0}), "W1.2": Result({"b": 0}, frozenset({"c"}))}
    assert [one.players for one in FOUR.progress(Played(results)).ready] == [("d", "c"), ("a", "b")]


def test_a_tie_of_three_ends_with_the_second_win() -> None:
    bracket = SingleElimination(("a", "b"), best_of=3)
    results = {"W1.1#1": won("a", "b"), "W1.1#2": Result({"b": 0}, frozenset({"a"}))}
    assert [one.key for one in bracket.progress(Played(results)).ready] == ["W1.1#3"]
    ended = bracket.progress(Played({**results, "W1.1#3": won("b", "a")}))
    assert ended.groups == [["b"], ["a"]]
    assert bracket.progress(Played(results, ("b",))).groups == [["a"], ["b"]]


def test_a_withdrawal_undoes_nothing() -> None:
    # a leaves, so d goes on at once; when d leaves too he still stands in the final.
    assert FOUR.progress(Played({}, ("a",))).ready[0].players == ("b", "c")
    both = Played({"W1.2": won("b", "c")}, ("a", "d"))
    assert FOUR.progress(both).groups == [["b"], ["d"], ["c"], ["a"]]


# Three seats


@pytest.mark.parametrize("players", range(2, 100))
def test_everybody_sits_and_the_best_at_short_tables(players: int) -> None:
    seated = tables(players)
    assert sorted(seed for table in seated for seed in table) == list(range(1, players + 1))
    assert sorted(map(len, seated), reverse=True) == table_sizes(players, 3)
    short = [seed for table in seated if len(table) == 2 for seed in table]
    assert sorted(short) == list(range(1, len(short) + 1))
    assert all(list(table) == sorted(table) for table in seated)


@not_so_often
@given(fields, generators)
def test_three_seat_brackets_come_to_their_end(players: int, random: Random) -> None:
    field = names(players)
    schedule = ThreeSeatElimination(field)
    played, _ = drive(schedule, field, random, trouble=False)
    count, left = 0, players
    while left > 1:
        left = -(-left // 3)
        count += left
    assert len(played.results) == count
    drive(schedule, field, random)


def test_the_rest_is_seeded_anew() -> None:
    schedule = ThreeSeatElimination(names(9))
    results = {
        "R1.1": won("p7", "p1", "p6"), "R1.2": won("p2", "p5", "p8"), "R1.3": won("p9", "p3", "p4"),
    }  # fmt: skip
    (ready,) = schedule.progress(Played(results)).ready
    assert (ready.key, ready.round, ready.players) == ("R2.1", 2, ("p2", "p7", "p9"))


def test_losers_rank_by_chips_and_the_absent_behind_them() -> None:
    schedule = ThreeSeatElimination(names(5))
    results = {
        "R1.1": Result({"p1": -2, "p2": 2}),
        "R1.2": Result({"p3": 2, "p4": -2}, frozenset({"p5"})),
    }
    assert schedule.progress(Played(results)).places == {"p1": (3, 4), "p4": (3, 4), "p5": (5, 5)}
    alone = {**results, "R1.2": Result({"p3": 0}, frozenset({"p4", "p5"}))}
    assert schedule.progress(Played(alone)).places == {"p1": (3, 3), "p4": (4, 5), "p5": (4, 5)}


def test_others_play_on_without_who_withdrew() -> None:
    schedule = ThreeSeatElimination(("a", "b", "c"))
    (ready,) = schedule.progress(Played({}, ("a",))).ready
    assert ready.players == ("b", "c")
    ended = Played({"R1.1": won("c", "b")}, ("a",))
    assert schedule.progress(ended).groups == [["c"], ["b"], ["a"]]
    assert schedule.progress(Played({}, ("a", "b"))).groups == [["c"], ["a", "b"]]


def test_equal_chips_in_front_send_the_better_seed_on() -> None:
    results = {"R1.1": Result({"a": 1, "b": 1, "c": -2})}
    schedule = ThreeSeatElimination(("a", "b", "c"))
    assert schedule.progress(Played(results)).groups == [["a"], ["b"], ["c"]]
    nobody = {"R1.1": Result({}, frozenset("abc"))}
    assert schedule.progress(Played(nobody)).groups == [["a", "b", "c"]]
