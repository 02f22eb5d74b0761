"""Deposits: confirmed by two people, told by a provider, or play chips at once."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest

from eventstore import services
from eventstore.core.refusal import Refused, refuse
from ledger.cashier.base import Outcome as Fate
from ledger.cashier.sandbox import Sandbox
from ledger.models import PaymentOrder
from ledger.selectors import available
from ledger.selectors.payments import unassigned_payments
from ledger.services import deposits
from ledger.services.deposits import DepositWish, request_deposit
from ledger.services.payouts import attend_order, sweep_orders, take_notice, take_notices
from players.core.roles import ADMIN
from players.selectors import Person, person
from players.services import register_bot
from tests.integration.ledger.payments import (
    code_of,
    facts,
    funds,
    let_go,
    limit,
    notice,
    overdue,
    row,
    says_of_deposit,
    says_of_withdrawal,
    state,
    types,
)
from tonk_site.proving.acting.factories import a_deposit, a_player, a_withdrawal, pays_in, receipt

pytestmark = pytest.mark.django_db


# --- asking ---------------------------------------------------------------------------------------


def test_a_deposit_waits_for_its_money(ona: Person) -> None:
    asked = request_deposit(DepositWish("EUR", 5_000), ona, receipt())
    assert (asked.status, asked.result["status"], asked.result["method"]) == (
        201,
        "requested",
        "manual",
    )
    order = row(UUID(str(asked.result["deposit_id"])))
    assert (order.player, order.amount, order.paid) == (ona.id, 5_000, None)
    assert order.due_at == order.created_at + timedelta(days=7)
    assert (funds(ona), types(ona)) == ((0, 0), [])


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (DepositWish("JPY", 5_000), "unknown_currency"),
        (DepositWish("EUR", 5_000, "sandbox"), "invalid_field"),
        (DepositWish("EUR", 5_000, "play"), "invalid_field"),
        (DepositWish("XTK", 5_000, "manual"), "invalid_field"),
        (DepositWish("XTK", 1), "limit_reached"),
    ],
)
def test_deposits_that_are_not_taken(wish: DepositWish, code: str, ona: Person) -> None:
    assert code_of(request_deposit, wish, ona, receipt()) == code
    assert not PaymentOrder.objects.exists()


def test_only_people_who_play_pay_in(algis: Person) -> None:
    wish = DepositWish("EUR", 5_000)
    auditor = a_player("auste", "auditor")
    for staff in (algis, auditor):
        assert code_of(request_deposit, wish, staff, receipt()) == "staff_may_not_play"
    bot = person(register_bot("greedy-1", "Robot").id)
    assert code_of(request_deposit, wish, bot, receipt()) == "not_permitted"


def test_ones_own_limit_counts_orders_that_wait(
    ona: Person, algis: Person, daiva: Person, sandbox: Sandbox
) -> None:
    limit(ona, "deposit_day", 8_000)
    order = a_deposit(ona, 5_000)
    wish = DepositWish("EUR", 3_001)
    assert code_of(request_deposit, wish, ona, receipt()) == "limit_reached"
    for admin in (algis, daiva):
        says_of_deposit(admin, order, "bank-17")
    assert (state(order), row(order).flag) == ("recorded", None)
    assert code_of(request_deposit, wish, ona, receipt()) == "limit_reached"
    second = a_deposit(ona, 3_000, "sandbox")
    take_notice(notice(second, amount=3_001))  # more than was asked for
    assert (row(second).flag, funds(ona)) == ("limit_reached", (8_001, 0))


def test_who_is_excluded_pays_nothing_in(ona: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def excluded(*_: object) -> None:
        raise refuse("excluded")

    monkeypatch.setattr(deposits, "require_deposit", excluded)
    for currency in ("EUR", "XTK"):
        assert code_of(request_deposit, DepositWish(currency, 5), ona, receipt()) == "excluded"


def test_play_chips_are_there_at_once_up_to_a_days_allowance(
    ona: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused) as caught:
        request_deposit(DepositWish("XTK", 1), ona, receipt())
    assert caught.value.refusal.facts == {"limit": "play_day", "most": 10_000, "left": 0}
    with monkeypatch.context() as later:  # as if the chips of registration were a day old
        later.setattr(deposits, "PLAY_DAY", timedelta(0))
        asked = request_deposit(DepositWish("XTK", 4_000), ona, receipt())
        assert (asked.status, asked.result["status"], asked.result["method"]) == (
            201,
            "recorded",
            "play",
        )
        assert code_of(request_deposit, DepositWish("XTK", 10_001), ona, receipt()) == (
            "limit_reached"
        )
    assert available(ona.id, "XTK") == 14_000
    assert facts(ona, "ChipsGranted")[-1] == {
        "amount": 4_000,
        "currency": "XTK",
        "reason_code": "deposit",
    }
    assert code_of(request_deposit, DepositWish("XTK", 1), ona, receipt()) == "limit_reached"


def test_a_repeated_request_is_one_order(ona: Person) -> None:
    once = receipt()
    first = request_deposit(DepositWish("EUR", 5_000), ona, once)
    again = request_deposit(DepositWish("EUR", 5_000), ona, once)
    assert (again.replayed, again.result) == (True, first.result)
    assert PaymentOrder.objects.count() == 1


# --- two people -----------------------------------------------------------------------------------


def test_two_people_record_a_manual_deposit(ona: Person, algis: Person, daiva: Person) -> None:
    order = a_deposit(ona, 5_000)
    first = says_of_deposit(algis, order, "bank-17")
    assert (first.status, first.result["status"]) == (202, "approved_once")
    assert funds(ona) == (0, 0)
    second = says_of_deposit(daiva, order, "bank-17")
    assert (second.status, second.result["status"]) == (200, "recorded")
    assert funds(ona) == (5_000, 0)
    assert facts(ona, "DepositRecorded") == [
        {
            "amount": 5_000,
            "currency": "EUR",
            "method": "manual",
            "reference": "bank-17",
            "approved_by": [str(algis.id), str(daiva.id)],
        }
    ]
    kept = row(order)
    assert (kept.paid, kept.due_at, kept.flag) == (5_000, None, None)
    for admin in (algis, daiva):
        assert code_of(says_of_deposit, admin, order, "bank-17") == "already_decided"


def test_one_person_is_not_two(ona: Person, algis: Person) -> None:
    order = a_deposit(ona)
    says_of_deposit(algis, order, "bank-17")
    assert code_of(says_of_deposit, algis, order, "bank-17") == "four_eyes"
    assert code_of(says_of_deposit, algis, order, "bank-18") == "four_eyes"
    himself = replace(ona, roles=frozenset({ADMIN}))
    assert code_of(says_of_deposit, himself, order, "bank-17") == "four_eyes"
    assert code_of(says_of_deposit, ona, order, "bank-17") == "not_permitted"
    assert (state(order), funds(ona)) == ("approved_once", (0, 0))


def test_who_says_otherwise_than_the_first_takes_his_place(
    ona: Person, algis: Person, daiva: Person
) -> None:
    order = a_deposit(ona)
    says_of_deposit(algis, order, "bank-71")
    assert says_of_deposit(daiva, order, "bank-17").status == 202
    assert (row(order).first_approver, funds(ona)) == (daiva.id, (0, 0))
    assert says_of_deposit(algis, order, "bank-17").status == 200
    assert facts(ona, "DepositRecorded")[0]["approved_by"] == [str(daiva.id), str(algis.id)]


def test_one_person_refuses(ona: Person, algis: Person, daiva: Person) -> None:
    order, other = a_deposit(ona), a_deposit(ona)
    says_of_deposit(algis, order, "bank-17")
    refused = says_of_deposit(daiva, order, approved=False)
    assert (refused.status, refused.result["status"]) == (200, "refused")
    assert (row(order).refused_by, types(ona)) == (daiva.id, [])
    assert code_of(says_of_deposit, daiva, order, "bank-17") == "already_decided"
    assert says_of_deposit(algis, other, "bank-17").status == 202  # it is free again


def test_a_reference_belongs_to_one_order(ona: Person, algis: Person, daiva: Person) -> None:
    booked, waiting, order = a_deposit(ona), a_deposit(ona), a_deposit(ona)
    for admin in (algis, daiva):
        says_of_deposit(admin, booked, "bank-17")
    says_of_deposit(algis, waiting, "bank-18")
    for reference in ("bank-17", "bank-18"):
        assert code_of(says_of_deposit, algis, order, reference) == "duplicate_reference"
    pays_in(ona)  # under a reference of its own, without an order
    taken = facts(ona, "DepositRecorded")[-1]["reference"]
    assert code_of(says_of_deposit, algis, order, taken) == "duplicate_reference"
    assert (state(order), row(order).reference) == ("requested", None)


def test_what_two_people_have_to_say(ona: Person, algis: Person, sandbox: Sandbox) -> None:
    order = a_deposit(ona)
    assert code_of(says_of_deposit, algis, order) == "invalid_field"
    assert code_of(says_of_deposit, algis, order, "bank-17", player=uuid4()) == "invalid_field"
    assert code_of(says_of_deposit, algis, uuid4(), "bank-17") == "not_found"
    of_a_provider = a_deposit(ona, method="sandbox")
    assert code_of(says_of_deposit, algis, of_a_provider, "r1") == "not_permitted"
    assert says_of_deposit(algis, of_a_provider, approved=False).status == 200


# --- a provider's word ----------------------------------------------------------------------------


def test_a_notice_credits_its_order_once(ona: Person, sandbox: Sandbox) -> None:
    order = a_deposit(ona, 5_000, "sandbox")
    for number in range(5):
        take_notice(notice(order, event_id=f"e{number}"))
    assert (state(order), funds(ona)) == ("recorded", (5_000, 0))
    assert facts(ona, "DepositRecorded") == [
        {
            "amount": 5_000,
            "currency": "EUR",
            "method": "sandbox",
            "reference": "r1",
            "approved_by": [],
        }
    ]
    assert PaymentOrder.objects.count() == 1


def test_what_was_really_paid_is_credited(ona: Person, sandbox: Sandbox) -> None:
    order = a_deposit(ona, 5_000, "sandbox")
    take_notice(notice(order, amount=4_990))
    assert (row(order).amount, row(order).paid, funds(ona)) == (5_000, 4_990, (4_990, 0))


def test_a_second_payment_for_an_order_is_credited_too(ona: Person, sandbox: Sandbox) -> None:
    order = a_deposit(ona, 5_000, "sandbox")
    take_notice(notice(order))
    take_notice(notice(order, reference="r2", amount=700))
    take_notice(notice(order, reference="r2", amount=700))
    assert funds(ona) == (5_700, 0)
    assert set(PaymentOrder.objects.values_list("paid", flat=True)) == {700, 5_000}


def test_A13_notices_out_of_order(ona: Person, sandbox: Sandbox) -> None:
    """The end comes first; what is older than it changes nothing, whenever it is sent again."""
    order = a_deposit(ona, 5_000, "sandbox")
    pending = notice(order, outcome=Fate.PENDING)
    failed = notice(order, outcome=Fate.FAILED, reference="try-1")
    for one in (pending, notice(order), failed, pending, notice(order), failed):
        take_notice(one)
    assert (state(order), funds(ona)) == ("recorded", (5_000, 0))


def test_a_payment_that_failed_and_then_came(ona: Person, sandbox: Sandbox) -> None:
    order = a_deposit(ona, 5_000, "sandbox")
    take_notice(notice(order, outcome=Fate.FAILED, reference="try-1"))
    assert (state(order), funds(ona)) == ("refused", (0, 0))
    take_notice(notice(order, reference="try-2"))
    assert (state(order), funds(ona)) == ("refused", (5_000, 0))


def test_a_failure_at_one_provider_ends_no_order_of_another(ona: Person, sandbox: Sandbox) -> None:
    order = a_deposit(ona, 5_000, "manual")
    take_notice(notice(order, outcome=Fate.FAILED))
    assert state(order) == "requested"


def test_a_payment_is_not_lost_on_a_slip(
    ona: Person, algis: Person, daiva: Person, sandbox: Sandbox
) -> None:
    """Somebody says of a payout that it has the reference of what comes in: it must come again."""
    take_notice(notice(ona.id, reference="first"))
    payout = a_withdrawal(ona, 1_000, "sandbox")
    let_go(payout, algis, daiva)
    sandbox.fail_next(["no_answer"] * 4)
    for _ in range(5):
        attend_order(payout)
        overdue(payout)
    says_of_withdrawal(algis, payout, "r1")
    order = a_deposit(ona, 5_000, "sandbox")
    for purpose in (order, ona.id, "rent"):
        assert code_of(take_notice, notice(purpose)) == "duplicate_reference"
    says_of_withdrawal(daiva, payout, "r9")
    take_notice(notice(order))
    assert (state(order), funds(ona)) == ("recorded", (9_000, 1_000))


def test_one_notice_of_a_call_holds_up_no_other(ona: Person, sandbox: Sandbox) -> None:
    said = [notice(ona.id, currency="JPY"), notice(ona.id, reference="r2"), notice("rent")]
    assert code_of(take_notices, said) == "unknown_currency"
    assert (funds(ona), unassigned_payments()) == ((5_000, 0), 1)


def test_nothing_is_written_while_the_log_is_behind(
    ona: Person, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = a_deposit(ona, 5_000, "sandbox")
    overdue(order)
    with monkeypatch.context() as restored:
        restored.setattr(services, "_BEHIND", "SELECT 1")
        for work in (partial(take_notice, notice(order)), partial(attend_order, order)):
            assert code_of(work) == "unavailable"
    take_notice(notice(order))
    assert (state(order), funds(ona)) == ("recorded", (5_000, 0))


def test_a_deposit_is_awaited_for_seven_days_and_credited_later(
    ona: Person, sandbox: Sandbox
) -> None:
    order = a_deposit(ona, 5_000, "sandbox")
    attend_order(order)
    assert (state(order), sweep_orders()) == ("requested", 0)
    overdue(order)
    assert sweep_orders() == 1
    attend_order(order)
    attend_order(order)
    assert (state(order), row(order).due_at) == ("expired", None)
    take_notice(notice(order))
    assert (state(order), funds(ona)) == ("expired", (5_000, 0))


def test_an_order_named_once_expires_too(ona: Person, algis: Person, daiva: Person) -> None:
    order, other = a_deposit(ona), a_deposit(ona)
    says_of_deposit(algis, order, "bank-17")
    overdue(order)
    attend_order(order)
    assert state(order) == "expired"
    assert code_of(says_of_deposit, daiva, order, "bank-17") == "already_decided"
    assert says_of_deposit(daiva, other, "bank-17").status == 202


def test_a_late_payment_above_a_limit_is_credited_and_flagged(
    ona: Person, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = a_deposit(ona, 5_000, "sandbox")
    seen = []

    def full(player: UUID, currency: str, amount: int, now: Any) -> None:
        seen.append((player, currency, amount, state(order)))
        raise refuse("limit_reached")

    monkeypatch.setattr(deposits, "require_deposit", full)
    take_notice(notice(order))
    assert (row(order).flag, funds(ona)) == ("limit_reached", (5_000, 0))
    assert seen == [(ona.id, "EUR", 5_000, "recorded")]  # it is no longer counted as open


def test_a_payment_in_another_currency_or_by_another_method(ona: Person, sandbox: Sandbox) -> None:
    order = a_deposit(ona, 5_000, "manual")
    take_notice(notice(order))
    assert (state(order), funds(ona)) == ("requested", (5_000, 0))
    assert code_of(take_notice, notice(order, reference="r2", currency="JPY")) == (
        "unknown_currency"
    )


# --- payments of nobody ---------------------------------------------------------------------------


def unassigned(purpose: object = "rent for May", **changed: Any) -> PaymentOrder:
    take_notice(notice(purpose, **changed))
    return PaymentOrder.objects.get(player=None)


def test_a_payment_without_an_order_waits_until_two_people_name_its_player(
    ona: Person, algis: Person, daiva: Person, sandbox: Sandbox
) -> None:
    order = unassigned().id
    take_notice(notice("rent for May"))
    assert (state(order), unassigned_payments()) == ("unassigned", 1)
    assert code_of(says_of_deposit, algis, order) == "invalid_field"
    assert code_of(says_of_deposit, algis, order, player=uuid4()) == "invalid_field"
    assert code_of(says_of_deposit, algis, order, player=daiva.id) == "invalid_field"
    assert code_of(says_of_deposit, algis, order, player=algis.id) == "four_eyes"
    assert code_of(says_of_deposit, algis, order, "r2", player=ona.id) == "invalid_field"
    assert says_of_deposit(algis, order, player=ona.id).status == 202
    assert (unassigned_payments(), funds(ona)) == (1, (0, 0))
    assert code_of(says_of_deposit, algis, order, player=ona.id) == "four_eyes"
    petras = a_player("petras")
    assert says_of_deposit(daiva, order, player=petras.id).status == 202
    assert says_of_deposit(algis, order, "r1", player=petras.id).status == 200
    assert (unassigned_payments(), funds(ona), funds(petras)) == (0, (0, 0), (5_000, 0))
    assert facts(petras, "DepositRecorded")[0]["approved_by"] == []
    take_notice(notice("rent for May"))
    assert funds(petras) == (5_000, 0)


def test_a_payment_whose_purpose_is_a_player(ona: Person, algis: Person, sandbox: Sandbox) -> None:
    take_notice(notice(f" {ona.id} "))
    assert funds(ona) == (5_000, 0)
    for number, purpose in enumerate((uuid4(), algis.id)):
        take_notice(notice(purpose, reference=f"of nobody {number}"))
    assert unassigned_payments() == 2


def test_a_payment_of_nobody_is_refused_and_stays_known(algis: Person, sandbox: Sandbox) -> None:
    order = unassigned().id
    assert says_of_deposit(algis, order, approved=False).status == 200
    take_notice(notice("rent for May"))
    assert (state(order), unassigned_payments(), PaymentOrder.objects.count()) == ("refused", 0, 1)
