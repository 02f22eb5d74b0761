"""Checks of the books against themselves: R1, R2, R3."""

from ledger.reconciliation.found import Found, Scope, figure, findings_of

# Each leg goes on from the one before it on its account; by induction balances are sums.
_CHAINS = """
SELECT a.code || ' ' || p.account_version, p.balance_after, before.balance_after + b.sign * p.amount
FROM ledger.posting p JOIN ledger.account_balance b USING (account_id)
JOIN ledger.account a ON a.id = b.account_id
LEFT JOIN LATERAL (
    SELECT q.balance_after FROM ledger.posting q
    WHERE (q.account_id, q.account_version) = (p.account_id, p.account_version - 1)
    UNION ALL SELECT 0 WHERE p.account_version = 1
) before ON true
WHERE p.entry_id >= %(first_entry)s
    AND p.balance_after IS DISTINCT FROM before.balance_after + b.sign * p.amount ORDER BY 1"""
# Of every account, each time: a balance that is changed by hand leaves no leg to find it by.
# OFFSET 0 keeps it a probe for each account, where legs are many.
_NEWEST = """
SELECT a.code, b.balance, coalesce(p.balance_after, 0)
FROM ledger.account_balance b JOIN ledger.account a ON a.id = b.account_id
LEFT JOIN LATERAL (
    SELECT p.balance_after FROM ledger.posting p
    WHERE (p.account_id, p.account_version) = (b.account_id, b.version) OFFSET 0) p ON true
WHERE b.balance <> coalesce(p.balance_after, 0) OR b.version > 0 AND p.balance_after IS NULL
ORDER BY 1"""
# Said without the chains as well, once a night.
_SUMS = """
SELECT a.code, b.balance, b.sign * coalesce(sum(p.amount), 0)
FROM ledger.account_balance b JOIN ledger.account a ON a.id = b.account_id
LEFT JOIN ledger.posting p ON p.account_id = b.account_id
GROUP BY a.code, b.balance, b.sign, b.version
HAVING b.balance <> b.sign * coalesce(sum(p.amount), 0) OR b.version <> count(p.*) ORDER BY 1"""
_ENTRIES = """
SELECT format('%%s@%%s#%%s', e.stream, e.version, e.part), coalesce(sum(p.amount), 0), 0
FROM ledger.entry e LEFT JOIN ledger.posting p ON p.entry_id = e.id
WHERE e.id >= %(first_entry)s
GROUP BY e.id HAVING coalesce(sum(p.amount), 0) <> 0 OR count(p.*) <> e.posting_count
ORDER BY e.id"""
_CURRENCIES = """
SELECT e.currency, sum(p.amount), 0 FROM ledger.posting p JOIN ledger.entry e ON e.id = p.entry_id
GROUP BY e.currency HAVING sum(p.amount) <> 0 ORDER BY 1"""
_STORED_CURRENCIES = """
SELECT currency, sum(balance * sign), 0 FROM ledger.account_balance
GROUP BY currency HAVING sum(balance * sign) <> 0 ORDER BY 1"""
_FLOORS = """
SELECT a.code || ' ' || p.account_version, p.balance_after, b.min_balance
FROM ledger.posting p JOIN ledger.account_balance b USING (account_id)
JOIN ledger.account a ON a.id = b.account_id
WHERE p.entry_id >= %(first_entry)s AND p.balance_after < b.min_balance ORDER BY 1"""
# The same in the order of the log: what an export shows line by line.
_FLOORS_IN_LOG_ORDER = """
SELECT code || ' ' || name, running, min_balance
FROM (
    SELECT a.code, b.min_balance, format('%%s@%%s#%%s', e.stream, e.version, e.part) AS name,
        b.sign * sum(p.amount) OVER (
            PARTITION BY p.account_id ORDER BY l.log_index, e.part) AS running
    FROM ledger.entry e
    JOIN eventstore_event ev ON (ev.stream, ev.version) = (e.stream, e.version)
    JOIN eventstore_log_leaf l ON l.position = ev.position
    JOIN ledger.posting p ON p.entry_id = e.id
    JOIN ledger.account_balance b ON b.account_id = p.account_id AND b.min_balance IS NOT NULL
    JOIN ledger.account a ON a.id = p.account_id
    WHERE l.log_index < %(size)s
) legs WHERE running < min_balance ORDER BY 1"""


_LEGS = "SELECT count(*) FROM ledger.posting WHERE entry_id >= %(first_entry)s"


def balances(scope: Scope) -> Found:
    """R1: each stored balance is the sum of its legs, whose versions and balances chain."""
    findings = findings_of(_CHAINS, scope) + findings_of(_NEWEST, scope)
    if scope.is_full:
        findings += findings_of(_SUMS, scope)
    return Found({"legs": figure(_LEGS, scope)}, findings)


def sums(scope: Scope) -> Found:
    """R2: per entry and per currency all legs sum to 0, and so do the stored balances."""
    counted = "SELECT count(*) FROM ledger.entry WHERE id >= %(first_entry)s"
    findings = findings_of(_ENTRIES, scope) + findings_of(_STORED_CURRENCIES, scope)
    if scope.is_full:
        findings += findings_of(_CURRENCIES, scope)
    return Found({"entries": figure(counted, scope)}, findings)


def floors(scope: Scope) -> Found:
    """R3: no account was below its floor, at any of its versions nor in the order of the log."""
    findings = findings_of(_FLOORS, scope)
    if scope.is_full:
        findings += findings_of(_FLOORS_IN_LOG_ORDER, scope)
    return Found({"legs": figure(_LEGS, scope)}, findings)
