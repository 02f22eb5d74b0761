"""Arena: tables that fill up or wait, the streak, the order at the end."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken
from tournaments.core.arena import (
    PATIENCE_SECONDS,
    Free,
    MatchScore,
    counts_at_end,
    pair_now,
    ranking,
    same_again,
    scores,
)
from tournaments.core.matches import Group


def in_turn(players: Sequence[str], sizes: Sequence[int]) -> list[Group]:
    left = list(players)
    return [tuple(left.pop(0) for _ in range(size)) for size in sizes]


def waiting(*seconds: int) -> list[Free]:
    return [Free(f"p{number}", one) for number, one in enumerate(seconds)]


@given(st.integers(2, 6), st.lists(st.integers(0, 60), max_size=20))
def test_nobody_waits_for_long_beside_others(seats: int, seconds: list[int]) -> None:
    free = waiting(*seconds)
    tables = pair_now(free, seats=seats, pair=in_turn)
    seated = {player for table in tables for player in table}
    left = [one for one in free if one.player not in seated]
    assert all(2 <= len(table) <= seats for table in tables)
    assert len(left) < seats
    assert len(left) < 2 or all(one.waiting_seconds < PATIENCE_SECONDS for one in left)
    assert all(one.waiting_seconds <= other.waiting_seconds
               for one in left for other in free if other.player in seated)  # fmt: skip


def test_a_table_of_two_is_enough_after_30_seconds() -> None:
    assert pair_now(waiting(29, 10), seats=3, pair=in_turn) == []
    assert pair_now(waiting(10, 30), seats=3, pair=in_turn) == [("p1", "p0")]
    assert pair_now(waiting(40), seats=3, pair=in_turn) == []
    assert pair_now(waiting(30, 9, 9, 9, 9), seats=3, pair=in_turn) == [("p0", "p1", "p2")]


def test_a_pairing_of_others_is_a_bug() -> None:
    with pytest.raises(InvariantBroken):
        pair_now(waiting(0, 0), seats=2, pair=lambda *_: [("p0", "x")])
    with pytest.raises(InvariantBroken):
        pair_now(waiting(0, 0), seats=2, pair=lambda *_: [("p0",), ("p1",)])


def test_the_same_three_twice_running_cost() -> None:
    last = frozenset("abc")
    free = [Free("a", 0, last), Free("b", 0, last), Free("c", 0, last), Free("d", 0)]
    assert same_again([("c", "a", "b")], free) == 1
    assert same_again([("a", "b"), ("c", "d")], free) == 0
    assert same_again([("a", "b", "d")], free) == 0


@given(st.lists(st.tuples(st.integers(0, 120), st.booleans())))
def test_only_two_sole_wins_before_double_a_match(played: list[tuple[int, bool]]) -> None:
    matches = [MatchScore(points, sole_win=won) for points, won in played]
    for number, (one, score) in enumerate(zip(matches, scores(matches), strict=True)):
        lit = number >= 2 and matches[number - 1].sole_win and matches[number - 2].sole_win
        assert score == one.points * (2 if lit else 1)


def test_half_of_the_hands_are_enough_at_the_end() -> None:
    assert [counts_at_end(hands, 3) for hands in range(4)] == [False, False, True, True]
    assert counts_at_end(2, 4)


def test_fewer_matches_are_better_then_places_are_shared() -> None:
    scored = {"a": [120, 0, 0], "b": [120], "c": [60, 60], "d": [0, 120], "e": []}
    assert ranking(scored) == [("b",), ("c", "d"), ("a",), ("e",)]
