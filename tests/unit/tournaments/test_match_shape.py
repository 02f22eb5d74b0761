"""The shape that all match formats share: who can play, points, places from the last one up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken
from tournaments.core.busts import cover_all
from tournaments.core.duels import tie_hands
from tournaments.core.matches import (
    Played,
    Result,
    levels,
    match_points,
    places_from_last,
)

nets = st.lists(st.integers(-5, 5), min_size=2, max_size=6)


@given(nets)
def test_points_of_a_table_have_the_mean_60(chips: list[int]) -> None:
    points = match_points(dict(zip("abcdef", chips, strict=False)))
    assert sum(points.values()) == 60 * len(chips)
    for one, net in zip("abcdef", chips, strict=False):
        beaten = sum(net > other for other in chips)
        tied = chips.count(net) - 1
        assert points[one] * (len(chips) - 1) == 60 * (2 * beaten + tied)


def test_who_comes_alone_has_won() -> None:
    assert match_points({"a": 0}) == {"a": 120}
    assert match_points({}) == {}


@given(st.lists(st.integers(1, 4), max_size=8))
def test_places_cover_all(sizes: list[int]) -> None:
    groups = [
        tuple(f"{number}-{index}" for index in range(size)) for number, size in enumerate(sizes)
    ]
    places = places_from_last(groups, sum(sizes))
    assert cover_all(list(places.values()))
    assert levels({player: (-best,) for player, (best, _) in places.items()}) == groups[::-1]


def test_places_above_an_open_group_are_open() -> None:
    assert places_from_last([("c",), None, ("a",)], 3) == {"c": (3, 3)}


@pytest.mark.parametrize(
    "result",
    [
        Result({"a": 1, "b": -1, "x": 0}),
        Result({"a": 0}, absent=frozenset({"x"})),
    ],
    ids=["a stranger", "another was absent"],
)
def test_a_result_of_others_is_a_bug(result: Result) -> None:
    with pytest.raises(InvariantBroken, match="M1"):
        Played({"M1": result}).result("M1", ["a", "b"])


def test_who_had_withdrawn_is_not_in_the_result() -> None:
    result = Result({"a": 1, "b": -1})
    assert Played({"M1": result}).result("M1", ["a", "b", "c"]) is result
    assert Played().result("M1", ["a", "b"]) is None


def test_the_last_to_withdraw_has_won_the_table() -> None:
    assert Played(withdrawn=("c", "a")).present(["a", "b", "c"]) == ("b",)
    assert Played(withdrawn=("c", "b", "a")).present(["a", "b", "c"]) == ("a",)
    assert Played(withdrawn=("a",)).present(["a", "b", "c"]) == ("b", "c")


def test_a_tied_match_goes_on_five_times() -> None:
    tied, decided = {"a": 2, "b": 2, "c": -4}, {"a": 4, "b": -2, "c": -2}
    assert [tie_hands(tied, repeats) for repeats in range(7)] == [3, 3, 3, 3, 3, 0, 0]
    assert tie_hands({"a": 0, "b": 0}, 0) == 2
    assert tie_hands(decided, 0) == 0
    assert tie_hands({"a": 0}, 0) == 0
