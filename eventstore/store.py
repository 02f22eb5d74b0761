"""The log in PostgreSQL: load streams and append to them, in the caller's transaction."""

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import Any

from django.db import IntegrityError, connection

from eventstore.core.chain import Head, Loaded
from eventstore.core.record import EVENTS_PER_APPEND_MAX, Stored
from eventstore.core.refusal import InvariantBroken, VersionConflict

READ_ALL_ROWS = 2_000  # rows that a reader of the whole log holds at once
COLUMNS = "stream, version, event_id, type, schema, data::text, meta::text, at, prev_hash, hash"
_NAMES = "event_id, stream, version, type, schema, data, meta, at, prev_hash, hash"
_CASTS = (
    "(%s::uuid, %s::text, %s::int, %s::text, %s::smallint, %s::json, %s::json,"
    " %s::timestamptz, %s::bytea, %s::bytea)"
)
_ROW = "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


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
    stream: str, after: int, *, types: Sequence[str] = (), limit: int | None = None
) -> tuple[Stored, ...]:
    """Events with a version above `after`, in order; of the named types where any are named."""
    sql = f"SELECT {COLUMNS} FROM eventstore_event WHERE stream = %s AND version > %s"
    parameters: list[Any] = [stream, after]
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


def latest(stream: str, *, types: Sequence[str], seat: int, below: int) -> Stored | None:
    """The newest event of these types that concerns a seat, with a version under `below`."""
    sql = f"""SELECT {COLUMNS} FROM eventstore_event
        WHERE stream = %s AND version < %s AND type = ANY(%s::text[]) AND (data->>'seat')::int = %s
        ORDER BY version DESC LIMIT 1"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [stream, below, list(types), seat])
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


def append(sealed: Sequence[Stored], head: Head) -> None:
    """Write records that were sealed on `head`: one statement, at most 64 rows.

    Raises: VersionConflict if the stream has moved on, InvariantBroken for an id used twice.
    """
    if not 0 < len(sealed) <= EVENTS_PER_APPEND_MAX:
        raise InvariantBroken(f"an append of {len(sealed)} events")
    values = ", ".join([_CASTS] + [_ROW] * (len(sealed) - 1))
    guard = "%s = 0 OR EXISTS (SELECT 1 FROM eventstore_event h WHERE h.stream = %s AND h.version = %s AND h.hash = %s)"  # noqa: E501  # one line of SQL
    sql = f"""
        INSERT INTO eventstore_event ({_NAMES}) SELECT v.* FROM (VALUES {values}) AS v({_NAMES})
        WHERE {guard} ORDER BY v.version"""
    stream = sealed[0].stream
    parameters: list[Any] = [field for event in sealed for field in _fields(event)]
    parameters += [head.version, stream, head.version, head.hash]
    with connection.cursor() as cursor:
        try:
            cursor.execute(sql, parameters)
        except IntegrityError as fault:
            raise _meaning(fault, stream, head) from fault
        if cursor.rowcount != len(sealed):
            raise VersionConflict(stream, head.version)


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


def _fields(event: Stored) -> tuple[object, ...]:
    return (
        event.event_id,
        event.stream,
        event.version,
        event.type,
        event.schema,
        event.data,
        event.meta,
        event.at,
        event.prev_hash,
        event.hash,
    )


def _meaning(fault: IntegrityError, stream: str, head: Head) -> Exception:
    """What a broken constraint says: another writer was first, or a bug."""
    diagnosis = getattr(fault.__cause__, "diag", None)
    if diagnosis is not None and diagnosis.constraint_name == "event_stream_version":
        return VersionConflict(stream, head.version)
    return InvariantBroken(f"append to {stream}: {fault}")
