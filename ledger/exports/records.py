"""What every format of an export is made of: a head, and the records in their order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from ledger.core.currencies import Currency

BROUGHT_FORWARD = "brought_forward"
NOTHING = "-"  # in the place of a key or a hash where a record has none


@dataclass(frozen=True, slots=True)
class Leg:
    """One line: debit positive, credit negative. The account's code is without a stripe."""

    line: int
    account: str
    account_class: str
    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class Source:
    """The entry that a record shows, and the event that the entry comes from."""

    entry_id: int
    key: str
    stream: str
    version: int
    part: int
    hash: str
    recorded_at: datetime
    effective_at: datetime
    log_index: int
    event_type: str
    event_hash: str
    reverses: str | None  # key of the entry that this one takes back
    reverses_id: int | None


@dataclass(frozen=True, slots=True)
class Record:
    """One balanced transaction; without a source it brings the earlier balances forward."""

    day: date
    kind: str
    legs: Sequence[Leg]
    source: Source | None = None

    @property
    def key(self) -> str:
        """Name of the entry."""
        return self.source.key if self.source else NOTHING

    @property
    def log_index(self) -> int:
        """Place of the event in the log."""
        return self.source.log_index if self.source else 0

    @property
    def hash(self) -> str:
        """Hash of the entry."""
        return self.source.hash if self.source else NOTHING


@dataclass(frozen=True, slots=True)
class Head:
    """What is declared before the records: installed currencies, and accounts that occur."""

    currencies: Sequence[Currency]
    accounts: Sequence[str]  # codes without a stripe

    @property
    def exponents(self) -> dict[str, int]:
        """Decimals of each currency."""
        return {currency.code: currency.exponent for currency in self.currencies}
