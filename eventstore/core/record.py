"""The record of an event at byte level, and its hash (`eventstore.md` section 2.1)."""

from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import cast
from uuid import UUID

import msgspec

from eventstore.core.canonical import NotCanonicalError, decode, encode
from eventstore.core.registry import Event, registry

FORMAT = "tonk/event/1"  # separates these leaves from every other use of the hash
RECORD_BYTES_MAX = 65_535  # the length prefix of entry bundles has two bytes
EVENTS_PER_APPEND_MAX = 64  # one statement
NO_HASH = bytes(32)  # what version 1 has before it
MEMBERS = ("at", "data", "fmt", "id", "meta", "prev", "schema", "stream", "type", "v")


class Stored(msgspec.Struct, frozen=True, dict=True):
    """One event as it is stored: its envelope and the exact canonical texts of data and meta."""

    stream: str
    version: int
    event_id: UUID
    type: str
    schema: int
    data: str
    meta: str
    at: datetime
    prev_hash: bytes
    hash: bytes

    @cached_property
    def event(self) -> Event:
        """The event in the newest form of its class."""
        return registry.decode(self.type, self.schema, self.data)

    @cached_property
    def payload(self) -> dict[str, object]:
        """The data as stored, without a class."""
        return cast("dict[str, object]", msgspec.json.decode(self.data))

    @cached_property
    def facts(self) -> dict[str, object]:
        """The meta as stored: actor, cmd and, where they apply, cause and auto."""
        return cast("dict[str, object]", msgspec.json.decode(self.meta))


def time_text(at: datetime) -> str:
    """Instant as the log writes it: UTC, always six digits.

    >>> time_text(datetime(2026, 12, 1, 8, tzinfo=UTC))
    '2026-12-01T08:00:00.000000Z'
    """
    return f"{at.astimezone(UTC).isoformat(timespec='microseconds')[:-6]}Z"


def time_of(text: str) -> datetime:
    """The instant that `time_text` wrote. Raises: ValueError."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def record_bytes(event: Stored) -> bytes:
    """Exact bytes of the record: stored texts are joined, never encoded anew.

    Raises: NotCanonicalError for a record above 65,535 bytes.
    """
    record = (
        f'{{"at":"{time_text(event.at)}","data":{event.data},"fmt":"{FORMAT}",'
        f'"id":"{event.event_id}","meta":{event.meta},"prev":"{event.prev_hash.hex()}",'
        f'"schema":{event.schema},"stream":"{event.stream}","type":"{event.type}",'
        f'"v":{event.version}}}'
    ).encode()
    if len(record) > RECORD_BYTES_MAX:
        raise NotCanonicalError(f"a record of {len(record)} bytes")
    return record


def leaf_hash(record: bytes) -> bytes:
    """Hash of a record: the chain's link and the tree's leaf at once."""
    return sha256(b"\x00" + record).digest()


def read_record(record: bytes) -> Stored:
    """The event of a record from outside.

    Raises: NotCanonicalError unless the bytes are the canonical form of exactly the ten members.
    """
    value = decode(record.decode(), -1)
    if not isinstance(value, dict) or tuple(sorted(value)) != MEMBERS:
        raise NotCanonicalError("no record of the log")
    if encode(value, -1) != record:
        raise NotCanonicalError("a record that is not canonical")
    if value["fmt"] != FORMAT:
        raise NotCanonicalError(f"unknown format {value['fmt']}")
    return Stored(
        stream=value["stream"],
        version=value["v"],
        event_id=UUID(value["id"]),
        type=value["type"],
        schema=value["schema"],
        data=encode(value["data"]).decode(),
        meta=encode(value["meta"]).decode(),
        at=time_of(value["at"]),
        prev_hash=bytes.fromhex(value["prev"]),
        hash=leaf_hash(record),
    )
