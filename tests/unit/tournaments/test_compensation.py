"""Compensation after settlement: it sums to nothing, part by part."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken
from tests.twin import payouts
from tests.unit.tournaments.test_prizes import groups, sizes
from tournaments.core import compensation, events, prizes


def posted(
    changes: dict[str, int], wallets: dict[str, int] | None = None
) -> tuple[events.CompensationPosted, ...]:
    return compensation.facts(changes, wallets or {}, currency="XTK", reason_code="disqualified")


def moved(facts: tuple[events.CompensationPosted, ...]) -> Counter[str]:
    found = Counter[str]()
    for fact in facts:
        given_back = sum(one.wallet + one.receivable for one in fact.debits)
        assert given_back == sum(one.amount for one in fact.credits)
        assert len(fact.debits) <= 300
        assert len(fact.credits) <= 300
        assert all(one.wallet + one.receivable > 0 for one in fact.debits)
        assert all(one.amount > 0 for one in fact.credits)
        names = [*(one.player for one in fact.debits), *(one.player for one in fact.credits)]
        assert len(names) == len(set(names))
        found.subtract({one.player: one.wallet + one.receivable for one in fact.debits})
        found.update({one.player: one.amount for one in fact.credits})
    return found


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=8).map(lambda one: sorted(one)[::-1]),
    sizes,
    st.data(),
)
def test_all_below_move_up_and_nobody_else_loses(
    vector: list[int], of: list[int], data: st.DataObject
) -> None:
    ranks = groups([*of, len(vector)])
    cheat = data.draw(st.sampled_from([player for group in ranks for player in group]))
    due = compensation.due_without(vector, ranks, [cheat])
    without = [[player for player in group if player != cheat] for group in ranks]
    assert due == payouts.paid(vector, [group for group in without if group]) | {cheat: 0}
    paid = prizes.share_places(vector, ranks)
    changes = compensation.differences(paid, due)
    assert all(amount > 0 for player, amount in changes.items() if player != cheat)
    assert changes.get(cheat, 0) == -paid[cheat]
    assert moved(posted(changes, {cheat: 100})) == Counter(changes)


def test_the_wallet_first_then_he_owes() -> None:
    (fact,) = posted({"b": -3000, "c": 1000, "d": 2000}, {"b": 1200, "c": 5})
    assert fact.debits == (events.Debit(player="b", wallet=1200, receivable=1800),)
    (other,) = posted({"b": -3000, "c": 3000}, {"b": 10**6})
    assert other.debits == (events.Debit(player="b", wallet=3000, receivable=0),)


def test_a_debit_is_divided_over_the_parts_and_the_wallet_goes_first() -> None:
    changes = {"b": -1499, **{f"p{number}": 1 for number in range(1499)}}
    facts = posted(changes, {"b": 650})
    assert [(fact.part, fact.parts) for fact in facts] == [(part, 5) for part in range(1, 6)]
    split = [(fact.debits[0].wallet, fact.debits[0].receivable) for fact in facts]
    assert split == [(300, 0), (300, 0), (50, 250), (0, 300), (0, 299)]
    assert moved(facts) == Counter(changes)


def test_many_who_give_back_are_divided_over_the_parts_too() -> None:
    changes = {**{f"p{number}": -1 for number in range(700)}, "a": 350, "b": 350}
    facts = posted(changes)
    assert [len(fact.debits) for fact in facts] == [300, 300, 100]
    assert moved(facts) == Counter(changes)


@given(st.lists(st.integers(-9, 9).filter(bool), max_size=1500), st.integers(0, 5000))
def test_any_number_of_both_sides_balances(amounts: list[int], wallet: int) -> None:
    changes = {f"p{number}": amount for number, amount in enumerate(amounts)}
    if rest := sum(amounts):
        changes["rest"] = -rest
    facts = posted(changes, dict.fromkeys(changes, wallet))
    assert moved(facts) == Counter(changes)
    assert [fact.part for fact in facts] == list(range(1, len(facts) + 1))


def test_limits_and_bugs() -> None:
    with pytest.raises(ValueError, match="parts"):
        posted({"b": -20_000, **{f"p{number}": 1 for number in range(20_000)}})
    with pytest.raises(InvariantBroken, match="a compensation of"):
        compensation.differences({"a": 1}, {"b": 2})
    with pytest.raises(InvariantBroken, match="2 paid places for 1"):
        compensation.due_without([2, 1], [["a"], ["b"]], ["a"])
    assert posted({}) == ()
