"""Heads: what is paid, what stays on them, and who has them at the end."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tournaments.core import bounties, events

kinds = st.sampled_from(["plain", "progressive"])


def entry(player: str, bounty: int) -> events.EntryPaid:
    return events.EntryPaid(
        player=player, entry_no=1, buy_in=0, fee=0, bounty=bounty, currency="XTK"
    )


def paid(facts: tuple[events.BountyPaid, ...]) -> int:
    return sum(one.amount for fact in facts for one in fact.paid)


@given(st.integers(0, 10**6), st.integers(1, 5), kinds)
def test_a_head_is_given_out_whole_and_evenly(
    head: int, count: int, kind: bounties.BountyKind
) -> None:
    capturers = [f"p{number}" for number in range(count)]
    won = bounties.win(head, capturers, kind)
    assert sum(won.paid.values()) + sum(won.added.values()) == head
    assert sum(won.paid.values()) == (head // 2 if kind == "progressive" else head)
    for shares in (won.paid, won.added):
        each = [shares.get(player, 0) for player in capturers]
        assert max(each) - min(each) <= 1
        assert each == sorted(each, reverse=True)


@given(st.integers(0, 10**9), st.integers(2, 12), kinds)
def test_heads_are_money_that_nothing_loses(
    seed: int, count: int, kind: bounties.BountyKind
) -> None:
    random = Random(seed)
    living = [f"p{number}" for number in range(count)]
    heads = bounties.after({}, [entry(player, random.choice([0, 1, 500])) for player in living])
    total, out = sum(heads.values()), 0
    while len(living) > 1:
        loser = living.pop(random.randrange(len(living)))
        capturers = random.sample(living, random.randint(0, min(3, len(living))))
        facts = bounties.busts_of_hand(heads, [(loser, capturers)], kind=kind, currency="XTK")
        heads, out = bounties.after(heads, facts), out + paid(facts)
        assert sum(heads.values()) + out == total
        assert not capturers or loser not in heads
    last = bounties.at_completion(heads, living, "XTK")
    assert paid(last.facts) + out == total
    assert {one.player for fact in last.facts for one in fact.paid} <= set(living)
    assert not bounties.after(heads, last.facts)


def test_two_busts_of_a_hand_are_two_facts() -> None:
    heads = {"a": 500, "b": 500, "c": 501}
    facts = bounties.busts_of_hand(
        heads, [("c", ["a"]), ("b", ["a"])], kind="progressive", currency="XTK"
    )
    assert [(one.head, one.paid[0].amount, one.added_to_head[0].amount) for one in facts] == [
        ("c", 250, 251), ("b", 250, 250),
    ]  # fmt: skip
    assert bounties.after(heads, facts) == {"a": 1001}


def test_a_head_without_capturers_is_the_winners_and_his_own_comes_last() -> None:
    heads = {"w": 200, "gone": 300, "b": 200}
    facts = bounties.busts_of_hand(
        heads, [("gone", []), ("b", ["w"])], kind="plain", currency="XTK"
    )
    assert [one.head for one in facts] == ["b"]
    last = bounties.at_completion(bounties.after(heads, facts), ["w"], "XTK")
    assert [(one.head, one.paid[0].amount) for one in last.facts] == [("gone", 300), ("w", 200)]
    assert last.heads_to_pool == 0


def test_a_winner_without_a_head_gets_none() -> None:
    assert bounties.at_completion({}, ["w"], "XTK").facts == ()
    facts = bounties.busts_of_hand({"a": 0}, [("a", ["w"])], kind="plain", currency="XTK")
    assert facts == ()


def test_where_first_place_is_shared_heads_join_the_pool() -> None:
    last = bounties.at_completion({"a": 201, "b": 200, "gone": 100}, ["b", "a"], "XTK")
    assert last == bounties.LastHeads((), 501)
    amounts = bounties.to_first_place({"a": 10, "b": 10, "c": 5}, ["b", "a"], 501)
    assert amounts == {"a": 260, "b": 261, "c": 5}


def test_a_new_entry_brings_a_new_head_and_one_given_back_takes_it() -> None:
    again = events.ReEntered(player="a", entry_no=2, buy_in=0, fee=0, bounty=200, currency="XTK")
    back = events.EntryRefunded(
        player="b",
        entry_no=1,
        pool=0,
        fee=0,
        bounty=200,
        currency="XTK",
        reason="withdrawn",
    )
    other = events.RegistrationClosed(by="time")
    assert bounties.after({"b": 200}, [again, back, other]) == {"a": 200}


def test_a_head_that_rose_in_the_same_hand_is_won_as_it_stands() -> None:
    facts = bounties.busts_of_hand(
        {"a": 500, "b": 0, "c": 500}, [("c", ["a"]), ("a", ["b"])],
        kind="progressive", currency="XTK",
    )  # fmt: skip
    assert paid(facts) == 250 + 375
    assert bounties.after({"a": 500, "b": 0, "c": 500}, facts) == {"b": 375}
