"""Orders of payments held against the log: what a row says of money, an event has said."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from eventstore.core.ids import wallet_stream
from eventstore.core.record import Stored
from eventstore.verification import Difference, unequal
from ledger.core.payments import PLAY, State
from ledger.models import PaymentOrder

_STATES = {
    "WithdrawalRequested": "held",
    "WithdrawalPaid": State.PAID.value,
    "WithdrawalReturned": State.RETURNED.value,
}
Money = tuple[object, ...]  # stream, amount, currency; of a withdrawal also where it stands
_ENDED = frozenset(_STATES.values())


@dataclass(slots=True)
class Payments:
    """What the log says of payments: deposits by method and reference, withdrawals by id."""

    deposits: dict[tuple[object, object], Money] = field(default_factory=dict)
    withdrawals: dict[object, Money] = field(default_factory=dict)

    def add(self, event: Stored) -> None:
        """Take an event of money into account; other ones than payments say nothing here."""
        said = event.payload
        if event.type == "DepositRecorded":
            name = said["method"], said["reference"]
            self.deposits[name] = event.stream, said["amount"], said["currency"]
        elif event.type in _STATES:
            state = _STATES[event.type]
            about = event.stream, said["amount"], said["currency"], state
            self.withdrawals[said["withdrawal"]] = about


def order_differences(payments: Payments) -> Iterator[Difference]:
    """Orders that say otherwise of money than the log. The log may know payments without one."""
    for order in PaymentOrder.objects.exclude(method=PLAY).order_by("id"):
        stream = wallet_stream(order.player) if order.player else ""
        where = f"order {order.id}"
        if order.direction == "out":
            live = stream, order.amount, order.currency, _money_state(order)
            yield from _unequal(where, live, payments.withdrawals.get(str(order.id)))
        elif order.state == State.RECORDED:
            live_deposit = stream, order.paid, order.currency
            name = order.method, order.reference
            yield from _unequal(where, live_deposit, payments.deposits.get(name))


def _money_state(order: PaymentOrder) -> str:
    return order.state if order.state in _ENDED else "held"


def _unequal(where: str, live: object, log: object) -> Iterator[Difference]:
    yield from unequal("ledger", 0, {where: live}, {where: log})
