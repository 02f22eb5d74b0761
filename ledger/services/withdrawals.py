"""Withdrawals: held when asked for, let go by two people, paid, returned."""

from dataclasses import dataclass
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import refuse
from eventstore.ports import new_id
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from ledger import cashier, wake
from ledger.core.entries import MANUAL
from ledger.core.events import (
    WithdrawalApproved,
    WithdrawalPaid,
    WithdrawalRejected,
    WithdrawalRequested,
    WithdrawalReturned,
)
from ledger.core.payments import AWAITED, HELD, UNDER_WAY, State, to_go_first, withdrawal_min
from ledger.models import PaymentOrder
from ledger.selectors.payments import OUT
from ledger.services import orders
from ledger.services.orders import DONE, ONE_MORE
from ledger.services.wallets import CASHIER
from ledger.store import orders as store
from players.selectors import Person
from players.services import account_row

CREATED = 201


@dataclass(frozen=True, slots=True)
class WithdrawalWish:
    """What a player wants to have paid out, and by which method."""

    currency: str
    amount: int
    method: str


@dataclass(frozen=True, slots=True)
class WithdrawalSaid:
    """What one of two people says: let it go or not; later, by which reference it was paid."""

    approved: bool
    reference: str | None = None


def request_withdrawal(wish: WithdrawalWish, who: Person, receipt: Receipt) -> Outcome:
    """A withdrawal whose amount has left the wallet and waits for two people.

    Money goes back the way it came first: what came by a method may be asked for by that method;
    more than that only once no other method has money left to go back. Locks the account's row.
    Appends WithdrawalRequested. Raises: Refused with `staff_may_not_play`, `not_permitted` (a
    bot), `unknown_currency`, `not_withdrawable`, `bad_amount`, `invalid_field` (the method),
    `insufficient_funds`, `account_frozen`, `debt_outstanding`.
    """
    orders.require_holder(who)
    _require_possible(wish)
    order = PaymentOrder(
        id=new_id(),
        player=who.id,
        direction=OUT,
        method=wish.method,
        currency=wish.currency,
        amount=wish.amount,
        state=State.REQUESTED,
    )
    asked = WithdrawalRequested(
        withdrawal=str(order.id), amount=wish.amount, currency=wish.currency
    )

    def work(tx: Transaction, row: Row) -> Outcome:
        del row  # it is locked: two requests do not both go back by one deposit
        store.open_cash(wish.method, wish.currency)
        _require_way_back(wish, store.sources(who.id, wish.currency))
        orders.record(tx, who.id, [Fact(asked, f"player:{who.id}")])
        if store.owes(who.id):  # asked under the wallet's lock: debts are made under it too
            raise refuse("debt_outstanding")
        store.insert(order, tx.now)
        return orders.outcome(order, CREATED)

    return run_command(receipt, account_row(who.id), work)


def _require_possible(wish: WithdrawalWish) -> None:
    if orders.kind_of(wish.currency) == "play":
        raise refuse("not_withdrawable", currency=wish.currency)
    least = withdrawal_min(wish.currency)
    if wish.amount < least:
        raise refuse("bad_amount", field="amount", least=least)
    known = cashier.methods_for(wish.currency)
    if wish.method not in known:
        raise refuse("invalid_field", field="method", known=known)


def _require_way_back(wish: WithdrawalWish, sources: dict[str, int]) -> None:
    """Only methods that still pay count: what a provider is no longer asked can not be paid."""
    offered = set(cashier.methods_for(wish.currency))
    left = {method: amount for method, amount in sources.items() if method in offered}
    first = to_go_first(wish.method, wish.amount, left, withdrawal_min(wish.currency))
    if first:
        raise refuse("not_withdrawable", currency=wish.currency, method=wish.method, first=first)


def cancel_withdrawal(order_id: UUID, who: Person, receipt: Receipt) -> Outcome:
    """Take one's own withdrawal back, as long as it can not have been paid.

    Appends WithdrawalReturned. Raises: Refused with `not_found`, `already_decided`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        order = orders.order_in(row, OUT)
        if order.player != who.id:
            raise refuse("not_found")
        if order.state not in HELD:
            raise refuse("already_decided", status=order.state)
        give_back(tx, order, "cancelled", actor=f"player:{who.id}")
        return orders.outcome(order, DONE)

    return run_command(receipt, store.live(order_id), work)


# --- two people -----------------------------------------------------------------------------------


def decide_withdrawal(
    order_id: UUID, said: WithdrawalSaid, staff: Person, receipt: Receipt
) -> Outcome:
    """What staff says of a withdrawal: two let it go, one refuses it.

    Of one that is paid by hand, or whose provider gives no answer, two people then say what came
    of it: by which reference it was paid, or that it was not. Whoever says otherwise than the
    first takes his place. Appends WithdrawalApproved, WithdrawalRejected with WithdrawalReturned,
    WithdrawalPaid or WithdrawalReturned. Raises: Refused with `not_permitted`, `four_eyes`,
    `already_decided`, `duplicate_reference`, `invalid_field`, `not_found`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        order = orders.order_in(row, OUT)
        orders.require_admin(staff, order.player)
        if is_told_by_people(order):
            status = _report(tx, order, said, staff)
        elif order.state in AWAITED and said.approved:
            status = _approve(tx, order, said, staff)
        elif order.state in HELD and not said.approved:
            status = _reject(tx, order, staff)
        else:
            raise refuse("already_decided", status=order.state)
        return orders.outcome(order, status, for_staff=True)

    return run_command(receipt, store.live(order_id), work)


