"""What a check is given and what it tells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ledger.store.books import LIVE

FINDINGS_SHOWN = 20  # of one check; the figure `findings` counts all

Finding = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a run looks at: the whole, or what came since the run before."""

    is_full: bool
    first_entry: int  # id in the books; an increment takes no entry before it
    first_index: int  # place in the log, likewise
    size: int  # of the log
    now: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """Figures of one check, and what it found: each finding names its place and both forms."""

    figures: Mapping[str, object] = field(default_factory=dict)
    findings: Sequence[Finding] = ()
    skipped: str | None = None  # why nothing was looked at


Check = Callable[[Scope], Found]


def findings_of(sql: str, scope: Scope, **more: object) -> list[Finding]:
    """Findings of a statement for the live books whose columns are `where, found, expected`."""
    parameters = {
        "first_entry": scope.first_entry,
        "size": scope.size,
        "now": scope.now,
        **more,
    }
    return [finding(*row) for row in LIVE.rows(sql, parameters)]


def finding(where: str, found: object, expected: object) -> Finding:
    """One thing that is not as it must be."""
    return {"where": where, "found": _plain(found), "expected": _plain(expected)}


def figure(sql: str, scope: Scope) -> int:
    """One number of a statement for the live books."""
    rows = LIVE.rows(sql, {"first_entry": scope.first_entry, "size": scope.size})
    return int(rows[0][0] or 0)


def _plain(value: object) -> object:
    """As JSON holds it: sums come as Decimal without a fraction."""
    return value if value is None or isinstance(value, str | bool | int) else int(str(value))
