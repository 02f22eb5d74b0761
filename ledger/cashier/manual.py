"""The cashier of flesh and blood: people look at the bank's statement, and pay by hand."""

from collections.abc import Mapping
from datetime import date

from django.conf import settings
from django.utils.translation import gettext as _

from eventstore.core.refusal import InvariantBroken, refuse
from ledger.cashier.base import Instructions, Line, Notice, Order, Result
from ledger.core.currencies import EUR, INSTALLED
from ledger.core.entries import MANUAL


class Manual:
    """Deposits and payouts that two people confirm."""

    name = MANUAL
    methods = (MANUAL,)
    currencies = frozenset({EUR.code})
    by_hand = True

    def start_deposit(self, order: Order) -> Instructions:
        """Where to pay, and which purpose to write."""
        amount = INSTALLED[order.currency].display(order.amount)
        account = settings.CASHIER_ACCOUNT
        if not account:
            text = _("Pay {amount} at the house's cashier. Purpose: {order}")
            return Instructions(text.format(amount=amount, order=order.id))
        text = _("Pay {amount} to {account}. Purpose: {order}")
        return Instructions(text.format(amount=amount, account=account, order=order.id))

    def read_callback(self, headers: Mapping[str, str], body: bytes) -> list[Notice]:
        """Nobody calls back. Raises: Refused with `bad_signature`."""
        del headers, body
        raise refuse("bad_signature")

    def send_payout(self, order: Order) -> Result:
        """Never asked: people pay. Raises: InvariantBroken."""
        raise InvariantBroken(f"{order.id} is paid by hand")

    def statement(self, day: date) -> list[Line] | None:
        """None: people compare the bank's statement."""
        del day
        return None
