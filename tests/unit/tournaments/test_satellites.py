"""Satellites: tickets, the remainder, and ties that reach across the line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tournaments.test_prizes import groups, sizes
from tournaments.core import satellites


@given(st.integers(0, 60_000), st.integers(1, 9_000), sizes)
def test_all_of_the_pool_is_given_out(pool: int, price: int, of: list[int]) -> None:
    ranks = groups(of)
    cut = satellites.cut(pool, price=price, players=sum(of))
    awards = satellites.award(cut, ranks)
    assert sum(awards.amounts.values()) == sum(cut.vector) == pool
    assert cut.vector == sorted(cut.vector, reverse=True)
    assert cut.number == min(pool // price, sum(of))
    assert len(awards.ticket_holders) <= cut.number
    assert all(awards.amounts[player] >= price for player in awards.ticket_holders)
    place = 0
    for group in ranks:
        shares = [awards.amounts[player] for player in group]
        assert max(shares) - min(shares) <= 1
        place += len(group)
        inside = place <= cut.number
        assert all((player in awards.ticket_holders) == inside for player in group)


def test_more_tickets_than_players_leave_cash_to_the_first() -> None:
    cut = satellites.cut(23_000, price=5_000, players=3)
    assert (cut.number, cut.remainder, cut.remainder_place) == (3, 8_000, 1)
    assert cut.vector == [13_000, 5_000, 5_000]


def test_a_pool_below_one_ticket_is_cash() -> None:
    cut = satellites.cut(3_000, price=5_000, players=3)
    assert satellites.award(cut, [["a"], ["b"], ["c"]]) == satellites.Awards(
        {"a": 3_000, "b": 0, "c": 0}, ()
    )


def test_a_target_that_costs_nothing_has_no_tickets() -> None:
    with pytest.raises(ValueError, match="costs nothing"):
        satellites.cut(1, price=0, players=1)
