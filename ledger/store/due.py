"""What the settler has to do: newest money event, cursor and dead letters of each stream.

Always of the live books, always in the caller's transaction.
"""

import json
from dataclasses import dataclass
from datetime import datetime

from eventstore.core.refusal import Refusal
from eventstore.services import rested
from ledger.store.books import LIVE


@dataclass(frozen=True, slots=True)
class Due:
    """Where the settlement of a stream stands: posted up to `version`, to be posted to `newest`."""

    stream: str
    version: int
    newest: int


def mark_due(stream: str, version: int, at: datetime) -> None:
    """Note the newest event of a stream that the settler must post. One statement."""
    LIVE.rows(
        """WITH started AS (
            INSERT INTO ledger.settlement_cursor (stream) VALUES (%(stream)s)
            ON CONFLICT DO NOTHING)
        INSERT INTO ledger.settlement_due AS due (stream, version, event_at)
        VALUES (%(stream)s, %(version)s, %(at)s)
        ON CONFLICT (stream) DO UPDATE SET
            version = greatest(due.version, excluded.version),
            event_at = CASE WHEN due.version > (
                SELECT c.version FROM ledger.settlement_cursor c WHERE c.stream = due.stream)
                THEN due.event_at ELSE excluded.event_at END""",
        {"stream": stream, "version": version, "at": at},
    )


def lock_due(stream: str) -> Due | None:
    """The stream's due events, its cursor locked; None: nothing due, parked, or another's."""
    rows = LIVE.rows(
        """SELECT c.version, d.version
        FROM ledger.settlement_cursor c JOIN ledger.settlement_due d USING (stream)
        WHERE c.stream = %s AND c.parked_code IS NULL AND d.version > c.version
        FOR UPDATE OF c SKIP LOCKED""",
        [stream],
    )
    return Due(stream, *rows[0]) if rows else None


def move_cursor(stream: str, version: int, now: datetime) -> None:
    """Note that all money of a stream up to `version` is posted; a letter about it is closed."""
    LIVE.rows(
        """WITH moved AS (
            UPDATE ledger.settlement_cursor SET version = %(version)s, attempts = 0
            WHERE stream = %(stream)s)
        UPDATE ledger.dead_letter SET resolved_at = %(now)s, resolved_by = 'worker:settle'
        WHERE stream = %(stream)s AND version <= %(version)s AND resolved_at IS NULL""",
        {"stream": stream, "version": version, "now": now},
    )


def due_streams(limit: int) -> list[str]:
    """Streams that are behind and to be tried now, the longest waiting first."""
    rows = LIVE.rows(
        f"""SELECT stream
        FROM ledger.settlement_due d JOIN ledger.settlement_cursor c USING (stream)
        WHERE d.version > c.version AND c.parked_code IS NULL AND {rested("d.event_at")}
        ORDER BY d.event_at LIMIT %s""",
        [limit],
    )
    return [stream for (stream,) in rows]


def count_attempt(stream: str) -> bool:
    """Count a try of a due stream; False if somebody else is at it."""
    rows = LIVE.rows(
        """UPDATE ledger.settlement_cursor SET attempts = attempts + 1
        WHERE stream = (
            SELECT stream FROM ledger.settlement_cursor
            WHERE stream = %s AND parked_code IS NULL FOR UPDATE SKIP LOCKED)
        RETURNING 1""",
        [stream],
    )
    return bool(rows)


def park(stream: str, version: int, refusal: Refusal, now: datetime) -> None:
    """Stop the settlement of a stream at an event, with an open letter that says why."""
    LIVE.rows(
        """WITH parked AS (
            UPDATE ledger.settlement_cursor SET parked_code = %(code)s, parked_at = %(now)s
            WHERE stream = %(stream)s)
        INSERT INTO ledger.dead_letter AS letter
            (stream, version, code, detail, first_at, last_at)
        VALUES (%(stream)s, %(version)s, %(code)s, %(detail)s::jsonb, %(now)s, %(now)s)
        ON CONFLICT (stream) WHERE resolved_at IS NULL DO UPDATE SET
            version = excluded.version, code = excluded.code, detail = excluded.detail,
            last_at = excluded.last_at, attempts = letter.attempts + 1""",
        {
            "stream": stream,
            "version": version,
            "code": refusal.code,
            "detail": json.dumps(dict(refusal.facts), default=str),
            "now": now,
        },
    )


def unpark(stream: str) -> bool:
    """Whether a parked stream was let go. Its letter stays open until the event is posted."""
    rows = LIVE.rows(
        """UPDATE ledger.settlement_cursor SET parked_code = NULL, parked_at = NULL, attempts = 0
        WHERE stream = %s AND parked_code IS NOT NULL RETURNING 1""",
        [stream],
    )
    return bool(rows)
