"""Checks against the outside world: R6, the statements of providers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from eventstore.core.refusal import Refused
from ledger.cashier import providers
from ledger.cashier.base import Line, Provider
from ledger.reconciliation.found import Finding, Found, finding
from ledger.store.books import LIVE

DAYS_OF_INCREMENT, DAYS_OF_FULL = 1, 31  # that have ended
MARGIN = timedelta(days=1)  # a payment late in the evening may be of either day

Payments = dict[str, dict[str, int]]  # reference -> currency -> amount, below 0 for what went out

# A payment of nobody is booked when somebody has named its player; its day is the one it came on.
_BOOKED = """
SELECT x.reference, e.currency, p.amount FROM ledger.external_payment x
JOIN ledger.entry e ON (e.stream, e.version, e.part) = (x.wallet_stream, x.version, 0)
JOIN ledger.posting p ON p.entry_id = e.id
JOIN ledger.account a ON a.id = p.account_id AND a.role = 'cash'
LEFT JOIN ledger.payment_order o ON (o.method, o.reference) = (x.method, x.reference)
    AND o.named_player IS NOT NULL
WHERE x.method = ANY(%s::text[])
    AND (coalesce(o.created_at, e.effective_at) AT TIME ZONE 'UTC')::date BETWEEN %s AND %s"""
# A payment of nobody is known and waits: R10 says so when it waits too long.
_WAITING = """
SELECT reference FROM ledger.payment_order
WHERE method = ANY(%s::text[]) AND reference IS NOT NULL"""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a provider tells of its methods, from the day before `first` to the day after `last`."""

    methods: Sequence[str]
    first: date
    last: date
    inner: Payments = field(default_factory=dict)  # of these days alone
    outer: Payments = field(default_factory=dict)
    missing: str | None = None  # code of why it told nothing


def statements(today: date, *, is_full: bool) -> list[Statement]:
    """The statements of all providers that give one. May use the network, so outside
    of any transaction."""
    first = today - timedelta(days=DAYS_OF_FULL if is_full else DAYS_OF_INCREMENT)
    last = today - timedelta(days=1)
    told = (_statement(one, first, last) for one in dict.fromkeys(providers().values()))
    return [made for made in told if made]


def cash(told: Sequence[Statement]) -> Found:
    """R6: what a provider says came and went is what the books say, payment by payment."""
    if not told:
        return Found(skipped="no provider gives a statement")
    findings = [one for statement in told for one in _differences(statement)]
    days = sum((one.last - one.first).days + 1 for one in told)
    return Found({"days": days, "payments": sum(len(one.inner) for one in told)}, findings)


def _statement(provider: Provider, first: date, last: date) -> Statement | None:
    """None where the provider gives none at all."""
    inner: list[Line] = []
    outer: list[Line] = []
    day = first - MARGIN
    while day <= last + MARGIN:
        try:
            lines = provider.statement(day)
        except Refused as refused:
            return Statement(provider.methods, first, last, missing=refused.refusal.code)
        if lines is None:
            return None
        outer += lines
        inner += lines if first <= day <= last else []
        day += timedelta(days=1)
    return Statement(provider.methods, first, last, _summed(inner), _summed(outer))


def _summed(lines: Iterable[Line]) -> Payments:
    """A reference that is told twice was paid twice."""
    return _payments((line.reference, line.currency, line.amount) for line in lines)


def _payments(rows: Iterable[tuple[str, str, int]]) -> Payments:
    found: Payments = {}
    for reference, currency, amount in rows:
        of_one = found.setdefault(reference, {})
        of_one[currency] = of_one.get(currency, 0) + amount
    return found


def _differences(told: Statement) -> list[Finding]:
    name, methods = " ".join(told.methods), list(told.methods)
    if told.missing:
        return [finding(name, told.missing, "a statement")]
    booked = _booked(methods, told.first, told.last)
    around = _booked(methods, told.first - MARGIN, told.last + MARGIN)
    waiting = {reference for (reference,) in LIVE.rows(_WAITING, [methods])}
    findings = []
    for reference in sorted(booked.keys() | told.inner.keys()):
        ours, theirs = around.get(reference), told.outer.get(reference)
        if ours != theirs and not (ours is None and reference in waiting):
            findings.append(finding(f"{name} {reference}", _words(ours), _words(theirs)))
    return findings


def _booked(methods: list[str], first: date, last: date) -> Payments:
    return _payments(LIVE.rows(_BOOKED, [methods, first, last]))


def _words(payment: Mapping[str, int] | None) -> str | None:
    """Amounts in minor units, as a finding states them."""
    if payment is None:
        return None
    return ", ".join(f"{amount} {currency}" for currency, amount in sorted(payment.items()))
