"""The log to take away: a stream, or all of it, as lines of JSON (`eventstore.md` section 6.4).

An export ends at a signed size and says nothing that can not be checked against that signature. It
is read in pages, so its length costs no memory, and nothing in it depends on when it is made: two
exports of one range by readers of one kind are equal to the byte.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
from django.db import connection

from eventstore import store, tree
from eventstore.core.record import record_bytes
from eventstore.core.refusal import refuse
from eventstore.readers import PUBLIC, Reader, is_shown, running_hands

FORMAT = "tonk/export/1"
MEDIA_TYPE = "application/x-ndjson"
LOGGER = "tonk.exports"  # where each export is told, with whoever asked for it and the range
PAGE_ROWS = 2_000  # of the log that an export holds at once
_encode = msgspec.json.encode


def stream_export(stream: str) -> Iterator[bytes]:
    """Lines of a stream's export: from version 1 to the last one that is signed and shown.

    Who may read the stream is the caller's matter; a running hand is shown to nobody.
    Raises: Refused with `not_found`, `not_yet_sealed`.
    """
    newest = tree.newest()
    if not store.events_after(stream, 0, limit=1):
        raise refuse("not_found")
    if newest is None or store.version_within(stream, newest.size) == 0:
        raise refuse("not_yet_sealed")
    return _stream_lines(stream, _signed_from(newest.size))


def log_export(start: int = 0, end: int | None = None, reader: Reader = PUBLIC) -> Iterator[bytes]:
    """Lines of the log from leaf `start` to the first signed size that is not below `end`.

    Without `end`: to the newest. Records that are not for the reader stand there as their hashes.
    Raises: Refused with `bad_proof_range`, `not_yet_sealed`.
    """
    newest = tree.newest()
    if newest is None:
        raise refuse("not_yet_sealed")
    if not 0 <= start < newest.size or (end is not None and not start < end <= newest.size):
        raise refuse("bad_proof_range", size=newest.size)
    return _log_lines(start, _signed_from(newest.size if end is None else end), reader)


def verifier_keys(size: int) -> list[str]:
    """Keys that may sign this size, as verifiers read them."""
    known = tree.keys()
    return [
        one.key
        for one in known
        if one.from_size <= size and (one.to_size is None or size <= one.to_size)
    ]


@dataclass(frozen=True, slots=True)
class _Signed:
    """A signed size and its note, without lines of witnesses: those are added later."""

    size: int
    note: str


def _signed_from(size: int) -> _Signed:
    """The smallest signed size that is not below `size`, which is at most the newest."""
    rows = _rows(
        """SELECT size, note FROM eventstore_log_checkpoint
        WHERE size >= %s ORDER BY size LIMIT 1""",
        [size],
    )
    return _Signed(*rows[0])


def _notes(after: int, upto: int) -> dict[int, str]:
    return dict(
        _rows(
            "SELECT size, note FROM eventstore_log_checkpoint WHERE size > %s AND size <= %s",
            [after, upto],
        )
    )


def _rows(sql: str, parameters: Sequence[int]) -> list[tuple[int, str]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _stream_lines(stream: str, signed: _Signed) -> Iterator[bytes]:
    running = running_hands([stream], signed.size)
    yield _line({"format": FORMAT, "kind": "stream", "stream": stream} | _proof(signed))
    count, last = 0, 0
    for leaf in _leaves_of(stream):
        version = leaf.event.version
        if leaf.index >= signed.size or version >= running.get(stream, version + 1):
            break
        yield _line({"i": leaf.index, "r": record_bytes(leaf.event).decode()})
        count, last = version, leaf.index
    path = [one.hex() for one in tree.inclusion(last, signed.size)]
    inclusion = {"index": last, "size": signed.size, "path": path}
    yield _line({"inclusion": inclusion, "count": count})


def _leaves_of(stream: str) -> Iterator[store.Leaf]:
    after = 0
    while found := store.leaves_of(stream, after, PAGE_ROWS):
        yield from found
        after = found[-1].event.version


def _log_lines(start: int, last: _Signed, reader: Reader) -> Iterator[bytes]:
    head: dict[str, object] = {"format": FORMAT, "kind": "log"} | _proof(last)
    head |= {"from": start, "size": last.size}
    if start:
        head["frontier"] = [one.hex() for one in tree.frontier(start)]
    yield _line(head)
    count = 0
    for first in range(start, last.size, PAGE_ROWS):
        end = min(first + PAGE_ROWS, last.size)
        page = store.leaves(first, end)
        running = running_hands({leaf.event.stream for leaf in page}, last.size)
        notes = _notes(first, end)
        for leaf in page:
            event, count = leaf.event, count + 1
            if is_shown(event.stream, event.version, reader, running):
                yield _line({"i": leaf.index, "r": record_bytes(event).decode()})
            else:
                yield _line({"i": leaf.index, "h": leaf.hash.hex()})
            if note := notes.get(leaf.index + 1):
                yield _line({"c": note})
    yield _line({"count": count})


def _proof(signed: _Signed) -> dict[str, object]:
    """What a header says of the signature under an export."""
    return {
        "origin": tree.origin(),
        "keys": verifier_keys(signed.size),
        "checkpoint": signed.note,
    }


def _line(value: dict[str, object]) -> bytes:
    return _encode(value) + b"\n"
