"""`manage.py sandbox_notice`: what the sandbox provider would send of a payment, as a command."""

import shlex
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from typing_extensions import override

from eventstore.core.refusal import Refused
from eventstore.ports import new_id
from ledger.cashier.base import Notice, Outcome
from ledger.cashier.sandbox import SIGNATURE, Sandbox, body_of, sign
from ledger.models import PaymentOrder
from ledger.selectors.payments import IN, OUT, order

ADDRESS = "/api/v1/ledger/provider-callback"


class Command(BaseCommand):
    """Prints a signed call; sending it, once or often, is left to whoever tries things out."""

    help = "Print the sandbox's signed notice of an order, as a call of curl."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        outcomes = [outcome.value for outcome in Outcome]
        parser.add_argument("order", type=UUID, help="id of a deposit or a withdrawal")
        parser.add_argument("--outcome", choices=outcomes, default=Outcome.PAID.value)
        parser.add_argument("--amount", type=int, help="minor units (default: as asked for)")
        parser.add_argument("--reference", help="the payment's name (default: a new one)")
        here = f"http://127.0.0.1:{settings.ENV.port}"
        parser.add_argument(
            "--url", default=here, help="where the product is (default: %(default)s)"
        )

    @override
    def handle(self, *args: object, **options: Any) -> None:
        found = _order(options["order"])
        body = body_of(
            Notice(
                event_id=str(new_id()),
                method=Sandbox.methods[0],
                reference=options["reference"] or f"sandbox-{new_id()}",
                purpose=str(found.id),
                direction=IN if found.direction == IN else OUT,
                amount=options["amount"] or found.amount,
                currency=found.currency,
                outcome=Outcome(options["outcome"]),
                happened_at=timezone.now(),
            )
        )
        call = ["curl", "-sS", "-f", "-H", "Content-Type: application/json"]
        call += ["-H", f"{SIGNATURE}: {sign(body)}", "-d", body.decode()]
        call.append(options["url"].rstrip("/") + ADDRESS)
        self.stdout.write(shlex.join(call))


def _order(order_id: UUID) -> PaymentOrder:
    for direction in (IN, OUT):
        try:
            return order(order_id, direction)
        except Refused:
            continue
    raise CommandError(f"there is no order {order_id}")
