"""Prizes: nothing is lost, no worse place gets more, ties share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken
from tournaments.core import prizes
from tournaments.core.prizes import Payout

payouts = st.one_of(
    st.just(Payout()),
    st.builds(Payout, st.just("top"), st.none(), st.integers(1, 200), st.integers(1, 500)),
    st.builds(Payout, st.just("auto"), st.none(), st.none(), st.integers(1, 500)),
    st.just(Payout("bp", (5000, 3000, 2000))),
)


@given(st.integers(0, 10**9), payouts, st.integers(1, 2000), st.integers(0, 5000))
def test_a_vector_gives_out_the_pool(pool: int, payout: Payout, entries: int, price: int) -> None:
    vector = prizes.vector(pool, payout, entries=entries, players=entries, price=price)
    assert sum(vector) == pool
    assert vector == sorted(vector, reverse=True)
    assert len(vector) <= entries
    assert all(prize % payout.round_to == 0 for prize in vector[1:])
    if payout.kind == "auto" and len(vector) > 1:
        assert vector[-1] >= price


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=6).map(lambda one: sorted(one)[::-1]),
    st.lists(st.integers(1, 3), min_size=1, max_size=8),
)
def test_ties_share_what_their_places_win(vector: list[int], sizes: list[int]) -> None:
    ranks = [[f"{group}-{index}" for index in range(size)] for group, size in enumerate(sizes)]
    amounts = prizes.share_places(vector, ranks)
    assert sum(amounts.values()) == sum(vector[: sum(sizes)])
    for group in ranks:
        shares = [amounts[player] for player in group]
        assert max(shares) - min(shares) <= 1
        assert shares == sorted(shares, reverse=True)


def test_D2_three_who_tie_share_a_hundred() -> None:
    assert prizes.share_places([60, 30, 10], [["a", "b", "c"]]) == {"a": 34, "b": 33, "c": 33}


def test_D4_a_pool_that_divides_is_shared_equally_and_the_odd_units_go_by_the_lot() -> None:
    assert set(prizes.share_places([30_300, 0, 0], [["a", "b", "c"]]).values()) == {10_100}
    assert prizes.share_places([30_302, 0, 0], [["c", "a", "b"]]) == {
        "c": 10_101, "a": 10_101, "b": 10_100,
    }  # fmt: skip


def test_six_and_more_places_have_harmonic_weights() -> None:
    assert prizes.weights(6) == (10**9, 5 * 10**8, 333333333, 25 * 10**7, 2 * 10**8, 166666666)


def test_rising_prizes_and_a_pool_not_given_out_are_bugs() -> None:
    with pytest.raises(InvariantBroken):
        prizes.divide(100, [40, 60])
    with pytest.raises(InvariantBroken):
        prizes.assert_paid_out({"a": 99}, prizes.Pool(100, 0, 0))
