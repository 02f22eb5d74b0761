"""The log in PostgreSQL: load streams and append to them, in the caller's transaction."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from django.db import IntegrityError, connection

from eventstore.core.chain import Head, Loaded
from eventstore.core.record import EVENTS_PER_APPEND_MAX, Stored
from eventstore.core.refusal import InvariantBroken, VersionConflict
from eventstore.prepared import rows_written

READ_ALL_ROWS = 2_000  # rows that a reader of the whole log holds at once
COLUMNS = "stream, version, event_id, type, schema, data::text, meta::text, at, prev_hash, hash"
_NAMES = "event_id, stream, version, type, schema, data, meta, at, prev_hash, hash"
_TYPES = ("uuid", "text", "int", "text", "smallint", "json", "json", "timestamptz", "bytea",
          "bytea")  # fmt: skip
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # from which PostgreSQL counts microseconds
_MICROSECOND = timedelta(microseconds=1)


def load(stream: str, *, from_version: int = 1, with_first: bool = False) -> Loaded:
    """Events of `stream` from a version on; `with_first` adds version 1. One statement.

    A stream's first event holds what never changes about its subject, so a command that needs it
    skips everything between it and the newest hand.
    """
    # The left join keeps one row, and so the clock, for a stream without events.
    sql = f"""
        SELECT clock_timestamp(), {_prefixed("e")} FROM (SELECT 1) AS one
        LEFT JOIN eventstore_event e ON e.stream = %s AND (e.version >= %s OR %s AND e.version = 1)
        ORDER BY e.version"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [stream, from_version, with_first])
        rows = cursor.fetchall()
    events = tuple(_stored(row[1:]) for row in rows if row[1] is not None)
    return Loaded(events, rows[0][0].astimezone(UTC))


def events_after(
    stream: str,
    after: int,
    *,
    below: int | None = None,
    types: Sequence[str] = (),
    limit: int | None = None,
) -> tuple[Stored, ...]:
    """Events with a version above `after`, in order; of the named types where any are named."""
    sql = f"SELECT {COLUMNS} FROM eventstore_event WHERE stream = %s AND version > %s"
    parameters: list[Any] = [stream, after]
    if below is not None:
        sql += " AND version < %s"
        parameters.append(below)
    if types:
        sql += " AND type = ANY(%s::text[])"
        parameters.append(list(types))
    sql += " ORDER BY version"
    if limit is not None:
        sql += " LIMIT %s"
        parameters.append(limit)
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return tuple(_stored(row) for row in cursor.fetchall())


def of_streams(streams: Sequence[str], types: Sequence[str]) -> tuple[Stored, ...]:
    """Events of these types in several streams, by stream and version. For short streams."""
    sql = f"""SELECT {COLUMNS} FROM eventstore_event
        WHERE stream = ANY(%s::text[]) AND type = ANY(%s::text[]) ORDER BY stream, version"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [list(streams), list(types)])
        return tuple(_stored(row) for row in cursor.fetchall())


def latest(stream: str, *, types: Sequence[str], seat: int, below: int) -> Stored | None:
    """The newest event of these types that concerns a seat, with a version under `below`."""
    sql = f"""SELECT {COLUMNS} FROM eventstore_event
        WHERE stream = %s AND version < %s AND type = ANY(%s::text[]) AND (data->>'seat')::int = %s
        ORDER BY version DESC LIMIT 1"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [stream, below, list(types), seat])
        row = cursor.fetchone()
    return None if row is None else _stored(row)


def latest_of_player(
    stream: str, *, types: Sequence[str], player: str, below: int
) -> Stored | None:
    """The newest event of these types that names a player, with a version under `below`."""
    sql = f"""SELECT {COLUMNS} FROM eventstore_event
        WHERE stream = %s AND version < %s AND type = ANY(%s::text[]) AND data->>'player' = %s
        ORDER BY version DESC LIMIT 1"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [stream, below, list(types), player])
        row = cursor.fetchone()
    return None if row is None else _stored(row)


def version_before(stream: str, kind: str, below: int) -> int | None:
    """Version of the newest event of a type under `below`."""
    sql = """SELECT max(version) FROM eventstore_event
        WHERE stream = %s AND type = %s AND version < %s"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [stream, kind, below])
        found: int | None = cursor.fetchone()[0]
        return found


