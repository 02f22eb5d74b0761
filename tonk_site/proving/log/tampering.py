"""Ways in which a superuser changes a log, one at a time, for the check `chain`.

Each says which rows may be named: those that it touched, the one after them in their stream, and
where only a signature can tell, the signed sizes that no longer fit. Two columns are left alone,
`tx` of an event and `signed_at` of a checkpoint: nothing is hashed or signed over them, so nothing
that is proved depends on them.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import connection
from msgspec.structs import replace as replaced
from psycopg import sql

from eventstore import store
from eventstore.core import merkle
from eventstore.core.canonical import encode
from eventstore.core.ids import uuid7
from eventstore.core.notes import checkpoint_text, key_id, parse_note, signature_line
from eventstore.core.record import NO_HASH, Stored, leaf_hash, record_bytes
from eventstore.core.tiles import HEIGHT, WIDTH, Edge
from eventstore.readers import COMMITMENT, ENDS
from eventstore.tree_verification import CHECKPOINT, KEPT, LEAF, TILE
from games.rules.selfplay import Random, pick
from tonk_site.proving.cards.random_hands import below

EVENT = "event"
PREFIX = "eventstore_"
EVENT_COLUMNS = (
    "position", "event_id", "stream", "version", "type", "schema", "data", "meta", "at",
    "prev_hash", "hash",
)  # fmt: skip
FAR = 1_000_000  # a number that no row of a trial has
FORGER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


@dataclass(frozen=True, slots=True)
class Row:
    """An event as the trial knows it, with its places."""

    index: int
    position: int
    event: Stored


@dataclass(frozen=True, slots=True)
class Log:
    """The log before anybody touched it."""

    rows: tuple[Row, ...]  # by index
    notes: dict[int, str]  # by signed size
    tiles: tuple[tuple[int, int], ...]
    origin: str

    @property
    def sizes(self) -> list[int]:
        """Signed sizes, ascending."""
        return sorted(self.notes)

    def signed_over(self, index: int) -> list[int]:
        """Signed sizes that cover a leaf."""
        return [size for size in self.sizes if size > index]

    @classmethod
    def read(cls) -> "Log":
        """The log of the database."""
        size = _value("SELECT size FROM eventstore_log_state")
        positions = dict(_rows("SELECT log_index, position FROM eventstore_log_leaf"))
        return cls(
            rows=tuple(
                Row(leaf.index, positions[leaf.index], leaf.event) for leaf in store.leaves(0, size)
            ),
            notes=dict(_rows("SELECT size, note FROM eventstore_log_checkpoint")),
            tiles=tuple(_rows("SELECT level, n FROM eventstore_log_tile ORDER BY level, n")),
            origin=str(_value("SELECT origin FROM eventstore_log_state")),
        )


@dataclass(frozen=True, slots=True)
class Tampering:
    """What was done, and the names of rows of which one must be told."""

    what: str
    names: frozenset[str]
    in_export: bool = True  # whether an export shows it to somebody who kept no note


Way = Callable[[Random, Log], Tampering]


def tamper(rng: Random, log: Log) -> Tampering:
    """Change something in the open transaction."""
    return pick(rng, WAYS)(rng, log)


# --- names ----------------------------------------------------------------------------------------


def name_of(relation: str, row: object) -> str:
    """How the checks name a row."""
    return f"{relation} {row}"


def event_name(stream: str, version: int) -> str:
    """How the checks name an event."""
    return name_of(EVENT, f"{stream}@{version}")


def _names(*rows: Row) -> frozenset[str]:
    """The rows, those that follow them in their streams, their leaves."""
    found = set()
    for row in rows:
        found |= _of_version(row.event.stream, row.event.version) | {name_of(LEAF, row.index)}
    return frozenset(found)


def _of_version(stream: str, version: int) -> set[str]:
    return {event_name(stream, version), event_name(stream, version + 1)}


def _signed(log: Log, index: int) -> set[str]:
    """The signatures that a change at a leaf breaks."""
    sizes = log.signed_over(index)
    return {name_of(relation, size) for relation in (CHECKPOINT, KEPT) for size in sizes}


# --- one column of one row ------------------------------------------------------------------------


def event_column(rng: Random, log: Log) -> Tampering:
    """Another value in one column of an event."""
    row, column = pick(rng, log.rows), pick(rng, EVENT_COLUMNS)
    value = _other_value(rng, log, row.event, column)
    _update(EVENT, column, value, "position", row.position)
    names = set(_names(row))
    if column in ("stream", "version"):
        moved = replaced(row.event, **{column: value})
        names |= _of_version(moved.stream, moved.version)
    # An export makes the hash of a record anew, and does not hold the stored one. Where a hand
    # seems to run, its records are hashes: a type that says so hides itself.
    hides = column == "type" and {row.event.type, value} & {COMMITMENT, *ENDS}
    in_export = column != "hash" and not hides
    return Tampering(f"event.{column}", frozenset(names), in_export=in_export)


def _other_value(rng: Random, log: Log, event: Stored, column: str) -> Any:
    if column in ("version", "schema"):
        return getattr(event, column) + 1 + below(rng, 4)
    if column in ("data", "meta"):
        return _other_json(rng, getattr(event, column))
    if column in ("prev_hash", "hash"):
        return _flipped(rng, getattr(event, column))
    if column == "at":
        return event.at + timedelta(microseconds=1 + below(rng, 1 << 30))
    others: dict[str, list[Any]] = {
        "position": [FAR + below(rng, FAR)],
        "event_id": [uuid7(below(rng, 1 << 30), bytes(below(rng, 256) for _ in range(10)))],
        "stream": [name for name in _streams(log) if name != event.stream],
        "type": sorted({row.event.type for row in log.rows} - {event.type}),
    }
    return pick(rng, others[column])


def _streams(log: Log) -> list[str]:
    return sorted({row.event.stream for row in log.rows})


def _other_json(rng: Random, text: str) -> str:
    """The value changed somewhere, or the same value in another text."""
    value = json.loads(text)
    if below(rng, 8) == 0:
        return text.replace(":", ": ", 1) if ":" in text else text + " "
    _change(rng, value)
    return encode(value).decode()


def _change(rng: Random, value: dict[str, Any]) -> None:
    """Another value under one of the keys, or a further key."""
    keys = sorted(value)
    if not keys:
        value["extra"] = 1
        return
    key = pick(rng, keys)
    old = value[key]
    if isinstance(old, bool) or old is None:
        value[key] = below(rng, FAR)
    elif isinstance(old, int):
        value[key] = old + 1 + below(rng, 100)
    elif isinstance(old, str):
        value[key] = f"{old[:-1]}{'0' if old[-1:] != '0' else '1'}"
    elif isinstance(old, dict) and old:
        _change(rng, old)
    else:
        value[key] = [old]


def _flipped(rng: Random, data: bytes) -> bytes:
    bit = below(rng, len(data) * 8)
    changed = bytearray(data)
    changed[bit >> 3] ^= 1 << (bit & 7)
    return bytes(changed)


def leaf_column(rng: Random, log: Log) -> Tampering:
    """Another value in one column of a leaf."""
    row, column = pick(rng, log.rows), pick(rng, ("log_index", "position", "hash"))
    value: Any = _flipped(rng, row.event.hash) if column == "hash" else FAR + below(rng, FAR)
    _update(LEAF, column, value, "log_index", row.index)
    return Tampering(f"log_leaf.{column}", _names(row), in_export=column != "hash")


def tile_column(rng: Random, log: Log) -> Tampering:
    """Another value in one column of a tile."""
    (level, n), column = pick(rng, log.tiles), pick(rng, ("level", "n", "hashes"))
    names = {name_of(TILE, f"{level}/{n}")}
    value: Any = 1 + below(rng, 5)
    if column == "hashes":
        old = _value("SELECT hashes FROM eventstore_log_tile WHERE level = %s AND n = %s", level, n)
        value = _flipped(rng, bytes(old))
    else:
        value += level if column == "level" else n + len(log.rows)
    _execute(
        sql.SQL("UPDATE {} SET {} = %s WHERE level = %s AND n = %s").format(
            _relation(TILE), sql.Identifier(column)
        ),
        value,
        level,
        n,
    )
    return Tampering(f"log_tile.{column}", frozenset(names), in_export=False)


def checkpoint_column(rng: Random, log: Log) -> Tampering:
    """Another value in one column of a checkpoint."""
    size, column = pick(rng, log.sizes), pick(rng, ("size", "root", "note"))
    names, note = {name_of(CHECKPOINT, size)}, log.notes[size]
    if column == "size":
        value: Any = pick(rng, [one for one in range(1, size + 9) if one not in log.notes])
        names.add(name_of(CHECKPOINT, value))
    elif column == "root":
        value = _flipped(rng, parse_note(note).root)
    else:
        value = _other_note(rng, log, size)
    _update(CHECKPOINT, column, value, "size", size)
    return Tampering(f"log_checkpoint.{column}", frozenset(names), in_export=False)


def _other_note(rng: Random, log: Log, size: int) -> str:
    note = log.notes[size]
    parsed = parse_note(note)
    other = [one for one in log.sizes if one != size]
    at = below(rng, len(note) - 1)
    changed = chr(ord("A") + below(rng, 26))
    return pick(
        rng,
        [
            note[:at] + (changed if note[at] != changed else "a") + note[at + 1 :],
            _forged(log, size, parsed.root),
            note + signature_line("else.where", bytes(4), bytes(64)),
            log.notes[pick(rng, other)],
            parsed.text + "\n",
        ],
    )


def _forged(log: Log, size: int, root: bytes) -> str:
    """A note under the log's name by a key that is not the log's."""
    text = checkpoint_text(log.origin, size, root)
    id_ = key_id(log.origin, FORGER.public_key().public_bytes_raw())
    return f"{text}\n{signature_line(log.origin, id_, FORGER.sign(text.encode()))}"


# --- deleted, swapped, inserted -------------------------------------------------------------------


def delete(rng: Random, log: Log) -> Tampering:
    """One row less."""
    row, what = pick(rng, log.rows), below(rng, 5)
    if what < 2:
        _execute("DELETE FROM eventstore_event WHERE position = %s", row.position)
    if what in (1, 2):
        _execute("DELETE FROM eventstore_log_leaf WHERE log_index = %s", row.index)
    if what < 3:
        named = ("event", "event and leaf", "leaf")[what]
        return Tampering(f"deleted {named}", _names(row))
    if what == 3:
        level, n = pick(rng, log.tiles)
        _execute("DELETE FROM eventstore_log_tile WHERE level = %s AND n = %s", level, n)
        names = {name_of(TILE, f"{level}/{n}")}
        return Tampering("deleted tile", frozenset(names), in_export=False)
    size = pick(rng, log.sizes)
    _execute("DELETE FROM eventstore_log_checkpoint WHERE size = %s", size)
    names = {name_of(CHECKPOINT, size), name_of(KEPT, size)}
    return Tampering("deleted checkpoint", frozenset(names), in_export=False)


def swap(rng: Random, log: Log) -> Tampering:
    """Two rows change places, or a value."""
    one = pick(rng, log.rows)
    other = pick(rng, [row for row in log.rows if row.index != one.index])
    what = below(rng, 4)
    if what == 0:
        other = pick(rng, [row for row in log.rows if row.event.data != one.event.data])
        for row, data in ((one, other.event.data), (other, one.event.data)):
            _update(EVENT, "data", data, "position", row.position)
        named = "data"
    elif what == 1:
        for row, hashed in ((one, other.event.hash), (other, one.event.hash)):
            _update(LEAF, "hash", hashed, "log_index", row.index)
        named = "hashes of leaves"
    elif what == 2:
        for row, position in ((one, other.position), (other, one.position)):
            _update(LEAF, "position", position, "log_index", row.index)
        named = "places"
    else:
        return _swap_versions(rng, log)
    return Tampering(f"swapped {named}", _names(one, other), in_export=what != 1)


def _swap_versions(rng: Random, log: Log) -> Tampering:
    long = [name for name in _streams(log) if sum(row.event.stream == name for row in log.rows) > 1]
    stream = pick(rng, long)
    members = [row for row in log.rows if row.event.stream == stream]
    first = below(rng, len(members) - 1)
    one, other = members[first], pick(rng, members[first + 1 :])
    for row, version in ((one, other.event.version), (other, one.event.version)):
        _update(EVENT, "version", version, "position", row.position)
    return Tampering("swapped versions", _names(one, other))


def insert(rng: Random, log: Log) -> Tampering:
    """One row more."""
    row, size, what = pick(rng, log.rows), len(log.rows), below(rng, 6)
    if what == 0:
        _add_event(row.event)
        return Tampering("inserted copy", _names(row), in_export=False)
    if what in (1, 2):
        last = [one for one in log.rows if one.event.stream == row.event.stream][-1]
        version = last.event.version + what
        _add_event(replaced(row.event, version=version, prev_hash=_flipped(rng, NO_HASH)))
        names = {event_name(row.event.stream, version)}
        return Tampering("inserted event", frozenset(names), in_export=False)
    if what == 3:
        index = size + below(rng, 3)
        _execute(
            "INSERT INTO eventstore_log_leaf (log_index, position, hash) VALUES (%s, %s, %s)",
            index,
            row.position if below(rng, 2) else FAR,
            row.event.hash,
        )
        names = {name_of(LEAF, one) for one in range(size, index + 1)}
        return Tampering("inserted leaf", frozenset(names), in_export=False)
    if what == 4:
        level, n = below(rng, 3), size // WIDTH + below(rng, 3)
        _execute(
            "INSERT INTO eventstore_log_tile (level, n, hashes) VALUES (%s, %s, %s)",
            level,
            n,
            bytes(32 * WIDTH),
        )
        names = {name_of(TILE, f"{level}/{n}")}
        return Tampering("inserted tile", frozenset(names), in_export=False)
    free = pick(rng, [one for one in range(1, size + 1) if one not in log.notes])
    root = merkle.root([one.event.hash for one in log.rows[:free]])
    _add_checkpoint(free, root, _forged(log, free, root))
    names = {name_of(CHECKPOINT, free)}
    return Tampering("inserted checkpoint", frozenset(names), in_export=False)


# --- tails and histories --------------------------------------------------------------------------


def cut(rng: Random, log: Log) -> Tampering:
    """The end of the log goes, in all relations or in some."""
    index = log.sizes[0] + below(rng, len(log.rows) - log.sizes[0])
    leaves_too, signatures_too = below(rng, 3) > 0, below(rng, 3) > 0
    _execute(
        """DELETE FROM eventstore_event WHERE position IN
        (SELECT position FROM eventstore_log_leaf WHERE log_index >= %s)""",
        index,
    )
    names = {name_of(LEAF, index)} | _names(*log.rows[index:])
    if leaves_too:
        _execute("DELETE FROM eventstore_log_leaf WHERE log_index >= %s", index)
        _execute("DELETE FROM eventstore_log_tile WHERE (n + 1) * 256 ^ (level + 1) > %s", index)
        _execute("UPDATE eventstore_log_state SET size = %s", index)
        names = _signed(log, index)
        if signatures_too:
            _execute("DELETE FROM eventstore_log_checkpoint WHERE size > %s", index)
    clean = leaves_too and signatures_too
    return Tampering("cut tail" + (", cleanly" if clean else ""), frozenset(names), not clean)


def rewrite(rng: Random, log: Log) -> Tampering:
    """One stream told anew from some event on, every hash computed again; more or less thorough.

    The most thorough one leaves a log that agrees with itself, up to the signatures, or even
    without them: then what somebody outside has kept is all that tells.
    """
    start = pick(rng, log.rows)
    depth = below(rng, len(_DEPTHS))
    changed = _told_anew(rng, log, start)
    for row in changed:
        _rewrite_event(row)
    names = {name_of(LEAF, start.index)}
    if depth >= 1:
        for row in changed:
            _update(LEAF, "hash", row.event.hash, "log_index", row.index)
        names = _signed(log, start.index)
        names |= {
            name_of(TILE, f"{level}/{n}") for level, n in log.tiles if _holds(level, n, start)
        }
    if depth >= 2:
        _rebuild_tiles(log, changed)
        names = _signed(log, start.index)
    if depth >= 3:
        _sign_anew(log, changed, start.index, forged=depth == 3)
    return Tampering(f"rewritten stream: {_DEPTHS[depth]}", frozenset(names), depth < 4)


_DEPTHS = ("events", "leaves", "tiles", "forged signatures", "signatures removed")


def _told_anew(rng: Random, log: Log, start: Row) -> list[Row]:
    """The stream from an event on with other data there, chained and hashed again."""
    value = json.loads(start.event.data)
    _change(rng, value)
    event = replaced(start.event, data=encode(value).decode())
    found: list[Row] = []
    for row in log.rows[start.index :]:
        if row.event.stream == start.event.stream:
            draft = row.event if found else event
            if found:
                draft = replaced(draft, prev_hash=found[-1].event.hash)
            hashed = replaced(draft, hash=leaf_hash(record_bytes(draft)))
            found.append(replace(row, event=hashed))
    return found


def _rewrite_event(row: Row) -> None:
    _execute(
        """UPDATE eventstore_event SET data = %s::json, prev_hash = %s, hash = %s
        WHERE position = %s""",
        row.event.data,
        row.event.prev_hash,
        row.event.hash,
        row.position,
    )


def _holds(level: int, n: int, row: Row) -> bool:
    return row.index >> HEIGHT * (level + 1) == n


def _hashes(log: Log, changed: Iterable[Row]) -> list[bytes]:
    hashes = [row.event.hash for row in log.rows]
    for row in changed:
        hashes[row.index] = row.event.hash
    return hashes


def _rebuild_tiles(log: Log, changed: Sequence[Row]) -> None:
    for tile in Edge().push(_hashes(log, changed)):
        _execute(
            "UPDATE eventstore_log_tile SET hashes = %s WHERE level = %s AND n = %s",
            tile.hashes,
            tile.level,
            tile.n,
        )


def _sign_anew(log: Log, changed: Sequence[Row], index: int, *, forged: bool) -> None:
    """Checkpoints over the change by a key of the forger, whose key becomes the log's; or none."""
    _execute("DELETE FROM eventstore_log_checkpoint WHERE size > %s", index)
    if not forged:
        return
    public = FORGER.public_key().public_bytes_raw()
    _execute(
        "UPDATE eventstore_log_key SET key_id = %s, public_key = %s",
        key_id(log.origin, public),
        public,
    )
    hashes = _hashes(log, changed)
    for size in log.signed_over(index):
        root = merkle.root(hashes[:size])
        _add_checkpoint(size, root, _forged(log, size, root))


