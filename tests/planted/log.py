"""Faults of the log."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as with_fields

from eventstore import followers, store
from eventstore.core import chain
from eventstore.core.record import Stored, leaf_hash, record_bytes
from eventstore.store import Leaf
from tests.planted.planting import Plant
from tests.planted.putting import instead
from tonk_site.proving.log import gapless_world

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventstore.followers import Follower

NO_GUARD = "ALTER TABLE eventstore_event DROP CONSTRAINT IF EXISTS event_stream_version"


def nobody_waits_long() -> None:
    """What the sequencer refuses comes to no rest: the trial need not wait a minute for it."""
    instead(gapless_world, "REST_SECONDS_MAX", lambda _: 5)


def follower_reads_by_position() -> None:
    """What has a higher position than what was seen is new, the rest is known."""
    seen = [0]

    def handle(follower: Follower, _: Sequence[Leaf], version: int) -> None:
        for position, event in store.read_all(seen[0]):
            follower.handle([Leaf(position, event.hash, event)], version)
            seen[0] = position

    def make(true: Any) -> Any:
        def apply(tx: Any, *, follower: Follower, **more: Any) -> Any:
            return true(tx, follower=replace(follower, handle=partial(handle, follower)), **more)

        return apply

    instead(followers, "_apply", make)


def tip_without_a_guard() -> None:
    """An append does not ask whether its head is still the stream's."""

    def make(true: Any) -> Any:
        return lambda count: true(count).replace(" WHERE ", " WHERE true OR ", 1)

    instead(store, "_append_sql", make)


def hash_over_nanoseconds() -> None:
    """The clock is finer than the column: what was hashed is not what is kept."""

    def make(true: Any) -> Any:
        def seal(stream: str, head: chain.Head, *rest: Any, **more: Any) -> tuple[Stored, ...]:
            previous, sealed = head.hash, []
            for one in true(stream, head, *rest, **more):
                draft = with_fields(one, prev_hash=previous)
                finer = record_bytes(draft).replace(b'Z","data"', b'789Z","data"', 1)
                previous = leaf_hash(finer)
                sealed.append(with_fields(draft, hash=previous))
            return tuple(sealed)

        return seal

    instead(chain, "seal", make)


PLANTS = (
    Plant(
        31,
        "G5",
        "unique (stream, version) dropped",
        ("gapless",),
        sizes={"events": 320, "kills": 0},
        put=nobody_waits_long,
        sql=NO_GUARD,
    ),
    Plant(
        35,
        "J1",
        "follower reads by position",
        ("gapless",),
        sizes={"events": 320, "kills": 0},
        put=follower_reads_by_position,
        starred=True,
    ),
    Plant(
        36,
        "J6",
        "chain tip taken without a guard",
        ("chain",),
        sizes={"tamperings": 2},
        put=tip_without_a_guard,
        sql=NO_GUARD,
        starred=True,
    ),
    Plant(
        37,
        "J7",
        "hash over nanoseconds",
        ("chain",),
        sizes={"tamperings": 2},
        put=hash_over_nanoseconds,
    ),
    Plant(
        38,
        "J9",
        "append-only trigger not ENABLE ALWAYS",
        ("append-only",),
        sql="ALTER TABLE eventstore_event ENABLE TRIGGER event_no_change",
        starred=True,
    ),
)
