"""Amounts as people read them."""

from collections.abc import Callable

from ledger.selectors import display, exponents

Writer = Callable[[int], str]
"""Writes an amount in minor units."""


def worth_in(currency: str) -> Writer:
    """What writes amounts of a currency; chips of a tournament are none."""
    return worths()(currency)


def worths() -> Callable[[str], Writer]:
    """The same for any currency, from one look at those that are installed: for lists."""
    known = exponents()

    def worth_of(currency: str) -> Writer:
        exponent = known.get(currency)
        if exponent is None:
            return str
        return lambda minor: display(minor, currency, exponent)

    return worth_of
