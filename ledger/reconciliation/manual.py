"""Checks of what people did by hand: R9, and the kept balances of the newest closing for R1."""

from collections.abc import Iterator

from eventstore import store as log
from ledger.core.adjustments import TYPES, Told, fold
from ledger.models import Adjustment, Period, PeriodBalance
from ledger.reconciliation.found import Finding, Found, Scope, finding
from ledger.store.books import LIVE
from ledger.store.closing import balances_at

# The streams with something new, whole: a decision is judged beside its proposal.
_STREAMS = """
SELECT DISTINCT e.stream FROM eventstore_event e LEFT JOIN eventstore_log_leaf l USING (position)
WHERE e.type = ANY(%(types)s::text[]) AND (l.log_index IS NULL OR l.log_index >= %(first)s)
UNION SELECT stream FROM ledger.adjustment WHERE %(first)s = 0 ORDER BY 1"""
Form = tuple[object, ...]


def entries(scope: Scope) -> Found:
    """R9: each manual entry has two people, a reason and its proposal before it.

    The list that staff reads says the same as the events.
    """
    rows = LIVE.rows(_STREAMS, {"types": list(TYPES), "first": scope.first_index})
    findings: list[Finding] = []
    count = 0
    for (stream,) in rows:
        told = fold(log.events_after(stream, 0, types=TYPES))
        count += len(told)
        findings += _of_stream(stream, told)
    return Found({"manual": count}, findings)


def _of_stream(stream: str, told: dict[str, Told]) -> Iterator[Finding]:
    listed = {str(row.id): row for row in _listed(stream)}
    for name in sorted(told.keys() | listed.keys()):
        where = f"{stream} {name}"
        one, row = told.get(name), listed.get(name)
        for fault in one.faults if one else ():
            yield finding(where, fault, "two people, a reason, a proposal")
        kept, wanted = _kept(row) if row else None, _wanted(one) if one else None
        if kept != wanted:
            yield finding(where, str(kept), str(wanted))


def _listed(stream: str) -> Iterator[Adjustment]:
    yield from Adjustment.objects.filter(stream=stream).select_related("entry")


def _kept(row: Adjustment) -> Form:
    return (
        row.version,
        row.state,
        str(row.proposer),
        row.currency,
        row.reason_code,
        row.reverses,
        row.effective.isoformat() if row.effective else None,
        row.lines,
        str(row.decided_by) if row.decided_by else None,
        row.entry.version if row.entry else None,
    )


def _wanted(one: Told) -> Form:
    said = one.said
    return (
        one.version,
        one.state,
        said.get("proposer"),
        said.get("currency"),
        said.get("reason_code"),
        said.get("reverses"),
        said.get("effective"),
        said.get("lines"),
        one.decided_by,
        one.decided if one.state == "approved" else None,
    )


def closings(scope: Scope) -> Found:
    """R1, the newest closing: what was kept is what the books held at its size."""
    period = Period.objects.order_by("-id").first() if scope.is_full else None
    if period is None:
        return Found()
    kept = PeriodBalance.objects.filter(period=period)
    held = dict(kept.values_list("account_id", "balance"))
    wanted = {one.account_id: one.balance for one in balances_at(period.size)}
    findings = [
        finding(f"{period.through} account {number}", held.get(number), wanted.get(number))
        for number in sorted(held.keys() | wanted.keys())
        if held.get(number) != wanted.get(number)
    ]
    return Found({"closing": len(held)}, findings)
