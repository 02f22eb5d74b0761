"""What every account held at a point of the past: at a size of the log, or before an instant.

The books keep the newest balance of each account; an earlier one is that less the legs that came
later. Whatever is asked for is near the end of the books as a rule, so the later legs are few.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from ledger.store.books import LIVE


@dataclass(frozen=True, slots=True)
class Cut:
    """Which entries count. Of several conditions all must hold; without one: every entry.

    Each sense of "until then" is named, because they differ: an entry is recorded after the event
    that it comes from, and a manual one may take effect on an earlier day.
    """

    size: int | None = None  # those whose event is among the first leaves of the log
    recorded_before: datetime | None = None
    effective_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class AccountAt:
    """An account at a cut: its balance in its natural sign, and how many legs had made it."""

    account_id: int
    balance: int
    version: int


@dataclass(frozen=True, slots=True)
class Held:
    """An account without a stripe, and what it holds: debit positive, credit negative."""

    account: str
    account_class: str
    currency: str
    amount: int


# Parameters, not a join with the state: the planner must know where the scan begins.
_STATE = "SELECT scan_from::text, floor, refused FROM eventstore_log_state"
# Events without a place yet, and streams that stand still since a restore, lie behind every size.
_BEYOND_SIZE = """
SELECT n.id FROM ledger.entry n JOIN (
    SELECT e.stream, e.version FROM eventstore_log_leaf l JOIN eventstore_event e USING (position)
    WHERE l.log_index >= %(size)s
    UNION ALL
    SELECT e.stream, e.version FROM eventstore_event e
    WHERE e.tx >= %(scan_from)s::text::xid8 AND e.position > %(floor)s
        AND NOT EXISTS (SELECT FROM eventstore_log_leaf l WHERE l.position = e.position)
    UNION ALL
    SELECT e.stream, e.version FROM eventstore_event e
    WHERE e.stream IN (
            SELECT r.stream FROM eventstore_event r WHERE r.position = ANY(%(refused)s::bigint[]))
        AND e.position <= %(floor)s
        AND NOT EXISTS (SELECT FROM eventstore_log_leaf l WHERE l.position = e.position)
) AS beyond USING (stream, version)"""
_LATER = {
    "size": _BEYOND_SIZE,
    "recorded_before": "SELECT id FROM ledger.entry WHERE recorded_at >= %(recorded_before)s",
    "effective_before": "SELECT id FROM ledger.entry WHERE effective_at >= %(effective_before)s",
}
_MOVED = """later (id) AS (LATER), moved AS (
    SELECT p.account_id, sum(p.amount)::bigint AS amount, count(*) AS legs
    FROM later JOIN ledger.posting p ON p.entry_id = later.id GROUP BY p.account_id),
held AS (
    SELECT b.account_id, b.sign, b.balance - b.sign * coalesce(m.amount, 0) AS balance,
        b.version - coalesce(m.legs, 0) AS version
    FROM ledger.account_balance b LEFT JOIN moved m USING (account_id)
    WHERE b.version > coalesce(m.legs, 0))"""
_NOW = """held AS (
    SELECT account_id, sign, balance, version FROM ledger.account_balance WHERE version > 0)"""
_BALANCES = "SELECT account_id, balance, version FROM held ORDER BY account_id"
# The rows of a house account are one account to whoever reads the books.
_TRIAL = """
SELECT (CASE WHEN a.stripe IS NULL THEN a.code ELSE left(a.code, -3) END) COLLATE "C", a.class,
    a.currency, sum(h.sign * h.balance)::bigint
FROM held h JOIN ledger.account a ON a.id = h.account_id
WHERE a.currency = coalesce(%(currency)s::text, a.currency)
GROUP BY 1, 2, 3 HAVING sum(h.sign * h.balance) <> 0 ORDER BY 1"""


def balances_at(size: int) -> list[AccountAt]:
    """Every account that a leg had moved among the first `size` events of the log, by id.

    Exact once the settler has passed these events; before it, what it owes is not there yet.
    """
    return balances_of(Cut(size=size))


def balances_of(cut: Cut) -> list[AccountAt]:
    """Every account that a leg of the cut has moved, by id. Two statements at most."""
    return [AccountAt(*row) for row in _rows(cut, _BALANCES)]


def trial_of(cut: Cut, currency: str | None = None) -> list[Held]:
    """Accounts that hold something at a cut, by code. Two statements at most."""
    return [Held(*row) for row in _rows(cut, _TRIAL, {"currency": currency})]


def _rows(
    cut: Cut, select: str, parameters: Mapping[str, object] = MappingProxyType({})
) -> list[tuple[Any, ...]]:
    """Rows of a statement about `held`, which is what each account held at the cut."""
    wanted = {name: getattr(cut, name) for name in _LATER if getattr(cut, name) is not None}
    if not wanted:
        return LIVE.rows(f"WITH {_NOW} {select}", parameters)
    # An entry may be later in two senses, and is taken away once.
    later = " UNION ".join(_LATER[name] for name in wanted)
    if cut.size is not None:
        scan_from, floor, refused = LIVE.rows(_STATE)[0]
        wanted |= {"scan_from": scan_from, "floor": floor, "refused": refused}
    return LIVE.rows(
        f"WITH {_MOVED} {select}".replace("LATER", later, 1), wanted | dict(parameters)
    )
