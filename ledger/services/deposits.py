"""Deposits: asked for, confirmed by two people or by a provider's notice; play chips at once."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import Refused, refuse
from eventstore.ports import new_id
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from ledger import cashier
from ledger.cashier.base import Instructions, Notice
from ledger.cashier.base import Outcome as Fate
from ledger.core.entries import MANUAL
from ledger.core.events import ChipsGranted, DepositRecorded
from ledger.core.payments import (
    AWAITED,
    DEPOSIT_TERM,
    PLAY,
    PLAY_DAY,
    UNDECIDED,
    State,
)
from ledger.models import PaymentOrder
from ledger.selectors.payments import IN
from ledger.services import orders
from ledger.services.limits import require_deposit
from ledger.services.orders import DONE, ONE_MORE
from ledger.services.wallets import CASHIER, WELCOME_CHIPS
from ledger.store import orders as store
from players.core.roles import STAFF
from players.selectors import Person, person
from players.services import account_row

CREATED = 201


@dataclass(frozen=True, slots=True)
class DepositWish:
    """What a player wants to pay in; no method for play chips, else the first that takes it."""

    currency: str
    amount: int
    method: str | None = None


@dataclass(frozen=True, slots=True)
class DepositSaid:
    """What one of two people says of a payment: its reference, and whose it is if nobody's."""

    approved: bool
    reference: str | None = None
    player: UUID | None = None


def request_deposit(wish: DepositWish, who: Person, receipt: Receipt) -> Outcome:
    """An order that waits seven days for its money; play chips are there at once.

    Locks the account's row, so that two requests are both counted. Appends ChipsGranted for play
    chips. Raises: Refused with `staff_may_not_play`, `not_permitted` (a bot), `unknown_currency`,
    `invalid_field` (the method), `limit_reached`, `excluded`.
    """
    orders.require_holder(who)
    method = _method(wish)
    order = PaymentOrder(
        id=new_id(),
        player=who.id,
        direction=IN,
        method=method,
        currency=wish.currency,
        amount=wish.amount,
    )

    def work(tx: Transaction, row: Row) -> Outcome:
        del row  # it is locked, see above
        require_deposit(who.id, wish.currency, wish.amount, tx.now)
        if method == PLAY:
            _grant(tx, who.id, order)
        else:
            order.state, order.due_at = State.REQUESTED, tx.now + DEPOSIT_TERM
            store.open_cash(method, wish.currency)
        store.insert(order, tx.now)
        return orders.outcome(order, CREATED)

    return run_command(receipt, account_row(who.id), work)


def _method(wish: DepositWish) -> str:
    if orders.kind_of(wish.currency) == PLAY:
        if wish.method is not None:
            raise refuse("invalid_field", field="method")
        return PLAY
    known = cashier.methods_for(wish.currency)
    if not known or wish.method not in {None, *known}:
        raise refuse("invalid_field", field="method", known=known)
    return wish.method or known[0]


def _grant(tx: Transaction, player: UUID, order: PaymentOrder) -> None:
    """Issue play chips, no more in a day than a new player gets; those count too."""
    granted = store.granted_since(player, order.currency, tx.now - PLAY_DAY)
    if granted + order.amount > WELCOME_CHIPS:
        left = max(WELCOME_CHIPS - granted, 0)
        raise refuse("limit_reached", limit="play_day", most=WELCOME_CHIPS, left=left)
    chips = ChipsGranted(amount=order.amount, currency=order.currency, reason_code="deposit")
    orders.record(tx, player, [Fact(chips, CASHIER)])
    order.state, order.paid = State.RECORDED, order.amount


def instructions(order: PaymentOrder) -> Instructions | None:
    """How to pay an order, None for play chips; asks its provider, so outside transactions.

    Raises: Refused with `unavailable`.
    """
    provider = cashier.providers().get(order.method)
    return provider.start_deposit(orders.as_asked(order)) if provider else None


# --- two people -----------------------------------------------------------------------------------


