"""Statements on the driver's lowest level behave as those of a cursor."""

from typing import Any

import pytest
from django.db import DataError, OperationalError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from eventstore import store
from eventstore.core.chain import START, head_of
from eventstore.core.ids import player_stream
from eventstore.core.refusal import VersionConflict
from eventstore.ports import new_id
from eventstore.prepared import rows_written
from tests.databases import connected
from tests.unit.eventstore.log_contract import sealed

UPDATE = "UPDATE eventstore_command_receipt SET status = $1::smallint WHERE actor = $2::text"


def prepared() -> list[str]:
    """Statements that this connection has prepared here, by the server's own account."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements WHERE name LIKE 'tonk_%%'")
        return [row[0] for row in cursor.fetchall()]


def append(count: int = 1) -> str:
    stream = player_stream(new_id())
    store.append(sealed(stream, count), START)
    return stream


@pytest.mark.usefixtures("committed")
def test_an_append_is_prepared_once_for_its_number_of_rows() -> None:
    connection.close()
    for count in (1, 3, 1, 3):
        append(count)
    assert len(prepared()) == 2


@pytest.mark.usefixtures("committed")
def test_a_rollback_forgets_what_is_prepared_and_the_next_append_prepares_it_again() -> None:
    append()
    with transaction.atomic():
        append()
        transaction.set_rollback(True)
    assert prepared() == []
    stream = append()
    assert len(prepared()) == 1
    assert store.load(stream).head.version == 1


@pytest.mark.usefixtures("committed")
def test_a_savepoint_that_is_rolled_back_forgets_it_too() -> None:
    with transaction.atomic():
        append()
        with pytest.raises(VersionConflict), transaction.atomic():
            store.append(sealed(append()), head_of(sealed(player_stream(new_id()), 3)))
        append()


@pytest.mark.usefixtures("committed")
def test_an_append_begins_the_transaction_that_it_is_the_first_statement_of() -> None:
    with transaction.atomic():
        stream = append()
        transaction.set_rollback(True)
    assert store.load(stream).events == ()


@pytest.mark.usefixtures("committed")
def test_nothing_is_prepared_where_nothing_may_be() -> None:
    connection.close()
    connection.ensure_connection()
    connection.connection.prepare_threshold = None
    stream = append(2)
    assert prepared() == []
    assert store.load(stream).head.version == 2
    connection.close()


@pytest.mark.usefixtures("committed")
def test_the_query_log_has_the_statement_without_its_values() -> None:
    with CaptureQueriesContext(connection) as found:
        stream = append()
    (query,) = found.captured_queries
    assert query["sql"].startswith("INSERT INTO eventstore_event")
    assert stream not in query["sql"]


@pytest.mark.usefixtures("committed")
def test_wrappers_see_the_statement() -> None:
    seen: list[str] = []

    def wrapper(execute: Any, sql: str, *rest: Any) -> Any:
        seen.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(wrapper):
        append()
    assert len(seen) == 1


@pytest.mark.usefixtures("committed")
def test_no_statement_runs_in_a_transaction_that_failed() -> None:
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(TransactionManagementError):
            append()


@pytest.mark.usefixtures("committed")
def test_what_the_server_refuses_has_the_kind_of_error_that_a_cursor_gives() -> None:
    with pytest.raises(DataError, match="incorrect binary data format"):
        rows_written(UPDATE, [b"123", b"player:x"])
    assert rows_written(UPDATE, [b"\0\1", b"player:x"]) == 0


@pytest.mark.usefixtures("committed")
def test_a_lost_connection_is_an_operational_error() -> None:
    append()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    raw = connection.connection
    with connected("tonk_app") as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
    with pytest.raises(OperationalError):
        append()
    assert raw.closed
    connection.close()
    append()
