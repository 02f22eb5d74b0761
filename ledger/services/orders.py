"""What deposits and withdrawals share: who may ask, who may decide, how a fact is recorded."""

from collections.abc import Sequence
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import InvariantBroken, refuse
from eventstore.services import Outcome, Row, Transaction
from ledger.cashier.base import Order
from ledger.models import PaymentOrder
from ledger.selectors import currency_kinds
from ledger.selectors.payments import show
from ledger.services import wallets
from ledger.store import orders as store
from players.core.roles import ADMIN, STAFF
from players.selectors import Person
from players.services import account_row

DONE, ONE_MORE = 200, 202  # the latter: a second person must say the same


def require_holder(who: Person) -> None:
    """Whether somebody has money here. Raises: Refused: `staff_may_not_play`, `not_permitted`."""
    if who.roles & STAFF:
        raise refuse("staff_may_not_play")
    if who.kind == "bot":
        raise refuse("not_permitted")


def kind_of(currency: str) -> str:
    """`cash` or `play`. Raises: Refused with `unknown_currency`."""
    known = currency_kinds()
    if currency not in known:
        raise refuse("unknown_currency", field="currency", known=sorted(known))
    return known[currency]


def require_admin(staff: Person, *players: UUID | None) -> None:
    """Whether somebody may decide about these players' money: never about his own.

    Raises: Refused with `not_permitted`, `four_eyes`.
    """
    if ADMIN not in staff.roles:
        raise refuse("not_permitted")
    if staff.id in players:
        raise refuse("four_eyes")


def order_in(row: Row, direction: str) -> PaymentOrder:
    """The order in a locked row. Raises: Refused: `not_found` for one of the other direction."""
    found = store.order_of(row)
    if found.direction != direction:
        raise refuse("not_found")
    return found


def owner_of(order: PaymentOrder) -> UUID:
    """Whose money it is. Raises: InvariantBroken for a payment of nobody."""
    if order.player is None:
        raise InvariantBroken(f"{order.id} is nobody's")
    return order.player


def as_asked(order: PaymentOrder) -> Order:
    """The order as its provider knows it."""
    return Order(order.id, owner_of(order), order.method, order.currency, order.amount)


def lock_wallet(tx: Transaction, player: UUID) -> None:
    """Queue up with the other commands on a player's money, so that none runs in vain."""
    tx.lock([account_row(player)])


def record(tx: Transaction, player: UUID, facts: Sequence[Fact]) -> None:
    """Record facts about a player's money. Raises: as `ledger.services.record`."""
    lock_wallet(tx, player)
    wallets.record(tx, player, facts)


def outcome(order: PaymentOrder, status: int, *, for_staff: bool = False) -> Outcome:
    """The answer to keep: the order as it is now."""
    return Outcome(status, show(order, for_staff=for_staff))


def id_in(text: str) -> UUID | None:
    """The id that a payment's purpose is, if it is one."""
    try:
        return UUID(text.strip())
    except ValueError:
        return None


def by_staff(staff: Person) -> str:
    """The actor of what an admin does."""
    return f"staff:{staff.id}"
