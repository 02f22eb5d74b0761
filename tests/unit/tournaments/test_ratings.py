"""Ratings: the numbers of openskill, in whole millionths."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from tournaments.core.ratings import (
    MICRO,
    Pool,
    Rating,
    is_provisional,
    pool_of,
    ranks_of,
    updated,
)

MODEL = PlackettLuce()
ratings = st.builds(Rating, st.integers(0, 60 * MICRO), st.integers(MICRO // 10, 9 * MICRO))


def by_openskill(before: list[Rating], ranks: list[int]) -> list[Rating]:
    teams = [[MODEL.rating(one.mu_micro / MICRO, one.sigma_micro / MICRO)] for one in before]
    after = MODEL.rate(teams, ranks=[float(rank) for rank in ranks])
    return [Rating(round(one.mu * MICRO), round(one.sigma * MICRO)) for (one,) in after]


@given(st.lists(st.tuples(ratings, st.integers(1, 6)), min_size=2, max_size=6))
def test_an_update_is_that_of_openskill(players: list[tuple[Rating, int]]) -> None:
    before, ranks = [rating for rating, _ in players], [rank for _, rank in players]
    assert updated(before, ranks) == by_openskill(before, ranks)


def test_a_long_series_of_updates_is_that_of_openskill() -> None:
    random = Random(1)
    ours = [Rating() for _ in range(12)]
    for _ in range(300):
        table = random.sample(range(12), random.randint(2, 6))
        ranks = [random.randint(1, len(table)) for _ in table]
        before = [ours[player] for player in table]
        after = updated(before, ranks)
        assert after == by_openskill(before, ranks)
        for player, rating in zip(table, after, strict=True):
            ours[player] = rating


def test_shown_ratings() -> None:
    assert Rating().shown == 1000
    assert Rating(25 * MICRO, 5 * MICRO).shown == 1400
    assert Rating(0, 9 * MICRO).shown == -80
    assert [is_provisional(matches) for matches in (0, 9, 10)] == [True, True, False]


@pytest.mark.parametrize(
    ("seats", "pool"),
    [(2, Pool.TWO_SEATS), (3, Pool.THREE_SEATS), (4, Pool.FOUR_AND_MORE), (6, Pool.FOUR_AND_MORE)],
)
def test_pools(seats: int, pool: Pool) -> None:
    assert pool_of(seats) is pool


def test_ranks_by_chips_leave_room_for_ties() -> None:
    assert ranks_of({"a": 5, "b": -1, "c": 5, "d": -9}) == {"a": 1, "b": 3, "c": 1, "d": 4}
