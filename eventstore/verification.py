"""Checks of the log as it lies in the database, and how a difference to a replay is named."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from eventstore import store
from eventstore.core.chain import Fault, verify_chain
from eventstore.core.record import Stored
from eventstore.core.registry import registry


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing of a stream that is otherwise than the log says."""

    stream: str
    version: int
    field: str
    live: object
    log: object

    def __str__(self) -> str:
        return f"{self.stream}@{self.version} {self.field}: is {self.live!r}, log {self.log!r}"


@dataclass(frozen=True, slots=True)
class Verified:
    """How much of the log was read, and the first fault of each stream that has one."""

    streams: int
    events: int
    faults: tuple[Fault, ...]


def verify_log() -> Verified:
    """Every chain of the database, read from version 1 to its end. Writers may go on meanwhile."""
    names = store.streams()
    events, faults = 0, []
    for name in names:
        reading = _Counted(store.read_stream(name))
        fault = verify_chain(reading)
        if fault is not None:
            faults.append(fault)
        events += reading.count
    return Verified(len(names), events, tuple(faults))


def undecodable(events: Iterable[Stored]) -> Iterator[Difference]:
    """Events that their class does not read, or does not write again as the same bytes."""
    classes = registry.pairs()
    for event in events:
        cls = classes.get((event.type, event.schema))
        if cls is None:
            known = f"{event.type} schema {event.schema}"
            yield Difference(event.stream, event.version, "type", known, None)
            continue
        try:
            again = msgspec.json.encode(msgspec.json.decode(event.data, type=cls), order="sorted")
        except msgspec.ValidationError as fault:
            yield Difference(event.stream, event.version, "data", event.data, str(fault))
            continue
        if again != event.data.encode():
            yield Difference(event.stream, event.version, "data", event.data, again.decode())


def unequal(
    stream: str, version: int, live: Mapping[str, object], log: Mapping[str, object]
) -> Iterator[Difference]:
    """Members of two forms of one thing that are not the same, in the order of their names."""
    for name in sorted(live.keys() | log.keys()):
        if live.get(name) != log.get(name):
            yield Difference(stream, version, name, live.get(name), log.get(name))


class _Counted:
    """Events that are counted while they are read."""

    def __init__(self, events: Iterable[Stored]) -> None:
        self._events = events
        self.count = 0

    def __iter__(self) -> Iterator[Stored]:
        for event in self._events:
            self.count += 1
            yield event
