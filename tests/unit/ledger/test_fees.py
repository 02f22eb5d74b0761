"""Rake of a hand (`ledger.md` section 5). The worked cases are L17 to L22 of the case files."""

from hypothesis import given
from hypothesis import strategies as st

from ledger.core.fees import UNRAKED_ENDS, RakeTerms, rake

PLAYED = "knock_win"


@st.composite
def nets(draw: st.DrawFn) -> dict[int, int]:
    count = draw(st.integers(2, 6))
    first = draw(st.lists(st.integers(-(10**9), 10**9), min_size=count - 1, max_size=count - 1))
    return dict(enumerate([*first, -sum(first)], 1))


terms = st.builds(RakeTerms, st.integers(0, 1000), st.none() | st.integers(0, 10**6))


@given(terms, nets(), st.data())
def test_winners_pay_the_whole_and_losers_nothing(
    terms: RakeTerms, net: dict[int, int], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(list(net)))
    taken = rake(terms, PLAYED, net, order)
    base = sum(amount for amount in net.values() if amount > 0)
    whole = base * terms.bp // 10_000
    assert sum(taken.values()) == (whole if terms.cap is None else min(whole, terms.cap))
    assert all(0 < share <= net[seat] for seat, share in taken.items())


@given(terms, nets(), st.sampled_from(sorted(UNRAKED_ENDS)))
def test_no_play_no_rake(terms: RakeTerms, net: dict[int, int], end: str) -> None:
    assert rake(terms, end, net, list(net)) == {}


def test_a_hand_without_a_winner_pays_nothing() -> None:
    assert rake(RakeTerms(500, None), PLAYED, {1: 0, 2: 0}, [1, 2]) == {}


def test_odd_units_go_to_the_winner_nearest_the_dealers_left() -> None:
    net = {"A": 200, "B": 200, "C": -400}
    assert rake(RakeTerms(525, None), PLAYED, net, ["B", "C", "A"]) == {"B": 11, "A": 10}
    assert rake(RakeTerms(525, None), PLAYED, net, ["A", "B", "C"]) == {"A": 11, "B": 10}
