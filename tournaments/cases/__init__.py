"""The hand-worked cases of tournaments, one verdict each, for `manage.py cases`.

The schema is that of the case files' own README. A section whose machinery is not built yet is
never passed over: each of its cases fails with `section not built`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from eventstore.core.refusal import InvariantBroken
from tournaments.cases import drafts, money, pairings, schedules, tables
from tournaments.cases.forms import Case, Form

Verdict = tuple[str, str | None]
"""Id of a case, and why it failed or None."""

WAITING = frozenset(
    {
        "late_pools",
        "escrow_flows",
        "bounties",
        "satellites",
        "deals",
        "cancellations",
        "compensations",
        "brackets",
        "three_seat_elimination",
        "double_elimination",
        "swiss_points",
        "swiss_pairings",
        "fold_round_one",
        "round_robin",
        "tie_breaks",
        "late_registration",
        "swiss_attendance",
        "group_cuts",
        "arena",
        "no_shows",
        "money_flows",
        "ratings",
    }
)
"""Sections of the schema that nothing runs yet."""

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
    if section in WAITING:
        return "section not built"
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
