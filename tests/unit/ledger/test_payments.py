"""Terms of payments, and which way money goes back."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.payments import State, next_try, to_go_first, withdrawal_min

LEAST = 1_000
METHODS = st.sampled_from(["bank", "card", "cash"])
SOURCES = st.dictionaries(METHODS, st.integers(-5_000, 20_000))


@pytest.mark.parametrize(
    ("method", "amount", "sources", "first"),
    [
        ("bank", 5_000, {}, {}),
        ("bank", 5_000, {"bank": 5_000, "card": 9_000}, {}),
        ("bank", 5_001, {"bank": 5_000, "card": 9_000}, {"card": 9_000}),
        ("bank", 5_000, {"card": 9_000, "cash": 2_000}, {"card": 9_000, "cash": 2_000}),
        ("bank", 5_000, {"card": LEAST}, {"card": LEAST}),
        ("bank", 5_000, {"card": LEAST - 1}, {}),
        ("bank", 5_000, {"bank": -2_000, "card": -1}, {}),
    ],
)
def test_money_goes_back_the_way_it_came(
    method: str, amount: int, sources: dict[str, int], first: dict[str, int]
) -> None:
    assert to_go_first(method, amount, sources, LEAST) == first


@given(SOURCES)
def test_some_way_back_is_always_open(sources: dict[str, int]) -> None:
    methods = {"bank", "card", "cash"}
    assert any(not to_go_first(method, LEAST, sources, LEAST) for method in methods)


@given(METHODS, st.integers(LEAST, 50_000), SOURCES)
def test_what_came_by_other_methods_does_not_leave_by_this_one(
    method: str, amount: int, sources: dict[str, int]
) -> None:
    left = {other: sum_ for other, sum_ in sources.items() if other != method and sum_ >= LEAST}
    if not to_go_first(method, amount, sources, LEAST) and left:
        assert amount <= sources[method]


def test_a_payout_is_asked_for_four_times() -> None:
    waits = [next_try(attempts) for attempts in range(1, 6)]
    assert waits == [timedelta(minutes=minutes) for minutes in (1, 5, 30)] + [None, None]


def test_the_smallest_withdrawal() -> None:
    assert (withdrawal_min("EUR"), withdrawal_min("JPY")) == (1_000, 1)


def test_a_state_is_its_word() -> None:
    assert [str(state) for state in State] == [state.name.lower() for state in State]
