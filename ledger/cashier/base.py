"""What the house asks of a payment provider, and nothing more.

A provider is a class without arguments, named by its path in `CASHIER_PROVIDERS`. No method is
called inside a transaction of the database, so it may use the network; each ends within
`ANSWER_SECONDS_MAX`. References hold no personal data: they stay in the log for ever.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum, unique
from typing import Literal, Protocol
from uuid import UUID

ANSWER_SECONDS_MAX = 10  # well below what a task may take


@dataclass(frozen=True, slots=True)
class Order:
    """A payment to be made, in minor units. Its id is its name at the provider for ever."""

    id: UUID
    player: UUID
    method: str
    currency: str
    amount: int


@dataclass(frozen=True, slots=True)
class Instructions:
    """How a player pays: words in his language, and an address where there is one."""

    text: str
    url: str | None = None


@unique
class Outcome(Enum):
    """What became of a payment."""

    PAID = "paid"
    FAILED = "failed"
    PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What a provider says of one payment. The same may be said often, and in any order.

    `reference` is the provider's name of the payment, once for all its notices. `purpose` is what
    the payment says it is for: the id of an order, of a player, or any text.
    """

    event_id: str
    method: str
    reference: str
    purpose: str
    direction: Literal["in", "out"]
    amount: int
    currency: str
    outcome: Outcome
    happened_at: datetime


@dataclass(frozen=True, slots=True)
class Sent:
    """The payout was made; `reference` is the provider's name of it."""

    reference: str


@dataclass(frozen=True, slots=True)
class Declined:
    """The provider made no payout and will not; `code` says why."""

    code: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """No answer, or none that says whether the payout was made: ask again."""


Result = Sent | Declined | Unknown


@dataclass(frozen=True, slots=True)
class Line:
    """One payment of a provider's statement; `amount` is negative for what was paid out."""

    reference: str
    happened_at: datetime
    amount: int
    currency: str


class Provider(Protocol):
    """A way to pay."""

    @property
    def name(self) -> str:
        """Its name, for people who look after it."""

    @property
    def methods(self) -> Sequence[str]:
        """Its methods as they stand in events and accounts: a-z 0-9 _"""

    @property
    def currencies(self) -> Collection[str]:
        """Currencies that each of its methods takes and pays."""

    @property
    def by_hand(self) -> bool:
        """Whether two people say what was paid, in and out, and nothing is sent."""

    def start_deposit(self, order: Order) -> Instructions:
        """How to pay an order; the same again for an order that was started.

        Raises: Refused with `unavailable`.
        """

    def read_callback(self, headers: Mapping[str, str], body: bytes) -> list[Notice]:
        """Notices of a call, once its signature over the exact bytes holds.

        Raises: Refused with `bad_signature`, `malformed_json`.
        """

    def send_payout(self, order: Order) -> Result:
        """Pay an order out: once, however often it is asked for under the order's id."""

    def statement(self, day: date) -> list[Line] | None:
        """What came and went on a day (UTC); None where the provider tells none.

        Raises: Refused with `unavailable`.
        """
