"""The chain of one stream: each record names the hash of the one before (`eventstore.md` 2.2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from msgspec.structs import replace

from eventstore.core.canonical import NotCanonicalError, encode, is_canonical
from eventstore.core.record import NO_HASH, Stored, leaf_hash, record_bytes
from eventstore.core.registry import Event, registry


@dataclass(frozen=True, slots=True)
class Head:
    """Where a stream stands: its newest version, that record's hash and its instant."""

    version: int = 0
    hash: bytes = NO_HASH
    at: datetime | None = None


START = Head()  # a stream without events


@dataclass(frozen=True, slots=True)
class Fact:
    """An event about to be appended, and the actor whose act it is.

    `auto` says that the clock or a fall-back made the move; `cause` names the event that caused
    the command, `<stream>@<version>`.
    """

    event: Event
    actor: str
    auto: bool = False
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """The first record of a stream that is not as it must be."""

    stream: str
    version: int
    code: str  # gap, broken_chain, bad_hash, not_canonical, time_runs_back


def head_of(events: Sequence[Stored]) -> Head:
    """Head of a stream whose newest events these are."""
    return Head(events[-1].version, events[-1].hash, events[-1].at) if events else START


@dataclass(frozen=True, slots=True)
class Loaded:
    """Events of a stream in order, with the database's clock as read by the same statement."""

    events: tuple[Stored, ...]
    now: datetime

    @property
    def head(self) -> Head:
        """Where the stream stands, if its newest events were loaded."""
        return head_of(self.events)


def seal(
    stream: str, head: Head, facts: Sequence[Fact], *, at: datetime, ids: Sequence[UUID]
) -> tuple[Stored, ...]:
    """The records that follow `head`, chained and hashed. The first id is the command's.

    `ids` holds one id more than there are facts. Raises: NotCanonicalError.
    """
    if head.at is not None and at < head.at:
        at = head.at  # time never runs back within a stream
    command, *event_ids = ids
    sealed: list[Stored] = []
    metas: dict[tuple[object, ...], str] = {}  # mostly all events of a command have the same
    previous, version = head.hash, head.version
    for fact, event_id in zip(facts, event_ids, strict=True):
        version += 1
        name, schema = registry.type_of(fact.event)
        said = (fact.actor, fact.auto, fact.cause)
        if said not in metas:
            metas[said] = encode(_meta(fact, command)).decode()
        draft = Stored(
            stream=stream,
            version=version,
            event_id=event_id,
            type=name,
            schema=schema,
            data=encode(fact.event).decode(),
            meta=metas[said],
            at=at,
            prev_hash=previous,
            hash=NO_HASH,
        )
        previous = leaf_hash(record_bytes(draft))
        sealed.append(replace(draft, hash=previous))
    return tuple(sealed)


def _meta(fact: Fact, command: UUID) -> dict[str, object]:
    meta: dict[str, object] = {"actor": fact.actor, "cmd": str(command)}
    if fact.cause is not None:
        meta["cause"] = fact.cause
    if fact.auto:
        meta["auto"] = True
    return meta


def verify_chain(events: Iterable[Stored], head: Head = START) -> Fault | None:
    """The first fault of a stream that goes on from `head`, or None. One pass."""
    for event in events:
        code = fault_of(event, head)
        if code:
            return Fault(event.stream, event.version, code)
        head = Head(event.version, event.hash, event.at)
    return None


def fault_of(event: Stored, head: Head) -> str | None:
    """What is wrong with an event that should follow `head`, or None."""
    if event.version != head.version + 1:
        return "gap"
    if event.prev_hash != head.hash:
        return "broken_chain"
    if not (is_canonical(event.data) and is_canonical(event.meta)):
        return "not_canonical"
    try:
        record = record_bytes(event)
    except NotCanonicalError:  # longer than any record may be
        return "not_canonical"
    if leaf_hash(record) != event.hash:
        return "bad_hash"
    return "time_runs_back" if head.at is not None and event.at < head.at else None
