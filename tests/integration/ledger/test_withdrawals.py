"""Withdrawals: held, let go by two people, paid by hand or by a provider, returned."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from eventstore.core.ids import tournament_stream, wallet_stream
from eventstore.core.refusal import Refused
from ledger import tasks
from ledger.cashier.base import Order, Result
from ledger.cashier.base import Outcome as Fate
from ledger.cashier.sandbox import Sandbox
from ledger.core.events import WalletFrozen
from ledger.models import PaymentOrder
from ledger.services.payouts import attend_order, sweep_orders, take_notice
from ledger.services.withdrawals import WithdrawalWish, cancel_withdrawal, request_withdrawal
from players.core.roles import ADMIN
from players.selectors import Person, person
from players.services import register_bot
from tests.integration.ledger.commands import command
from tests.integration.ledger.payments import (
    code_of,
    facts,
    funds,
    let_go,
    notice,
    overdue,
    row,
    says_of_withdrawal,
    state,
    types,
)
from tonk_site.celery import SWEEPS
from tonk_site.proving.acting.factories import a_player, a_withdrawal, pays_in, receipt

pytestmark = pytest.mark.django_db


@pytest.fixture
def ona() -> Person:
    """A player with 100.00 EUR that came by the bank."""
    who = a_player("ona")
    pays_in(who, 10_000)
    return who


@pytest.fixture
def admins(algis: Person, daiva: Person) -> tuple[Person, Person]:
    return algis, daiva


def wants(who: Person, amount: int = 5_000, method: str = "manual") -> str:
    """How a wish to withdraw ends."""
    return code_of(request_withdrawal, WithdrawalWish("EUR", amount, method), who, receipt())


# --- asking ---------------------------------------------------------------------------------------


def test_the_amount_is_held_at_once(ona: Person) -> None:
    order = a_withdrawal(ona, 6_000)
    assert (funds(ona), state(order)) == ((4_000, 6_000), "requested")
    assert facts(ona, "WithdrawalRequested") == [
        {"withdrawal": str(order), "amount": 6_000, "currency": "EUR"}
    ]
    assert wants(ona, 4_001) == "insufficient_funds"
    assert wants(ona, 4_000) == "done"


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        (WithdrawalWish("JPY", 5_000, "manual"), "unknown_currency"),
        (WithdrawalWish("XTK", 5_000, "manual"), "not_withdrawable"),
        (WithdrawalWish("EUR", 999, "manual"), "bad_amount"),
        (WithdrawalWish("EUR", 10_001, "manual"), "insufficient_funds"),
        (WithdrawalWish("EUR", 5_000, "sandbox"), "invalid_field"),
    ],
)
def test_withdrawals_that_are_not_taken(wish: WithdrawalWish, code: str, ona: Person) -> None:
    assert code_of(request_withdrawal, wish, ona, receipt()) == code
    assert (funds(ona), PaymentOrder.objects.count()) == ((10_000, 0), 0)


def test_only_people_who_play_are_paid(algis: Person) -> None:
    assert wants(algis) == "staff_may_not_play"
    bot = person(register_bot("greedy-1", "Robot").id)
    assert bot
    assert wants(bot) == "not_permitted"


def test_a_frozen_wallet_pays_nothing(ona: Person) -> None:
    frozen = WalletFrozen(reason_code="review", proposer=str(uuid4()), approver=str(uuid4()))
    fields = {name: getattr(frozen, name) for name in ("reason_code", "proposer", "approver")}
    command(wallet_stream(ona.id), ("WalletFrozen", fields))
    assert wants(ona) == "account_frozen"


def test_who_owes_the_house_is_not_paid(ona: Person) -> None:
    debit = {"player": str(ona.id), "wallet": 1_000, "receivable": 500}
    petras = a_player("petras")
    said = {"debits": [debit], "currency": "EUR"}
    credit = {"player": str(petras.id), "amount": 1_500}
    command(tournament_stream(uuid4()), ("CompensationPosted", said | {"credits": [credit]}))
    assert wants(ona) == "debt_outstanding"
    assert (funds(ona), PaymentOrder.objects.count()) == ((9_000, 0), 0)
    assert wants(petras, 1_500) == "done"


def test_money_goes_back_the_way_it_came_first(ona: Person, sandbox: Sandbox) -> None:
    pays_in(ona, 3_000, "sandbox")
    with pytest.raises(Refused) as caught:
        request_withdrawal(WithdrawalWish("EUR", 10_001, "manual"), ona, receipt())
    refusal = caught.value.refusal
    assert (refusal.code, refusal.facts["first"]) == ("not_withdrawable", {"sandbox": 3_000})
    assert wants(ona, 3_001, "sandbox") == "not_withdrawable"
    assert wants(ona, 3_000, "sandbox") == "done"  # open ones count as gone back
    assert wants(ona, 1_000, "sandbox") == "not_withdrawable"
    assert wants(ona, 10_000, "manual") == "done"


def test_what_was_won_goes_by_any_method_in_the_end(ona: Person, sandbox: Sandbox) -> None:
    pays_in(ona, 3_000, "sandbox")
    for method, amount in (("sandbox", 3_000), ("manual", 9_500)):
        a_withdrawal(ona, amount, method)
    pays_in(ona, 2_000)  # and 500 left of before: below what is paid out at all once it is gone
    a_withdrawal(ona, 2_000)
    pays_in(ona, 600, "sandbox")
    assert funds(ona)[0] == 1_100
    assert wants(ona, 1_100, "manual") == "done"


# --- taking it back -------------------------------------------------------------------------------


def test_a_withdrawal_is_taken_back_until_it_may_be_paid(
    ona: Person, algis: Person, daiva: Person, sandbox: Sandbox
) -> None:
    fresh, once = a_withdrawal(ona, 1_000), a_withdrawal(ona, 1_000)
    let_go(once, algis)
    pays_in(ona, 5_000, "sandbox")
    approved, sending = (a_withdrawal(ona, 1_000, "sandbox") for _ in range(2))
    by_hand = a_withdrawal(ona, 1_000)
    for order in (approved, sending, by_hand):
        let_go(order, algis, daiva)
    sandbox.fail_next(["no_answer"])
    attend_order(sending)
    for order in (fresh, once, approved):
        outcome = cancel_withdrawal(order, ona, receipt())
        assert (outcome.status, outcome.result["status"]) == (200, "returned")
        assert code_of(cancel_withdrawal, order, ona, receipt()) == "already_decided"
    for order in (sending, by_hand):
        assert code_of(cancel_withdrawal, order, ona, receipt()) == "already_decided"
    attend_order(approved)  # its wake-up comes late
    assert sandbox.asked == [str(sending)]
    reasons = [fact["reason_code"] for fact in facts(ona, "WithdrawalReturned")]
    assert (reasons, funds(ona)) == (["cancelled"] * 3, (13_000, 2_000))


def test_nobody_takes_back_what_is_anothers(ona: Person, algis: Person) -> None:
    order = a_withdrawal(ona)
    for who in (a_player("petras"), algis):
        assert code_of(cancel_withdrawal, order, who, receipt()) == "not_found"
    assert code_of(cancel_withdrawal, uuid4(), ona, receipt()) == "not_found"
    assert state(order) == "requested"


# --- two people, by hand --------------------------------------------------------------------------


def test_two_people_let_go_and_two_say_how_it_was_paid(
    ona: Person, algis: Person, daiva: Person
) -> None:
    order = a_withdrawal(ona, 6_000)
    assert code_of(says_of_withdrawal, algis, order, "bank-1") == "invalid_field"
    told = [
        (algis, None, 202, "approved_once"),
        (daiva, None, 200, "sending"),
        (daiva, "bank-1", 202, "sending"),
        (algis, "bank-1", 200, "paid"),
    ]
    for admin, reference, status, state_ in told:
        outcome = says_of_withdrawal(admin, order, reference)
        assert (outcome.status, outcome.result["status"]) == (status, state_)
        again = says_of_withdrawal if state_ == "paid" else None
        code = "already_decided" if again else "four_eyes"
        if status == 202 or again:
            assert code_of(says_of_withdrawal, admin, order, reference) == code
    assert types(ona)[1:] == ["WithdrawalRequested", "WithdrawalApproved", "WithdrawalPaid"]
    assert facts(ona, "WithdrawalApproved")[0]["approved_by"] == [str(algis.id), str(daiva.id)]
    assert facts(ona, "WithdrawalPaid") == [
        {
            "withdrawal": str(order),
            "amount": 6_000,
            "currency": "EUR",
            "method": "manual",
            "reference": "bank-1",
            "approved_by": [str(daiva.id), str(algis.id)],
        }
    ]
    assert (funds(ona), row(order).paid) == ((4_000, 0), 6_000)


def test_who_reports_otherwise_takes_the_firsts_place(
    ona: Person, admins: tuple[Person, Person]
) -> None:
    algis, daiva = admins
    order = a_withdrawal(ona)
    let_go(order, *admins)
    assert says_of_withdrawal(algis, order, "bank-1").status == 202
    assert code_of(says_of_withdrawal, algis, order, "bank-2") == "four_eyes"
    assert says_of_withdrawal(daiva, order, approved=False).status == 202
    assert says_of_withdrawal(algis, order, "bank-2").status == 202
    assert (state(order), funds(ona)) == ("sending", (5_000, 5_000))
    assert says_of_withdrawal(daiva, order, "bank-2").status == 200
    assert state(order) == "paid"


def test_a_payout_by_hand_that_the_bank_refused(ona: Person, admins: tuple[Person, Person]) -> None:
    order = a_withdrawal(ona)
    let_go(order, *admins)
    assert code_of(says_of_withdrawal, admins[0], order) == "invalid_field"
    for admin in admins:
        says_of_withdrawal(admin, order, approved=False)
    assert (state(order), funds(ona)) == ("returned", (10_000, 0))
    assert facts(ona, "WithdrawalReturned")[0]["reason_code"] == "provider_refused"


def test_one_person_is_not_two(ona: Person, algis: Person) -> None:
    order = a_withdrawal(ona)
    let_go(order, algis)
    assert code_of(says_of_withdrawal, algis, order) == "four_eyes"
    himself = replace(ona, roles=frozenset({ADMIN}))
    assert code_of(says_of_withdrawal, himself, order) == "four_eyes"
    assert code_of(says_of_withdrawal, ona, order) == "not_permitted"
    assert (state(order), types(ona)[1:]) == ("approved_once", ["WithdrawalRequested"])


def test_one_person_refuses(ona: Person, algis: Person, daiva: Person, sandbox: Sandbox) -> None:
    pays_in(ona, 5_000, "sandbox")
    fresh, once, approved = (a_withdrawal(ona, 1_000, "sandbox") for _ in range(3))
    let_go(once, daiva)
    let_go(approved, algis, daiva)
    for order in (fresh, once, approved):
        outcome = says_of_withdrawal(algis, order, approved=False)
        assert (outcome.status, outcome.result["status"]) == (200, "returned")
        for approved_ in (True, False):
            code = code_of(says_of_withdrawal, daiva, order, approved=approved_)
            assert code == "already_decided"
    assert types(ona)[-2:] == ["WithdrawalRejected", "WithdrawalReturned"]
    assert facts(ona, "WithdrawalRejected")[0] == {
        "withdrawal": str(fresh),
        "rejected_by": str(algis.id),
        "reason_code": "staff",
    }
    assert facts(ona, "WithdrawalReturned")[0]["reason_code"] == "rejected"
    assert funds(ona) == (15_000, 0)


def test_a_reference_belongs_to_one_payout(ona: Person, admins: tuple[Person, Person]) -> None:
    paid, claimed, order = (a_withdrawal(ona, 1_000) for _ in range(3))
    for one in (paid, claimed, order):
        let_go(one, *admins)
    for admin in admins:
        says_of_withdrawal(admin, paid, "bank-1")
    says_of_withdrawal(admins[0], claimed, "bank-2")
    pays_in(ona)
    came = facts(ona, "DepositRecorded")[-1]["reference"]
    for taken in ("bank-1", "bank-2", came):
        code = code_of(says_of_withdrawal, admins[0], order, taken)
        assert code == "duplicate_reference"
    assert row(order).reported_by is None


# --- a provider -----------------------------------------------------------------------------------


@pytest.fixture
def going(ona: Person, admins: tuple[Person, Person], sandbox: Sandbox) -> UUID:
    """A withdrawal by the sandbox that two people have let go."""
    pays_in(ona, 5_000, "sandbox")
    order = a_withdrawal(ona, 5_000, "sandbox")
    let_go(order, *admins)
    assert (state(order), row(order).due_at) == ("approved", row(order).updated_at)
    return order


def payout_notice(order: UUID, outcome: Fate = Fate.PAID, **changed: object) -> None:
    said = {"direction": "out", "outcome": outcome, "reference": f"payout-{order}"}
    take_notice(notice(order, **said | changed))


def test_a_provider_pays(ona: Person, going: UUID, sandbox: Sandbox) -> None:
    assert sweep_orders() == 1
    for _ in range(3):
        attend_order(going)
    assert sandbox.asked == [str(going)]
    assert (state(going), row(going).due_at, funds(ona)) == ("paid", None, (10_000, 0))
    paid = facts(ona, "WithdrawalPaid")
    assert [(fact["method"], fact["reference"], fact["approved_by"]) for fact in paid] == [
        ("sandbox", f"payout-{going}", [])
    ]


def test_the_workers_doors(ona: Person, going: UUID, sandbox: Sandbox) -> None:
    assert "ledger.sweep_orders" in SWEEPS
    tasks.sweep_orders()  # it only sends messages
    assert state(going) == "approved"
    for _ in range(2):
        tasks.attend_order(str(going))
    tasks.attend_order(str(uuid4()))
    assert (state(going), len(sandbox.asked)) == ("paid", 1)


def test_a_provider_that_declines(ona: Person, going: UUID, sandbox: Sandbox) -> None:
    sandbox.fail_next(["declined"])
    attend_order(going)
    assert (state(going), funds(ona)) == ("returned", (15_000, 0))
    assert facts(ona, "WithdrawalReturned")[0]["reason_code"] == "provider_refused"


def test_A4_an_answer_that_is_lost_is_asked_for_under_the_same_name(
    ona: Person, going: UUID, sandbox: Sandbox
) -> None:
    sandbox.fail_next(["no_answer"] * 3)
    waits = []
    for _ in range(3):
        attend_order(going)
        attend_order(going)  # not yet due
        kept = row(going)
        assert (kept.state, funds(ona)) == ("unknown", (10_000, 5_000))
        assert kept.due_at
        waits.append(kept.due_at - kept.updated_at)
        overdue(going)
    expected = [timedelta(minutes=minutes) for minutes in (1, 5, 30)]
    slack = timedelta(seconds=5)  # from the note before the try to the one after it
    assert all(wait - slack < found <= wait for wait, found in zip(expected, waits, strict=True))
    attend_order(going)
    assert sandbox.asked == [str(going)] * 4
    assert (len(sandbox.paid), len(facts(ona, "WithdrawalPaid")), state(going)) == (1, 1, "paid")


def test_a_provider_without_an_answer_is_left_to_two_people(
    ona: Person, going: UUID, sandbox: Sandbox, admins: tuple[Person, Person]
) -> None:
    sandbox.fail_next(["no_answer"] * 4)
    for _ in range(6):
        assert code_of(says_of_withdrawal, admins[0], going, "r9") == "already_decided"
        attend_order(going)
        overdue(going)
        if row(going).due_at is None:
            break
    assert (sandbox.asked, state(going)) == ([str(going)] * 4, "unknown")
    for admin in admins:
        says_of_withdrawal(admin, going, "r9")
    assert (state(going), funds(ona)) == ("paid", (10_000, 0))
    assert facts(ona, "WithdrawalPaid")[0]["approved_by"] == []


def test_a_worker_that_dies_between_question_and_answer(
    ona: Person, going: UUID, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(order: object) -> None:
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(sandbox, "send_payout", dies)
        for _ in range(4):
            with pytest.raises(SystemExit):
                attend_order(going)
            assert state(going) == "sending"
            overdue(going)
    attend_order(going)
    assert (state(going), row(going).due_at, row(going).attempts) == ("unknown", None, 4)
    payout_notice(going)
    assert (state(going), funds(ona)) == ("paid", (10_000, 0))


def test_a_notice_quicker_than_the_answer(
    ona: Person, going: UUID, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = sandbox.send_payout

    def told_first(order: Order) -> Result:
        payout_notice(going)
        return send(order)

    monkeypatch.setattr(sandbox, "send_payout", told_first)
    attend_order(going)
    assert (state(going), len(facts(ona, "WithdrawalPaid"))) == ("paid", 1)


def test_A13_notices_of_a_payout_in_any_order(ona: Person, going: UUID, sandbox: Sandbox) -> None:
    payout_notice(going)  # before anything was sent: it is not ours
    assert state(going) == "approved"
    sandbox.fail_next(["no_answer"])
    attend_order(going)
    payout_notice(going, Fate.PENDING)
    assert state(going) == "unknown"
    for outcome in (Fate.PAID, Fate.FAILED, Fate.PENDING, Fate.PAID):
        payout_notice(going, outcome)
    overdue(going)
    attend_order(going)
    assert (state(going), funds(ona), len(sandbox.asked)) == ("paid", (10_000, 0), 1)


def test_a_payout_that_failed(
    ona: Person, going: UUID, sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    sandbox.fail_next(["no_answer"])
    attend_order(going)
    payout_notice(going, Fate.FAILED)
    assert (state(going), funds(ona)) == ("returned", (15_000, 0))
    assert "yet said to be paid" not in caplog.text
    payout_notice(going)  # what can not be: people are told, and the books stay
    assert (state(going), funds(ona)) == ("returned", (15_000, 0))
    assert "yet said to be paid" in caplog.text


def test_a_payout_that_was_made_after_people_gave_up(
    ona: Person,
    going: UUID,
    sandbox: Sandbox,
    admins: tuple[Person, Person],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    send = sandbox.send_payout

    def slow(order: Order) -> Result:
        PaymentOrder.objects.filter(id=going).update(state="unknown", due_at=None)
        for admin in admins:
            says_of_withdrawal(admin, going, approved=False)
        return send(order)

    monkeypatch.setattr(sandbox, "send_payout", slow)
    attend_order(going)
    assert (state(going), funds(ona)) == ("returned", (15_000, 0))
    assert "yet said to be paid" in caplog.text


def test_a_provider_has_no_say_in_payouts_of_another(
    ona: Person, admins: tuple[Person, Person], sandbox: Sandbox
) -> None:
    order = a_withdrawal(ona)
    let_go(order, *admins)
    for outcome in (Fate.PAID, Fate.FAILED):
        payout_notice(order, outcome)
    payout_notice(order, amount=4_999)
    assert (state(order), funds(ona)) == ("sending", (5_000, 5_000))


def test_another_amount_than_was_asked_for_is_left_to_people(
    ona: Person, going: UUID, sandbox: Sandbox
) -> None:
    sandbox.fail_next(["no_answer"])
    attend_order(going)
    payout_notice(going, amount=4_999)
    assert (state(going), row(going).due_at, funds(ona)) == ("unknown", None, (10_000, 5_000))


def test_notices_of_payouts_that_are_not_ours(ona: Person, going: UUID) -> None:
    for purpose in ("rent", uuid4(), ona.id):
        take_notice(notice(purpose, direction="out"))
    assert (state(going), PaymentOrder.objects.count()) == ("approved", 1)
