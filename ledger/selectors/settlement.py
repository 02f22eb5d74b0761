"""How far the books have followed the log."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from eventstore import store as log
from eventstore import tree
from eventstore.core.ids import table_stream, tournament_stream, wallet_stream
from eventstore.core.refusal import Refusal, refuse
from ledger.core.accounts import account
from ledger.core.entries import entries_for
from ledger.models import SettlementCursor
from ledger.store.books import LIVE

# Beginnings of the names of the streams that the books read.
CATEGORIES = (table_stream(""), tournament_stream(""), wallet_stream(""))
PENDING_STREAMS = (
    20  # looked into for what is on its way to a player; more do not occur in a second
)
PENDING_EVENTS = 500  # of one stream
_FIRST_OWED = """
SELECT min(l.log_index) FROM ledger.settlement_due d JOIN ledger.settlement_cursor c USING (stream)
JOIN eventstore_event e ON e.stream = d.stream AND e.version = c.version + 1
JOIN eventstore_log_leaf l USING (position) WHERE d.version > c.version"""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a stream is settled; nothing due yet is version 0."""

    version: int = 0
    parked_code: str | None = None


def cursor(stream: str) -> Cursor:
    """How far a stream is settled."""
    found = SettlementCursor.objects.filter(stream=stream).first()
    return Cursor(found.version, found.parked_code) if found else Cursor()


def is_settled(stream: str, version: int) -> bool:
    """Whether all money of a stream up to `version` is posted."""
    return cursor(stream).version >= version


def pending(player: UUID | str, currency: str) -> int:
    """What events already give to the wallet and the settler has not posted yet."""
    wallet = account("wallet", str(player), currency=currency)
    rows = LIVE.rows(
        """SELECT stream, c.version FROM ledger.settlement_due d
        JOIN ledger.settlement_cursor c USING (stream)
        WHERE d.version > c.version ORDER BY d.event_at LIMIT %s""",
        [PENDING_STREAMS],
    )
    return sum(
        -amount
        for stream, version in rows
        for entry in _unsettled(stream, version)
        for code, amount in entry
        if code == wallet and amount < 0
    )


def _unsettled(stream: str, version: int) -> Iterator[tuple[tuple[str, int], ...]]:
    """Legs of the entries that a stream still owes. A parked event gives nothing."""
    for event in log.events_after(stream, version, limit=PENDING_EVENTS):
        entries = entries_for(event)
        if not isinstance(entries, Refusal):
            yield from (entry.legs for entry in entries)


def first_owed() -> int | None:
    """Place in the log from which on a stream is not settled; None where all are."""
    found: int | None = LIVE.rows(_FIRST_OWED)[0][0]
    return found


def settled_size(size: int | None = None) -> int:
    """A signed size of the log that the books have followed; without one, the newest of these.

    No entry of its events is ever added, so what is read up to there stays as it is.
    Raises: Refused with `bad_proof_range` (beyond what is signed), `not_yet_sealed` (nothing is
    signed yet, or the settler has not come so far).
    """
    newest = tree.newest()
    if newest is None:
        raise refuse("not_yet_sealed")
    if size is not None and not 0 <= size <= newest.size:
        raise refuse("bad_proof_range", size=newest.size)
    owed = first_owed()
    settled = newest.size if owed is None else min(newest.size, owed)
    if size is not None:
        if size > settled:
            raise refuse("not_yet_sealed", settled=settled)
        return size
    found = tree.checkpoints(settled + 1, 1)
    if not found:
        raise refuse("not_yet_sealed", settled=settled)
    return found[0].size
