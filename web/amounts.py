"""Amounts as people read them."""

from collections.abc import Callable

from ledger.selectors import display, exponents


def worth_in(currency: str) -> Callable[[int], str]:
    """What writes an amount in minor units; chips of a tournament are no currency."""
    exponent = exponents().get(currency)
    if exponent is None:
        return str
    return lambda minor: display(minor, currency, exponent)
