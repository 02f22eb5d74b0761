"""What tests of the sequencer share: events that are committed, and what became of them."""

from typing import Any

import psycopg
from django.db import connections

from eventstore import store, tree
from eventstore.core.chain import START
from eventstore.core.ids import player_stream
from eventstore.core.record import Stored
from eventstore.ports import new_id
from eventstore.sequencer import Sequencer
from eventstore.signing import KeyFolder
from tests.databases import as_replica
from tests.unit.eventstore.log_contract import sealed

COLUMNS = "event_id, stream, version, type, schema, data, meta, at, prev_hash, hash"
INSERT = f"INSERT INTO eventstore_event ({COLUMNS}) VALUES ({', '.join(['%s'] * 10)})"


class Died(Exception):
    """The process ends here, as far as the test is concerned."""


def grow(events: int = 1) -> str:
    """A new stream of so many events."""
    stream = player_stream(new_id())
    store.append(sealed(stream, events), START)
    return stream


def write(on: psycopg.Connection, event: Stored, **change: object) -> None:
    """Insert a row as it is, whatever it says."""
    values = {name: getattr(event, name) for name in COLUMNS.split(", ")} | change
    on.execute(INSERT, list(values.values()))


def placed() -> list[tuple[str, int]]:
    """Stream and version of every leaf of a player's stream, in the order of the log."""
    leaves = store.leaves(0, tree.size())
    assert [leaf.index for leaf in leaves] == list(range(tree.size()))
    assert all(leaf.hash == leaf.event.hash for leaf in leaves)
    events = (leaf.event for leaf in leaves)
    return [(one.stream, one.version) for one in events if one.stream.startswith("player/")]


def state() -> dict[str, Any]:
    with connections["sequencer"].cursor() as cursor:
        cursor.execute("SELECT *, scan_from::text::bigint AS scan FROM eventstore_log_state")
        names = [column.name for column in cursor.description or ()]
        (row,) = cursor.fetchall()
        return dict(zip(names, row, strict=True))


def as_owner(sql: str, *parameters: object) -> None:
    """A statement behind the back of every guard."""
    with as_replica() as superuser:
        guards = superuser.execute(
            """SELECT tgrelid::regclass::text, tgname FROM pg_trigger
            WHERE tgenabled = 'A' AND tgrelid::regclass::text LIKE 'eventstore_%'"""
        ).fetchall()
        for relation, guard in guards:
            superuser.execute(f"ALTER TABLE {relation} DISABLE TRIGGER {guard}")
        superuser.execute(sql, parameters or None)
        for relation, guard in guards:
            superuser.execute(f"ALTER TABLE {relation} ENABLE ALWAYS TRIGGER {guard}")
        superuser.commit()


def forget(stream: str) -> None:
    """Remove a spoiled stream: what a test leaves behind is replayed."""
    as_owner("DELETE FROM eventstore_event WHERE stream = %s", stream)


def sequencer_of(folder: KeyFolder) -> Sequencer:
    found = Sequencer(folder=folder)
    found.start()
    return found


def work(folder: KeyFolder) -> None:
    at_work = Sequencer(folder=folder)
    at_work.start()
    while at_work.round():
        pass
    at_work.sign()
