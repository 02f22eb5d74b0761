"""The hand-worked cases of tournaments, one verdict each, for `manage.py cases`.

The schema is that of the case files' own README. What it does not know fails, and is never passed
over.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from eventstore.core.refusal import InvariantBroken
from tournaments.cases import drafts, money, pairings, schedules, tables
from tournaments.cases.forms import Case, Form

Verdict = tuple[str, str | None]
"""Id of a case, and why it failed or None."""

SECTIONS: Mapping[str, tuple[Form, ...]] = {
    **tables.SECTIONS,
    **pairings.SECTIONS,
    **schedules.SECTIONS,
    **money.SECTIONS,
    **drafts.SECTIONS,
}
"""The sections that are run, each with its forms."""


def is_mine(document: object) -> bool:
    """Whether a decoded file holds cases of tournaments."""
    return isinstance(document, Mapping) and document.get("kind") == "tournaments"


def run(document: Mapping[str, Any]) -> Iterator[Verdict]:
    """Verdicts of a file, in its order."""
    for section, cases in document.items():
        if section == "kind":
            continue
        for case in cases:
            yield str(case.get("id", section)), _verdict(section, case)


def _verdict(section: str, case: Case) -> str | None:
    forms = SECTIONS.get(section)
    if forms is None:
        return f"schema: {section}"
    if "id" not in case:
        return "schema: id"
    fitting = next((form for form in forms if form.misfit(case) is None), None)
    if fitting is None:
        return f"schema: {forms[-1].misfit(case)}"
    try:
        got, expected = map(_as_json, fitting.run(case))
    except InvariantBroken as broken:
        return f"broken: {broken}"
    return None if got == expected else f"got {got} expected {expected}"


def _as_json(value: object) -> str:
    return json.dumps(value, sort_keys=True)
