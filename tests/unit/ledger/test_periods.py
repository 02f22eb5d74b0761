"""Months as periods."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.periods import Month, month_of, read_month

DAYS = st.dates(date(1, 1, 1), date(9998, 12, 31))


@given(DAYS)
def test_every_day_lies_in_one_month(day: date) -> None:
    month = month_of(day)
    assert month_of(month.through) == month
    assert month.through >= day
    assert month_of(month.through + timedelta(1)) == month.next
    assert read_month(str(month)) == month


def test_a_month_ends_with_the_first_instant_of_the_next() -> None:
    assert Month(2026, 12).end == datetime(2027, 1, 1, tzinfo=UTC)
    assert Month(2028, 2).through == date(2028, 2, 29)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026",
        "2026-1",
        "2026-00",
        "2026-13",
        "2026-12-01",
        "26-12",
        "0000-05",
        "9999-12",
        "2026-١٢",
        "2026-12 ",
        "-2026-12",
    ],
)
def test_what_is_no_month(text: str) -> None:
    assert read_month(text) is None
