"""The balances at the end of an export, which each program compares with its own sums."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date

from ledger.exports.names import EQUITY, name_of
from ledger.exports.records import Record

Balance = tuple[str, str, int]  # name of an account, currency, sum


def written(
    records: Iterable[Record],
    transaction: Callable[[Record], str],
    ending: Callable[[date, list[Balance]], str],
) -> Iterator[str]:
    """The records as text, each counted as it goes by; then the day of the last, and balances.

    Equity is not stated: it is the other side of what is, and every transaction balances.
    """
    sums: dict[tuple[str, str], int] = {}
    day = None
    for record in records:
        for leg in record.legs:
            place = (leg.account, leg.currency)
            sums[place] = sums.get(place, 0) + leg.amount
        day = record.day
        yield transaction(record)
    named = [(name_of(code), currency, sum_) for (code, currency), sum_ in sums.items()]
    balances = sorted(line for line in named if not line[0].startswith(f"{EQUITY}:"))
    if day is not None and balances:
        yield ending(day, balances)