def is_told_by_people(order: PaymentOrder) -> bool:
    """Whether people must say what came of a payout: it is under way, and nobody is asked."""
    return order.state in UNDER_WAY and order.due_at is None


def _approve(tx: Transaction, order: PaymentOrder, said: WithdrawalSaid, staff: Person) -> int:
    if said.reference is not None:  # nothing is paid before two people have let it go
        raise refuse("invalid_field", field="reference")
    if order.first_approver is None:
        order.state, order.first_approver = State.APPROVED_ONCE, staff.id
        store.update(order, tx.now)
        return ONE_MORE
    if order.first_approver == staff.id:
        raise refuse("four_eyes")
    order.second_approver = staff.id
    approved = WithdrawalApproved(
        withdrawal=str(order.id), approved_by=(str(order.first_approver), str(staff.id))
    )
    if cashier.is_by_hand(order.method):  # somebody goes to the bank now: too late to cancel
        order.state = State.SENDING
    else:
        order.state, order.due_at = State.APPROVED, tx.now
        wake.attend_order(order.id)
    orders.record(tx, orders.owner_of(order), [Fact(approved, orders.by_staff(staff))])
    store.update(order, tx.now)
    return DONE


def _reject(tx: Transaction, order: PaymentOrder, staff: Person) -> int:
    rejected = WithdrawalRejected(
        withdrawal=str(order.id), rejected_by=str(staff.id), reason_code="staff"
    )
    order.refused_by = staff.id
    actor = orders.by_staff(staff)
    give_back(tx, order, "rejected", actor=actor, before=[Fact(rejected, actor)])
    return DONE


def _report(tx: Transaction, order: PaymentOrder, said: WithdrawalSaid, staff: Person) -> int:
    """What came of a payout, as people see it in the bank's statement or hear from a provider."""
    if said.approved != (said.reference is not None):
        raise refuse("invalid_field", field="reference")
    if staff.id == order.reported_by:
        raise refuse("four_eyes")
    if order.reported_by is None or order.reference != said.reference:
        if said.reference and store.is_booked(order.method, said.reference):
            raise refuse("duplicate_reference")
        order.reported_by, order.reference = staff.id, said.reference
        store.update(order, tx.now)
        return ONE_MORE
    actor = orders.by_staff(staff)
    if said.reference is None:
        give_back(tx, order, "provider_refused", actor=actor)
        return DONE
    people = (str(order.reported_by), str(staff.id))
    pay(tx, order, said.reference, actor=actor, people=people)
    return DONE


# --- what comes of it -----------------------------------------------------------------------------


def pay(
    tx: Transaction,
    order: PaymentOrder,
    reference: str,
    *,
    actor: str = CASHIER,
    people: tuple[str, ...] = (),
) -> None:
    """Record that a locked withdrawal was paid; `people` are named where no provider says so."""
    order.state, order.due_at = State.PAID, None
    order.reference, order.paid = reference, order.amount
    paid = WithdrawalPaid(
        withdrawal=str(order.id),
        amount=order.amount,
        currency=order.currency,
        method=order.method,
        reference=reference,
        approved_by=people if order.method == MANUAL else (),
    )
    store.update(order, tx.now)
    orders.record(tx, orders.owner_of(order), [Fact(paid, actor)])


def give_back(
    tx: Transaction,
    order: PaymentOrder,
    reason_code: str,
    *,
    actor: str = CASHIER,
    before: list[Fact] | None = None,
) -> None:
    """Return the money of a locked withdrawal to its wallet; facts `before` come in one append."""
    order.state, order.due_at, order.reference = State.RETURNED, None, None
    returned = WithdrawalReturned(
        withdrawal=str(order.id),
        amount=order.amount,
        currency=order.currency,
        reason_code=reason_code,
    )
    store.update(order, tx.now)
    orders.record(tx, orders.owner_of(order), [*(before or []), Fact(returned, actor)])
