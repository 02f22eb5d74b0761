"""Months, whose books are closed one after the other. Days are those of UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from typing_extensions import override

FIRST_DAY = date(1970, 1, 1)  # exports open every account on it: no entry takes effect earlier
_form = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])\Z").match
_YEAR_MAX = 9998  # the month after the last one must exist


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A month.

    >>> str(Month(2026, 12).next), Month(2026, 2).through.isoformat()
    ('2027-01', '2026-02-28')
    """

    year: int
    month: int

    @property
    def next(self) -> "Month":
        """The month after it."""
        return Month(self.year + self.month // 12, self.month % 12 + 1)

    @property
    def end(self) -> datetime:
        """The first instant after it."""
        return datetime(self.next.year, self.next.month, 1, tzinfo=UTC)

    @property
    def through(self) -> date:
        """Its last day."""
        return self.end.date() - timedelta(days=1)

    @override
    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}"


def read_month(text: str) -> Month | None:
    """The month that a text names, None for another text.

    >>> read_month("2026-10"), read_month("2026-13")
    (Month(year=2026, month=10), None)
    """
    found = _form(text)
    if found is None or not 1 <= int(found[1]) <= _YEAR_MAX:
        return None
    return Month(int(found[1]), int(found[2]))


def month_of(day: date) -> Month:
    """The month that a day lies in."""
    return Month(day.year, day.month)
