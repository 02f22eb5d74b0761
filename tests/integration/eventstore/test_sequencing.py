"""The process of the sequencer: one of several works, and signs in its own pace (3.1, 4.4)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from eventstore import keys, lag, sequencing, tree
from eventstore.core import merkle
from eventstore.core.refusal import Refused, Retryable
from eventstore.ports import new_id
from eventstore.sequencer import LOCK, Sequencer
from eventstore.services import LiveRow, Outcome, Receipt, Row, Transaction, run_command
from eventstore.signing import KeyFolder
from tests.databases import connected
from tests.integration.eventstore.log_world import (
    grow,
    placed,
    sequencer_of,
    state,
    work,
)
from tonk_site.proving.acting.factories import a_player

pytestmark = pytest.mark.usefixtures("committed")


# --- two of them ----------------------------------------------------------------------------------


def test_two_that_know_nothing_of_each_other_keep_one_order(tmp_path: Any) -> None:
    folder = KeyFolder(tmp_path / "key")
    one, other = sequencer_of(folder), sequencer_of(folder)
    signed_by = []
    for number in range(6):
        grow(number + 1)
        at_work = (one, other)[number % 2]
        at_work.round()
        signed_by.append(at_work.sign())
    leaves = tree.leaf_hashes(0, tree.size())
    assert len(placed()) == 21
    for found in signed_by:
        assert found is not None
        assert found.root == merkle.root(leaves[: found.size])
    assert one.round() == 0
    assert one.sign() is None


def test_one_holds_the_lock() -> None:
    with connected("tonk_sequencer") as first:
        first.execute("SELECT pg_try_advisory_lock(%s, %s)", LOCK)
        assert not sequencing.hold()
        first.execute("SELECT pg_advisory_unlock(%s, %s)", LOCK)
        assert sequencing.hold()
        assert sequencing.hold()
        (free,) = first.execute("SELECT pg_try_advisory_lock(%s, %s)", LOCK).fetchone() or ()
        assert not free


@contextmanager
def running(monkeypatch: pytest.MonkeyPatch, folder: Any) -> Iterator[Event]:
    """The process's loop in a thread, with keys of its own."""
    monkeypatch.setattr(settings, "LOG_KEY_FILE", str(folder / "key"))
    monkeypatch.setattr(sequencing, "LOCK_SECONDS", 0.05)
    stop, died = Event(), []

    def run() -> None:
        try:
            sequencing.run(stop, frozenset({"NameConsentSet"}))
        except BaseException as fault:
            died.append(fault)
            raise

    thread = Thread(target=run)
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()
    assert not died


def until(holds: Callable[[], bool]) -> None:
    """Return when it holds; polled, at most for half a minute."""
    pause = Event()
    for _ in range(600):
        if holds():
            return
        pause.wait(0.05)
    raise AssertionError("it does not come")


def signed_size() -> int:
    newest = tree.newest()
    return newest.size if newest else 0


def test_the_loop_begins_again_after_what_may_be_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    true, failed = keys.begin, Event()

    def conflicting(*rest: Any, **more: Any) -> None:
        if not failed.is_set():
            failed.set()
            raise Retryable("serialization_failure")
        true(*rest, **more)

    monkeypatch.setattr(keys, "begin", conflicting)
    with running(monkeypatch, tmp_path):
        grow(1)
        until(lambda: signed_size() == total())
    assert failed.is_set()


def test_the_loop_orders_and_signs(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    with running(monkeypatch, tmp_path):
        for count in (3, 2):
            grow(count)
            until(lambda: signed_size() == total())
    assert len(placed()) == 5


def total() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM eventstore_event WHERE stream LIKE 'log/%'")
        opened = cursor.fetchone()[0]
        cursor.execute("SELECT count(*) FROM eventstore_event")
        return int(cursor.fetchone()[0]) if opened else -1


def test_a_broken_connection_gives_the_lock_away(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    with running(monkeypatch, tmp_path), connected("postgres") as superuser:
        grow(2)
        until(lambda: signed_size() == total())
        superuser.execute(
            """SELECT pg_terminate_backend(pid) FROM pg_locks
            WHERE locktype = 'advisory' AND objid = %s AND granted""",
            [LOCK[1]],
        )
        grow(2)
        until(lambda: signed_size() == total())
    assert len(placed()) == 4


def test_what_people_must_put_right_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    folder = KeyFolder(tmp_path / "key")
    work(folder)
    folder.keep_note("damaged")
    with running(monkeypatch, tmp_path):
        until(lambda: "log_behind_published" in caplog.text)
    assert tree.size() == 1


def test_a_log_behind_what_was_published_is_for_reading_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    folder = KeyFolder(tmp_path / "key")
    work(folder)
    published = folder.last_note()
    assert published is not None
    done = Receipt("player:x", new_id().hex, bytes(32))
    run_command(done, None, answered)
    folder.keep_note("damaged")
    with running(monkeypatch, tmp_path):
        until(lambda: state()["behind"])
    fresh = Receipt("player:x", new_id().hex, bytes(32))
    for subject in (None, LiveRow("games_table", new_id())):
        with pytest.raises(Refused, match="unavailable"):
            run_command(fresh, subject, answered)
    with pytest.raises(Refused, match="unavailable"):
        a_player()
    assert run_command(done, None, answered).replayed  # what was done is said again
    assert not lag.is_ready()
    folder.keep_note(published)
    sequencer_of(folder)
    assert not run_command(fresh, None, answered).replayed
    assert lag.is_ready()


def answered(tx: Transaction, row: Row) -> Outcome:
    del tx, row  # nothing is done with them
    return Outcome(200, {"version": 1})


# --- cadence --------------------------------------------------------------------------------------


def test_when_a_checkpoint_is_due(tmp_path: Any) -> None:
    now = [100.0]
    at_work = Sequencer(urgent=frozenset({"LimitSet"}), folder=KeyFolder(tmp_path / "key"))
    at_work.start()
    pace = sequencing.Pace(at_work, lambda: now[0])

    def step() -> int:
        at_work.round()
        pace.sign_if_due()
        return signed_size()

    assert step() == 1  # the first event, at once: there is no last note
    assert pace.seconds() == sequencing.POLL_SECONDS
    grow()
    assert step() == 1
    assert pace.seconds() == sequencing.POLL_SECONDS
    now[0] += 0.9
    assert step() == 1
    assert pace.seconds() == pytest.approx(0.1)
    now[0] += 0.1
    assert step() == 2
    now[0] += 1000
    assert step() == 2  # an idle log signs nothing
    grow()
    assert step() == 3
    at_work.is_urgent = True
    grow()
    assert step() == 4
    assert not at_work.is_urgent


def test_events_that_move_money_are_urgent(tmp_path: Any) -> None:
    at_work = Sequencer(urgent=frozenset({"NameConsentSet"}), folder=KeyFolder(tmp_path / "key"))
    at_work.start()
    at_work.round()
    assert not at_work.is_urgent  # LogOpened
    grow()
    at_work.round()
    assert at_work.is_urgent
