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
FACTS = ("log_leaf", "log_tile", "log_checkpoint", "log_cosignature", "log_key")
CHANGES_OF_THE_TREE = [
    "UPDATE eventstore_log_leaf SET hash = sha256('x')",
    "UPDATE eventstore_log_tile SET n = n + 1",
    "UPDATE eventstore_log_checkpoint SET note = 'x'",
    "UPDATE eventstore_log_cosignature SET line = 'x'",
    "UPDATE eventstore_log_key SET public_key = sha256('x')",
    "UPDATE eventstore_log_key SET to_size = 9, from_size = 8 WHERE to_size IS NULL",
    "UPDATE eventstore_log_key SET to_size = 9 WHERE to_size IS NOT NULL",
    "UPDATE eventstore_log_key SET to_size = null",
    *(f"DELETE FROM eventstore_{relation}" for relation in FACTS),
    *(f"TRUNCATE eventstore_{relation}" for relation in FACTS),
]
INSERTS_INTO_THE_TREE = [
    "INSERT INTO eventstore_log_leaf VALUES (9, 9, sha256('x'))",
    "INSERT INTO eventstore_log_tile VALUES (0, 9, decode(repeat('00', 8192), 'hex'))",
    "INSERT INTO eventstore_log_checkpoint VALUES (9, sha256('x'), 'x', now())",
    "INSERT INTO eventstore_log_cosignature VALUES (9, 'x', 'x')",
    "INSERT INTO eventstore_log_key VALUES ('1234', 'x', sha256('x'), 9)",
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
def test_J9_the_application_may_only_append(stream: str, sql: str) -> None:
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


@pytest.fixture
def written() -> None:
    """A row in each relation of the tree, of the keys one that has ended and one that has not."""
    with connected("tonk_sequencer") as sequencer:
        for sql in INSERTS_INTO_THE_TREE:
            sequencer.execute(sql)
        sequencer.execute("UPDATE eventstore_log_key SET to_size = 9")
        sequencer.execute("INSERT INTO eventstore_log_key VALUES ('1235', 'x', sha256('x'), 9)")
        sequencer.commit()


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize("sql", CHANGES_OF_THE_TREE)
def test_nobody_changes_the_tree(sql: str) -> None:
    for role in ("tonk_app", "tonk_sequencer", "tonk_auditor", "tonk_owner"):
        with connected(role) as one:
            one.execute("SET TRANSACTION READ WRITE")
            refused(one, sql, "facts are never changed" if role == "tonk_owner" else "")
    with as_replica() as as_owner:
        refused(as_owner, sql, "facts are never changed")


@pytest.mark.parametrize("sql", INSERTS_INTO_THE_TREE)
@pytest.mark.parametrize("role", ["tonk_app", "tonk_auditor"])
def test_only_the_sequencer_adds_to_the_tree(role: str, sql: str) -> None:
    with connected(role) as one:
        one.execute("SET TRANSACTION READ WRITE")
        refused(one, sql)


@pytest.mark.parametrize("role", ["tonk_app", "tonk_auditor"])
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE eventstore_log_state SET size = 9",
        "INSERT INTO eventstore_log_state (id) VALUES (1)",
        "DELETE FROM eventstore_log_state",
    ],
)
def test_only_the_sequencer_moves_the_state(role: str, sql: str) -> None:
    with connected(role) as one:
        one.execute("SET TRANSACTION READ WRITE")
        refused(one, sql)
    if not sql.startswith("UPDATE"):
        with connected("tonk_sequencer") as sequencer:
            refused(sequencer, sql)


def test_who_reads_and_writes_what() -> None:
    relations = [*(f"eventstore_{relation}" for relation in FACTS), "eventstore_log_state"]
    for role in ("tonk_app", "tonk_sequencer", "tonk_auditor"):
        with connected(role) as reader:
            for relation in relations:
                reader.execute(f"SELECT count(*) FROM {relation}")
    follower = "eventstore_follower"
    with connected("tonk_app") as application:
        application.execute(
            f"INSERT INTO {follower} (name, version, status) VALUES ('a', 1, 'live')"
        )
        application.execute(f"UPDATE {follower} SET log_index = 1")
        refused(application, f"DELETE FROM {follower}")
    with connected("tonk_auditor") as auditor:
        auditor.execute(f"SELECT count(*) FROM {follower}")
    with connected("tonk_sequencer") as sequencer:
        refused(sequencer, f"SELECT count(*) FROM {follower}")
        refused(sequencer, "SELECT count(*) FROM eventstore_command_receipt")


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO eventstore_log_leaf VALUES (-1, 9, sha256('x'))",
        "INSERT INTO eventstore_log_leaf VALUES (9, 9, 'short')",
        "INSERT INTO eventstore_log_tile VALUES (0, 9, 'short')",
        "INSERT INTO eventstore_log_checkpoint VALUES (0, sha256('x'), 'x', now())",
        "INSERT INTO eventstore_log_checkpoint VALUES (9, 'short', 'x', now())",
        "INSERT INTO eventstore_log_key VALUES ('12345', 'x', sha256('x'), 9)",
        "INSERT INTO eventstore_log_key VALUES ('1234', 'x', 'short', 9)",
        "UPDATE eventstore_log_state SET id = 2",
        "UPDATE eventstore_log_state SET size = -1",
        "UPDATE eventstore_log_state SET log_id = gen_random_uuid()",
        "UPDATE eventstore_log_state SET log_id = gen_random_uuid(), origin = ''",
    ],
)
def test_a_malformed_row_of_the_tree_is_refused(sql: str) -> None:
    with connected("tonk_sequencer") as sequencer, pytest.raises(errors.CheckViolation):
        sequencer.execute(sql)


@pytest.mark.usefixtures("written")
def test_J3_a_place_and_a_size_are_given_once() -> None:
    for sql in (
        "INSERT INTO eventstore_log_leaf VALUES (9, 10, sha256('x'))",
        "INSERT INTO eventstore_log_leaf VALUES (10, 9, sha256('x'))",
        "INSERT INTO eventstore_log_checkpoint VALUES (9, sha256('y'), 'y', now())",
        "INSERT INTO eventstore_log_state DEFAULT VALUES",
    ):
        role = "tonk_owner" if "state" in sql else "tonk_sequencer"
        with connected(role) as sequencer, pytest.raises(errors.UniqueViolation):
            sequencer.execute(sql)


def test_the_guards_are_always_on() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT tgname, tgenabled::text FROM pg_trigger
            WHERE tgrelid::regclass::text LIKE 'eventstore_%' AND NOT tgisinternal ORDER BY 1"""
        )
        assert sorted(cursor.fetchall()) == sorted(
            (f"{relation}_no_{act}", "A")
            for relation in ("event", *FACTS)
            for act in ("change", "truncate")
        )
