"""Checks of the log as it lies in the database, and how a difference to a replay is named."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec
from typing_extensions import override

from eventstore import store
from eventstore.core.chain import START, Fault, head_of, verify_chain
from eventstore.core.record import Stored
from eventstore.core.registry import registry
from eventstore.tree_verification import NOBODY, Outside, VerifiedTree, verify_tree


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing of a stream that is otherwise than the log says."""

    stream: str
    version: int
    field: str
    live: object
    log: object

    @override
    def __str__(self) -> str:
        return f"{self.stream}@{self.version} {self.field}: is {self.live!r}, log {self.log!r}"


@dataclass(frozen=True, slots=True)
class Verified:
    """How much of the log was read, and the first fault of each stream and relation."""

    streams: int
    events: int
    faults: tuple[Fault, ...]
    tree: VerifiedTree


def verify_log(outside: Outside = NOBODY) -> Verified:
    """Every chain, leaf, tile, root and signature of the database. Writers may go on meanwhile."""
    names = store.streams()
    found = [_verify_stream(name) for name in names]
    faults = tuple(fault for _, fault in found if fault is not None)
    return Verified(len(names), sum(count for count, _ in found), faults, verify_tree(outside))


def _verify_stream(name: str) -> tuple[int, Fault | None]:
    """Number of a stream's events, and its first fault."""
    count, head, fault = 0, START, None
    for page in store.pages_of(name):
        fault = fault or verify_chain(page, head)
        count, head = count + len(page), head_of(page)
    return count, fault


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