def decide_deposit(order_id: UUID, said: DepositSaid, staff: Person, receipt: Receipt) -> Outcome:
    """What one of two people says of a deposit. The second one who says the same records it.

    Whoever says otherwise than the first takes his place. One is enough to refuse. Appends
    DepositRecorded. Raises: Refused with `not_permitted` (no admin; a method whose provider
    tells), `four_eyes`, `already_decided`, `duplicate_reference`, `invalid_field`, `not_found`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        order = orders.order_in(row, IN)
        orders.require_admin(staff, order.player, said.player)
        if order.state not in UNDECIDED:
            raise refuse("already_decided", status=order.state)
        if not said.approved:
            return _refuse(tx, order, staff)
        came = order.paid is not None
        asked = _naming(order, said) if came else _referring(order, said)
        if staff.id == order.first_approver:
            raise refuse("four_eyes")
        if not asked:  # the first to say so
            order.state, order.first_approver = State.APPROVED_ONCE, staff.id
            store.update(order, tx.now)
            return orders.outcome(order, ONE_MORE, for_staff=True)
        order.player, order.second_approver = order.player or order.named_player, staff.id
        _record(tx, order, orders.by_staff(staff))
        return orders.outcome(order, DONE, for_staff=True)

    return run_command(receipt, store.live(order_id), work)


def _refuse(tx: Transaction, order: PaymentOrder, staff: Person) -> Outcome:
    order.state, order.refused_by, order.due_at = State.REFUSED, staff.id, None
    if order.paid is None:  # what the first person said is not so; others may say it of theirs
        order.reference = None
    store.update(order, tx.now)
    return orders.outcome(order, DONE, for_staff=True)


def _referring(order: PaymentOrder, said: DepositSaid) -> bool:
    """Whether the first person named the same reference for this order; else it is noted."""
    if not cashier.is_by_hand(order.method):
        raise refuse("not_permitted", method=order.method)
    if said.player is not None:
        raise refuse("invalid_field", field="player_id")
    if said.reference is None:
        raise refuse("invalid_field", field="reference")
    if order.reference == said.reference:
        return True
    if store.is_booked(order.method, said.reference):
        raise refuse("duplicate_reference")
    order.reference = said.reference
    return False


def _naming(order: PaymentOrder, said: DepositSaid) -> bool:
    """Whether the first person named the same player for this payment; else he is noted."""
    if said.reference not in {None, order.reference}:
        raise refuse("invalid_field", field="reference")
    if said.player is None or not _has_wallet(said.player):
        raise refuse("invalid_field", field="player_id")
    if order.named_player == said.player:
        return True
    order.named_player = said.player
    return False


def _has_wallet(player: UUID) -> bool:
    found = person(player)
    return found is not None and not found.roles & STAFF and found.kind != "bot"


def _record(tx: Transaction, order: PaymentOrder, actor: str) -> None:
    """Credit what came. What passes a limit is credited all the same, and flagged."""
    paid = order.amount if order.paid is None else order.paid
    order.state, order.paid, order.due_at = State.RECORDED, paid, None
    by_people = order.method == MANUAL
    approvers = (order.first_approver, order.second_approver) if by_people else ()
    fact = DepositRecorded(
        amount=paid,
        currency=order.currency,
        method=order.method,
        reference=order.reference or "",
        approved_by=tuple(str(one) for one in approvers),
    )
    player = orders.owner_of(order)
    orders.lock_wallet(tx, player)
    store.update(order, tx.now)  # so that limits count it no longer as awaited
    order.flag = _flag(player, order, tx.now)
    if order.flag:
        store.update(order, tx.now)
    orders.record(tx, player, [Fact(fact, actor)])


def _flag(player: UUID, order: PaymentOrder, now: datetime) -> str | None:
    """Code of the limit that this payment passes."""
    try:
        require_deposit(player, order.currency, order.paid or order.amount, now)
    except Refused as refused:
        return refused.refusal.code
    return None


# --- a provider's word, and time ------------------------------------------------------------------


def take_deposit_notice(tx: Transaction, notice: Notice) -> None:
    """Credit a payment that a provider tells of, once, in the caller's transaction.

    It goes to the player whose order, or who himself, is its purpose; else it waits for two people.
    A notice of a payment that is known already, or one that says nothing new, changes nothing.
    """
    order = _meant(tx, notice)
    if store.is_known(notice.method, notice.reference):
        return
    fits = order and (order.method, order.currency) == (notice.method, notice.currency)
    if notice.outcome is not Fate.PAID:
        if notice.outcome is Fate.FAILED and order and fits and order.state == State.REQUESTED:
            order.state, order.due_at = State.REFUSED, None
            store.update(order, tx.now)
        return
    orders.kind_of(notice.currency)
    if order and fits and order.state in AWAITED:
        order.reference, order.paid = notice.reference, notice.amount
        _record(tx, order, CASHIER)
        return
    _take_unasked(tx, notice, order.player if order else _named(notice.purpose))


def _take_unasked(tx: Transaction, notice: Notice, player: UUID | None) -> None:
    """A payment that no open order asked for: an order of its own, recorded or of nobody."""
    store.open_cash(notice.method, notice.currency)
    came = PaymentOrder(
        id=new_id(),
        player=player,
        direction=IN,
        method=notice.method,
        currency=notice.currency,
        amount=notice.amount,
        paid=notice.amount,
        reference=notice.reference,
        state=State.RECORDED if player else State.UNASSIGNED,
    )
    try:
        store.insert(came, tx.now)
    except Refused:
        if store.is_known(notice.method, notice.reference):
            return  # the same notice at the same time: the other one has done it
        raise
    if player:
        _record(tx, came, CASHIER)


def _meant(tx: Transaction, notice: Notice) -> PaymentOrder | None:
    """The order that is a payment's purpose, locked."""
    order_id = orders.id_in(notice.purpose)
    rows = tx.lock([store.live(order_id)]) if order_id else []
    found = [store.order_of(row) for row in rows if row["direction"] == IN and row["player"]]
    return found[0] if found else None


def _named(purpose: str) -> UUID | None:
    """The player who is a payment's purpose."""
    player = orders.id_in(purpose)
    return player if player and _has_wallet(player) else None


def expire_deposit(tx: Transaction, order: PaymentOrder) -> None:
    """Await a locked order no longer; money that comes later is credited all the same."""
    order.state, order.due_at, order.reference = State.EXPIRED, None, None
    store.update(order, tx.now)
