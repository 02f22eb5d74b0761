"""The log in PostgreSQL: the contract, reads of more than one stream, writers side by side."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from typing_extensions import override

from eventstore import store
from eventstore.core.chain import START, Fact, verify_chain
from eventstore.core.ids import player_stream
from eventstore.core.refusal import VersionConflict
from eventstore.ports import new_id
from eventstore.services import Outcome, Receipt, Row, Transaction, in_transaction, run_command
from eventstore.verification import verify_log
from players.core.events import NameConsentSet
from tests.databases import connected, owner, scratch_copy, use
from tests.unit.eventstore.log_contract import Log, LogContract, sealed

WRITERS, ROUNDS, STREAMS = 8, 100, 3


@pytest.mark.django_db
class TestPostgreSQL(LogContract):
    @override
    @pytest.fixture
    def log(self) -> Log:
        return Savepoints()


class Savepoints:
    """The store, each append in a savepoint: a conflict must not break the test's transaction."""

    load = staticmethod(store.load)

    def append(self, *arguments: object) -> None:
        with transaction.atomic():
            store.append(*arguments)  # type: ignore[arg-type]  # passed on as they come


@pytest.mark.django_db
def test_pages_and_types_of_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = player_stream(new_id())
    events = sealed(stream, 7)
    store.append(events, START)
    monkeypatch.setattr(store, "READ_ALL_ROWS", 3)
    assert [len(page) for page in store.pages_of(stream)] == [3, 3, 1]
    assert tuple(event for page in store.pages_of(stream) for event in page) == events
    assert [event for _, event in store.read_all()] == list(events)
    assert store.events_after(stream, 5) == events[5:]
    assert store.events_after(stream, 0, types=["Other"]) == ()
    assert store.events_after(stream, 2, types=["NameConsentSet"], limit=1) == events[2:3]
    assert store.version_before(stream, "NameConsentSet", 5) == 4
    assert store.version_before(stream, "NameConsentSet", 1) is None
    assert store.streams("player/") == [stream]
    assert store.streams("table/") == []


@pytest.mark.django_db
def test_types_of_several_streams() -> None:
    streams = sorted(player_stream(new_id()) for _ in range(3))
    events = {stream: sealed(stream, 2) for stream in streams}
    for stream in reversed(streams):
        store.append(events[stream], START)
    found = store.of_streams(streams[:2], ["NameConsentSet"])
    assert found == events[streams[0]] + events[streams[1]]
    assert store.of_streams(streams, ["Other"]) == store.of_streams([], ["NameConsentSet"]) == ()


@pytest.mark.usefixtures("committed")
def test_J7_records_are_the_same_bytes_in_another_time_zone(another_zone: None) -> None:
    stream = player_stream(new_id())
    events = sealed(stream, 2)
    store.append(events, START)
    with connection.cursor() as cursor:
        cursor.execute("SHOW TIME ZONE")
        assert cursor.fetchone() == ("Pacific/Auckland",)
    assert store.load(stream).events == events
    assert verify_chain(store.load(stream).events) is None


@pytest.fixture
def another_zone(committed: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The connection speaks the time of another zone."""
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "TIME_ZONE", "Pacific/Auckland")
        _forget_zone()
        yield
    _forget_zone()


def _forget_zone() -> None:
    connection.close()
    for name in ("timezone", "timezone_name"):
        vars(connections["default"]).pop(name, None)


# --- writers side by side -------------------------------------------------------------------------


@pytest.mark.usefixtures("committed")
def test_J6_writers_that_race_make_no_fork_and_no_gap() -> None:
    streams = [player_stream(new_id()) for _ in range(STREAMS)]

    def write(writer: int) -> int:
        """Number of events that were acknowledged."""
        done = 0
        try:
            for step in range(ROUNDS):
                stream = streams[(writer + step) % STREAMS]
                done += _append(stream, count=1 + (writer + step) % 4)
        finally:
            connections.close_all()
        return done

    with ThreadPoolExecutor(WRITERS) as pool:
        acknowledged = sum(pool.map(write, range(WRITERS)))
    found = verify_log()
    assert found.faults == ()
    assert (found.streams, found.events) == (STREAMS, acknowledged)
    # The order of the inserts is the order of versions in every stream.
    versions: Counter[str] = Counter()
    for _, event in store.read_all():
        versions[event.stream] += 1
        assert event.version == versions[event.stream]


def _append(stream: str, count: int) -> int:
    facts = [Fact(NameConsentSet(consent=True), "player:x")] * count
    try:
        in_transaction(lambda tx: tx.append(stream, tx.load(stream).head, facts))
    except VersionConflict:
        return 0
    return count


@pytest.mark.usefixtures("committed")
def test_one_key_in_32_requests_at_once_has_one_effect() -> None:
    stream = player_stream(new_id())
    receipt = Receipt("player:x", new_id().hex, bytes(32))

    def work(tx: Transaction, row: Row) -> Outcome:
        del row  # there is none
        fact = Fact(NameConsentSet(consent=True), "player:x")
        (event,) = tx.append(stream, tx.load(stream).head, [fact])
        return Outcome(201, {"version": event.version}, stream, 1, 1)

    def request(_: int) -> Outcome:
        try:
            return run_command(receipt, None, work)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(WRITERS) as pool:
        outcomes = list(pool.map(request, range(32)))
    assert Counter(outcome.replayed for outcome in outcomes) == {False: 1, True: 31}
    assert {(outcome.status, outcome.result["version"]) for outcome in outcomes} == {(201, 1)}
    assert len(store.load(stream).events) == 1


# --- a dump ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("committed")
def test_J7_what_a_dump_brings_back_verifies() -> None:
    """Bytes and instants to the microsecond, by way of the text that a dump is."""
    stream = player_stream(new_id())
    events = sealed(stream, 20)
    store.append(events, START)
    with (
        connected("tonk_auditor") as source,
        source.cursor() as reader,
        reader.copy("COPY eventstore_event TO STDOUT") as copy,
    ):
        dump = b"".join(copy)
    before = connections["default"].settings_dict["NAME"]
    with scratch_copy("dump") as name:
        with (
            owner(name) as target,
            target.cursor() as writer,
            writer.copy("COPY eventstore_event FROM STDIN") as copy,
        ):
            copy.write(dump)
        use(name)
        try:
            found = store.load(stream).events
            assert found == events
            assert verify_chain(found) is None
            assert verify_log().faults == ()
        finally:
            use(before)
