"""A run: every check on one snapshot, its figures kept, findings said aloud."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from django.db import connection, transaction

from eventstore import tree
from ledger.models import ReconciliationCheck, ReconciliationRun
from ledger.reconciliation import legs, log, outside, tools, work
from ledger.reconciliation.found import FINDINGS_SHOWN, Check, Finding, Found, Scope
from ledger.selectors.settlement import first_owed
from ledger.store import runs
from ledger.store.books import LIVE

UNDER_WAY = ("R10", "R12")  # what they find passes by itself
SETTLING_SECONDS = 60  # a transaction lives shorter: older entries are all to be seen

logger = logging.getLogger(__name__)
_others: dict[str, list[Check]] = {}

_NEXT_ENTRY = """
SELECT id + 1 FROM ledger.entry WHERE recorded_at < %s - make_interval(secs => %s)
ORDER BY id DESC LIMIT 1"""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of a run; of its findings the first ones, `count` counts all."""

    name: str
    figures: Mapping[str, object]
    count: int
    findings: Sequence[Finding]
    skipped: str | None


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run of the reconciliation, its checks in their order."""

    started_at: datetime
    finished_at: datetime
    size: int
    is_full: bool
    checks: Sequence[CheckResult]

    @property
    def findings(self) -> int:
        """How many there are."""
        return sum(check.count for check in self.checks)


def also_check(name: str, check: Check) -> None:
    """Have another part of the product add to a check, or give one: `R8`, `R9`."""
    checks = _others.setdefault(name, [])
    if check not in checks:
        checks.append(check)


def reconcile(*, is_full: bool) -> RunResult:
    """Run every check and keep what it found; findings are logged as errors.

    An increment looks at what came since the run before. Opens its own transactions.
    """
    told = outside.statements(_today(), is_full=is_full)
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        scope = _scope(is_full=is_full)
        following = _following(scope)
        checks = [_result(name, found) for name, found in _found(scope, told)]
        cursor.execute("SELECT clock_timestamp()")
        finished_at = cursor.fetchone()[0]
    result = RunResult(scope.now, finished_at, scope.size, is_full, checks)
    _keep(result, following)
    for check in checks:
        if check.count:
            logger.error("tonk_reconciliation: %s has %d findings", check.name, check.count)
    return result


def latest() -> RunResult | None:
    """The newest run."""
    run = ReconciliationRun.objects.order_by("-id").first()
    if run is None:
        return None
    found = sorted(run.checks.all(), key=lambda check: int(check.name[1:]))
    return RunResult(
        run.started_at, run.finished_at, run.size, run.is_full, [_stored(one) for one in found]
    )


def is_sound() -> bool | None:
    """Whether nothing that was found stands: None before the first run.

    An increment does not look again at what the run before it found, so that stands until a full
    run is clean. What is under way the newest run tells.
    """
    newest = ReconciliationRun.objects.order_by("-id").first()
    if newest is None:
        return None
    full = ReconciliationRun.objects.filter(is_full=True).order_by("-id").first()
    since = ReconciliationCheck.objects.filter(run_id__gte=full.id if full else 0, count__gt=0)
    return newest.findings == 0 and not since.exclude(name__in=UNDER_WAY).exists()


def _today() -> date:
    today: date = LIVE.rows("SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date")[0][0]
    return today


def _scope(*, is_full: bool) -> Scope:
    now = LIVE.rows("SELECT clock_timestamp()")[0][0]
    before = None if is_full else ReconciliationRun.objects.order_by("-id").first()
    if before is None:
        return Scope(is_full=is_full, first_entry=1, first_index=0, size=tree.size(), now=now)
    return Scope(
        is_full=is_full,
        first_entry=before.next_entry,
        first_index=before.next_index,
        size=tree.size(),
        now=now,
    )


def _following(scope: Scope) -> tuple[int, int]:
    """Where the next increment begins: behind what this one has seen to the end."""
    unsettled = first_owed()
    entry = LIVE.rows(_NEXT_ENTRY, [scope.now, SETTLING_SECONDS])
    next_index = scope.size if unsettled is None else min(scope.size, unsettled)
    return next_index, max(scope.first_entry, entry[0][0] if entry else 1)


def _found(scope: Scope, told: Sequence[outside.Statement]) -> Iterator[tuple[str, Found]]:
    reading = log.read(scope)
    own: Mapping[str, Check] = {
        "R1": legs.balances,
        "R2": legs.sums,
        "R3": legs.floors,
        "R4": partial(log.entries, reading=reading),
        "R5": partial(log.escrows, reading=reading),
        "R6": lambda scope: _joined([work.cash(scope), outside.cash(told)]),
        "R7": partial(log.tournaments, reading=reading),
        "R10": work.settlement,
        "R11": tools.tools,
        "R12": work.payouts,
    }
    for name in sorted(own.keys() | _others.keys(), key=lambda name: int(name[1:])):
        checks = [*([own[name]] if name in own else []), *_others.get(name, [])]
        yield name, _joined([check(scope) for check in checks])


def _joined(parts: Sequence[Found]) -> Found:
    """Several parts of one check; skipped where each part was."""
    figures = {name: value for part in parts for name, value in part.figures.items()}
    findings = [finding for part in parts for finding in part.findings]
    reasons = [part.skipped for part in parts if part.skipped]
    skipped = "; ".join(reasons) if len(reasons) == len(parts) else None
    return Found(figures, findings, skipped)


def _result(name: str, found: Found) -> CheckResult:
    shown = list(found.findings)[:FINDINGS_SHOWN]
    return CheckResult(name, found.figures, len(found.findings), shown, found.skipped)


def _keep(result: RunResult, following: tuple[int, int]) -> None:
    run = ReconciliationRun(
        started_at=result.started_at,
        finished_at=result.finished_at,
        size=result.size,
        is_full=result.is_full,
        findings=result.findings,
        next_index=following[0],
        next_entry=following[1],
    )
    checks = [
        ReconciliationCheck(
            name=check.name,
            count=check.count,
            figures=dict(check.figures),
            findings=list(check.findings),
            skipped=check.skipped,
        )
        for check in result.checks
    ]
    runs.keep(run, checks)


def _stored(one: ReconciliationCheck) -> CheckResult:
    return CheckResult(one.name, one.figures, one.count, one.findings, one.skipped)
