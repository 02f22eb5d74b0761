"""The sequencer: order, tree and signatures over committed events (`eventstore.md` 3.1, 4)."""

from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from eventstore import store, tree
from eventstore.core import merkle, notes, tiles
from eventstore.core.chain import START, head_of
from eventstore.core.ids import player_stream
from eventstore.ports import new_id
from tests.databases import connected, owner
from tests.integration.eventstore.log_world import (
    COLUMNS,
    INSERT,
    as_owner,
    forget,
    grow,
    placed,
    state,
    write,
)
from tests.sealing import seal_log, sequencer
from tests.unit.eventstore.log_contract import sealed

pytestmark = pytest.mark.usefixtures("committed")


# --- what is committed gets a place ---------------------------------------------------------------


def test_everything_committed_gets_a_place_and_is_signed() -> None:
    streams = [grow(3) for _ in range(3)]
    checkpoint = seal_log()
    assert checkpoint is not None
    assert checkpoint.size == tree.size() == 10  # and LogOpened
    assert tree.newest() == tree.checkpoint(10) == tree.covering(9) == checkpoint
    assert tree.covering(10) is None
    assert tree.head() == {"size": 10, "root": checkpoint.root.hex()}
    assert placed() == [(stream, version) for stream in streams for version in (1, 2, 3)]
    leaves = [leaf.hash for leaf in store.leaves(0, 10)]
    assert merkle.root(leaves) == checkpoint.root
    (key,) = tree.keys()
    note = notes.parse_note(checkpoint.note)
    assert note.is_signed_by(notes.VerifierKey.read(key.key))
    assert note.origin == tree.origin()
    assert seal_log() is None
    assert tree.indexes_of(streams[1], 1, 4) == [3, 4, 5, None]
    assert tree.index_of(streams[2], 2) == 7
    assert tree.index_of(streams[2], 9) is None


def test_the_log_is_opened_once() -> None:
    for _ in range(3):
        seal_log()
    first = state()
    (opened,) = store.load(f"log/{first['log_id']}").events
    assert opened.type == "LogOpened"
    assert opened.facts["actor"] == "worker:sequencer"
    assert opened.payload == {"origin": first["origin"], "key": tree.keys()[0].key}
    assert first["origin"] == f"tonk.local/log/{first['log_id']}"


