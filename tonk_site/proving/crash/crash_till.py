"""A provider whose payouts are points: it may be asked before a death, or after it."""

from typing_extensions import override

from ledger.cashier.base import Order, Result
from ledger.cashier.sandbox import Sandbox
from tonk_site.proving.points import Call, at


class Till(Sandbox):
    """The sandbox, and somebody who listens."""

    @override
    def send_payout(self, order: Order) -> Result:
        """As the sandbox: the reference is made from the order's id, whoever asks, and when."""
        with at(Call("payout", order.method)):
            return super().send_payout(order)
