"""Databases of the tests: one template a run, a copy a worker, the way back to its first state."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Self

import psycopg
import pytest
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from tonk_site.embedded_services import throwaway

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

TEMPLATE_LOCK = 7_205_759  # any number: workers migrate the template once, the others wait
LOCK_SECONDS_MAX = 10
ENABLE = {"A": "ENABLE ALWAYS", "O": "ENABLE", "R": "ENABLE REPLICA", "D": "DISABLE"}


def owner(name: str) -> psycopg.Connection:
    """A connection of the owner to the database `name`, outside Django, in autocommit."""
    settings = connections["owner"].settings_dict
    parameters = {"host": settings["HOST"], "port": settings["PORT"], "user": settings["USER"]}
    given = {key: value for key, value in parameters.items() if value}
    return psycopg.connect(dbname=name, autocommit=True, **given)


@contextlib.contextmanager
def connected(user: str, name: str | None = None) -> Iterator[psycopg.Connection]:
    """A connection of a role to the tests' database, or to the one named, rolled back at the end.

    Outside Django.
    """
    settings = connections["owner"].settings_dict
    name = name or settings["NAME"]
    parameters = {"host": settings["HOST"], "port": settings["PORT"], "dbname": name}
    given = {key: value for key, value in parameters.items() if value}
    with psycopg.connect(user=user, **given) as connection:
        yield connection
        connection.rollback()


@contextlib.contextmanager
def as_replica() -> Iterator[psycopg.Connection]:
    """The same of the owner under replication role `replica`, which only a superuser can take."""
    with as_superuser() as connection:
        connection.execute("SET session_replication_role = 'replica'")
        connection.execute("SET ROLE tonk_owner")
        yield connection


@contextlib.contextmanager
def as_superuser(name: str | None = None) -> Iterator[psycopg.Connection]:
    """The same of the server's superuser."""
    try:
        with connected("postgres", name) as connection:
            yield connection
    except psycopg.OperationalError as fault:
        pytest.skip(f"a foreign server without its superuser: {fault}")


def use(name: str) -> None:
    """Point every alias at the database `name`."""
    connections.close_all()
    for alias in connections:
        connections[alias].settings_dict["NAME"] = name


@contextlib.contextmanager
def copy_of_template(worker: str) -> Iterator[str]:
    """Name of a migrated database of this worker's own; every alias points at it until the end."""
    first = connections["default"].settings_dict["NAME"]
    template = os.environ["TONK_TEST_TEMPLATE"]
    name = f"{template}_{worker}"
    with owner(first) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [TEMPLATE_LOCK])
        _make_template(connection, template)
        _create(connection, name, template)
        connection.execute("SELECT pg_advisory_unlock(%s)", [TEMPLATE_LOCK])
    use(name)
    yield name
    use(first)
    with owner(first) as connection:
        _drop(connection, name)


@contextlib.contextmanager
def scratch_copy(purpose: str) -> Iterator[str]:
    """Name of a migrated database that may be broken: no alias points at it."""
    name = f"{connections['owner'].settings_dict['NAME']}_{purpose}"
    with owner("postgres") as connection:
        _create(connection, name, os.environ["TONK_TEST_TEMPLATE"])
    try:
        yield name
    finally:
        with owner("postgres") as connection:
            _drop(connection, name)


@contextlib.contextmanager
def server_of_its_own() -> Iterator[None]:
    """Every alias points at a fresh server: there, nobody else's transaction is open.

    For what the horizon of a whole server decides, which the databases of other workers share.
    """
    before = {alias: dict(connections[alias].settings_dict) for alias in connections}
    with throwaway() as services:
        where = {"NAME": "tonk", "HOST": str(services.sockets), "PORT": "", "PASSWORD": ""}
        try:
            _point(dict.fromkeys(before, where))
            call_command("migrate", database="owner", verbosity=0)
            yield
        finally:
            _point(before)


def _point(places: Mapping[str, Mapping[str, Any]]) -> None:
    """Let each alias lead to another place."""
    connections.close_all()
    for alias, place in places.items():
        connections[alias].settings_dict.update(place)


def _make_template(connection: psycopg.Connection, name: str) -> None:
    """Make and migrate the template, unless another worker has done it."""
    if connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).rowcount:
        return
    _create(connection, name, "template1")
    use(name)
    try:
        call_command("migrate", database="owner", verbosity=0)
    except BaseException:
        connections.close_all()
        _drop(connection, name)
        raise
    connections.close_all()


def _create(connection: psycopg.Connection, name: str, template: str) -> None:
    command = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    connection.execute(command.format(sql.Identifier(name), sql.Identifier(template)))


