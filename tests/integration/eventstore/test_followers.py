"""What the log promises to its followers: each event once, in order, whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections
from redis import Redis

from eventstore import followers, following, store
from eventstore.core.chain import Fact
from eventstore.core.ids import player_stream
from eventstore.core.refusal import InvariantBroken
from eventstore.followers import BATCH_EVENTS, NotBuilding, Parked, Promoted
from eventstore.following import Ear, Runner
from eventstore.ports import new_id
from eventstore.services import Transaction, in_transaction
from eventstore.wake import LOG_CHANNEL
from players.core.events import NameConsentSet
from tests.sealing import seal_log
from tonk_site.proving.log import gapless_trial
from tonk_site.proving.log.gapless_trial import DELIVERED, RELATION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from eventstore.followers import Follower
    from eventstore.store import Leaf

WAIT_SECONDS_MAX = 60
pytestmark = pytest.mark.usefixtures("delivered")


@pytest.fixture
def delivered(committed: None) -> Iterator[None]:
    """The relation in which the follower under test lists what it was given."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(RELATION)
    seal_log()  # the log's own first events
    yield
    connections.close_all()
    with connections["owner"].cursor() as cursor:
        cursor.execute("DROP TABLE proving_delivered")


def append(count: int, stream: str | None = None) -> str:
    """Append events, in transactions of at most 64, and give them their places."""
    name = stream or player_stream(new_id())
    while count > 0:
        facts = [Fact(NameConsentSet(consent=True), "player:x")] * min(count, 64)
        in_transaction(partial(_append, name=name, facts=facts))
        count -= len(facts)
    seal_log()
    return name


def _append(tx: Transaction, *, name: str, facts: Sequence[Fact]) -> None:
    tx.append(name, tx.load(name).head, facts)


