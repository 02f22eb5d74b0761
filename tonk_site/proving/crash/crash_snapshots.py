"""The way back: a database and its keys exactly as they were, in less time than a copy needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from tonk_site.proving.crash.crash_copies import Copy, looking
from tonk_site.proving.crash.crash_state import Facts, Reader, identifier

ENABLE = {"A": "ENABLE ALWAYS", "O": "ENABLE", "R": "ENABLE REPLICA", "D": "DISABLE"}
_TRIGGERS = """
SELECT format('%s.%s', n.nspname, c.relname), t.tgname, t.tgenabled::text
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal ORDER BY 1, 2"""
_SEQUENCES = """
SELECT array_agg(format('%I.%I', schemaname, sequencename) ORDER BY 1),
    array_agg(coalesce(last_value, start_value) ORDER BY format('%I.%I', schemaname, sequencename)),
    array_agg(last_value IS NOT NULL ORDER BY format('%I.%I', schemaname, sequencename))
FROM pg_sequences"""
_SET = """SELECT setval(name::regclass, value, called)
    FROM unnest(%s::text[], %s::bigint[], %s::boolean[]) AS s (name, value, called)"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a database and the folder of its keys held at some moment."""

    exact: Mapping[str, str]
    """Digests by relation."""
    rows: Mapping[str, bytes]
    """In the text form of COPY."""
    sequences: tuple[Any, ...]
    files: Mapping[str, bytes]

    @property
    def state(self) -> "State":
        """What tells it from others."""
        return State(tuple(sorted(self.exact.items())), tuple(sorted(self.files.items())))


@dataclass(frozen=True, slots=True)
class State:
    """Two databases of equal state have the same future."""

    rows: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, bytes], ...]


class Bench:
    """A database in which something is tried out again and again."""

    def __init__(self, copy: Copy) -> None:
        """Looks which relations there are."""
        self.copy = copy
        with looking(copy) as connection:
            self._reader = Reader(connection)
            self.triggers: dict[str, list[tuple[str, str]]] = {}
            for relation, trigger, enabled in connection.execute(_TRIGGERS).fetchall():
                self.triggers.setdefault(relation, []).append((trigger, enabled))

    def state(self) -> State:
        """As it is now."""
        with looking(self.copy) as connection:
            rows = self._reader.exact(connection)
        return State(tuple(sorted(rows.items())), tuple(sorted(self._files().items())))

    def facts(self) -> Facts:
        """All rows as it is now, apart from what differs between two runs."""
        with looking(self.copy) as connection:
            return self._reader.facts(connection)

    def snapshot(self) -> Snapshot:
        """Everything as it is now."""
        with looking(self.copy) as connection, connection.transaction():
            exact = self._reader.exact(connection)
            rows = {name: _copy_out(connection, name) for name in exact}
            sequences = connection.execute(_SEQUENCES).fetchone() or ()
        return Snapshot(exact, rows, sequences, self._files())

    def go_back(self, to: Snapshot) -> None:
        """Be again as it was then. As a superuser, with guards off: nobody else could."""
        with looking(self.copy) as connection, connection.transaction():
            connection.execute("SET LOCAL session_replication_role = replica")  # no foreign keys
            now = self._reader.exact(connection)
            for name in (name for name, digest in to.exact.items() if now[name] != digest):
                self._put(connection, name, to.rows[name])
            connection.execute(_SET, to.sequences)
        self._put_files(to.files)

    def _put(self, connection: psycopg.Connection, name: str, rows: bytes) -> None:
        relation, triggers = identifier(name), self.triggers.get(name, ())
        if triggers:
            connection.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(relation))
        connection.execute(sql.SQL("DELETE FROM {}").format(relation))
        with connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(relation)) as copy:
            copy.write(rows)
        for trigger, enabled in triggers:
            parts = relation, sql.SQL(ENABLE[enabled]), sql.Identifier(trigger)
            connection.execute(sql.SQL("ALTER TABLE {} {} TRIGGER {}").format(*parts))

    def _files(self) -> Mapping[str, bytes]:
        folder = self.copy.folder
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }

    def _put_files(self, files: Mapping[str, bytes]) -> None:
        now = self._files()
        for name in now.keys() - files.keys():
            (self.copy.folder / name).unlink()
        for name, content in files.items():
            if now.get(name) != content:
                (self.copy.folder / name).write_bytes(content)


def _copy_out(connection: psycopg.Connection, name: str) -> bytes:
    form = sql.SQL("COPY {} TO STDOUT").format(identifier(name))
    with connection.cursor().copy(form) as copy:
        return b"".join(bytes(part) for part in copy)
