"""A statement of the hot path on the driver's lowest level: always prepared, values in binary.

Cursors of Django and psycopg cost more processor time than an append: they adapt each value and
look for its type. Here the values are bytes already. All else stays Django's: connection,
transaction, wrappers, query log, kinds of errors.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg import errors, pq

_IDLE, _DONE, _BROKEN = (
    int(one) for one in (pq.TransactionStatus.IDLE, pq.ExecStatus.COMMAND_OK, pq.ConnStatus.BAD)
)
"""As plain numbers: a look at an enumeration's member is a call, several times a statement."""
_BINARY = int(pq.Format.BINARY)
_OURS = (0,)
"""In place of the types of parameters, which tell statements of the driver's own cursors apart."""


def rows_written(sql: str, values: Sequence[bytes]) -> int:
    """Run one statement with parameters `$1`, `$2`.. in binary form; the number of rows it wrote.

    Raises: Django's database errors, as a cursor does.
    """
    db = connections[DEFAULT_DB_ALIAS]  # once: each look through the proxy is a search
    db.close_if_health_check_failed()
    db.ensure_connection()
    statement = _Statement(db.connection, values)
    # Django's wrapper asks no more of a cursor than `_Statement` has.
    wrap: Any = db.make_debug_cursor if db.queries_logged else db.make_cursor
    wrap(statement).execute(sql)
    return statement.rowcount


class _Statement:
    """As much of a cursor as Django's wrapper needs for one execution."""

    __slots__ = ("_raw", "_values", "rowcount")

    def __init__(self, raw: psycopg.Connection, values: Sequence[bytes]) -> None:
        self._raw, self._values, self.rowcount = raw, values, -1

    def execute(self, sql: str) -> None:
        """Begin a transaction if one is due, and run the statement."""
        raw, pgconn = self._raw, self._raw.pgconn
        if not raw.autocommit and pgconn.transaction_status == _IDLE:
            raw.execute("SELECT")  # the driver begins a transaction before its first statement
        formats = [_BINARY] * len(self._values)
        if raw.prepare_threshold is None:  # a pooler lies between, which knows no prepared ones
            result = pgconn.exec_params(sql.encode(), self._values, None, formats)
        else:
            result = pgconn.exec_prepared(_prepared(raw, sql.encode()), self._values, formats)
        _check(pgconn, result)
        self.rowcount = result.command_tuples or 0


def _prepared(raw: psycopg.Connection, sql: bytes) -> bytes:
    """Name of the statement on this connection, prepared by now.

    It is kept in the driver's own list, because the driver deallocates whatever is prepared, by
    anybody, after each rollback, and empties that list then.
    """
    names = raw._prepared._names
    name = names.get((sql, _OURS))
    if name is None:
        name = b"tonk_" + sha256(sql).hexdigest().encode()
        _check(raw.pgconn, raw.pgconn.prepare(name, sql))
        names[sql, _OURS] = name
    return name


def _check(pgconn: pq.abc.PGconn, result: pq.abc.PGresult) -> None:
    """Raise what the server answered, unless all is well."""
    if result.status == _DONE:
        return
    if pgconn.status == _BROKEN:
        raise errors.OperationalError(result.get_error_message())
    raise errors.error_from_result(result)
