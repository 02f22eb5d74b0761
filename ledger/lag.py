"""How far the books are behind the log, and what is an alarm about them (`ledger.md` section 4)."""

import logging
from dataclasses import dataclass

from eventstore.alarms import say
from eventstore.services import Idle
from ledger.core.kinds import SETTLED_KINDS
from ledger.reconciliation import is_sound
from ledger.selectors.payments import unassigned_payments
from ledger.store.books import LIVE

LAG_SECONDS_READY = 30  # above it `/readyz` is red
LAG_SECONDS_WARNING = 5
DELAY_ENTRIES = 1_000  # the newest, of which the delay is told

_DUE = """SELECT coalesce(sum(d.version - c.version), 0)::bigint,
    floor(extract(epoch FROM clock_timestamp() - min(d.event_at)))::bigint
    FROM ledger.settlement_due d JOIN ledger.settlement_cursor c USING (stream)
    WHERE d.version > c.version AND c.parked_code IS NULL"""
_PARKED = "SELECT count(*) FROM ledger.settlement_cursor WHERE parked_code IS NOT NULL"
_IDLE = """SELECT subject, due, floor(extract(epoch FROM clock_timestamp() - since))::bigint
    FROM (SELECT d.stream, 'settle', d.event_at
            FROM ledger.settlement_due d JOIN ledger.settlement_cursor c USING (stream)
            WHERE d.version > c.version
        UNION ALL SELECT 'order ' || id, state, due_at FROM ledger.payment_order
    ) waiting (subject, due, since)
    WHERE since <= clock_timestamp() - make_interval(secs => %s) ORDER BY since"""
# Events state when they happened, and entries when they were booked.
_DELAY = """SELECT percentile_disc(ARRAY[0.5, 0.95, 1.0]) WITHIN GROUP (ORDER BY
        (1000 * extract(epoch FROM e.recorded_at - e.effective_at))::bigint)
    FROM (SELECT recorded_at, effective_at FROM ledger.entry WHERE kind = ANY(%s::smallint[])
        ORDER BY id DESC LIMIT %s) e"""


@dataclass(frozen=True, slots=True)
class Figures:
    """Where the books stand, much as their metrics are named; whole seconds, ms."""

    settle_lag_seconds: int  # age of the oldest event that is to be settled
    settle_lag_events: int  # versions between cursors and what is due
    settle_parked_streams: int
    settle_delay_ms: tuple[int, ...] | None  # median, 95th percentile, longest
    unassigned_payments: int
    reconcile_ok: bool | None  # None: it has not run yet


def figures() -> Figures:
    """As they are now. Seven statements."""
    events, seconds = LIVE.rows(_DUE)[0]
    delays = LIVE.rows(_DELAY, [list(SETTLED_KINDS), DELAY_ENTRIES])[0][0]
    return Figures(
        settle_lag_seconds=seconds or 0,
        settle_lag_events=events,
        settle_parked_streams=LIVE.rows(_PARKED)[0][0],
        settle_delay_ms=tuple(delays) if delays else None,
        unassigned_payments=unassigned_payments(),
        reconcile_ok=is_sound(),
    )


def is_ready() -> bool:
    """Whether what is due is settled soon. A parked stream stops nobody but itself."""
    _, seconds = LIVE.rows(_DUE)[0]
    return (seconds or 0) <= LAG_SECONDS_READY


def idle(seconds: int) -> list[Idle]:
    """Streams to settle and orders to look at that have waited so long; parked streams too."""
    return [Idle(*row) for row in LIVE.rows(_IDLE, [seconds])]


def watch() -> Figures:
    """The figures; what is an alarm among them is logged, each once a minute."""
    found = figures()
    if found.settle_lag_seconds > LAG_SECONDS_READY:
        say("tonk_settle_lag_seconds", logging.ERROR, f"{found.settle_lag_seconds} s")
    elif found.settle_lag_seconds > LAG_SECONDS_WARNING:
        say("tonk_settle_lag_seconds", logging.WARNING, f"{found.settle_lag_seconds} s")
    if found.settle_parked_streams:
        say("tonk_settle_parked_streams", logging.ERROR, f"{found.settle_parked_streams} streams")
    if found.unassigned_payments:
        say("tonk_unassigned_payments", logging.WARNING, f"{found.unassigned_payments} payments")
    if found.reconcile_ok is False:
        say("tonk_reconcile_ok", logging.ERROR, "the reconciliation has findings")
    return found
