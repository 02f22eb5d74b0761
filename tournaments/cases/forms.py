"""Forms of the cases: which fields one has, and what runs it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Case = Mapping[str, Any]
Outcome = tuple[object, object]
"""What came out, and what was expected."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a section's cases: its fields beside `id` and `what`, and what runs it."""

    run: Callable[[Case], Outcome]
    fields: frozenset[str]
    optional: frozenset[str] = frozenset()

    def misfit(self, case: Case) -> str | None:
        """A field that is missing or unknown."""
        given = set(case) - {"id", "what"}
        wrong = sorted(self.fields - given) + sorted(given - self.fields - self.optional)
        return wrong[0] if wrong else None


def form(run: Callable[[Case], Outcome], fields: str, optional: str = "") -> Form:
    """A form with these fields, names parted by blanks."""
    return Form(run, frozenset(fields.split()), frozenset(optional.split()))
