"""All entries in one hash."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from eventstore import store as log
from eventstore import tree
from ledger.store.books import LIVE, hashes_of

DIGEST_EVENTS = 1_000  # whose hashes are fetched at once
DIGEST_LEAVES = 50_000  # the same of a log that has its order

T = TypeVar("T")


def digest(size: int | None = None) -> str:
    """SHA-256 over the hashes of all entries in the order of the log, for a log at rest.

    With a `size`: of the entries that come from the first `size` events.
    """
    summed = sha256()
    for events in batched(log.in_order(size), DIGEST_EVENTS):
        hashes = hashes_of(LIVE, events)
        for event in events:
            for _, entry_hash in hashes.get((event.stream, event.version), []):
                summed.update(entry_hash)
    return summed.hexdigest()


@dataclass(frozen=True, slots=True)
class _Known:
    """How far this process has summed: the log at that size, by its root, and the sum so far.

    Replaced as one, so that a thread never takes the sum of one size for that of another.
    """

    size: int
    root: bytes
    summed: Any


_known: list[_Known] = []
_HASHES = """SELECT n.hash FROM eventstore_log_leaf l JOIN eventstore_event e USING (position)
JOIN ledger.entry n ON (n.stream, n.version) = (e.stream, e.version)
WHERE l.log_index >= %s AND l.log_index < %s ORDER BY l.log_index, n.part"""


def digest_at(size: int) -> str:
    """SHA-256 over the hashes of all entries of the first `size` events, in the order of the log.

    For a settled size: its entries are all there and stay, so a process that has summed as far
    goes on from there.
    """
    start, summed = 0, sha256()
    for known in _known[:]:
        if known.size <= size and tree.root(known.size) == known.root:
            start, summed = known.size, known.summed.copy()
    for first in range(start, size, DIGEST_LEAVES):
        for (entry_hash,) in LIVE.rows(_HASHES, [first, min(first + DIGEST_LEAVES, size)]):
            summed.update(entry_hash)
    if size > start:
        _known[:] = [_Known(size, tree.root(size), summed.copy())]
    return summed.hexdigest()


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items in lists of `size`; the last one is shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