def holding(
    ranges: Sequence[tuple[str, int, int]], *, types: Sequence[str], name: str, text: str
) -> tuple[Stored, ...]:
    """Events of these types whose data has `text` under `name`, by stream and version.

    Looks into ranges (stream, first version, last version) alone: the cost is that of reading them.
    """
    sql = f"""
        SELECT {_prefixed("e")}
        FROM unnest(%s::text[], %s::int[], %s::int[]) AS r (stream, first, last)
        JOIN eventstore_event e ON e.stream = r.stream AND e.version BETWEEN r.first AND r.last
        WHERE e.type = ANY(%s::text[]) AND e.data->>%s::text = %s ORDER BY e.stream, e.version"""
    parts = [[one[part] for one in ranges] for part in range(3)]
    with connection.cursor() as cursor:
        cursor.execute(sql, [*parts, list(types), name, text])
        return tuple(_stored(row) for row in cursor.fetchall())


def append(sealed: Sequence[Stored], head: Head) -> None:
    """Write records that were sealed on `head`: one statement, at most 64 rows.

    Raises: VersionConflict if the stream has moved on, InvariantBroken for an id used twice.
    """
    if not 0 < len(sealed) <= EVENTS_PER_APPEND_MAX:
        raise InvariantBroken(f"an append of {len(sealed)} events")
    stream = sealed[0].stream
    values = [value for event in sealed for value in _values(event)]
    values += [stream.encode(), head.version.to_bytes(4, "big"), head.hash]
    try:
        written = rows_written(_append_sql(len(sealed)), values)
    except IntegrityError as fault:
        raise _meaning(fault, stream, head) from fault
    if written != len(sealed):
        raise VersionConflict(stream, head.version)


@cache
def _append_sql(count: int) -> str:
    """The statement that appends so many events, if their stream's head is as expected."""
    width = len(_TYPES)
    rows = [[f"${row * width + column + 1}" for column in range(width)] for row in range(count)]
    rows[0] = [f"{value}::{kind}" for value, kind in zip(rows[0], _TYPES, strict=True)]
    values = ", ".join(f"({', '.join(row)})" for row in rows)
    stream, version, digest = (f"${count * width + number}" for number in (1, 2, 3))
    order = " ORDER BY v.version" if count > 1 else ""  # a sort costs its set-up for one row too
    return f"""INSERT INTO eventstore_event ({_NAMES})
        SELECT v.* FROM (VALUES {values}) AS v({_NAMES})
        WHERE {version}::int = 0 OR EXISTS (
            SELECT 1 FROM eventstore_event h
            WHERE h.stream = {stream}::text AND h.version = {version} AND h.hash = {digest}::bytea
        ){order}"""