def listed(version: int = 1) -> list[int]:
    """Places in the log of what a version was given, in the order in which it came."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT log_index FROM proving_delivered WHERE follower_version = %s ORDER BY seq",
            [version],
        )
        return [row[0] for row in cursor.fetchall()]


def states(name: str = "delivered") -> list[tuple[int, int, str, int]]:
    return [(one.version, one.log_index, one.status, one.lag) for one in followers.standings(name)]


@dataclass
class Clock:
    """Seconds that pass when the test says so."""

    now: float = 0

    def __call__(self) -> float:
        return self.now


@dataclass
class Poisoned:
    """A handler that lists what it gets, and raises at one place while the poison is there."""

    at: int | None = None
    how: Callable[[], None] | None = None
    parts: list[int] = field(default_factory=list)

    def __call__(self, leaves: Sequence[Leaf], version: int) -> None:
        gapless_trial.deliver(leaves, version)
        if self.at in {leaf.index for leaf in leaves}:
            (self.how or self.raises)()
        self.parts.append(len(leaves))

    def raises(self) -> None:
        raise ZeroDivisionError("planted")


def breaks_a_constraint() -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO eventstore_follower (name, version, status) VALUES ('', 0, '')")


# --- once, in order -------------------------------------------------------------------------------


def test_every_event_is_applied_once_and_in_order() -> None:
    runner = Runner([DELIVERED])
    assert runner.poll() == len(listed()) == seal_size()
    append(3)
    assert (runner.poll(), runner.poll()) == (3, 0)
    assert listed() == list(range(seal_size()))
    assert states() == [(1, seal_size(), "live", 0)]


def test_a_long_way_is_gone_in_batches() -> None:
    handler = Poisoned()
    append(BATCH_EVENTS + 20)
    size = seal_size()
    assert Runner([replace(DELIVERED, handle=handler)]).poll() == size
    assert handler.parts == [BATCH_EVENTS, size - BATCH_EVENTS]
    assert listed() == list(range(size))


def test_what_is_not_committed_yet_comes_later_and_once() -> None:
    runner = Runner([DELIVERED])
    append(1)
    runner.poll()
    go, inserted = threading.Event(), threading.Event()

    def until() -> bool:
        inserted.set()
        return go.is_set()

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(closing(gapless_trial.hold), until)
        assert inserted.wait(30)
        before = listed()
        append(2)  # both have higher positions than the one that is held
        runner.poll()
        assert listed() == [*before, len(before), len(before) + 1]
        go.set()
        held.result()
    seal_log()
    runner.poll()
    assert listed() == list(range(len(before) + 3))
    assert gapless_trial.counts()["late"] == 1


def test_two_runners_share_the_work() -> None:
    append(BATCH_EVENTS + 50)
    followers.begin(DELIVERED)
    entered, leave = threading.Barrier(2), threading.Event()

    def waits(leaves: Sequence[Leaf], version: int) -> None:
        gapless_trial.deliver(leaves, version)
        entered.wait(30)
        assert leave.wait(30)

    slow = replace(DELIVERED, handle=waits)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(closing(followers.apply_batch), slow, 1)
        entered.wait(30)
        assert followers.apply_batch(DELIVERED, 1) == 0  # the row is somebody else's
        assert listed() == []
        leave.set()
        assert first.result() == BATCH_EVENTS
    assert Runner([DELIVERED]).poll() == seal_size() - BATCH_EVENTS
    assert listed() == list(range(seal_size()))


@pytest.mark.slow
def test_many_runners_at_once_apply_each_event_once() -> None:
    streams = [append(1) for _ in range(3)]
    stop = threading.Event()

    def runs() -> int:
        applied, runner = 0, Runner([DELIVERED])
        while not stop.is_set():
            applied += runner.poll()
        return applied

    with ThreadPoolExecutor(4) as pool:
        runners = [pool.submit(closing(runs)) for _ in range(4)]
        for round_ in range(30):
            append(5, streams[round_ % 3])
        stop.set()
        applied = sum(one.result() for one in runners)
    applied += Runner([DELIVERED]).poll()
    assert listed() == list(range(seal_size()))
    assert applied == seal_size()


class Died(BaseException):
    """The process ends here."""


@dataclass
class Death:
    """Ends the connection before or after the n-th statement, as the death of its process does."""

    at: int
    before: bool
    seen: int = 0

    def __call__(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.seen += 1
        if self.seen < self.at:
            return execute(*arguments)
        if not self.before:
            execute(*arguments)
        connection.connection.close()
        raise Died


@pytest.mark.parametrize("before", [True, False])
def test_a_death_at_any_statement_leaves_each_event_once(before: bool) -> None:
    append(5)
    followers.begin(DELIVERED)
    size, deaths, applied = seal_size(), 0, 0
    while not applied:
        try:
            with connection.execute_wrapper(Death(at=deaths + 1, before=before)):
                applied = followers.apply_batch(DELIVERED, 1)
        except Died:
            deaths += 1
            connection.close()
            assert (listed(), states()) == ([], [(1, 0, "live", size)])
    assert (applied, deaths) == (size, 4)  # lock, read, write, count
    assert listed() == list(range(size))


# --- a handler that raises ------------------------------------------------------------------------


@pytest.mark.parametrize("how", [None, breaks_a_constraint])
def test_a_poison_event_parks_its_follower_alone(
    how: Callable[[], None] | None, caplog: pytest.LogCaptureFixture
) -> None:
    stream = append(10)
    at = seal_size() - 4  # version 7 of the stream
    handler, clock, other = Poisoned(at, how), Clock(), Poisoned()
    bad = replace(DELIVERED, handle=handler)
    good = replace(DELIVERED, name="other", handle=other, version=2001)
    runner = Runner([bad, good], clock)
    assert runner.poll() == at_other(good) == seal_size()
    assert listed() == list(range(at))
    assert handler.parts == [1] * at  # one by one up to the event at fault
    assert states() == [(1, at, "live", 4)]
    told = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert told == [f"follower delivered 1 parked at {at}: {stream}@7 NameConsentSet"]
    append(1, stream)
    assert runner.poll() == 1  # the other goes on; this one rests
    handler.at = None
    clock.now += following.REST_SECONDS
    assert runner.poll() == 5
    assert listed() == list(range(seal_size()))
    assert states() == [(1, seal_size(), "live", 0)]


def test_a_follower_that_fails_rests_longer_each_time(caplog: pytest.LogCaptureFixture) -> None:
    append(1)
    clock = Clock()
    runner = Runner([replace(DELIVERED, handle=Poisoned(0))], clock)
    failed_at = []
    for _ in range(200):
        caplog.clear()
        runner.poll()
        if caplog.records:
            failed_at.append(clock.now)
        clock.now += 1
    assert failed_at == [0, 1, 3, 7, 15, 31, 63, 123, 183]


def test_a_database_that_fails_is_no_poison(caplog: pytest.LogCaptureFixture) -> None:
    append(3)
    clock = Clock()

    def loses_its_connection() -> None:
        raise OperationalError("planted")

    handler = Poisoned(0, loses_its_connection)
    runner = Runner([replace(DELIVERED, handle=handler)], clock)
    assert runner.poll() == 0
    assert [record.getMessage() for record in caplog.records] == ["follower delivered: planted"]
    handler.at = None
    clock.now += following.REST_SECONDS
    assert runner.poll() == seal_size()
    assert handler.parts == [seal_size()]  # nothing was tried one by one


def test_a_gap_in_the_log_stops_followers(monkeypatch: pytest.MonkeyPatch) -> None:
    append(3)
    followers.begin(DELIVERED)
    whole = store.leaves
    monkeypatch.setattr(store, "leaves", lambda start, end: whole(start, end)[1:])
    with pytest.raises(InvariantBroken, match="gap after 0"):
        followers.apply_batch(DELIVERED, 1)
    assert listed() == []


# --- wake-ups -------------------------------------------------------------------------------------


def test_a_wake_up_ends_the_wait() -> None:
    with Ear(threading.Event()) as ear, Redis.from_url(settings.REDIS_URL) as broker:
        assert not ear.wait(0)  # it listens from now on
        for size in (7, 7, 8):
            assert broker.publish(LOG_CHANNEL, size) == 1
        assert ear.wait(WAIT_SECONDS_MAX)


def test_without_a_broker_the_poll_is_the_guarantee(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", "unix:///nowhere/at/all.sock")
    stop = threading.Event()
    append(4)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(closing(following.follow), [DELIVERED], stop)
        wait_for(lambda: len(listed()) == seal_size())
        append(2)
        wait_for(lambda: len(listed()) == seal_size())
        stop.set()
        done.result()
    assert listed() == list(range(seal_size()))


def test_the_sequencer_wakes_the_followers() -> None:
    with Ear(threading.Event()) as ear:
        assert not ear.wait(0)
        append(1)
        assert ear.wait(WAIT_SECONDS_MAX)


# --- versions -------------------------------------------------------------------------------------


def test_a_rebuild_while_events_arrive_gives_equal_rows_without_a_stop() -> None:
    stream = append(BATCH_EVENTS + 10)
    runner = Runner([DELIVERED])
    runner.poll()
    seen: list[list[str]] = []

    def handle(leaves: Sequence[Leaf], version: int) -> None:
        gapless_trial.deliver(leaves, version)
        if version == 2:
            seen.append([status for _, _, status, _ in states()])

    busy, stop = replace(DELIVERED, handle=handle), threading.Event()

    def arrives() -> None:
        at_work = Runner([DELIVERED])
        while not stop.is_set():
            append(1, stream)
            at_work.poll()

    with ThreadPoolExecutor(1) as pool:
        going = pool.submit(closing(arrives))
        promoted = following.rebuild(busy)
        stop.set()
        going.result()
    assert promoted == Promoted(version=2, retired=1, equal=True)
    assert ["live", "building"] in seen  # it was read all the while
    runner.poll()
    size = seal_size()
    assert listed(2) == list(range(size))
    assert states()[1] == (2, size, "live", 0)
    assert states()[0][2] == "retired"


def peak_bytes(work: Callable[[], object]) -> int:
    """The most that Python held at once while this ran."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_J5_the_memory_of_a_rebuild_does_not_grow_with_the_log() -> None:
    append(2 * BATCH_EVENTS)
    Runner([DELIVERED]).poll()
    peaks = [peak_bytes(lambda: following.rebuild(DELIVERED))]
    append(6 * BATCH_EVENTS)
    Runner([DELIVERED]).poll()
    peaks.append(peak_bytes(lambda: following.rebuild(DELIVERED)))
    assert len(listed(3)) == seal_size() > 8 * BATCH_EVENTS
    assert peaks[1] < 1.5 * peaks[0]


