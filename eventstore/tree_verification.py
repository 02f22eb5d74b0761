"""The tree as it lies in the database, made anew from its leaves and held to its signatures.

One pass in the order of the log. The first fault of each relation is named; what follows from it in
the same relation is not told again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from django.db import connection
from typing_extensions import override

from eventstore.core.merkle import Frontier
from eventstore.core.notes import BadNote, Note, VerifierKey, parse_note
from eventstore.core.tiles import WIDTH, Edge, Tile

PAGE_ROWS = 2_000
UNTRUSTED = "not signed by a key that you gave"
LEAF, TILE, CHECKPOINT, KEY, KEPT = (
    "log_leaf",
    "log_tile",
    "log_checkpoint",
    "log_key",
    "kept note",
)


@dataclass(frozen=True, slots=True)
class TreeFault:
    """The first row of a relation that is not as the log gives it, or a note kept elsewhere."""

    relation: str
    row: str  # its key: an index, level/n, a size, a verifier key
    code: str

    @override
    def __str__(self) -> str:
        return f"{self.relation} {self.row}: {self.code}"


@dataclass(frozen=True, slots=True)
class Outside:
    """What somebody outside holds: keys that he trusts, and notes that he was shown.

    Without keys those of the database are taken, where whoever rules it could have put his own.
    """

    keys: Sequence[VerifierKey] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class VerifiedTree:
    """How much of the tree was made anew, and what was otherwise."""

    leaves: int
    checkpoints: int
    faults: tuple[TreeFault, ...]


NOBODY = Outside()


def verify_tree(outside: Outside = NOBODY) -> VerifiedTree:
    """Leaves, tiles, checkpoints, signatures and keys. The sequencer may go on meanwhile."""
    stated = _stated()
    walk = _Walk(_trusted(outside.keys, stated), stated, _kept(outside.notes))
    for unreadable in walk.kept.pop(None, ()):
        walk.tell(KEPT, unreadable, "bad_note")
    size = _size()
    while walk.page():
        pass
    walk.end(size)
    for key, code in _key_faults(stated):
        walk.tell(KEY, key, code)
    return VerifiedTree(walk.frontier.size, walk.checkpoints, tuple(walk.faults.values()))


@dataclass(frozen=True, slots=True)
class _Key:
    """A key and the sizes that it may sign."""

    key: VerifierKey
    first: int
    last: int | None
    stored_id: bytes

    def signed(self, note: Note) -> bool:
        fits = self.first <= note.size and (self.last is None or note.size <= self.last)
        return fits and self.key.name == note.origin and note.is_signed_by(self.key)


def _stated() -> list[_Key]:
    """Keys of the log as the database has them."""
    return [
        _Key(VerifierKey(name, bytes(public)), first, last, bytes(key_id))
        for name, public, first, last, key_id in _rows(_KEYS)
    ]


def _trusted(keys: Sequence[VerifierKey], stated: Sequence[_Key]) -> Sequence[_Key]:
    """The keys of somebody outside, for the sizes that the log gives them; else all stated."""
    ranges = {one.key: one for one in stated}
    return [ranges.get(key, _Key(key, 0, None, key.id)) for key in keys] or stated


def _key_faults(stated: Sequence[_Key]) -> Iterator[tuple[str, str]]:
    """Keys against their ids, and against the events that announced and ended them."""
    ended: dict[str, int | None] = {}
    for kind, text in _rows(_ANNOUNCED):
        data = msgspec.json.decode(text)
        if isinstance(data, dict):  # else it was changed, which its chain tells
            ended[str(data.get("key"))] = data.get("size") if kind == "KeyRetired" else None
    for one in stated:
        if one.key.id != one.stored_id:
            yield one.key.text, "bad_id"
        elif one.key.text not in ended:
            yield one.key.text, "not_announced"
        elif ended[one.key.text] != one.last:
            yield one.key.text, "bad_end"


def _kept(notes: Sequence[str]) -> dict[int | None, list[str]]:
    """Notes by their sizes; under None the first lines of those that can not be read."""
    found: dict[int | None, list[str]] = {}
    for text in notes:
        try:
            found.setdefault(parse_note(text).size, []).append(text)
        except BadNote:
            found.setdefault(None, []).append(text.partition("\n")[0])
    return found


@dataclass(slots=True)
class _Walk:
    """The tree so far."""

    trusted: Sequence[_Key]
    stated: Sequence[_Key]  # what the database says of itself
    kept: dict[int | None, list[str]]
    frontier: Frontier = field(default_factory=Frontier)
    edge: Edge = field(default_factory=Edge)
    next_index: int = 0
    checkpoints: int = 0
    heads: dict[str, int] = field(default_factory=dict)
    faults: dict[str, TreeFault] = field(default_factory=dict)

    def tell(self, relation: str, row: object, code: str) -> None:
        """Keep the first fault of a relation."""
        self.faults.setdefault(relation, TreeFault(relation, str(row), code))

    def page(self) -> bool:
        """Take the next leaves; whether there were any."""
        rows = _rows(_LEAVES, [self.next_index, PAGE_ROWS])
        first = self.frontier.size
        stored = {row[0]: row for row in _rows(_CHECKPOINTS, [first, first + len(rows)])}
        for row in rows:
            self._leaf(row)
            self.frontier.push(bytes(row[1]))
            size = self.frontier.size
            if size in stored or size in self.kept:
                self._signed(size, stored.get(size))
        self._compare_tiles(self.edge.push(bytes(row[1]) for row in rows))
        return bool(rows)

    def _leaf(self, row: Sequence[Any]) -> None:
        """Every place has one event, and every stream its versions in order."""
        index, hashed, stream, version, event_hash = row
        if index != self.next_index:
            self.tell(LEAF, self.next_index, "missing")
        self.next_index = index + 1
        if stream is None:
            self.tell(LEAF, index, "no_event")
            return
        if bytes(hashed) != bytes(event_hash):
            self.tell(LEAF, index, "bad_hash")
        if version != self.heads.get(stream, 0) + 1:
            self.tell(LEAF, index, "out_of_order")
        self.heads[stream] = version

    def _compare_tiles(self, complete: Sequence[Tile]) -> None:
        places = [[one.level for one in complete], [one.n for one in complete]]
        rows = _rows(_TILES, places) if complete else ()
        stored = {(level, n): bytes(hashes) for level, n, hashes in rows}
        for tile in complete:
            found = stored.get((tile.level, tile.n))
            if found != tile.hashes:
                self.tell(TILE, f"{tile.level}/{tile.n}", "bad_hash" if found else "missing")

    def _signed(self, size: int, stored: Sequence[Any] | None) -> None:
        """A stored checkpoint, and notes kept elsewhere, say what the leaves give."""
        root = self.frontier.root()
        if stored is not None:
            self.checkpoints += 1
            code = "bad_root" if bytes(stored[1]) != root else self._judge(stored[2], size, root)
            if code or not self._is_own(stored[2]):
                self.tell(CHECKPOINT, size, code or "foreign_line")
        for text in self.kept.pop(size, ()):
            if code := self._judge(text, size, root):
                self.tell(KEPT, size, code)
            elif stored is None:
                self.tell(CHECKPOINT, size, "missing")

    def _judge(self, text: str, size: int, root: bytes) -> str | None:
        """What is wrong with a note over the leaves so far."""
        try:
            note = parse_note(text)
        except BadNote:
            return "bad_note"
        if note.size != size:
            return "bad_note"
        if not any(key.signed(note) for key in self.trusted):
            known = any(key.signed(note) for key in self.stated)
            return UNTRUSTED if known else "bad_signature"
        return None if note.root == root else "bad_root"

    def _is_own(self, text: str) -> bool:
        """Whether a stored note is as the sequencer wrote it: lines of the log's keys alone."""
        note = parse_note(text)
        keys = [one.key for one in (*self.trusted, *self.stated)]
        alone = (replace(note, lines=(line,)) for line in note.lines)
        signed = all(any(one.is_signed_by(key) for key in keys) for one in alone)
        return signed and text == note.text + "\n" + "".join(line.text for line in note.lines)

    def end(self, size_before: int) -> None:
        """Nothing lies beyond the leaves, and nothing that was signed once is beyond them.

        The sequencer may have gone on: what is beyond is so for the size that is read last.
        """
        size = self.frontier.size
        if size_before > size:
            self.tell(LEAF, size, "missing")
        beyond = {CHECKPOINT: _rows(_BEYOND, [size]), TILE: _rows(_STRAY, [WIDTH, WIDTH, size])}
        size_after = _size()
        if size > size_after:
            self.tell(LEAF, size_after, "beyond_log")
        for relation, rows in beyond.items():
            for row, least in rows:
                if least > size_after:
                    self.tell(relation, row, "beyond_log")
        for kept in sorted(one for one in self.kept if one is not None):
            self.tell(KEPT, kept, "log_shorter")


