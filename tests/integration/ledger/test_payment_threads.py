"""Payments under many hands at once: real commits, real locks."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connections

from eventstore.core.refusal import Refused
from ledger.cashier.sandbox import Sandbox
from ledger.models import PaymentOrder
from ledger.rebuild import compare
from ledger.replay import differences
from ledger.selectors.payments import unassigned_payments
from ledger.services.payouts import attend_order, take_notice
from ledger.services.withdrawals import WithdrawalWish, cancel_withdrawal, request_withdrawal
from players.core.roles import ADMIN
from players.selectors import Person
from tests.integration.ledger.payments import (
    facts,
    funds,
    let_go,
    limit,
    notice,
    overdue,
    says_of_deposit,
    says_of_withdrawal,
    state,
)
from tonk_site.proving.acting.factories import a_deposit, a_player, a_withdrawal, pays_in, receipt

pytestmark = pytest.mark.usefixtures("committed")


def at_once(*works: Callable[[], object]) -> Counter[str]:
    """How often each way to end occurred: `done`, or a code of a refusal. All begin together."""
    start = Barrier(len(works))

    def run(work: Callable[[], object]) -> str:
        try:
            start.wait()
            work()
        except Refused as refused:
            return refused.refusal.code
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(len(works)) as pool:
        return Counter(pool.map(run, works))


def books_are_right() -> None:
    assert list(differences()) == []
    assert compare().difference is None


@pytest.fixture
def ona(committed: None) -> Person:
    return a_player("ona")


@pytest.fixture
def admins(committed: None) -> tuple[Person, Person]:
    return a_player("algis", ADMIN), a_player("daiva", ADMIN)


def test_A5_a_notice_five_times_at_once_credits_once(ona: Person, sandbox: Sandbox) -> None:
    order = a_deposit(ona, 5_000, "sandbox")
    assert at_once(*[partial(take_notice, notice(order))] * 5) == {"done": 5}
    assert (funds(ona), len(facts(ona, "DepositRecorded"))) == ((5_000, 0), 1)
    books_are_right()


def test_a_notice_without_an_order_five_times_at_once(ona: Person, sandbox: Sandbox) -> None:
    assert at_once(*[partial(take_notice, notice(ona.id))] * 5) == {"done": 5}
    assert at_once(*[partial(take_notice, notice("rent", reference="r2"))] * 5) == {"done": 5}
    assert (funds(ona), unassigned_payments(), PaymentOrder.objects.count()) == ((5_000, 0), 1, 2)
    books_are_right()


def test_different_payments_of_one_player_at_once_are_all_credited(
    ona: Person, sandbox: Sandbox
) -> None:
    works = [partial(take_notice, notice(ona.id, reference=f"r{n}", amount=100)) for n in range(6)]
    assert at_once(*works) == {"done": 6}
    assert funds(ona) == (600, 0)
    books_are_right()


def test_two_people_at_once_record_a_deposit_once(
    ona: Person, admins: tuple[Person, Person]
) -> None:
    order = a_deposit(ona, 5_000)
    works = [partial(says_of_deposit, admin, order, "bank-17") for admin in admins] * 2
    ends = at_once(*works)
    assert ends["done"] == 2
    assert ends.total() == 4
    assert set(ends) <= {"done", "four_eyes", "already_decided"}
    assert (state(order), len(facts(ona, "DepositRecorded"))) == ("recorded", 1)
    books_are_right()


def test_requests_at_once_do_not_both_pass_a_limit(ona: Person) -> None:
    limit(ona, "deposit_day", 9_000)
    works = [partial(a_deposit, ona, 5_000) for _ in range(4)]
    assert at_once(*works) == {"done": 1, "limit_reached": 3}


def test_one_reference_for_two_orders_at_once(ona: Person, admins: tuple[Person, Person]) -> None:
    works = [partial(says_of_deposit, admins[0], a_deposit(ona), "bank-17") for _ in range(2)]
    assert at_once(*works) == {"done": 1, "duplicate_reference": 1}


def test_two_people_at_once_let_a_withdrawal_go_once(
    ona: Person, admins: tuple[Person, Person]
) -> None:
    pays_in(ona)
    order = a_withdrawal(ona)
    assert at_once(*[partial(says_of_withdrawal, admin, order) for admin in admins]) == {"done": 2}
    assert (state(order), len(facts(ona, "WithdrawalApproved"))) == ("sending", 1)
    works = [partial(says_of_withdrawal, admin, order, "bank-1") for admin in admins]
    assert at_once(*works) == {"done": 2}
    assert (state(order), len(facts(ona, "WithdrawalPaid"))) == ("paid", 1)
    books_are_right()


def test_a_cancellation_from_four_threads_returns_the_money_once(ona: Person) -> None:
    pays_in(ona)
    order = a_withdrawal(ona)
    works = [partial(cancel_withdrawal, order, ona, receipt()) for _ in range(4)]
    assert at_once(*works) == {"done": 1, "already_decided": 3}
    assert (funds(ona), len(facts(ona, "WithdrawalReturned"))) == ((10_000, 0), 1)
    books_are_right()


def test_cancelled_and_approved_at_once_ends_one_way(
    ona: Person, admins: tuple[Person, Person]
) -> None:
    pays_in(ona)
    order = a_withdrawal(ona)
    let_go(order, admins[0])
    ends = at_once(
        partial(cancel_withdrawal, order, ona, receipt()),
        partial(says_of_withdrawal, admins[1], order),
    )
    assert ends == {"done": 1, "already_decided": 1}
    assert (state(order), funds(ona)) in [("returned", (10_000, 0)), ("sending", (5_000, 5_000))]
    books_are_right()


def test_requests_at_once_take_no_more_than_there_is(ona: Person) -> None:
    pays_in(ona, 10_000)
    wish = WithdrawalWish("EUR", 4_000, "manual")
    works = [partial(request_withdrawal, wish, ona, receipt()) for _ in range(4)]
    assert at_once(*works) == {"done": 2, "insufficient_funds": 2}
    assert funds(ona) == (2_000, 8_000)
    books_are_right()


def test_A4_a_payout_whose_answer_is_lost_is_paid_once(
    ona: Person, admins: tuple[Person, Person], sandbox: Sandbox
) -> None:
    """Asked by many workers at once, again and again, with its notice in between."""
    pays_in(ona, 10_000, "sandbox")
    order = a_withdrawal(ona, 5_000, "sandbox")
    let_go(order, *admins)
    sandbox.fail_next(["no_answer"])
    assert at_once(*[partial(attend_order, order)] * 4) == {"done": 4}
    assert (sandbox.asked, state(order)) == ([str(order)], "unknown")
    overdue(order)
    told = notice(order, direction="out", reference=f"payout-{order}")
    assert at_once(*[partial(attend_order, order), partial(take_notice, told)] * 3) == {"done": 6}
    assert set(sandbox.asked) == {str(order)}
    assert (len(sandbox.paid), len(facts(ona, "WithdrawalPaid"))) == (1, 1)
    assert (state(order), funds(ona)) == ("paid", (5_000, 0))
    books_are_right()


def test_the_books_of_a_further_method_are_made_anew(ona: Person, sandbox: Sandbox) -> None:
    take_notice(notice(ona.id))
    assert compare().difference is None


def test_an_order_that_says_otherwise_than_the_log_is_found(ona: Person) -> None:
    pays_in(ona)
    order = a_withdrawal(ona)
    for changed in ({"player": uuid4()}, {"player": ona.id, "state": "returned"}):
        PaymentOrder.objects.filter(id=order).update(**changed)
        (found,) = differences()
        assert found.field == f"order {order}"