def streams(prefix: str = "") -> list[str]:
    """Names of all streams that begin with `prefix`, in order."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT stream FROM eventstore_event WHERE starts_with(stream, %s) ORDER BY 1",
            [prefix],
        )
        return [row[0] for row in cursor.fetchall()]


def pages_of(stream: str) -> Iterator[tuple[Stored, ...]]:
    """A whole stream in order, however long it is, some rows at once."""
    after = 0
    while found := events_after(stream, after, limit=READ_ALL_ROWS):
        yield found
        after = found[-1].version


def read_all(after: int = 0) -> Iterator[tuple[int, Stored]]:
    """The whole log with positions, in the order of the inserts. For a log at rest.

    While writers run, a row can commit behind a reader that has passed its position.
    """
    sql = f"""SELECT position, {COLUMNS} FROM eventstore_event
        WHERE position > %s ORDER BY position LIMIT {READ_ALL_ROWS}"""
    while True:
        with connection.cursor() as cursor:
            cursor.execute(sql, [after])
            rows = cursor.fetchall()
        if not rows:
            return
        for row in rows:
            yield row[0], _stored(row[1:])
        after = rows[-1][0]


def in_order(size: int | None = None) -> Iterator[Stored]:
    """The first `size` events in the order of the log; without a size all, at their end those that
    have no place yet. Read in pages: for a snapshot, or a log at rest.
    """
    start = 0
    while size is None or start < size:
        end = start + READ_ALL_ROWS if size is None else min(start + READ_ALL_ROWS, size)
        found = leaves(start, end)
        yield from (leaf.event for leaf in found)
        if len(found) < end - start:
            break
        start = end
    if size is None:
        yield from _without_place()


def _without_place() -> Iterator[Stored]:
    sql = f"""SELECT position, {COLUMNS} FROM eventstore_event e WHERE position > %s
        AND NOT EXISTS (SELECT FROM eventstore_log_leaf l WHERE l.position = e.position)
        ORDER BY position LIMIT {READ_ALL_ROWS}"""
    after = 0
    while True:
        with connection.cursor() as cursor:
            cursor.execute(sql, [after])
            rows = cursor.fetchall()
        yield from (_stored(row[1:]) for row in rows)
        if len(rows) < READ_ALL_ROWS:
            return
        after = rows[-1][0]


@dataclass(frozen=True, slots=True)
class Leaf:
    """An event with its place in the tree, and the hash that stands there."""

    index: int
    hash: bytes
    event: Stored


def leaves(start: int, end: int) -> tuple[Leaf, ...]:
    """Leaves `start` to `end` - 1 in the order of the log, as far as they are there."""
    sql = f"""SELECT l.log_index, l.hash, {_prefixed("e")}
        FROM eventstore_log_leaf l JOIN eventstore_event e USING (position)
        WHERE l.log_index >= %s AND l.log_index < %s ORDER BY l.log_index"""
    return _leaves(sql, [start, end])


def leaves_of(stream: str, after: int, limit: int) -> tuple[Leaf, ...]:
    """Leaves of a stream with a version above `after`, in order; those that have a place yet."""
    sql = f"""SELECT l.log_index, l.hash, {_prefixed("e")}
        FROM eventstore_event e JOIN eventstore_log_leaf l USING (position)
        WHERE e.stream = %s AND e.version > %s ORDER BY e.version LIMIT %s"""
    return _leaves(sql, [stream, after, limit])


def version_within(stream: str, size: int) -> int:
    """Version of the newest event of a stream among the first `size` leaves, 0 without one."""
    sql = """SELECT e.version FROM eventstore_event e JOIN eventstore_log_leaf l USING (position)
        WHERE e.stream = %s AND l.log_index < %s ORDER BY e.version DESC LIMIT 1"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [stream, size])
        row = cursor.fetchone()
    return 0 if row is None else int(row[0])


def _leaves(sql: str, parameters: Sequence[Any]) -> tuple[Leaf, ...]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return tuple(Leaf(row[0], bytes(row[1]), _stored(row[2:])) for row in cursor.fetchall())


def _prefixed(alias: str) -> str:
    return ", ".join(f"{alias}.{name.strip()}" for name in COLUMNS.split(","))


def _stored(row: Sequence[Any]) -> Stored:
    stream, version, event_id, name, schema, data, meta, at, prev_hash, digest = row
    return Stored(
        stream=stream,
        version=version,
        event_id=event_id,
        type=name,
        schema=schema,
        data=data,
        meta=meta,
        at=at.astimezone(UTC),
        prev_hash=bytes(prev_hash),
        hash=bytes(digest),
    )


def _values(event: Stored) -> tuple[bytes, ...]:
    """The row of an event, in PostgreSQL's binary forms of `_TYPES`."""
    return (
        event.event_id.bytes,
        event.stream.encode(),
        event.version.to_bytes(4, "big"),
        event.type.encode(),
        event.schema.to_bytes(2, "big"),
        event.data.encode(),
        event.meta.encode(),
        ((event.at - _EPOCH) // _MICROSECOND).to_bytes(8, "big", signed=True),
        event.prev_hash,
        event.hash,
    )


def _meaning(fault: IntegrityError, stream: str, head: Head) -> Exception:
    """What a broken constraint says: another writer was first, or a bug."""
    diagnosis = getattr(fault.__cause__, "diag", None)
    if diagnosis is not None and diagnosis.constraint_name == "event_stream_version":
        return VersionConflict(stream, head.version)
    return InvariantBroken(f"append to {stream}: {fault}")