WAYS: tuple[Way, ...] = (
    event_column, event_column, event_column, leaf_column, tile_column, checkpoint_column,
    delete, swap, insert, cut, rewrite, rewrite,
)  # fmt: skip


# --- statements -----------------------------------------------------------------------------------


def _relation(name: str) -> sql.Identifier:
    return sql.Identifier(PREFIX + name)


def _update(relation: str, column: str, value: object, key: str, row: object) -> None:
    text = sql.SQL("%s::json" if column in ("data", "meta") else "%s")
    names = (_relation(relation), sql.Identifier(column), text, sql.Identifier(key))
    _execute(sql.SQL("UPDATE {} SET {} = {} WHERE {} = %s").format(*names), value, row)


def _add_event(event: Stored) -> None:
    _execute(
        """INSERT INTO eventstore_event (position, event_id, stream, version, type, schema, data,
            meta, at, prev_hash, hash)
        VALUES (%s, %s, %s, %s, %s, %s, %s::json, %s::json, %s, %s, %s)""",
        FAR,
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


def _add_checkpoint(size: int, root: bytes, note: str) -> None:
    _execute(
        """INSERT INTO eventstore_log_checkpoint (size, root, note, signed_at)
        VALUES (%s, %s, %s, clock_timestamp())""",
        size,
        root,
        note,
    )


def _execute(statement: Any, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def _rows(statement: str, *parameters: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _value(statement: str, *parameters: Any) -> Any:
    return _rows(statement, *parameters)[0][0]