def test_rows_that_were_changed_are_found_by_a_rebuild_and_mended() -> None:
    append(5)
    Runner([DELIVERED]).poll()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM proving_delivered WHERE log_index = 2")
    assert following.rebuild(DELIVERED) == Promoted(version=2, retired=1, equal=False)
    assert listed(2) == list(range(seal_size()))


def test_an_unfinished_rebuild_is_taken_up_again() -> None:
    append(BATCH_EVENTS + 1)
    runner = Runner([DELIVERED])
    runner.poll()
    assert followers.start_rebuild(DELIVERED) == 2
    followers.apply_batch(DELIVERED, 2)
    assert runner.poll() == 0  # a rebuild is its command's
    assert states()[1] == (2, BATCH_EVENTS, "building", seal_size() - BATCH_EVENTS)
    assert following.rebuild(DELIVERED) == Promoted(version=2, retired=1, equal=True)
    assert listed(2) == list(range(seal_size()))
    with pytest.raises(NotBuilding):
        followers.promote(DELIVERED, 2)


def test_a_poison_event_keeps_a_version_from_becoming_live() -> None:
    append(3)
    Runner([DELIVERED]).poll()
    with pytest.raises(Parked, match="delivered 2 parked at 1"):
        following.rebuild(replace(DELIVERED, handle=Poisoned(1)))
    assert [status for _, _, status, _ in states()] == ["live", "building"]


