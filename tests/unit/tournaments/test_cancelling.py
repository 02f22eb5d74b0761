"""Cancellation: the policy of each state, and refunds that empty the escrow."""

import pytest

from eventstore.core.refusal import InvariantBroken, Refusal
from tournaments.core import cancelling, events
from tournaments.core.cancelling import Cancellation, Held, Situation
from tournaments.core.lifecycle import Status
from tournaments.core.prizes import Payout

STATES = {
    "draft": "no_entries",
    "announced": "no_entries",
    "registration": "before_start",
    "check_in": "before_start",
    "seating": "before_start",
    "running": "running_unpaid",
    "paused": "running_unpaid",
    "completed": "full_refund",
}
REFUSED = ("settling", "settled", "archived", "cancelled", None)


def field(players: str, *, pool: int = 1000, fee: int = 100, head: int = 0) -> list[Held]:
    return [Held(player, 1, pool, fee, head) for player in players]


def called_off(status: str, now: Situation) -> Cancellation:
    answer = cancelling.cancel(status, now)
    assert not isinstance(answer, Refusal)
    return answer


def amounts(answer: Cancellation) -> dict[tuple[str, int], tuple[int, int, int]]:
    return {(one.player, one.entry_no): (one.pool, one.fee, one.bounty) for one in answer.refunds}


def test_every_state_has_its_policy_or_refuses() -> None:
    assert {status.value for status in Status} <= STATES.keys() | set(REFUSED)
    for status, policy in STATES.items():
        assert cancelling.policy_of(status, prizes_earned=False) == policy
        earned = "running_paid" if policy == "running_unpaid" else policy
        assert cancelling.policy_of(status, prizes_earned=True) == earned
    for none in REFUSED:
        refused = cancelling.cancel(none, Situation([]))
        assert refused == Refusal("wrong_state", facts={"status": none, "command": "cancel"})


def test_two_people_once_it_has_started() -> None:
    assert not cancelling.needs_two("no_entries")
    assert not cancelling.needs_two("before_start")
    assert cancelling.needs_two("running_unpaid")
    assert cancelling.needs_two("running_paid")
    assert cancelling.needs_two("full_refund")


def test_a_draft_has_nobody_to_pay() -> None:
    assert called_off("draft", Situation([])) == Cancellation("no_entries", ())
    with pytest.raises(InvariantBroken):
        cancelling.cancel("announced", Situation(field("a")))


def test_before_the_start_everything_comes_back_even_the_fee_of_a_no_show() -> None:
    held = [*field("ab", head=200), Held("c", 1, 0, 100)]
    answer = called_off("seating", Situation(held))
    assert amounts(answer) == {("a", 1): (1000, 100, 200), ("b", 1): (1000, 100, 200),
                               ("c", 1): (0, 100, 0)}  # fmt: skip
    assert (answer.rake, answer.fees_kept) == (0, 0)


def test_a_full_refund_leaves_heads_that_were_won_where_they_are() -> None:
    held = [Held("a", 1, 2000, 100, 0), Held("b", 1, 1000, 100, 200), Held("b", 2, 1000, 100)]
    answer = called_off("completed", Situation(held))
    assert answer.policy == "full_refund"
    assert amounts(answer) == {("a", 1): (2000, 100, 0), ("b", 1): (1000, 100, 200),
                               ("b", 2): (1000, 100, 0)}  # fmt: skip


def test_while_it_runs_the_living_entry_gets_share_fee_and_head() -> None:
    held = [Held("a", 1, 1000, 100), *field("bc", head=200), Held("a", 2, 1500, 100, 350)]
    answer = called_off("running", Situation(held, {"b": 100, "a": 300}))
    assert answer.policy == "running_unpaid"
    # 4500: 1125 each, 2250 by chips as 1688 and 562; c went without capturers, so 100 to each.
    assert amounts(answer) == {("a", 2): (2813, 100, 450), ("b", 1): (1687, 100, 300)}
    assert answer.fees_kept == 200


