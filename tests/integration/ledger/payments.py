"""Payments for tests: what the rows and the wallets say, what staff and providers do."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from eventstore import store
from eventstore.core.chain import Fact
from eventstore.core.ids import player_stream, wallet_stream
from eventstore.core.record import time_text
from eventstore.core.refusal import Refused
from eventstore.services import Outcome, Transaction, in_transaction
from ledger.cashier.base import Notice
from ledger.cashier.base import Outcome as Fate
from ledger.models import PaymentOrder
from ledger.selectors import balances
from ledger.services.deposits import DepositSaid, decide_deposit
from ledger.services.withdrawals import WithdrawalSaid, decide_withdrawal
from players.core.events import LimitSet
from players.selectors import Person
from tonk_site.proving.acting.factories import receipt

AT = datetime(2026, 1, 1, 9, 30, tzinfo=UTC)


def row(order: UUID) -> PaymentOrder:
    return PaymentOrder.objects.get(id=order)


def state(order: UUID) -> str:
    return row(order).state


def funds(who: Person) -> tuple[int, int]:
    """Available and in play, in EUR."""
    found = next(one for one in balances(who.id) if one.currency == "EUR")
    return found.available, found.in_play


def facts(who: Person, *names: str) -> list[dict[str, Any]]:
    """Data of a wallet's events of these types."""
    events = store.events_after(wallet_stream(who.id), 0)
    return [dict(event.payload) for event in events if event.type in names]


def types(who: Person) -> list[str]:
    """Types of a wallet's events, after the first play chips."""
    return [event.type for event in store.events_after(wallet_stream(who.id), 1)]


def limit(who: Person, code: str, amount: int) -> None:
    """A limit of the player's own, in force from now on."""
    stream = player_stream(who.id)

    def work(tx: Transaction) -> None:
        at = time_text(tx.now)
        said = LimitSet(limit=code, amount=amount, currency="EUR", effective_at=at)
        tx.append(stream, tx.load(stream).head, [Fact(said, f"player:{who.id}")])

    in_transaction(work)


def overdue(order: UUID) -> None:
    """What waits for its time is due now."""
    PaymentOrder.objects.filter(id=order, due_at__isnull=False).update(due_at=AT)


def notice(purpose: object, **changed: Any) -> Notice:
    """A provider's word of a payment."""
    said: dict[str, Any] = {
        "event_id": "e1",
        "method": "sandbox",
        "reference": "r1",
        "purpose": str(purpose),
        "direction": "in",
        "amount": 5_000,
        "currency": "EUR",
        "outcome": Fate.PAID,
        "happened_at": AT,
    }
    return Notice(**said | changed)


def says_of_deposit(
    staff: Person, order: UUID, reference: str | None = None, *, approved: bool = True, **more: Any
) -> Outcome:
    return decide_deposit(order, DepositSaid(approved, reference, **more), staff, receipt())


def says_of_withdrawal(
    staff: Person, order: UUID, reference: str | None = None, *, approved: bool = True
) -> Outcome:
    return decide_withdrawal(order, WithdrawalSaid(approved, reference), staff, receipt())


def let_go(order: UUID, *admins: Person) -> None:
    """Two people let a withdrawal go."""
    for admin in admins:
        says_of_withdrawal(admin, order)


def code_of(work: Any, *arguments: Any, **named: Any) -> str:
    """Code of a refusal, or `done`."""
    try:
        work(*arguments, **named)
    except Refused as refused:
        return refused.refusal.code
    return "done"
