"""The end of a tournament: prizes, and the word that all is settled."""

from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.services import (
    Transaction,
    count_attempt,
    forgive,
    in_transaction,
    overdue,
    update_live,
)
from ledger.selectors import escrow, is_settled
from tournaments.core import closing
from tournaments.services import loading
from tournaments.services.loading import DIRECTOR, Loaded, decided, live
from tournaments.wake import look_after

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


def attend(tournament_id: UUID) -> None:
    """Take an overdue step; that the books are behind is no failure of the tournament."""
    attempt = count_attempt(live(tournament_id))
    if attempt is not None and step(tournament_id) is None and attempt.due == "settled":
        forgive(live(tournament_id))


def sweep() -> int:
    """Have every overdue tournament looked after, each by a message of its own; their number."""
    found = overdue(loading.RELATION, SWEPT_ROWS)
    for tournament_id in found:
        look_after(tournament_id)
    return len(found)
