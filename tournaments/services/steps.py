"""Steps of a tournament itself: its next round, its prizes, and the word that all is settled."""

from collections.abc import Callable, Mapping
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
from tournaments.core import closing, events
from tournaments.core.rounds import pair
from tournaments.services import loading
from tournaments.services.loading import DIRECTOR, Loaded, decided, live
from tournaments.services.tables import new_ids, open_tables
from tournaments.wake import look_after

SWEPT_ROWS = 100
Facts = tuple[events.Event, ...]
PAYING = ("PrizesComputed", "Cancelled", "EntryRefunded", "BountyPaid")


def step(tournament_id: UUID) -> str | None:
    """Take the step of the tournament itself that is due; its name, None if there was none.

    `round` pairs the next round of matches; `prizes` fixes every amount; `settled` is appended once
    the books have posted them and escrow is empty. Locks the tournament's live row. A wake-up that
    comes late or twice finds nothing due. Raises: Refused with `escrow_not_empty`.
    """
    return in_transaction(lambda tx: _step(tx, tournament_id))


def _step(tx: Transaction, tournament_id: UUID) -> str | None:
    rows = tx.lock([live(tournament_id)])
    if not rows or rows[0]["parked_code"]:
        return None
    what, at = rows[0]["due"], rows[0]["due_at"]
    if what is None or at > tx.now:
        return None
    loaded = loading.load(tx, tournament_id)
    facts = _FACTS[what](loaded)
    if not facts:
        return None
    after = loading.append(tx, loaded, [Fact(fact, DIRECTOR) for fact in facts])
    if what == "round":
        open_tables(tx, after, facts)
    update_live(live(tournament_id), loading.changes(after))
    return str(what)


def _round(loaded: Loaded) -> Facts:
    return decided(pair(loaded.state, ids=new_ids(), seed=loading.lot_of(loaded.id)))


def _prizes(loaded: Loaded) -> Facts:
    return decided(closing.compute_prizes(loaded.state))


def _settled(loaded: Loaded) -> Facts:
    """Nothing while the books are behind: their own word wakes us again."""
    paying = max(one.version for one in loaded.stored if one.type in PAYING)
    if not is_settled(loaded.stream, paying):
        return ()
    return decided(closing.settle(loaded.state, checked_version=paying, escrow=escrow(loaded.id)))


_FACTS: Mapping[str, Callable[[Loaded], Facts]] = {
    "round": _round,
    "prizes": _prizes,
    "settled": _settled,
}


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
