"""The books for hledger, under all of its strict checks."""

from collections.abc import Iterable, Iterator
from datetime import date

from ledger.core.currencies import decimal_text
from ledger.exports.closing import Balance, written
from ledger.exports.names import declared, name_of
from ledger.exports.records import Head, Record

_SAMPLE = "1000"  # an amount that shows how many decimals a currency has


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
    return f"\n{day} * (closing) closing balances\n" + "".join(
        f"    {name}  {_amount(0, exponents, currency)} = {_amount(sum_, exponents, currency)}\n"
        for name, currency, sum_ in balances
    )


def _declarations(head: Head) -> str:
    return "".join(
        f"{line}\n"
        for line in [
            "decimal-mark .",
            *(
                f"commodity {_SAMPLE}.{'0' * currency.exponent} {_symbol(currency.code)}"
                for currency in head.currencies
            ),
            *(f"account {name}" for name, _ in declared(head.accounts)),
        ]
    )


def _transaction(record: Record, exponents: dict[str, int]) -> str:
    legs = "".join(
        f"    {name_of(leg.account)}  {_amount(leg.amount, exponents, leg.currency)}\n"
        for leg in record.legs
    )
    return (
        f"\n{record.day} * ({record.key}) {record.kind}"
        f"  ; log_index:{record.log_index}, hash:{record.hash}\n{legs}"
    )


def _amount(minor: int, exponents: dict[str, int], currency: str) -> str:
    return f"{decimal_text(minor, exponents[currency])} {_symbol(currency)}"


def _symbol(currency: str) -> str:
    """A symbol with a digit in it stands in quotes.

    >>> _symbol("EUR"), _symbol("C20")
    ('EUR', '"C20"')
    """
    return currency if currency.isalpha() else f'"{currency}"'