def _drop(connection: psycopg.Connection, name: str) -> None:
    command = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
    connection.execute(command.format(sql.Identifier(name)))


@dataclass(frozen=True, slots=True)
class FirstState:
    """What the migrations left: relations, their triggers and the rows that they inserted."""

    database: str
    relations: tuple[str, ...]  # quoted, with schema; one that is referred to comes earlier
    references: tuple[tuple[str, str], ...]  # which one refers to which
    triggers: tuple[tuple[str, str, str], ...]  # relation, quoted name, tgenabled
    rows: dict[str, bytes]  # in the text form of COPY

    @classmethod
    def read(cls, database: str) -> Self:
        """State of a database that was just copied."""
        with owner(database) as connection:
            references = tuple(connection.execute(REFERENCES).fetchall())
            relations = _relations(connection, references)
            return cls(
                database=database,
                relations=relations,
                references=references,
                triggers=tuple(connection.execute(TRIGGERS).fetchall()),
                rows={
                    name: copied for name in relations if (copied := _copy_out(connection, name))
                },
            )

    def restore(self) -> None:
        """Empty every relation and put the first rows back; guards are off meanwhile."""
        with owner(self.database) as connection, connection.transaction():
            connection.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS_MAX}s'")
            filled = _filled(connection, self.relations)
            changed = [name for name in self.relations if self._differs(connection, name, filled)]
            if not changed:
                return
            emptied = self._with_referring(changed)
            guards = [trigger for trigger in self.triggers if trigger[0] in emptied]
            for relation in {relation for relation, *_ in guards}:
                _run(connection, f"ALTER TABLE {relation} DISABLE TRIGGER USER")
            _run(connection, f"TRUNCATE {', '.join(changed)} RESTART IDENTITY CASCADE")
            for name in (one for one in self.relations if one in self.rows and one in emptied):
                _copy_in(connection, name, self.rows[name])
            connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            for relation, trigger, state in guards:
                _run(connection, f"ALTER TABLE {relation} {ENABLE[state]} TRIGGER {trigger}")

    def _differs(self, connection: psycopg.Connection, name: str, filled: set[str]) -> bool:
        """Whether a relation holds other rows than at first."""
        if name not in filled or name not in self.rows:
            return (name in filled) != (name in self.rows)
        return _copy_out(connection, name) != self.rows[name]

    def _with_referring(self, relations: Sequence[str]) -> set[str]:
        """The relations, and those that TRUNCATE empties with them."""
        found, more = set(relations), True
        while more:
            referring = {one for one, other in self.references if other in found} - found
            found, more = found | referring, bool(referring)
        return found


OURS = "n.nspname !~ '^(pg_|information_schema)' AND c.relname <> 'django_migrations'"
RELATIONS = f"""
SELECT format('%I.%I', n.nspname, c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND {OURS} ORDER BY 1"""
REFERENCES = """
SELECT DISTINCT format('%I.%I', n.nspname, c.relname), format('%I.%I', fn.nspname, f.relname)
FROM pg_constraint k
JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_class f ON f.oid = k.confrelid JOIN pg_namespace fn ON fn.oid = f.relnamespace
WHERE k.contype = 'f' AND k.conrelid <> k.confrelid"""
TRIGGERS = f"""
SELECT format('%I.%I', n.nspname, c.relname), quote_ident(t.tgname), t.tgenabled::text
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND NOT c.relispartition AND {OURS} ORDER BY 1, 2"""


def _relations(
    connection: psycopg.Connection, references: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    found = [name for (name,) in connection.execute(RELATIONS)]
    order: TopologicalSorter[str] = TopologicalSorter({name: [] for name in found})
    for referring, referred in references:
        order.add(referring, referred)
    return tuple(name for name in order.static_order() if name in set(found))


def _filled(connection: psycopg.Connection, relations: tuple[str, ...]) -> set[str]:
    """Relations that hold a row."""
    if not relations:
        return set()
    parts = (f"(SELECT $q${name}$q$ FROM {name} LIMIT 1)" for name in relations)
    return {name for (name,) in connection.execute(" UNION ALL ".join(parts))}


def _run(connection: psycopg.Connection, command: str) -> None:
    connection.execute(command)


def _copy_out(connection: psycopg.Connection, relation: str) -> bytes:
    with connection.cursor().copy(f"COPY {relation} TO STDOUT") as copy:
        return b"".join(bytes(part) for part in copy)


def _copy_in(connection: psycopg.Connection, relation: str, rows: bytes) -> None:
    with connection.cursor().copy(f"COPY {relation} FROM STDIN") as copy:
        copy.write(rows)
