"""Tasks that fail: the next one on the same worker is not to suffer for it."""

import pytest
from django.db import connection

from eventstore.tasking import guarded

pytestmark = pytest.mark.usefixtures("committed")


def test_a_statement_that_was_cut_short_is_not_left_to_the_next_task() -> None:
    def cut_short() -> None:
        connection.ensure_connection()
        connection.connection.pgconn.send_query(b"SELECT 1")  # and nobody reads the answer
        raise TimeoutError

    with pytest.raises(TimeoutError):
        guarded(cut_short)()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


def test_a_task_that_succeeds_keeps_its_connection() -> None:
    connection.ensure_connection()
    before = connection.connection
    guarded(lambda: None)()
    assert connection.connection is before
