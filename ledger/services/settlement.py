"""The settler: posts what a stream's events say, in their order, once (`ledger.md` section 4).

The cursor of a stream moves in the transaction of its entries, and each entry's key is derived from
stream and version. So a message that is lost, doubled or late changes nothing but time.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Protocol

from django.db import transaction

from eventstore import store as log
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken, Refusal, Refused, Retryable
from eventstore.services import Transaction, in_transaction
from ledger import wake
from ledger.core.entries import NO_MONEY, entries_for
from ledger.services.posting import Work, apply
from ledger.store import due as store
from ledger.store.books import LIVE
from ledger.store.due import Due

BATCH_EVENTS = 200  # money events of one transaction: locks are held for milliseconds
BATCH_LEGS = 5_000  # the same for events with thousands of prizes; one whole event always fits
READ_EVENTS = 2_000  # rows read at once; most events of a table move no money
SWEPT_STREAMS = 500

logger = logging.getLogger(__name__)


class Reader(Protocol):
    """Where a stream's events are read: the log, as `eventstore.store.events_after`."""

    def __call__(self, stream: str, after: int, *, limit: int) -> Sequence[Stored]:
        """Events above the version `after`, in order."""


@dataclass(frozen=True, slots=True)
class SettleResult:
    """What one call settled: events of money, and the code if the stream was parked."""

    stream: str
    events: int = 0
    parked_code: str | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """One transaction of the settler; `more` says whether to go on."""

    events: int = 0
    more: bool = False
    parked_code: str | None = None


def mark_due(stream: str, *, version: int, at: datetime) -> None:
    """Note, in the transaction of an append, its newest event that the settler posts; wake one."""
    store.mark_due(stream, version, at)
    wake.settle(stream)


def settle(stream: str) -> SettleResult:
    """Post all that is due in a stream. Somebody else at it, nothing due, or parked: nothing.

    A refusal that time does not heal rolls its batch back; the batch is run again event by event,
    so that all before the bad one is kept, and then the stream is parked with a dead letter.
    Opens a transaction a batch. Raises: Retryable after three tries.
    """
    size, events = BATCH_EVENTS, 0
    while True:
        try:
            batch = in_transaction(partial(_step, stream=stream, size=size))
        except Refused:
            if size == 1:  # a batch of one parks its event instead of raising
                raise
            size = 1
            continue
        events += batch.events
        if not batch.more:
            return SettleResult(stream, events, batch.parked_code)


def _step(tx: Transaction, *, stream: str, size: int) -> Batch:
    return settle_batch(stream, tx.now, size=size)


def settle_batch(
    stream: str, now: datetime, *, size: int = BATCH_EVENTS, read: Reader = log.events_after
) -> Batch:
    """Post up to `size` money events of a stream, in the caller's transaction.

    Raises: Refused for a batch of more than one event; a single one that is refused parks the
    stream.
    """
    due = store.lock_due(stream)
    if due is None:
        return Batch()
    work, version = _take(due, size, read)
    try:
        with transaction.atomic():
            apply(LIVE, work, now)
    except Refused as refused:
        if size > 1:
            raise
        store.park(stream, work[0][0].version, refused.refusal, now)
        return Batch(parked_code=refused.refusal.code)
    store.move_cursor(stream, version, now)
    wake.tell_settled(stream, version)
    return Batch(events=len(work), more=version < due.newest)


def _take(due: Due, size: int, read: Reader) -> tuple[list[Work], int]:
    """The next money events of a stream, and the version up to which that is all of them.

    A type that nobody knows counts as money, so that it stops the stream and is not passed over.
    """
    work: list[Work] = []
    legs, version = 0, due.version
    for event in read(due.stream, due.version, limit=READ_EVENTS):
        if event.version > due.newest:
            break
        if (event.type, event.schema) not in NO_MONEY:
            entries = entries_for(event)
            legs += 0 if isinstance(entries, Refusal) else sum(len(entry.legs) for entry in entries)
            if work and (len(work) == size or legs > BATCH_LEGS):
                break
            work.append((event, entries))
        version = event.version
    if version == due.version:
        raise InvariantBroken(f"{due.stream} is due to {due.newest}, but ends at {version}")
    return work, version


def settle_due(limit: int = SWEPT_STREAMS) -> list[SettleResult]:
    """Settle streams that are behind, the longest waiting first: what lost messages left over.

    Tries are counted before the work and forgotten with each batch; a stream that comes to nothing
    eight times in a row is tried ever more seldom, so that it does not hold up the others.
    """
    results = []
    for stream in store.due_streams(limit):
        if not in_transaction(partial(_count, stream=stream)):
            continue
        try:
            results.append(settle(stream))
        except Retryable as fault:
            logger.warning("%s waits for the next sweep: %s", stream, fault)
    return results


def _count(_: Transaction, *, stream: str) -> bool:
    return store.count_attempt(stream)


def unpark(stream: str) -> bool:
    """Let a parked stream go on from the event where it stood; False if it was not parked."""
    return in_transaction(partial(_unpark, stream=stream))


def _unpark(_: Transaction, *, stream: str) -> bool:
    found = store.unpark(stream)
    if found:
        wake.settle(stream)
    return found
