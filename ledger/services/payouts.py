"""Payouts by a provider, its notices, and everything of an order that falls due.

A provider is never asked inside a transaction. The row says first that it is about to be asked, so
whatever happens then, it is asked again only under the same name: the order's id.
"""

import logging
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from typing import TypeVar
from uuid import UUID

from eventstore.core.refusal import Refused
from eventstore.services import Transaction, in_transaction, require_writable
from ledger import cashier, wake
from ledger.cashier.base import Declined, Notice, Order, Outcome, Result, Sent
from ledger.core.payments import UNDER_WAY, State, next_try
from ledger.models import PaymentOrder
from ledger.selectors.payments import IN, OUT
from ledger.services import orders
from ledger.services.deposits import expire_deposit, take_deposit_notice
from ledger.services.withdrawals import give_back, pay
from ledger.store import orders as store

SWEPT_ORDERS = 100
LAST_ANSWER_WITHIN = timedelta(minutes=1)  # after the last try, before people are to look

T = TypeVar("T")

logger = logging.getLogger(__name__)


def sweep_orders() -> int:
    """Have every order that is due looked after, each by a message of its own; their number."""
    found = store.due_orders(SWEPT_ORDERS)
    for order_id in found:
        wake.look_after_order(order_id)
    return len(found)


def attend_order(order_id: UUID) -> None:
    """Do what is due of an order: ask its provider for the payout, or await a deposit no longer.

    Raises: Refused with `unavailable`; it stays due.
    """
    asked = _writing(partial(_begin, order_id=order_id))
    if asked is not None:
        result = cashier.provider_of(asked.method).send_payout(asked)
        _writing(partial(_conclude, order_id=order_id, result=result))


def _begin(tx: Transaction, *, order_id: UUID) -> Order | None:
    """The payout to ask for, its next try noted before it is made; None where none is due."""
    order = _locked(tx, order_id)
    if order is None or order.due_at is None or order.due_at > tx.now:
        return None
    if order.direction == IN:
        expire_deposit(tx, order)
        return None
    again = next_try(order.attempts)
    if order.attempts and again is None:
        _leave_to_people(tx, order)
        return None
    order.state, order.attempts = State.SENDING, order.attempts + 1
    order.due_at = tx.now + (next_try(order.attempts) or LAST_ANSWER_WITHIN)
    store.update(order, tx.now)
    return orders.as_asked(order)


def _conclude(tx: Transaction, *, order_id: UUID, result: Result) -> None:
    """What the provider answered. A notice may have been quicker: then it has been done."""
    order = _locked(tx, order_id)
    if order is None:
        return
    if order.state not in UNDER_WAY:
        _compare(order, is_paid=isinstance(result, Sent))
    elif isinstance(result, Sent):
        pay(tx, order, result.reference)
    elif isinstance(result, Declined):
        logger.warning("withdrawal %s was declined: %s", order_id, result.code)
        give_back(tx, order, "provider_refused")
    elif next_try(order.attempts) is None:
        _leave_to_people(tx, order)
    else:
        order.state = State.UNKNOWN
        store.update(order, tx.now)


def _leave_to_people(tx: Transaction, order: PaymentOrder) -> None:
    """Ask no more: staff finds it in the list, and two people say what came of it."""
    logger.error("withdrawal %s: no answer after %d tries", order.id, order.attempts)
    order.state, order.due_at = State.UNKNOWN, None
    store.update(order, tx.now)


def _compare(order: PaymentOrder, *, is_paid: bool) -> None:
    """Tell people of a payout that was made though the order is not waiting for it.

    The books stay as they are; the provider's statement will differ from them (R6).
    """
    if is_paid and order.state != State.PAID:
        logger.error("withdrawal %s is %s, yet said to be paid", order.id, order.state)


def take_notices(notices: Iterable[Notice]) -> None:
    """Do what each notice of one call says; one that can not be done holds up no other.

    Raises: as `take_notice`, for the first of these.
    """
    refused = []
    for notice in notices:
        try:
            take_notice(notice)
        except Refused as fault:
            refused.append(fault)
    if refused:
        raise refused[0]


def take_notice(notice: Notice) -> None:
    """Do what a provider's notice says, once. A repeated, late or early one changes nothing.

    Raises: Refused with `unknown_currency`, `balance_limit`, `duplicate_reference` where what came
    can not be booked, `unavailable`; the provider will tell again.
    """
    work = take_deposit_notice if notice.direction == IN else _take_payout_notice
    _writing(partial(work, notice=notice))


def _take_payout_notice(tx: Transaction, notice: Notice) -> None:
    order_id = orders.id_in(notice.purpose)
    order = _locked(tx, order_id) if order_id else None
    if order is None or (order.direction, order.method) != (OUT, notice.method):
        return
    if notice.outcome is Outcome.PENDING:
        return
    if order.state not in UNDER_WAY:
        _compare(order, is_paid=notice.outcome is Outcome.PAID)
    elif (notice.amount, notice.currency) != (order.amount, order.currency):
        _leave_to_people(tx, order)
    elif notice.outcome is Outcome.PAID:
        pay(tx, order, notice.reference)
    else:
        give_back(tx, order, "provider_refused")


def _writing(work: Callable[[Transaction], T]) -> T:
    """Result of `work` in a transaction of its own, while the log may be written.

    What a worker or a provider brings has no receipt that would ask.
    """

    def asking(tx: Transaction) -> T:
        require_writable()
        return work(tx)

    return in_transaction(asking)


def _locked(tx: Transaction, order_id: UUID) -> PaymentOrder | None:
    rows = tx.lock([store.live(order_id)])
    return store.order_of(rows[0]) if rows else None
