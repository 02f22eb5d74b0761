"""Checks of what is under way: R10, R12, and the sums of cash of R6."""

from ledger.reconciliation.found import Found, Scope, figure, finding, findings_of
from ledger.store.books import LIVE
from ledger.store.orders import uncovered

LAG_SECONDS_MAX = 60
UNASSIGNED_HOURS_MAX = 24
SENDING_HOURS_MAX = 1

_BEHIND = """
SELECT d.stream, format('behind since %%s', d.event_at), 'settled'
FROM ledger.settlement_due d JOIN ledger.settlement_cursor c USING (stream)
WHERE d.version > c.version AND c.parked_code IS NULL
    AND d.event_at < %(now)s - make_interval(secs => %(most)s) ORDER BY d.event_at"""
_PARKED = """
SELECT stream || '@' || version + 1, parked_code, 'settled' FROM ledger.settlement_cursor
WHERE parked_code IS NOT NULL ORDER BY 1"""
_UNASSIGNED = """
SELECT method || ' ' || reference, format('%%s %%s of nobody', amount, currency), 'a player'
FROM ledger.payment_order WHERE player IS NULL AND state IN ('unassigned', 'approved_once')
    AND created_at < %(now)s - make_interval(hours => %(most)s) ORDER BY created_at"""
_SENDING = """
SELECT 'withdrawal ' || id, state, 'paid or returned' FROM ledger.payment_order
WHERE state IN ('sending', 'unknown')
    AND updated_at < %(now)s - make_interval(hours => %(most)s) ORDER BY updated_at"""
_CASH = """
SELECT min(left(a.code, -3)), sum(b.balance), '0 or more' FROM ledger.account a
JOIN ledger.account_balance b ON b.account_id = a.id WHERE a.role = 'cash'
GROUP BY left(a.code, -3) HAVING sum(b.balance) < 0 ORDER BY 1"""


def settlement(scope: Scope) -> Found:
    """R10: no stream is behind or parked, no payment waits long for its player."""
    findings = [
        *findings_of(_BEHIND, scope, most=LAG_SECONDS_MAX),
        *findings_of(_PARKED, scope),
        *findings_of(_UNASSIGNED, scope, most=UNASSIGNED_HOURS_MAX),
    ]
    return Found(
        {"streams": figure("SELECT count(*) FROM ledger.settlement_cursor", scope)}, findings
    )


def payouts(scope: Scope) -> Found:
    """R12: withdrawals whose fate is open for more than an hour, and the money of those asked."""
    under_way = "SELECT count(*) FROM ledger.payment_order WHERE state IN ('sending', 'unknown')"
    findings = [
        *findings_of(_SENDING, scope, most=SENDING_HOURS_MAX),
        *(finding(*one) for one in uncovered()),
    ]
    return Found({"sending": figure(under_way, scope)}, findings)


def cash(scope: Scope) -> Found:
    """R6, the part that needs nobody else: no method has paid out more than it took in."""
    methods = "SELECT count(DISTINCT left(code, -3)) FROM ledger.account WHERE role = 'cash'"
    return Found({"methods": figure(methods, scope)}, findings_of(_CASH, scope))


def behind() -> set[str]:
    """Streams whose money is not all posted."""
    sql = """SELECT d.stream FROM ledger.settlement_due d
        JOIN ledger.settlement_cursor c USING (stream) WHERE d.version > c.version"""
    return {stream for (stream,) in LIVE.rows(sql)}
