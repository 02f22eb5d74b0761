"""How far the log is behind what was written, and its alarms (`eventstore.md` section 3.1)."""

import logging
import time
from dataclasses import dataclass
from typing import Any

from django.db import connection

from eventstore.alarms import say
from eventstore.sequencer import LOCK

LAG_SECONDS_READY = 10.0  # above it `/readyz` is red
LAG_SECONDS_WARNING, LAG_SECONDS_PAGE = 5.0, 30.0
SCAN_ROWS_MAX = 100_000
ABSENT_SECONDS_MAX = 10.0

# Parameters, not a join with the state: the planner must know where the scan begins.
_STATE = """SELECT size, scan_from::text, floor, refused, behind,
    extract(epoch FROM clock_timestamp() - (
        SELECT signed_at FROM eventstore_log_checkpoint ORDER BY size DESC LIMIT 1))::float8,
    EXISTS (SELECT 1 FROM pg_locks
        WHERE locktype = 'advisory' AND classid = %s::bigint AND objid = %s::bigint AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    FROM eventstore_log_state"""
_OLDEST = """SELECT extract(epoch FROM clock_timestamp() - e.at)::float8 FROM eventstore_event e
    WHERE e.tx >= %s::text::xid8 AND e.position > %s AND e.stream <> ALL (%s::text[])
    AND NOT EXISTS (SELECT 1 FROM eventstore_log_leaf l WHERE l.position = e.position)
    ORDER BY e.tx, e.position LIMIT 1"""
_REFUSED = "SELECT stream FROM eventstore_event WHERE position = ANY(%s::bigint[])"
_SCANNED = """SELECT count(*) FROM (SELECT 1 FROM eventstore_event e
    WHERE e.tx >= %s::text::xid8 AND e.position > %s LIMIT %s) AS scanned"""
_OPEN = """SELECT pid, application_name, extract(epoch FROM clock_timestamp() - xact_start)::float8
    FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND xact_start IS NOT NULL
    ORDER BY xact_start LIMIT 1"""  # what ends just now has no start any more


@dataclass(frozen=True, slots=True)
class Figures:
    """Where order and signatures stand, by the names of their metrics."""

    log_size: int
    log_lag_seconds: float  # age of the oldest event that could have its place and has not
    log_scan_rows: int  # what each round looks at, counted up to a little above the alarm
    sequencer_refused: int  # rows that are not what they say; their streams stand still
    sequencer_absent: bool  # nobody holds the lock
    checkpoint_age_seconds: float | None
    log_behind: bool = False  # set back behind what was published: commands are refused


class _Absence:
    """Since when nobody has been the sequencer."""

    since: float | None = None


def figures() -> Figures:
    """As they are now."""
    size, scan_from, floor, refused, behind, age, present = _rows(_STATE, list(LOCK))[0]
    blocked = [stream for (stream,) in _rows(_REFUSED, [refused])] if refused else []
    oldest = _rows(_OLDEST, [scan_from, floor, blocked])
    scanned = _rows(_SCANNED, [scan_from, floor, SCAN_ROWS_MAX + 1])
    return Figures(
        log_size=size,
        log_lag_seconds=max(0.0, oldest[0][0]) if oldest else 0.0,
        log_scan_rows=scanned[0][0],
        sequencer_refused=len(refused),
        sequencer_absent=not present,
        checkpoint_age_seconds=age,
        log_behind=behind,
    )


def is_ready() -> bool:
    """Whether commands are taken and get their place soon. True of a log without events."""
    found = figures()
    return not found.log_behind and found.log_lag_seconds <= LAG_SECONDS_READY


def watch() -> Figures:
    """The figures; what is an alarm among them is logged, each once a minute."""
    found = figures()
    if found.log_lag_seconds > LAG_SECONDS_PAGE:
        say("tonk_log_lag_seconds", logging.ERROR, f"{found.log_lag_seconds:.0f} s")
    elif found.log_lag_seconds > LAG_SECONDS_WARNING:
        say("tonk_log_lag_seconds", logging.WARNING, f"{found.log_lag_seconds:.0f} s")
    if found.log_scan_rows > SCAN_ROWS_MAX:
        say("tonk_log_scan_rows", logging.WARNING, f"oldest open transaction: {_oldest_open()}")
    if found.sequencer_refused:
        say("tonk_sequencer_refused", logging.ERROR, f"{found.sequencer_refused} rows")
    if _absent_seconds(absent=found.sequencer_absent) >= ABSENT_SECONDS_MAX:
        say("tonk_sequencer_absent", logging.ERROR, "nobody holds the lock")
    return found


def _absent_seconds(*, absent: bool) -> float:
    if not absent:
        _Absence.since = None
    elif _Absence.since is None:
        _Absence.since = time.monotonic()
    since = _Absence.since
    return 0.0 if since is None else time.monotonic() - since


def _oldest_open() -> str:
    rows = _rows(_OPEN, [])
    return "none" if not rows else "process {} of {}, {:.0f} s old".format(*rows[0])


def _rows(sql: str, parameters: list[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())
