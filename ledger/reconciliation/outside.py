"""Checks against the outside world: R6, the statements of providers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ledger.cashier import providers
from ledger.cashier.base import Line
from ledger.reconciliation.found import Finding, Found, finding
from ledger.store.books import LIVE

DAYS_OF_INCREMENT, DAYS_OF_FULL = 1, 31  # that have ended
MARGIN = timedelta(days=1)  # a payment late in the evening may be of either day

Ask = Callable[[date], Sequence[Line] | None]
Payments = Mapping[str, int]  # reference -> amount in minor units, negative for what went out

_BOOKED = """
SELECT x.reference, p.amount FROM ledger.external_payment x
JOIN ledger.entry e ON (e.stream, e.version, e.part) = (x.wallet_stream, x.version, 0)
JOIN ledger.posting p ON p.entry_id = e.id
JOIN ledger.account a ON a.id = p.account_id AND a.role = 'cash'
WHERE x.method = %s AND (e.effective_at AT TIME ZONE 'UTC')::date BETWEEN %s AND %s"""
# A payment of nobody is known and waits: R10 says so when it waits too long.
_WAITING = "SELECT reference FROM ledger.payment_order WHERE method = %s AND reference IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Statement:
    """What a provider tells of a method, from the day before `first` to the day after `last`."""

    method: str
    first: date
    last: date
    inner: Payments  # of these days alone
    outer: Payments


def statements(today: date, *, is_full: bool) -> list[Statement]:
    """The statements of all providers that give one. May use the network, so outside
    of any transaction."""
    first = today - timedelta(days=DAYS_OF_FULL if is_full else DAYS_OF_INCREMENT)
    last = today - timedelta(days=1)
    return [
        made
        for method, provider in providers().items()
        if (made := _statement(method, first, last, provider.statement))
    ]


def cash(told: Sequence[Statement]) -> Found:
    """R6: what a provider says came and went is what the books say, payment by payment."""
    if not told:
        return Found(skipped="no provider gives a statement")
    findings = [one for statement in told for one in _differences(statement)]
    days = sum((one.last - one.first).days + 1 for one in told)
    return Found({"days": days, "payments": sum(len(one.inner) for one in told)}, findings)


def _statement(method: str, first: date, last: date, ask: Ask) -> Statement | None:
    inner: dict[str, int] = {}
    outer: dict[str, int] = {}
    day = first - MARGIN
    while day <= last + MARGIN:
        lines = ask(day)
        if lines is None:
            return None
        outer |= _payments(lines)
        if first <= day <= last:
            inner |= _payments(lines)
        day += timedelta(days=1)
    return Statement(method, first, last, inner, outer)


def _payments(lines: Iterable[Line]) -> dict[str, int]:
    return {line.reference: line.amount for line in lines}


def _differences(told: Statement) -> list[Finding]:
    booked = _booked(told.method, told.first, told.last)
    around = _booked(told.method, told.first - MARGIN, told.last + MARGIN)
    waiting = {reference for (reference,) in LIVE.rows(_WAITING, [told.method])}
    findings = []
    for reference in sorted(booked.keys() | told.inner.keys()):
        ours, theirs = around.get(reference), told.outer.get(reference)
        if ours != theirs and not (ours is None and reference in waiting):
            findings.append(finding(f"{told.method} {reference}", ours, theirs))
    return findings


def _booked(method: str, first: date, last: date) -> dict[str, int]:
    return dict(LIVE.rows(_BOOKED, [method, first, last]))
