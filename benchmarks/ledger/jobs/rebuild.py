"""The books made anew from the log."""

from time import process_time

from ledger.rebuild import compare as compared
from ledger.store.books import LIVE


def compare() -> tuple[int, int, float, str | None]:
    """Entries, events of the log, seconds of this process's own processor time, what differs."""
    start = process_time()
    found = compared()
    spent = process_time() - start
    events = LIVE.rows("SELECT count(*) FROM eventstore_event")[0][0]
    return found.entries, events, spent, found.difference.name if found.difference else None