def test_a_given_name_is_kept(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(settings, "LOG_ORIGIN", "log.example/one")
    seal_log()
    assert tree.origin() == "log.example/one"
    monkeypatch.setattr(settings, "LOG_ORIGIN", "log.example/two")
    sequencer()
    assert tree.origin() == "log.example/one"
    assert "keeps this name" in caplog.text


def test_tiles_and_proofs_over_rounds_that_are_full() -> None:
    for _ in range(41):
        grow(64)
    at_work = sequencer()
    assert [at_work.round() for _ in range(4)] == [1024, 1024, 577, 0]
    size = tree.size()
    at_work.sign()
    leaves = tree.leaf_hashes(0, size)
    for n in range(size // 256):
        assert tree.tile(0, n, 256) == b"".join(leaves[256 * n : 256 * n + 256])
    assert tree.tile(0, size // 256, size % 256) == b"".join(leaves[size // 256 * 256 :])
    assert tree.tile(0, size // 256, size % 256 + 1) is None
    for wrong in ((8, 0, 1), (-1, 0, 1), (0, -1, 1), (0, 0, 0), (0, 0, 257), (1, 0, 11)):
        assert tree.tile(*wrong) is None
    for index in (0, 255, 256, 2000, size - 1):
        assert list(tree.inclusion(index, size)) == merkle.path(leaves, index)
    for old in (1, 255, 256, 257, 2048, size):
        assert list(tree.consistency(old, size)) == merkle.consistency_path(leaves, old)
    assert tree.root(300) == merkle.root(leaves[:300])
    assert tree.root(0) == merkle.EMPTY_ROOT
    edge = tree.edge(size)
    assert (edge.size, edge.root()) == (size, merkle.root(leaves))


def test_a_complete_tile_of_tiles() -> None:
    """65,536 leaves without events: only the tree looks at them."""
    size = 65_536 + 300
    with owner(connection.settings_dict["NAME"]) as writer:
        writer.execute(
            """INSERT INTO eventstore_log_leaf SELECT n, n, sha256(int8send(n))
            FROM generate_series(0, %s) AS n""",
            [size - 1],
        )
        leaves = tree.leaf_hashes(0, size)
        with writer.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO eventstore_log_tile VALUES (%s, %s, %s)",
                [(one.level, one.n, one.hashes) for one in tiles.Edge().push(leaves)],
            )
        writer.execute("UPDATE eventstore_log_state SET size = %s", [size])
        note = notes.checkpoint_text("x", size, tree.root(size))
        writer.execute(
            "INSERT INTO eventstore_log_checkpoint VALUES (%s, %s, %s, now())",
            [size, tree.root(size), note],
        )
    assert tree.root(size) == merkle.root(leaves)
    assert tree.tile(1, 0, 256) is not None
    for index in (0, 65_535, 65_536, size - 1):
        assert list(tree.inclusion(index, size)) == merkle.path(leaves, index)
    found = tree.consistency(65_536, size)
    assert list(found) == merkle.consistency_path(leaves, 65_536)


# --- late transactions ----------------------------------------------------------------------------


def test_a_version_with_a_lower_transaction_id_keeps_its_place() -> None:
    """The id is taken early, the version appended late, while a third transaction stays open."""
    stream = player_stream(new_id())
    first, second, third = sealed(stream, 3)
    with connected("tonk_app") as early, connected("tonk_app") as held, connected("tonk_app") as x:
        early.execute("SELECT pg_current_xact_id()")  # takes its id before version 2 is written
        held.execute("SELECT pg_current_xact_id()")
        for event in (first, second):
            write(x, event)
            x.commit()
        at_work = sequencer()
        assert at_work.round() == 3  # LogOpened too; nothing waits for the open ones
        assert at_work.round() == 0
        write(early, third)
        early.commit()
        assert at_work.round() == 1
        assert placed() == [(stream, 1), (stream, 2), (stream, 3)]
        held.rollback()
    horizon = lowest_open()
    at_work.round()
    assert state()["scan"] >= min(horizon, newest_transaction() + 1)


def test_J1_a_row_that_commits_late_with_a_low_position_is_not_lost() -> None:
    late, soon = player_stream(new_id()), player_stream(new_id())
    at_work = sequencer()
    with connected("tonk_app") as held:
        write(held, *sealed(late, 1))
        store.append(sealed(soon, 2), START)
        while at_work.round():
            pass
        assert placed() == [(soon, 1), (soon, 2)]
        held.commit()
    assert at_work.round() == 1
    assert placed() == [(soon, 1), (soon, 2), (late, 1)]


def test_the_scan_begins_behind_what_has_its_place() -> None:
    grow(64)
    at_work = sequencer()
    while at_work.round():
        pass
    horizon = lowest_open()
    at_work.round()
    settled = state()["scan"]
    assert settled >= min(horizon, newest_transaction() + 1)
    assert at_work.round() == 0
    assert settled <= state()["scan"] <= max(settled, newest_transaction() + 1)


def lowest_open() -> int:
    """The lowest transaction that is open on this server, where other tests run too."""
    return _number("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")


def newest_transaction() -> int:
    """The highest transaction that has written an event."""
    return _number("SELECT max(tx::text::bigint) FROM eventstore_event")


def _number(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


# --- rows that are not what they say --------------------------------------------------------------


BAD: list[tuple[str, int, dict[str, object]]] = [
    ("bad_hash", 2, {"hash": bytes(32)}),
    ("bad_hash", 2, {"data": '{"consent":false}'}),
    ("bad_hash", 2, {"type": "LimitSet"}),
    ("broken_chain", 2, {"prev_hash": bytes(32)}),
    ("gap", 3, {}),
    ("not_canonical", 2, {"data": '{ "consent":true}'}),
]


@pytest.mark.parametrize(("code", "version", "change"), BAD)
def test_a_row_that_is_not_what_it_says_gets_no_place(
    code: str, version: int, change: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    stream = player_stream(new_id())
    events = sealed(stream, 4)
    at_work = sequencer()
    with connected("tonk_app") as writer:
        write(writer, events[0])
        write(writer, events[version - 1], **change)
        writer.commit()
        position = state_of_row(stream, version)
        other = grow(2)
        assert at_work.round() == 4
        assert placed() == [(stream, 1), (other, 1), (other, 2)]
        assert f"position {position}, {stream} version {version}: {code}" in caplog.text
        assert state()["refused"] == [position]
        # What follows in its stream waits, though it follows well; others go on.
        if version == 2:
            write(writer, events[2], prev_hash=change.get("hash", events[1].hash))
            writer.commit()
        store.append(sealed(other, 1, head_of(store.load(other).events)), store.load(other).head)
        assert at_work.round() == 1
        assert len(placed()) == 4
    assert state()["scan"] <= transaction_of(stream, version)
    again = sequencer()
    assert again.round() == 0
    assert state()["refused"] == [position]
    forget(stream)


def state_of_row(stream: str, version: int) -> int:
    return int(_one("position", stream, version))


def transaction_of(stream: str, version: int) -> int:
    return int(_one("tx::text", stream, version))


def _one(column: str, stream: str, version: int) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {column} FROM eventstore_event WHERE stream = %s AND version = %s",
            [stream, version],
        )
        return cursor.fetchone()[0]


def test_a_crowd_behind_a_refused_row_holds_up_nobody() -> None:
    """More rows than a round takes wait behind it."""
    stream, at_work = player_stream(new_id()), sequencer()
    events = sealed(stream, 1100)
    with connected("tonk_app") as writer:
        write(writer, events[0], hash=bytes(32))
        with writer.cursor() as cursor:
            rows = [[getattr(one, name) for name in COLUMNS.split(", ")] for one in events[1:]]
            cursor.executemany(INSERT, rows)
        writer.commit()
    other = grow(2)
    assert [at_work.round() for _ in range(3)] == [1, 2, 0]  # LogOpened, then the others
    assert placed() == [(other, 1), (other, 2)]
    forget(stream)


def test_a_repaired_row_goes_on_after_a_restart() -> None:
    stream = player_stream(new_id())
    first, second = sealed(stream, 2)
    at_work = sequencer()
    with connected("tonk_app") as writer:
        write(writer, first, hash=bytes(32))
        write(writer, second)
        writer.commit()
    at_work.round()
    assert placed() == []
    as_owner("UPDATE eventstore_event SET hash = %s WHERE stream = %s AND version = 1",
             first.hash, stream)  # fmt: skip
    again = sequencer()
    assert again.round() == 2
    assert placed() == [(stream, 1), (stream, 2)]
    assert state()["refused"] == []
