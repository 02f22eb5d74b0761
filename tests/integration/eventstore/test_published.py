"""Deaths of the sequencer, databases that were set back: what was published stays true (3.2)."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, connections

from eventstore import keyfiles, tree
from eventstore.core import merkle, notes
from eventstore.core.ids import player_stream
from eventstore.ports import new_id
from eventstore.sequencer import LogBehindPublished, Sequencer
from eventstore.signing import KeyFolder, KeyMissing
from tests.databases import connected, owner, server_of_its_own
from tests.integration.eventstore.log_world import (
    Died,
    as_owner,
    grow,
    placed,
    sequencer_of,
    state,
    work,
    write,
)
from tests.unit.eventstore.log_contract import sealed

pytestmark = pytest.mark.usefixtures("committed")


# --- death at every statement ---------------------------------------------------------------------


@contextmanager
def dying(at: int, seen: list[str]) -> Iterator[None]:
    """Every statement of the sequencer's connection is counted; the one numbered `at` ends it."""

    def run(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        seen.append(sql)
        if len(seen) == at + 1:
            raise Died(sql)
        return execute(sql, *rest)

    with connections["sequencer"].execute_wrapper(run):
        yield


def test_death_at_any_statement_loses_and_doubles_nothing(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    statements: list[str] = []
    for _ in range(5):
        grow(64)
    with dying(-1, statements):
        work(folder)
    total, signed = len(statements), [tree.newest()]
    assert total > 20
    for number in range(total):
        grow(3)
        with dying(number, []), pytest.raises(Died):
            work(folder)
        connections["sequencer"].close()
        newest = tree.newest()
        if newest != signed[-1]:
            signed.append(newest)
    work(folder)
    signed.append(tree.newest())
    assert len(placed()) == 5 * 64 + 3 * total
    assert len(set(placed())) == len(placed())
    leaves = tree.leaf_hashes(0, tree.size())
    for one in signed:
        assert one is not None
        assert one.root == merkle.root(leaves[: one.size])
    assert len(tree.keys()) == 1


@pytest.mark.parametrize("where", ["before the file", "in the file", "after the row"])
def test_death_around_a_signature(
    where: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = KeyFolder(tmp_path / "key")
    work(folder)
    grow(3)
    before = folder.last_note()
    at_work = Sequencer(folder=folder)
    at_work.start()
    at_work.round()
    with monkeypatch.context() as patched:
        if where == "before the file":
            patched.setattr(KeyFolder, "keep_note", die)
        elif where == "in the file":
            patched.setattr(Sequencer, "_insert", die)
        else:
            patched.setattr(Sequencer, "sign", sign_and_die)
        with pytest.raises(Died):
            at_work.sign()
    kept = folder.last_note()
    assert (kept == before) is (where == "before the file")
    work(folder)
    newest = tree.newest()
    assert newest is not None
    assert newest.size == tree.size()
    assert folder.last_note() == newest.note
    if where != "before the file":
        assert kept == newest.note  # what may have been seen is what is public now


sign = Sequencer.sign


def sign_and_die(at_work: Sequencer) -> None:
    sign(at_work)
    raise Died


def die(*_: object) -> None:
    raise Died


def test_a_file_is_written_aside(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys" / "note"
    keyfiles.replace(path, "first")
    monkeypatch.setattr(os, "fsync", die)
    with pytest.raises(Died):
        keyfiles.replace(path, "second")
    assert path.read_text() == "first"
    assert path.stat().st_mode & 0o777 == 0o600


# --- a database that was set back -----------------------------------------------------------------


def test_J9_a_database_behind_the_published_note_is_refused(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    grow(3)
    work(folder)
    old = folder.last_note()
    grow(3)
    work(folder)
    as_owner("DELETE FROM eventstore_log_checkpoint WHERE size > 4")
    as_owner("DELETE FROM eventstore_log_leaf WHERE log_index >= 4")
    as_owner("UPDATE eventstore_log_state SET size = 4")
    with pytest.raises(LogBehindPublished, match="signed up to 7, the database has 4"):
        sequencer_of(folder)
    assert old is not None
    folder.keep_note(old)  # nobody has seen more
    sequencer_of(folder)


def test_another_history_is_refused(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    grow(3)
    work(folder)
    as_owner("UPDATE eventstore_log_leaf SET hash = sha256('x') WHERE log_index = 1")
    with pytest.raises(LogBehindPublished, match="another root at the signed size 4"):
        sequencer_of(folder)
    folder.newest.with_name("last_checkpoint").unlink()
    with pytest.raises(LogBehindPublished, match="not the one that was signed at 4"):
        sequencer_of(folder)


def test_a_changed_history_is_not_signed(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    grow(3)
    at_work = sequencer_of(folder)
    at_work.round()
    first = at_work.sign()
    grow(1)
    as_owner("UPDATE eventstore_log_leaf SET hash = sha256('x') WHERE log_index = 1")
    at_work.round()
    with pytest.raises(LogBehindPublished):
        at_work.sign()
    assert tree.newest() == first


def test_leaves_that_are_missing_are_seen_at_the_start(tmp_path: Any) -> None:
    grow(3)
    sequencer_of(KeyFolder(tmp_path / "key")).round()
    as_owner("DELETE FROM eventstore_log_leaf WHERE log_index = 3")
    with pytest.raises(LogBehindPublished, match="3 leaves in a log of 4"):
        sequencer_of(KeyFolder(tmp_path / "key"))


@pytest.mark.parametrize("text", ["", "damaged", "x\n1\n\n"])
def test_a_damaged_file_is_refused(tmp_path: Any, text: str) -> None:
    folder = KeyFolder(tmp_path / "key")
    work(folder)
    folder.keep_note(text)
    with pytest.raises(LogBehindPublished, match="damaged"):
        sequencer_of(folder)


def test_a_key_of_another_log_is_refused(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    grow()
    work(folder)
    text = notes.checkpoint_text("tonk.local/log/other", 1, bytes(32))
    line = folder.current("tonk.local/log/other").line(text)
    folder.keep_note(f"{text}\n{line}")
    with pytest.raises(LogBehindPublished, match=r"signs tonk\.local/log/other"):
        sequencer_of(folder)


def test_a_log_that_goes_on_under_a_new_name_may(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    work(folder)
    as_owner("UPDATE eventstore_log_state SET log_id = gen_random_uuid(), origin = origin || '/2'")
    as_owner("DELETE FROM eventstore_log_checkpoint")
    assert sequencer_of(folder).origin.endswith("/2")


def test_a_note_that_our_key_did_not_sign_is_not_published(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    grow()
    at_work = sequencer_of(folder)
    at_work.round()
    text = notes.checkpoint_text(at_work.origin, 2, tree.root(2))
    folder.keep_note(f"{text}\n{KeyFolder(tmp_path / 'other').current(at_work.origin).line(text)}")
    with pytest.raises(KeyMissing):
        sequencer_of(folder)
    assert tree.newest() is None


def test_a_lost_key_is_not_made_again(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    work(folder)
    folder.newest.unlink()
    with pytest.raises(KeyMissing, match="log_key revoke"):
        sequencer_of(folder)
    assert not folder.exists


@pytest.fixture
def alone(committed: None) -> Iterator[None]:
    """A server whose horizon no other test holds back."""
    with server_of_its_own():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_another_cluster_is_looked_at_in_full_once(tmp_path: Any) -> None:
    """Transaction ids began again: rows of the old cluster seem to be of the future."""
    folder = KeyFolder(tmp_path / "key")
    old = grow(3)
    at_work = sequencer_of(folder)
    at_work.round()
    missed = grow(2)
    as_owner("UPDATE eventstore_event SET tx = (tx::text::bigint + 1000000)::text::xid8")
    as_owner("UPDATE eventstore_log_state SET system_identifier = 1, scan_from = '2000000'")
    again = sequencer_of(folder)
    assert again.round() == 2
    assert placed() == [(old, 1), (old, 2), (old, 3), (missed, 1), (missed, 2)]
    after = state()
    assert after["system_identifier"] != 1
    assert after["floor"] == 6
    assert after["scan"] < 1_000_000
    fresh = grow(1)
    assert again.round() == 1
    assert placed()[-1] == (fresh, 1)
    assert sequencer_of(folder).round() == 0


@pytest.mark.slow
@pytest.mark.usefixtures("alone")
def test_the_floor_waits_for_transactions_that_run(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    work(folder)
    late = player_stream(new_id())
    with connected("tonk_app") as held:
        write(held, *sealed(late, 1))
        grow(1)
        with owner(connection.settings_dict["NAME"]) as restorer:
            restorer.execute("UPDATE eventstore_log_state SET system_identifier = 1")
        again = sequencer_of(folder)
        assert again.round() == 1
        assert state()["floor"] == 0
        held.commit()
    assert again.round() == 1
    assert placed()[-1] == (late, 1)
    again.round()
    assert state()["floor"] > 0
