"""Payments at tournament tables: what is due, what is paid, who is out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rules import payment
from games.rules.payment import Transfer, pay

seats = st.lists(st.integers(1, 6), min_size=2, max_size=6, unique=True).map(sorted)


@st.composite
def hands(draw: st.DrawFn) -> tuple[dict[int, int], list[Transfer]]:
    stacks = {seat: draw(st.integers(1, 100)) for seat in draw(seats)}
    ranks = draw(st.permutations(sorted(stacks)))
    pairs = [(a, b) for i, a in enumerate(ranks) for b in ranks[i + 1 :]]
    due = [
        Transfer(a, b, draw(st.integers(0, 80)))
        for a, b in draw(st.lists(st.sampled_from(pairs), max_size=10))
    ]
    return stacks, due


@given(hands())
def test_table_stakes(hand: tuple[dict[int, int], list[Transfer]]) -> None:
    stacks, due = hand
    outcome = pay(due, stacks=stacks, payment="table_stakes")
    assert sum(outcome.stacks.values()) == sum(stacks.values())
    assert all(one.amount > 0 for one in outcome.paid)
    for seat, stack in stacks.items():
        owed = sum(one.amount for one in due if one.from_seat == seat)
        paid = sum(one.amount for one in outcome.paid if one.from_seat == seat)
        assert paid == min(stack, owed)
    for seat in payment.busted(outcome):
        assert not [one for one in outcome.paid if one.to_seat == seat]
        takers = {one.to_seat for one in outcome.paid if one.from_seat == seat}
        assert set(payment.capturers(seat, outcome)) == takers != set()


@given(hands())
def test_full_payment_pays_everything(hand: tuple[dict[int, int], list[Transfer]]) -> None:
    stacks, due = hand
    outcome = pay(due, stacks=stacks, payment="full")
    assert sum(one.amount for one in outcome.paid) == sum(one.amount for one in due)
    assert sum(outcome.stacks.values()) == sum(stacks.values())


def test_dues_of_a_pair_are_added_before_the_payment() -> None:
    due = [Transfer(1, 2, 4), Transfer(1, 3, 4), Transfer(1, 2, 4)]
    outcome = pay(due, stacks={1: 6, 2: 50, 3: 50}, payment="table_stakes")
    assert outcome.paid == (Transfer(1, 2, 4), Transfer(1, 3, 2))


def test_capturers_stand_in_seat_order_from_the_left() -> None:
    due = [Transfer(4, 2, 5), Transfer(4, 6, 5)]
    outcome = pay(due, stacks={2: 60, 4: 7, 6: 60}, payment="table_stakes")
    assert payment.busted(outcome) == [4]
    assert payment.capturers(4, outcome) == [6, 2]


@pytest.mark.parametrize(
    ("due", "kind"),
    [
        ([Transfer(1, 2, 5), Transfer(2, 1, 5)], "full"),
        ([Transfer(1, 3, 5)], "full"),
        ([Transfer(1, 1, 5)], "full"),
        ([Transfer(1, 2, -5)], "full"),
        ([Transfer(1, 2, 5)], "later"),
    ],
)
def test_refused_dues(due: list[Transfer], kind: str) -> None:
    with pytest.raises(ValueError, match=r"dues go one way|no due|is none of"):
        pay(due, stacks={1: 10, 2: 10}, payment=kind)


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 5), min_size=1), st.integers(0, 5))
def test_places_of_busts_cover_the_last_places(busts: dict[str, int], survivors: int) -> None:
    places = payment.places_of_busts(survivors + len(busts), busts)
    covered = sorted(
        place for best, worst in set(places.values()) for place in range(best, worst + 1)
    )
    assert covered == list(range(survivors + 1, survivors + len(busts) + 1))
    for a, more in busts.items():
        for b, less in busts.items():
            assert (places[a] < places[b]) == (more > less)
