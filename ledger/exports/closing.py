"""The balances at the end of an export, which each program compares with its own sums."""

from collections.abc import Iterable, Iterator

from ledger.exports.names import EQUITY, name_of
from ledger.exports.records import Record


class Closing:
    """Sums of the records that have passed, and the last one of them.

    Equity is not stated: it is the other side of what is, and every transaction balances.
    """

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], int] = {}
        self.last: Record | None = None

    def passing(self, records: Iterable[Record]) -> Iterator[Record]:
        """The records, each counted as it goes by."""
        for record in records:
            for leg in record.legs:
                place = (leg.account, leg.currency)
                self._sums[place] = self._sums.get(place, 0) + leg.amount
            self.last = record
            yield record

    def balances(self) -> list[tuple[str, str, int]]:
        """Name, currency and sum of each account that has occurred, in order."""
        named = [(name_of(code), currency, sum_) for (code, currency), sum_ in self._sums.items()]
        return sorted(line for line in named if not line[0].startswith(f"{EQUITY}:"))