def test_odd_units_go_to_the_bigger_stack_then_by_lot() -> None:
    held = field("abc", pool=667, fee=0)
    equal = called_off("paused", Situation(held, {"c": 5, "b": 5, "a": 5}))
    assert {one.player: one.pool for one in equal.refunds} == {"c": 668, "b": 667, "a": 666}
    bigger = called_off("paused", Situation(held, {"c": 5, "b": 5, "a": 6}))
    assert next(iter(bigger.refunds)).player == "a"


def test_nobody_has_any_weight() -> None:
    answer = called_off("running", Situation(field("ab"), {"a": 0, "b": 0}))
    assert {one.pool for one in answer.refunds} == {1000}


def test_in_the_money_rake_and_fees_stay_and_those_out_have_their_prizes() -> None:
    held = field("abcdefg")
    rake, vector = cancelling.without_overlay(held, rake_bp=1000, payout=Payout(), places=3)
    assert (rake, vector) == (700, [3150, 1890, 1260])
    now = Situation(held, {"a": 3000, "b": 1000}, [["d"], ["c"], ["e", "f", "g"]], vector, rake)
    answer = called_off("running", now)
    assert answer.policy == "running_paid"
    assert (answer.rake, answer.fees_kept) == (700, 700)
    assert amounts(answer) == {("a", 1): (1890 + 945, 0, 0), ("b", 1): (1890 + 315, 0, 0),
                               ("d", 1): (1260, 0, 0)}  # fmt: skip


def test_places_that_were_published_are_not_dropped() -> None:
    held = field("abcd", pool=10)
    payout = Payout("bp", (6000, 3000, 1000))
    assert cancelling.without_overlay(held, rake_bp=0, payout=payout, places=3) == (0, [24, 12, 4])


def test_nothing_is_earned_before_the_money() -> None:
    vector = [1400, 600]
    before = Situation(field("ab"), {"a": 1, "b": 1}, [["c"]], vector)
    assert not before.prizes_earned
    assert not Situation(field("a"), {"a": 1}, [], vector).prizes_earned
    assert Situation(field("ab"), {"a": 1}, [["b"]], vector).prizes_earned


def test_who_has_no_place_is_a_bug() -> None:
    now = Situation(field("abcd"), {"a": 1}, [["b"], ["c"]], [2000, 1200, 800])
    with pytest.raises(InvariantBroken, match="without a place"):
        cancelling.cancel("running", now)


def test_a_vector_of_another_pool_is_a_bug() -> None:
    now = Situation(field("ab"), {"a": 1}, [["b"]], [1500, 400])
    with pytest.raises(InvariantBroken, match="'pool': 100"):
        cancelling.cancel("running", now)


def test_the_facts_come_in_parts_and_the_house_stands_in_the_first() -> None:
    held = [Held(f"p{number}", 1, 10, 1) for number in range(700)]
    now = Situation(held, {f"p{number}": 1 for number in range(650)})
    facts = cancelling.facts(called_off("running", now), reason_code="fire", currency="XTK")
    assert [(one.part, one.parts, one.fees_kept, len(one.refunds)) for one in facts] == [
        (1, 3, 50, 300), (2, 3, 0, 300), (3, 3, 0, 50),
    ]  # fmt: skip
    nothing = cancelling.facts(Cancellation("no_entries", ()), reason_code="x", currency="XTK")
    assert nothing == (
        events.Cancelled(
            part=1,
            parts=1,
            policy="no_entries",
            reason_code="x",
            currency="XTK",
            rake=0,
            fees_kept=0,
            refunds=(),
        ),
    )


def test_weights() -> None:
    living = {"a": 240, "b": 0}
    assert cancelling.weights("double_elimination", living) == {"a": 1, "b": 1}
    for form in ("freezeout", "swiss", "round_robin", "groups_finals", "arena"):
        assert cancelling.weights(form, living) == living
