"""Files of hand-worked cases: one verdict a case (`tests/cases/README.md`)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Verdict = tuple[str, str | None]
"""Id of a case, and why it failed or None."""
Case = Mapping[str, Any]


def verdicts(
    document: Case, *, kind: str, run_case: Callable[[Case], str | None]
) -> Iterator[Verdict]:
    """Verdicts of a decoded file of this kind. Ids are unique within a file."""
    cases = document.get("cases")
    if document.get("kind") != kind or set(document) > {"kind", "cases"}:
        cases = None
    if not isinstance(cases, list):
        yield "file", "schema: a file has kind and cases, nothing else"
        return
    seen: Counter[str] = Counter()
    for case in cases:
        name = str(case.get("id")) if isinstance(case, Mapping) else "case"
        seen[name] += 1
        yield name, "schema: id twice" if seen[name] > 1 else run_case(case)
