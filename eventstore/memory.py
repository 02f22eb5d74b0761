"""The log in memory: the store's twin for tests without a database."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from eventstore.core.chain import Head, Loaded, head_of
from eventstore.core.record import EVENTS_PER_APPEND_MAX, Stored
from eventstore.core.refusal import InvariantBroken, VersionConflict


class MemoryLog:
    """Streams as lists, with the store's promises: versions without gaps, one writer a version."""

    def __init__(self) -> None:
        self._streams: dict[str, list[Stored]] = {}
        self._ids = set[UUID]()
        self.now = datetime(2026, 12, 1, tzinfo=UTC)

    def load(self, stream: str, *, from_version: int = 1, with_first: bool = False) -> Loaded:
        """As `eventstore.store.load`."""
        found = self._streams.get(stream, [])
        first = found[:1] if with_first and from_version > 1 else []
        return Loaded((*first, *found[from_version - 1 :]), self.now)

    def append(self, sealed: Sequence[Stored], head: Head) -> None:
        """As `eventstore.store.append`."""
        if not 0 < len(sealed) <= EVENTS_PER_APPEND_MAX:
            raise InvariantBroken(f"an append of {len(sealed)} events")
        kept = self._streams.setdefault(sealed[0].stream, [])
        now = head_of(kept)
        if (now.version, now.hash) != (head.version, head.hash):
            raise VersionConflict(sealed[0].stream, head.version)
        ids = {event.event_id for event in sealed}
        if len(ids) < len(sealed) or ids & self._ids:
            raise InvariantBroken(f"append to {sealed[0].stream}: an id is used twice")
        self._ids |= ids
        kept.extend(sealed)
