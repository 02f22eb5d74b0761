"""Django's PostgreSQL backend whose statements and ends of transactions are points."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from typing_extensions import override

from tonk_site.proving.points import Call, at


def end(connection: psycopg.Connection) -> None:
    """Close a connection. What it held is free at once, not when the server notices its end."""
    with suppress(psycopg.OperationalError):  # it is gone by itself
        connection.rollback()
        connection.execute("SELECT pg_advisory_unlock_all()")
        connection.rollback()
    connection.close()


class DatabaseWrapper(base.DatabaseWrapper):
    """The simulated side of transactions: the same PostgreSQL, and somebody who listens."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        """As Django's. Wrappers of statements are its own way to hear of each."""
        super().__init__(*arguments, **more)
        self.execute_wrappers.append(self._statement)

    def _statement(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,  # noqa: FBT001  # Django's signature
        context: dict[str, Any],
    ) -> Any:
        with at(Call("statement", sql, self.alias)):
            return execute(sql, params, many, context)

    @override
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        with at(Call("connect", "", self.alias)):
            return super().get_new_connection(conn_params)

    # Django's description of types leaves these out.

    def _close(self) -> None:
        if self.connection is not None:
            with self.wrap_database_errors:
                end(self.connection)

    def _commit(self) -> None:
        with at(Call("commit", "", self.alias)):
            wrapper: Any = super()
            wrapper._commit()

    def _rollback(self) -> None:
        with at(Call("rollback", "", self.alias)):
            wrapper: Any = super()
            wrapper._rollback()
