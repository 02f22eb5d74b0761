"""Orders of payments in PostgreSQL, and what the books say around them.

Always in the caller's transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from eventstore.core.ids import wallet_stream
from eventstore.core.refusal import refuse
from eventstore.services import LiveRow, Row
from ledger.core.accounts import account
from ledger.core.kinds import Kind
from ledger.models import Account, AccountBalance, ExternalPayment, PaymentOrder
from ledger.store.books import LIVE

RELATION = "ledger.payment_order"
# The rest of an order is what was asked for.
_CHANGING = (
    "player",
    "state",
    "first_approver",
    "second_approver",
    "named_player",
    "reported_by",
    "refused_by",
    "paid",
    "reference",
    "flag",
    "attempts",
    "due_at",
    "updated_at",
)


def live(order_id: UUID) -> LiveRow:
    """The order's row, which every command on it locks."""
    return LiveRow(RELATION, order_id)


def order_of(row: Row) -> PaymentOrder:
    """The order in a locked row."""
    found = PaymentOrder(**row)
    found._state.adding = False
    return found


def insert(order: PaymentOrder, now: datetime) -> None:
    """Keep a new order. Raises: Refused with `duplicate_reference`."""
    order.created_at = order.updated_at = now
    with _constraints():
        order.save(force_insert=True)


def update(order: PaymentOrder, now: datetime) -> None:
    """Keep what has changed of a locked order. Raises: Refused: `duplicate_reference`."""
    order.updated_at = now
    with _constraints():
        order.save(update_fields=_CHANGING)


@contextmanager
def _constraints() -> Iterator[None]:
    """What two people at once may break, as refusals. Leaves the transaction usable."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as fault:
        diagnosis: Any = getattr(fault.__cause__, "diag", None)
        if getattr(diagnosis, "constraint_name", None) == "payment_order_reference":
            raise refuse("duplicate_reference") from fault
        raise


def due_orders(limit: int) -> list[UUID]:
    """Orders that a worker has to look at, the longest waiting first."""
    rows = LIVE.rows(
        """SELECT id FROM ledger.payment_order WHERE due_at <= clock_timestamp()
        ORDER BY due_at LIMIT %s""",
        [limit],
    )
    return [order_id for (order_id,) in rows]


def is_booked(method: str, reference: str) -> bool:
    """Whether the books hold a payment of this name."""
    return ExternalPayment.objects.filter(method=method, reference=reference).exists()


def is_known(method: str, reference: str) -> bool:
    """Whether a payment of this name is in the books, or came and waits for its player.

    What somebody has only said of an order does not count: it may be a slip.
    """
    came = PaymentOrder.objects.filter(
        method=method, reference=reference, direction="in", paid__isnull=False
    )
    return came.exists() or is_booked(method, reference)


def owes(player: UUID) -> bool:
    """Whether the player owes the house anything."""
    return AccountBalance.objects.filter(
        account__owner=player, account__role="receivable", balance__gt=0
    ).exists()


def uncovered(code: str | None = None) -> list[tuple[str, int, int]]:
    """Accounts of withdrawals with less than the open ones of their players hold: code, balance,
    what they hold. Of one account, or of all. More may be there, after a payment was reversed.
    """
    return [
        (found, balance, int(held))
        for found, balance, held in LIVE.rows(
            """SELECT a.code, b.balance, sum(o.amount) FROM ledger.account a
            JOIN ledger.account_balance b ON b.account_id = a.id
            JOIN ledger.payment_order o ON o.player = a.owner AND o.currency = a.currency
                AND o.direction = 'out' AND o.state NOT IN ('paid', 'returned')
            WHERE a.role = 'withdrawal' AND a.code = coalesce(%s::text, a.code)
            GROUP BY a.code, b.balance HAVING b.balance < sum(o.amount) ORDER BY 1""",
            [code],
        )
    ]


def sources(player: UUID, currency: str) -> dict[str, int]:
    """What came by each method and has not gone back the same way, nor is about to."""
    rows = LIVE.rows(
        """SELECT method, sum(amount) FROM (
            SELECT x.method, p.amount
            FROM ledger.external_payment x
            JOIN ledger.entry e ON (e.stream, e.version, e.part) = (x.wallet_stream, x.version, 0)
            JOIN ledger.posting p ON p.entry_id = e.id
            JOIN ledger.account a ON a.id = p.account_id AND a.role = 'cash'
            WHERE x.wallet_stream = %(stream)s AND e.currency = %(currency)s
                AND NOT EXISTS (SELECT FROM ledger.entry r WHERE r.reverses = e.id)
            UNION ALL
            SELECT method, -amount FROM ledger.payment_order
            WHERE player = %(player)s AND direction = 'out' AND currency = %(currency)s
                AND state NOT IN ('paid', 'returned')
        ) moved GROUP BY method""",
        {"stream": wallet_stream(player), "player": player, "currency": currency},
    )
    return {method: int(left) for method, left in rows}


def granted_since(player: UUID, currency: str, since: datetime) -> int:
    """Play chips that were granted to a player after an instant."""
    wallet = account("wallet", str(player), currency=currency)
    rows = LIVE.rows(
        """SELECT coalesce(-sum(p.amount), 0) FROM ledger.entry e
        JOIN ledger.posting p ON p.entry_id = e.id
        JOIN ledger.account a ON a.id = p.account_id
        WHERE e.stream = %s AND e.kind = %s AND e.effective_at > %s AND a.code = %s""",
        [wallet_stream(player), int(Kind.GRANT), since, wallet],
    )
    return int(rows[0][0])


def open_cash(method: str, currency: str) -> None:
    """Have accounts of cash for a method that the house offers."""
    first_stripe = f"{account('cash', method, currency=currency)}:00"
    if not Account.objects.filter(code=first_stripe).exists():
        LIVE.rows("SELECT ledger.open_cash(%s::text)", [method])
