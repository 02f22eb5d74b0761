"""Amounts as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.currencies import EUR, INSTALLED, XTK, decimal_text


@pytest.mark.parametrize(
    ("minor", "text"),
    [
        (0, "0.00 EUR"),
        (5, "0.05 EUR"),
        (-5, "-0.05 EUR"),
        (1234, "12.34 EUR"),
        (-100000, "-1000.00 EUR"),
    ],
)
def test_display(minor: int, text: str) -> None:
    assert EUR.display(minor) == text


def test_play_chips_have_no_decimals() -> None:
    assert XTK.display(10000) == "10000 XTK"
    assert [currency.play for currency in INSTALLED.values()] == [False, True]


@given(st.integers(-(10**15), 10**15), st.integers(0, 4))
def test_the_text_says_the_amount(minor: int, exponent: int) -> None:
    text = decimal_text(minor, exponent)
    assert int(text.replace(".", "")) == minor
    assert len(text.partition(".")[2]) == exponent
