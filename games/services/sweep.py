"""The look every two seconds at what is due: it finds whatever a lost message left behind."""

import logging
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from eventstore.core.refusal import Refused
from eventstore.services import Transaction, in_transaction
from games.services.deals import deal_next
from games.services.moves import play_for
from games.wake import wake_now

logger = logging.getLogger(__name__)
SWEPT_ROWS = 200  # of one sweep; the next is two seconds away
ATTEMPTS_MAX = 8  # then the row is parked and shown: a poison row must not loop
BOT_WAKES_MAX = 2  # then the sweep plays the forced move itself
HARMLESS = frozenset({"stale_version", "wrong_state", "not_found", "idempotency_in_progress"})


@dataclass(frozen=True, slots=True)
class DueTable:
    """A table where something is overdue."""

    id: UUID
    version: int
    due: str
    attempts: int


def sweep() -> int:
    """Do what is overdue at tables; the number of rows that were looked at."""
    rows = in_transaction(_claim)
    for row in rows:
        _look_after(row)
    return len(rows)


def _claim(_: Transaction) -> list[DueTable]:
    """Overdue rows that nobody else holds, their attempts counted before the work."""
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE games_table SET attempts = attempts + 1,
                parked_code = CASE WHEN attempts + 1 >= %s THEN 'attempts' ELSE parked_code END
            WHERE id IN (
                SELECT id FROM games_table
                WHERE due IN ('deal', 'bot', 'move') AND due_at <= clock_timestamp()
                    AND parked_code IS NULL
                ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED)
            RETURNING id, version, due, attempts""",
            [ATTEMPTS_MAX, SWEPT_ROWS],
        )
        return [DueTable(*row) for row in cursor.fetchall()]


def _look_after(row: DueTable) -> None:
    try:
        if row.due == "deal":
            deal_next(row.id, row.version)
        elif row.due == "bot" and row.attempts <= BOT_WAKES_MAX:
            wake_now(row.id, row.version, row.due)
        else:
            play_for(row.id, row.version)
    except Refused as refused:
        if refused.refusal.code not in HARMLESS:
            logger.warning("table %s: %s", row.id, refused.refusal.code)
