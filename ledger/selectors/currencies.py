"""Currencies that are installed, and amounts as people read them."""

from ledger.core.currencies import Currency, decimal_text
from ledger.store.books import LIVE


def display(minor: int, currency: str, exponent: int) -> str:
    """Amount as people read it."""
    return f"{decimal_text(minor, exponent)} {currency}"


def exponents() -> dict[str, int]:
    """Decimals of every installed currency."""
    return dict(LIVE.rows("SELECT code, exponent FROM ledger.currency ORDER BY code"))


def currency_kinds() -> dict[str, str]:
    """Every installed currency: `cash` or `play`."""
    return dict(LIVE.rows("SELECT code, kind FROM ledger.currency ORDER BY code"))


def currencies() -> list[Currency]:
    """Every installed currency, by code."""
    rows = LIVE.rows(
        "SELECT code, exponent, kind = 'play', name FROM ledger.currency ORDER BY code"
    )
    return [Currency(code, exponent, play=play, name=name) for code, exponent, play, name in rows]
