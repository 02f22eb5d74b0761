"""Prizes of large fields, dropped places, the list of a pay-out."""

from math import floor

from hypothesis import given
from hypothesis import strategies as st

from tests.twin import payouts
from tests.unit.tournaments.money_twin import Groups
from tournaments.core import prizes
from tournaments.core.prizes import Payout, Pool

sizes = st.lists(st.integers(1, 4), min_size=1, max_size=10)


def groups(of: list[int]) -> Groups:
    return [[f"{group}-{index}" for index in range(size)] for group, size in enumerate(of)]


@given(
    st.integers(0, 10**6),
    st.integers(1, 230),
    st.integers(0, 2000),
    st.sampled_from([1, 7, 100, 1000]),
)
def test_places_are_dropped_one_by_one(pool: int, entries: int, price: int, round_to: int) -> None:
    options = {"payout": "auto", "round_to": round_to, "rake_bp": 0, "guarantee": pool}
    entry = {"buy_in": 0, "fee": 0}
    paid = [{"player": str(number), **entry} for number in range(entries)]
    twin = payouts.Event({**options, "buy_in": price, "fee": 0}, paid, {}, b"")
    vector = prizes.vector(
        pool, Payout(round_to=round_to), entries=entries, players=entries, price=price
    )
    assert vector == twin.vector()


def test_every_number_of_places_up_to_nine_can_be_the_one() -> None:
    pool = 100_000
    last = {places: prizes.divide_among(pool, Payout(), places)[-1] for places in range(1, 10)}
    for places, price in last.items():
        enough = prizes.vector(pool, Payout(), entries=60, players=60, price=price)
        too_dear = prizes.vector(pool, Payout(), entries=60, players=60, price=price + 1)
        assert (len(enough), len(too_dear)) == (places, max(1, places - 1))


def test_a_field_of_ten_thousand_drops_places_to_where_the_last_prize_is_an_entry() -> None:
    for pool, price in ((10**7, 1000), (10**7, 1100), (3 * 10**7, 1000), (10**7, 4 * 10**6)):
        vector = prizes.vector(pool, Payout(), entries=10_000, players=10_000, price=price)
        one_more = prizes.divide_among(pool, Payout(), len(vector) + 1)
        assert vector[-1] >= price
        assert len(vector) == 1500 or one_more[-1] < price


@given(st.lists(st.integers(0, 1000), max_size=12).map(lambda one: sorted(one)[::-1]), sizes)
def test_ties_are_those_of_the_twin(vector: list[int], of: list[int]) -> None:
    assert prizes.share_places(vector, groups(of)) == payouts.paid(vector, groups(of))


def test_fifteen_hundred_places_with_ties() -> None:
    pool = 3 * 10**7
    vector = prizes.vector(pool, Payout(), entries=10_000, players=10_000, price=1000)
    ranks = groups([1, 2, 3] * 250 + [7] * 1000)
    amounts = prizes.share_places(vector, ranks)
    prizes.assert_paid_out(amounts, Pool(pool, 0, 0))
    assert len(vector) == 1500
    assert len(amounts) == 8500
    shares = [floor(sum(amounts[player] for player in group) / len(group)) for group in ranks]
    assert shares == sorted(shares, reverse=True)


def test_the_list_of_a_pay_out_names_the_best_place_of_a_group() -> None:
    ranks = [["a"], ["b", "c"], ["d"], ["e"]]
    amounts = {"a": 50, "b": 20, "c": 20, "d": 10, "e": 0}
    listed = prizes.prize_list(amounts, ranks, tickets=["a"], ticket_for="target")
    assert [(one.place, one.player, one.amount) for one in listed] == [
        (1, "a", 50), (2, "b", 20), (2, "c", 20), (4, "d", 10),
    ]  # fmt: skip
    assert [one.ticket_for for one in listed] == ["target", None, None, None]


def test_heads_that_join_the_pool_are_part_of_it() -> None:
    assert Pool(1000, 100, 50, 200).amount == 1150