def test_changed_code_builds_its_own_version_and_newer_code_is_left_alone() -> None:
    append(4)
    old = Runner([DELIVERED])
    old.poll()
    new = Runner([replace(DELIVERED, version=1001)])
    assert new.poll() == seal_size()
    assert [(version, status) for version, _, status, _ in states()] == [
        (1, "retired"),
        (1001, "live"),
    ]
    append(1)
    assert old.poll() == 0  # side by side during an upgrade
    assert new.poll() == 1
    assert listed(1001) == list(range(seal_size()))
    assert following.rebuild(DELIVERED) == Promoted(version=2, retired=1001, equal=None)


def test_a_code_has_a_thousand_numbers() -> None:
    append(1)
    nearly = replace(DELIVERED, version=1)
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO eventstore_follower (name, version, status)
            VALUES ('delivered', 1000, 'live')"""
        )
    with pytest.raises(InvariantBroken, match="no number left"):
        following.rebuild(nearly)


def test_only_a_retired_version_is_dropped() -> None:
    append(2)
    Runner([DELIVERED]).poll()
    for version in (1, 7):
        with pytest.raises(ValueError, match="not retired"):
            followers.drop(DELIVERED, version)
    following.rebuild(DELIVERED)
    followers.drop(DELIVERED, 1)
    assert listed(1) == []
    assert listed(2) == list(range(seal_size()))
    assert states()[0][2] == "retired"  # its number is not given again
    assert following.rebuild(DELIVERED).version == 3


def test_a_name_is_registered_once() -> None:
    names = [one.name for one in followers.registered()]
    assert names == sorted(set(names))
    with pytest.raises(ValueError, match="twice"):
        followers.register(followers.registered()[0])
    for name in ("", "ab", "Hands", "a-b-c", "a" * 41):
        with pytest.raises(ValueError, match="can not be called"):
            followers.register(replace(DELIVERED, name=name))


# --- the command ----------------------------------------------------------------------------------


def test_the_command_rebuilds_drops_and_lists(capsys: pytest.CaptureFixture[str]) -> None:
    append(1)
    Runner(followers.registered()).poll()
    call_command("follower", "rebuild", "hands")
    assert capsys.readouterr().out == '{"version": 2, "retired": 1, "equal": true}\n'
    call_command("follower", "drop", "hands", "1")
    size = seal_size()
    first = capsys.readouterr().out.splitlines()
    call_command("follower", "list")
    assert capsys.readouterr().out.splitlines() == first
    live = f'"version": 2, "log_index": {size}, "status": "live", "lag": 0}}'
    assert first[1] == f'{{"name": "hands", {live}'
    with pytest.raises(CommandError, match="not retired"):
        call_command("follower", "drop", "hands", "2")
    with pytest.raises(CommandError, match="known: hands"):
        call_command("follower", "rebuild", "nobody")


def test_the_command_runs_until_it_is_told_to_end() -> None:
    append(4)
    before = {sign: signal.getsignal(sign) for sign in (signal.SIGINT, signal.SIGTERM)}

    def ends() -> None:
        wait_for(lambda: bool(states("hands")) and states("hands")[0][3] == 0)
        os.kill(os.getpid(), signal.SIGTERM)

    try:
        with ThreadPoolExecutor(1) as pool:
            ending = pool.submit(closing(ends))
            call_command("follower", "run")
            ending.result()
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)
    assert states("hands") == [(1, seal_size(), "live", 0)]


def at_other(follower: Follower) -> int:
    """How far another follower has come."""
    return followers.standings(follower.name)[0].log_index


def seal_size() -> int:
    """Number of events that have their place."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT size FROM eventstore_log_state")
        return int(cursor.fetchone()[0])


def wait_for(condition: Callable[[], bool]) -> None:
    """Return when the condition holds."""
    deadline, pause = time.monotonic() + WAIT_SECONDS_MAX, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "it does not come to hold"
        pause.wait(0.01)


def closing(work: Callable[..., Any]) -> Callable[..., Any]:
    """The work on a thread of its own, whose connections are closed at the end."""

    def run(*arguments: Any) -> Any:
        try:
            return work(*arguments)
        finally:
            connections.close_all()

    return run
