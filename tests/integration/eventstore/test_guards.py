"""What the database refuses, each statement as it would be tried (`eventstore.md` section 1.5).

As the application, as the owner, and as the owner under replication role `replica`, where plain
triggers sleep.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection
from psycopg import errors

from eventstore import store
from eventstore.core.chain import START
from eventstore.core.ids import player_stream
from eventstore.ports import new_id
from tests.databases import as_replica, connected
from tests.unit.eventstore.log_contract import sealed

pytestmark = pytest.mark.usefixtures("committed")

CHANGES = [
    "UPDATE eventstore_event SET data = '{}'",
    "UPDATE eventstore_event SET version = version + 1",
    "UPDATE eventstore_event SET hash = sha256('x') WHERE version = 1",
    "DELETE FROM eventstore_event",
    "DELETE FROM eventstore_event WHERE version = 2",
    "TRUNCATE eventstore_event",
    "TRUNCATE eventstore_event RESTART IDENTITY CASCADE",
]
COLUMNS = "event_id, stream, version, type, schema, data, meta, at, prev_hash, hash"
ROW = """gen_random_uuid(), 'player/00000000-0000-7000-8000-000000000000', 1, 'NameConsentSet', 1,
    '{}', '{}', now(), decode(repeat('00', 32), 'hex'), sha256('x')"""
OF_THE_APPLICATION = [
    *CHANGES,
    "SET session_replication_role = replica",
    f"INSERT INTO eventstore_event (position, {COLUMNS}) OVERRIDING SYSTEM VALUE VALUES (9, {ROW})",
    f"INSERT INTO eventstore_event (tx, {COLUMNS}) VALUES ('1', {ROW})",
    "ALTER TABLE eventstore_event DISABLE TRIGGER ALL",
    "DROP TABLE eventstore_event",
    "DELETE FROM eventstore_command_receipt",
    "UPDATE eventstore_command_receipt SET fingerprint = sha256('x')",
    "UPDATE eventstore_command_receipt SET key = 'another-key-than-before'",
    "TRUNCATE eventstore_command_receipt",
]


@pytest.fixture(autouse=True)
def stream() -> str:
    """A stream of three events."""
    name = player_stream(new_id())
    store.append(sealed(name, 3), START)
    return name


@contextmanager
def untouched(stream: str) -> Iterator[None]:
    before = store.load(stream).events
    yield
    assert store.load(stream).events == before


@pytest.mark.parametrize("sql", OF_THE_APPLICATION)
def test_the_application_may_only_append(stream: str, sql: str) -> None:
    with untouched(stream), connected("tonk_app") as application:
        refused(application, sql)


@pytest.mark.parametrize("sql", CHANGES)
def test_the_owner_may_not_change_facts_either(stream: str, sql: str) -> None:
    with untouched(stream), connected("tonk_owner") as as_owner:
        refused(as_owner, sql, "facts are never changed")


@pytest.mark.parametrize("sql", CHANGES)
def test_nor_may_he_under_the_replication_role(stream: str, sql: str) -> None:
    with untouched(stream), as_replica() as as_owner:
        refused(as_owner, sql, "facts are never changed")


@pytest.mark.parametrize("role", ["tonk_auditor", "tonk_sequencer"])
def test_readers_only_read(stream: str, role: str) -> None:
    for sql in [*CHANGES, f"INSERT INTO eventstore_event ({COLUMNS}) VALUES ({ROW})"]:
        with untouched(stream), connected(role) as reader:
            reader.execute("SELECT count(*) FROM eventstore_event")
            reader.rollback()
            reader.execute("SET TRANSACTION READ WRITE")
            refused(reader, sql)


def refused(connection: psycopg.Connection, sql: str, why: str = "") -> None:
    with pytest.raises(errors.InsufficientPrivilege, match=why or None):
        connection.execute(sql)
    connection.rollback()


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ({"stream": "player/x"}, "eventstore_event_stream_check"),
        ({"stream": "other/00000000-0000-7000-8000-000000000000"}, "eventstore_event_stream_check"),
        ({"version": 0}, "eventstore_event_version_check"),
        ({"type": "lower"}, "eventstore_event_type_check"),
        ({"schema": 0}, "eventstore_event_schema_check"),
        ({"hash": b"short"}, "eventstore_event_hash_check"),
        ({"prev_hash": b"short"}, "eventstore_event_prev_hash_check"),
    ],
)
def test_a_malformed_row_is_refused(change: dict[str, object], constraint: str) -> None:
    (event,) = sealed(player_stream(new_id()))
    names = COLUMNS.split(", ")
    values = {name: getattr(event, name) for name in names} | change
    sql = f"INSERT INTO eventstore_event ({COLUMNS}) VALUES ({', '.join(['%s'] * len(names))})"
    with connected("tonk_app") as application, pytest.raises(errors.CheckViolation) as failure:
        application.execute(sql, [values[name] for name in names])
    assert failure.value.diag.constraint_name == constraint


def test_the_guards_are_always_on() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT tgname, tgenabled::text FROM pg_trigger
            WHERE tgrelid = 'eventstore_event'::regclass AND NOT tgisinternal ORDER BY 1"""
        )
        assert cursor.fetchall() == [("event_no_change", "A"), ("event_no_truncate", "A")]
