"""Deals: the division, who may propose and accept, what a sealed deal fixes."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken, Refusal
from tests.unit.tournaments import money_twin
from tournaments.core import deals, events

methods = st.sampled_from(["equal", "chip_chop"])
fields = st.integers(2, 9).flatmap(
    lambda count: st.tuples(
        st.lists(st.integers(1, 30) | st.integers(1, 10**6), min_size=count, max_size=count),
        st.lists(st.integers(0, 10_000), min_size=count, max_size=count),
    )
)
STANDING = deals.Standing(
    offered=True,
    currency="XTK",
    chips={"a": 500, "b": 300, "c": 200},
    vector=[5000, 3000, 2000],
)
NONE_OPEN = Refusal("deal_changed", facts={"hash": None})
EARLY, LATE = "2026-12-01T10:00:00.000000Z", "2026-12-01T10:02:00.000000Z"


def amounts_of(answer: dict[str, int] | Refusal) -> dict[str, int]:
    assert not isinstance(answer, Refusal)
    return answer


@given(fields, methods, st.integers(0, 1000))
def test_what_a_division_gives(
    field: tuple[list[int], list[int]], method: deals.Method, leave_bp: int
) -> None:
    chips = {f"p{number}": stack for number, stack in enumerate(field[0])}
    prizes = sorted(field[1], reverse=True)
    left = min(deals.left_of(prizes, leave_bp), deals.left_max(prizes))
    amounts = amounts_of(deals.divide(method, chips, prizes, left))
    assert amounts == money_twin.deal(method, chips, prizes, left)
    assert list(amounts) == list(chips)
    assert sum(amounts.values()) + left == sum(prizes)
    assert max(amounts.values()) <= prizes[0] - left
    if method == "chip_chop":
        assert min(amounts.values()) >= prizes[-1]
    for (one, stack), (other, lower) in product(chips.items(), repeat=2):
        if stack == lower or method == "equal":
            assert abs(amounts[one] - amounts[other]) <= 1
        if stack > lower:
            assert amounts[one] >= amounts[other]


@given(fields, methods)
def test_too_much_is_not_left_for_the_winner(
    field: tuple[list[int], list[int]], method: deals.Method
) -> None:
    chips = {f"p{number}": stack for number, stack in enumerate(field[0])}
    prizes = sorted(field[1], reverse=True)
    refused = deals.divide(method, chips, prizes, deals.left_max(prizes) + 1)
    assert isinstance(refused, Refusal)
    assert refused.code == "deal_not_possible"
    assert refused.facts["limit"] == deals.left_max(prizes)


def test_two_at_the_cap() -> None:
    chips = {"a": 6000, "b": 5000, "c": 10, "d": 9}
    divided = deals.divide("chip_chop", chips, [3000, 2000, 1000, 1000])
    assert divided == {"a": 2634, "b": 2361, "c": 1003, "d": 1002}  # rests .54 .29 .72 .45
    flat = deals.divide("chip_chop", chips, [2000, 2000, 2000, 1000])
    assert flat == {"a": 2000, "b": 2000, "c": 1526, "d": 1474}


@pytest.mark.parametrize(
    ("chips", "prizes"), [({"a": 1}, [2, 1]), ({"a": 1, "b": 0}, [2, 1]), ({"a": 1, "b": 1}, [2])]
)
def test_a_deal_about_other_prizes_or_without_chips_is_a_bug(
    chips: dict[str, int], prizes: list[int]
) -> None:
    with pytest.raises(InvariantBroken):
        deals.divide("equal", chips, prizes)


# --- from a proposal to a sealed deal -------------------------------------------------------------


@pytest.mark.parametrize(
    ("standing", "facts"),
    [
        (replace(STANDING, offered=False), {"deals": False, "sealed": False}),
        (replace(STANDING, sealed=True), {"deals": True, "sealed": True}),
        (replace(STANDING, chips={"a": 1}), {"players": 1, "limit": 3}),
        (replace(STANDING, vector=[5000, 3000]), {"players": 3, "limit": 2}),
        (
            replace(STANDING, chips=dict.fromkeys("abcdefghij", 1), vector=[1] * 20),
            {"players": 10, "limit": 9},
        ),
        (replace(STANDING, proposals=3), {"proposals": 3, "limit": 3}),
    ],
)
def test_when_no_deal_is_offered(standing: deals.Standing, facts: dict[str, object]) -> None:
    refused = deals.offer(standing)
    assert refused is not None
    assert (refused.code, refused.facts) == ("deal_not_possible", facts)
    assert proposal(standing) == refused
    assert deals.offer(replace(STANDING, proposals=2)) is None


def proposal(
    standing: deals.Standing = STANDING, *, deal: str = "deal-1", leave_bp: int = 0
) -> events.DealProposed | Refusal:
    return deals.propose(
        standing, deal=deal, method="chip_chop", leave_bp=leave_bp, expires_at=LATE
    )


def opened() -> deals.Open:
    proposed = proposal()
    assert isinstance(proposed, events.DealProposed)
    standing = deals.after(None, proposed)
    assert standing
    return standing


def test_a_proposal_names_every_amount() -> None:
    proposed = proposal(leave_bp=1000)
    assert isinstance(proposed, events.DealProposed)
    amounts = {one.player: one.amount for one in proposed.amounts}
    assert amounts == {"a": 3500, "b": 2900, "c": 2600}
    assert proposed.left_for_winner == 1000
    refused = proposal(leave_bp=1001)
    assert isinstance(refused, Refusal)
    assert refused.code == "deal_not_possible"


def test_the_prizes_of_those_who_are_left_are_divided() -> None:
    late = replace(STANDING, vector=[5000, 3000, 2000, 1000, 500])
    proposed = proposal(late)
    assert isinstance(proposed, events.DealProposed)
    assert sum(one.amount for one in proposed.amounts) == 10_000


def test_two_proposals_have_two_hashes() -> None:
    found = [proposal(), proposal(deal="deal-2"), proposal(leave_bp=100)]
    hashes = {one.hash for one in found if isinstance(one, events.DealProposed)}
    assert len(hashes) == 3


def test_all_accept_and_it_is_sealed() -> None:
    standing: deals.Open | None = opened()
    assert standing
    told = standing.proposed.hash
    early = deals.seal(standing, deal_hash=told, at=EARLY)
    assert early == Refusal("deal_not_unanimous", facts={"missing": ["a", "b", "c"]})
    for player in "abc":
        answer = deals.accept(standing, player=player, deal_hash=told, at=EARLY)
        assert not isinstance(answer, Refusal)
        standing = deals.after(standing, answer[0])
    assert deals.accept(standing, player="a", deal_hash=told, at=EARLY) == ()
    sealed = deals.seal(standing, deal_hash=told, at=LATE)
    assert isinstance(sealed, events.DealSealed)
    assert standing
    assert sealed.amounts == standing.proposed.amounts
    assert deals.after(standing, sealed) is None
    assert deals.ends_play(sealed)


def test_who_may_not_answer() -> None:
    standing, stranger = opened(), Refusal("not_entered")
    told, changed = standing.proposed.hash, Refusal("deal_changed", facts={"hash": told_of()})
    for answer in (deals.accept, deals.decline):
        assert answer(standing, player="z", deal_hash=told, at=EARLY) == stranger
        assert answer(standing, player="a", deal_hash="other", at=EARLY) == changed
        assert answer(standing, player="a", deal_hash=told, at=LATE) == changed
        assert answer(None, player="a", deal_hash=told, at=EARLY) == NONE_OPEN


def test_what_can_not_be_sealed() -> None:
    standing, changed = opened(), Refusal("deal_changed", facts={"hash": told_of()})
    assert deals.seal(standing, deal_hash="other", at=EARLY) == changed
    assert deals.seal(standing, deal_hash=told_of(), at=LATE) == changed
    assert deals.seal(None, deal_hash=told_of(), at=EARLY) == NONE_OPEN


def told_of() -> str:
    return opened().proposed.hash


def test_who_declines_ends_it() -> None:
    standing = opened()
    answer = deals.decline(standing, player="b", deal_hash=standing.proposed.hash, at=EARLY)
    assert not isinstance(answer, Refusal)
    assert deals.after(standing, answer[0]) is None
    accepted = events.DealAccepted(deal="deal-1", player="a", hash="x")
    assert deals.after(None, accepted) is None
    other = events.RegistrationClosed(by="time")
    assert deals.after(standing, other) is standing


def test_bots_accept_what_goes_by_chips() -> None:
    assert deals.bot_accepts("chip_chop")
    assert not deals.bot_accepts("equal")


# --- what it fixes --------------------------------------------------------------------------------


def sealed_deal(amounts: dict[str, int], left: int) -> events.DealSealed:
    listed = tuple(events.AmountOfPlayer(player=p, amount=one) for p, one in amounts.items())
    return events.DealSealed(
        deal="d", currency="XTK", hash="h", amounts=listed, left_for_winner=left
    )


def test_the_winner_gets_what_was_left_and_places_change_no_amount() -> None:
    sealed = sealed_deal({"a": 3500, "b": 2900}, 600)
    assert not deals.ends_play(sealed)
    amounts = deals.final_amounts([4000, 3000, 2000, 1000], [["b"], ["a"], ["x", "c"]], sealed)
    assert amounts == {"b": 3500, "a": 3500, "x": 1500, "c": 1500}


def test_parties_have_the_first_places() -> None:
    with pytest.raises(InvariantBroken):
        deals.final_amounts([4000, 3000], [["a"], ["c"], ["b"]], sealed_deal({"a": 1, "b": 1}, 0))
    with pytest.raises(InvariantBroken):
        deals.final_amounts([4, 3], [["a", "b"]], sealed_deal({"a": 3, "b": 3}, 1))
