"""The end of a tournament: prizes, and the word that all is settled."""

import logging
from uuid import UUID

from django.db import connection

from eventstore.core.chain import Fact
from eventstore.core.refusal import Refused
from eventstore.services import Transaction, in_transaction, update_live
from ledger.selectors import escrow, is_settled
from tournaments.core import closing
from tournaments.services import loading
from tournaments.services.loading import DIRECTOR, Loaded, decided, live

logger = logging.getLogger(__name__)
ATTEMPTS_MAX = 8  # then the row is parked and shown
SWEPT_ROWS = 100
PAYING = ("PrizesComputed", "Cancelled", "EntryRefunded")


def step(tournament_id: UUID) -> str | None:
    """Take the step of the tournament itself that is due; its name, None if there was none.

    `prizes` fixes every amount; `settled` is appended once the books have posted them and escrow
    is empty. Locks the tournament's live row. A wake-up that comes late or twice finds nothing due.
    Raises: Refused with `escrow_not_empty`.
    """
    return in_transaction(lambda tx: _step(tx, tournament_id))


def _step(tx: Transaction, tournament_id: UUID) -> str | None:
    rows = tx.lock([live(tournament_id)])
    if not rows or rows[0]["parked_code"]:
        return None
    loaded = loading.load(tx, tournament_id)
    what, at = loading.due(loaded)
    if what is None or at is None or at > tx.now:
        return None
    facts = _prizes(loaded) if what == "prizes" else _settled(loaded)
    if not facts:
        return None
    after = loading.append(tx, loaded, facts)
    update_live(live(tournament_id), loading.changes(after))
    return what


def _prizes(loaded: Loaded) -> list[Fact]:
    return [Fact(fact, DIRECTOR) for fact in decided(closing.compute_prizes(loaded.state))]


def _settled(loaded: Loaded) -> list[Fact]:
    """Nothing while the books are behind: their own word wakes us again."""
    paying = max(one.version for one in loaded.stored if one.type in PAYING)
    if not is_settled(loaded.stream, paying):
        return []
    decision = closing.settle(loaded.state, checked_version=paying, escrow=escrow(loaded.id))
    return [Fact(fact, DIRECTOR) for fact in decided(decision)]


def overdue() -> list[UUID]:
    """Tournaments with an overdue step, their attempts counted before the work."""
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE tournaments_tournament SET attempts = attempts + 1,
                parked_code = CASE WHEN attempts + 1 >= %s AND due = 'prizes' THEN 'attempts'
                    ELSE parked_code END
            WHERE id IN (
                SELECT id FROM tournaments_tournament
                WHERE due IS NOT NULL AND due_at <= clock_timestamp() AND parked_code IS NULL
                ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED)
            RETURNING id""",
            [ATTEMPTS_MAX, SWEPT_ROWS],
        )
        return [row[0] for row in cursor.fetchall()]


def sweep() -> int:
    """Take every overdue step of tournaments; their number."""
    found = in_transaction(lambda _: overdue())
    for tournament_id in found:
        try:
            step(tournament_id)
        except Refused as refused:
            logger.exception("tournament %s: %s", tournament_id, refused.refusal.code)
    return len(found)
