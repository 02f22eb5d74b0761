"""The books for Beancount 3."""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from ledger.core.currencies import decimal_text
from ledger.core.periods import FIRST_DAY
from ledger.exports.closing import Balance, written
from ledger.exports.names import declared, name_of
from ledger.exports.records import Head, Record

# Without it a balance that is off by one unit would pass.
EXACT = 'option "tolerance_multiplier" "0"'


def lines(head: Head, records: Iterable[Record]) -> Iterator[str]:
    """The file, in pieces."""
    exponents = head.exponents
    yield _declarations(head)
    yield from written(
        records,
        lambda record: _transaction(record, exponents),
        lambda day, balances: _balances(day, balances, exponents),
    )


def _balances(day: date, balances: list[Balance], exponents: dict[str, int]) -> str:
    """A balance counts at the start of its day, so those of the end stand on the next one."""
    return "\n" + "".join(
        f"{day + timedelta(days=1)} balance {name}"
        f"  {decimal_text(sum_, exponents[currency])} {currency}\n"
        for name, currency, sum_ in balances
    )


def _declarations(head: Head) -> str:
    return "".join(
        f"{line}\n"
        for line in [
            'option "title" "Tonk books"',
            *(
                f'option "operating_currency" "{currency.code}"'
                for currency in head.currencies
                if not currency.play
            ),
            EXACT,
            "",
            *(f"{FIRST_DAY} commodity {currency.code}" for currency in head.currencies),
            *(
                f"{FIRST_DAY} open {name} {','.join(currencies)}"
                for name, currencies in declared(head.accounts)
            ),
        ]
    )


def _transaction(record: Record, exponents: dict[str, int]) -> str:
    legs = "".join(
        f"  {name_of(leg.account)}  {decimal_text(leg.amount, exponents[leg.currency])}"
        f" {leg.currency}\n"
        for leg in record.legs
    )
    return (
        f'\n{record.day} * "{record.kind}" "{record.key}" #{record.kind}\n'
        f'  log_index: "{record.log_index}"\n  hash: "{record.hash}"\n{legs}'
    )
