"""Currencies that are installed with the books, and amounts as people read them."""

from dataclasses import dataclass
from types import MappingProxyType

CHIPS = "CHIPS"  # the word of events for tournament chips: no currency, never an account
AMOUNT_MAX = 10**12  # of one leg
BALANCE_MAX = 10**15  # below 2**53, so that every JSON reader keeps it exact


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency by its code; amounts are integers of its minor unit, 10**-exponent."""

    code: str
    exponent: int
    play: bool
    name: str

    def display(self, minor: int) -> str:
        """Amount as people read it.

        >>> EUR.display(-1234), XTK.display(10000)
        ('-12.34 EUR', '10000 XTK')
        """
        return f"{decimal_text(minor, self.exponent)} {self.code}"


EUR = Currency("EUR", 2, play=False, name="Euro")
XTK = Currency("XTK", 0, play=True, name="Play chips")
INSTALLED = MappingProxyType({currency.code: currency for currency in (EUR, XTK)})


def decimal_text(minor: int, exponent: int) -> str:
    """Amount with exactly the currency's decimals.

    >>> decimal_text(5, 2), decimal_text(-7, 0), decimal_text(1, 3)
    ('0.05', '-7', '0.001')
    """
    if exponent == 0:
        return str(minor)
    digits = str(abs(minor)).rjust(exponent + 1, "0")
    sign = "-" if minor < 0 else ""
    return f"{sign}{digits[:-exponent]}.{digits[-exponent:]}"
