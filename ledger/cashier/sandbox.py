"""A provider without money, for tests and for trying things out; not in the default setting.

It calls back as others do: a JSON object, whose HMAC-SHA256 stands in the header
`Sandbox-Signature`. The key is made from Django's secret, so it needs no setting of its own. A
notice has no time limit: what is sent again does nothing, whoever sends it.
"""

import hmac
from collections import deque
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from hashlib import sha256
from typing import Annotated, Literal

import msgspec
from django.utils import timezone
from django.utils.crypto import salted_hmac

from eventstore.core.refusal import refuse
from ledger.cashier.base import (
    Declined,
    Instructions,
    Line,
    Notice,
    Order,
    Outcome,
    Result,
    Sent,
    Unknown,
)
from ledger.core.currencies import AMOUNT_MAX, EUR

SIGNATURE = "Sandbox-Signature"
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
Fault = Literal["no_answer", "declined"]


class _Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    event_id: Name
    method: Literal["sandbox"]
    reference: Name
    purpose: Annotated[str, msgspec.Meta(max_length=200)]
    direction: Literal["in", "out"]
    amount: Annotated[int, msgspec.Meta(ge=1, le=AMOUNT_MAX)]
    currency: Name
    outcome: Outcome
    happened_at: Annotated[datetime, msgspec.Meta(tz=True)]


class Sandbox:
    """Takes every deposit and makes every payout, but for the faults that it is told to have."""

    name = "sandbox"
    methods = ("sandbox",)
    currencies = frozenset({EUR.code})
    by_hand = False

    def __init__(self) -> None:
        self.asked: list[str] = []  # each call for a payout
        self.paid: dict[str, Line] = {}
        self._faults: deque[Fault] = deque()
        self._received: list[Line] = []

    def fail_next(self, faults: Iterable[Fault]) -> None:
        """Have the next payouts go wrong, one after the other; with `no_answer` they are made."""
        self._faults.extend(faults)

    def receive(self, line: Line) -> None:
        """Have a payment stand in the statement."""
        self._received.append(line)

    def start_deposit(self, order: Order) -> Instructions:
        """Words that say how to send the notice."""
        return Instructions(f"manage.py sandbox_notice {order.id}")

    def read_callback(self, headers: Mapping[str, str], body: bytes) -> list[Notice]:
        """The notice in a signed body. Raises: Refused with `bad_signature`, `malformed_json`."""
        given = headers.get(SIGNATURE, "").encode()
        if not hmac.compare_digest(given, sign(body).encode()):
            raise refuse("bad_signature")
        try:
            call = msgspec.json.decode(body, type=_Call)
        except msgspec.DecodeError as fault:
            raise refuse("malformed_json") from fault
        return [Notice(**msgspec.structs.asdict(call))]

    def send_payout(self, order: Order) -> Result:
        """The payout, under a reference that is made from the order's id."""
        self.asked.append(str(order.id))
        fault = self._faults.popleft() if self._faults else None
        if fault == "declined":
            return Declined("no_such_account")
        line = Line(f"payout-{order.id}", timezone.now(), -order.amount, order.currency)
        self.paid.setdefault(str(order.id), line)
        return Unknown() if fault == "no_answer" else Sent(line.reference)

    def statement(self, day: date) -> list[Line] | None:
        """What this process received and paid on a day."""
        lines = [*self._received, *self.paid.values()]
        return [line for line in lines if line.happened_at.date() == day]


def sign(body: bytes) -> str:
    """Signature of a body, in hex."""
    key = salted_hmac("ledger.cashier.sandbox", "", algorithm="sha256").digest()
    return hmac.new(key, body, sha256).hexdigest()


def body_of(notice: Notice) -> bytes:
    """A notice as the provider sends it."""
    return msgspec.json.encode(notice)