_KEYS = "SELECT name, public_key, from_size, to_size, key_id FROM eventstore_log_key ORDER BY 3"
_ANNOUNCED = """SELECT e.type, e.data::text FROM eventstore_event e, eventstore_log_state s
    WHERE e.stream = 'log/' || s.log_id AND e.type IN ('LogOpened', 'KeyAdded', 'KeyRetired')
    ORDER BY e.version"""
_LEAVES = """SELECT l.log_index, l.hash, e.stream, e.version, e.hash
    FROM eventstore_log_leaf l LEFT JOIN eventstore_event e USING (position)
    WHERE l.log_index >= %s ORDER BY l.log_index LIMIT %s"""
_CHECKPOINTS = """SELECT size, root, note FROM eventstore_log_checkpoint
    WHERE size > %s AND size <= %s"""
_TILES = """SELECT level, n, hashes FROM eventstore_log_tile
    JOIN unnest(%s::smallint[], %s::bigint[]) AS w (level, n) USING (level, n)"""
# With each row the size that the log must have for it to be there.
_BEYOND = "SELECT size, size FROM eventstore_log_checkpoint WHERE size > %s ORDER BY size"
_STRAY = """SELECT format('%%s/%%s', level, n), (n::numeric + 1) * (%s::numeric ^ (level + 1))
    FROM eventstore_log_tile WHERE (n::numeric + 1) * (%s::numeric ^ (level + 1)) > %s
    ORDER BY level, n"""


def _size() -> int:
    return int(_rows("SELECT size FROM eventstore_log_state")[0][0])


def _rows(sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())
