"""Reads of the tree: its size, checkpoints, tiles and proofs (`eventstore.md` section 4).

Whatever is asked about lies in relations that are only added to, so reads need no transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from eventstore.core import merkle, tiles
from eventstore.core.notes import verifier_key
from eventstore.core.refusal import refuse
from eventstore.nodes import Nodes, rows

CHECKPOINTS_PAGE = 100


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed size and root; `note` has the lines of witnesses too."""

    size: int
    root: bytes
    note: str
    signed_at: datetime


@dataclass(frozen=True, slots=True)
class Key:
    """A verifier key of the log and the sizes that it may sign; `reason` says why it ended."""

    key: str
    from_size: int
    to_size: int | None
    reason: str | None


def size(*, using: str = "default") -> int:
    """Number of events that have their place."""
    return int(rows(using, "SELECT size FROM eventstore_log_state")[0][0])


def origin(*, using: str = "default") -> str:
    """Name of the log in its notes; empty until the sequencer has started for the first time."""
    return rows(using, "SELECT origin FROM eventstore_log_state")[0][0] or ""


_CHECKPOINT = """SELECT c.size, c.root, c.signed_at, c.note || coalesce((
        SELECT string_agg(w.line, '' ORDER BY w.name)
        FROM eventstore_log_cosignature w WHERE w.size = c.size), '')
    FROM eventstore_log_checkpoint c """
_NEWEST = _CHECKPOINT + "ORDER BY c.size DESC LIMIT 1"
_ONE = _CHECKPOINT + "WHERE c.size = %s"
_WITNESSED = (
    _CHECKPOINT + "JOIN eventstore_log_cosignature o USING (size) ORDER BY o.size DESC LIMIT 1"
)
_EARLIER = _CHECKPOINT + "WHERE c.size < %s ORDER BY c.size DESC LIMIT %s"


def newest(*, using: str = "default") -> Checkpoint | None:
    """The newest checkpoint."""
    return next(_checkpoints(rows(using, _NEWEST)), None)


def newest_witnessed(*, using: str = "default") -> Checkpoint | None:
    """The newest checkpoint that a witness has cosigned: one a minute at most, not each."""
    return next(_checkpoints(rows(using, _WITNESSED)), None)


def checkpoint(size: int, *, using: str = "default") -> Checkpoint | None:
    """The checkpoint of exactly this size."""
    return next(_checkpoints(rows(using, _ONE, [size])), None)


def checkpoints(
    below: int, limit: int = CHECKPOINTS_PAGE, *, using: str = "default"
) -> list[Checkpoint]:
    """Checkpoints of sizes below this one, newest first."""
    return list(_checkpoints(rows(using, _EARLIER, [below, limit])))


def covering(index: int, *, using: str = "default") -> Checkpoint | None:
    """The newest checkpoint, if the leaf lies below its size."""
    found = newest(using=using)
    return found if found is not None and index < found.size else None


def head(*, using: str = "default") -> dict[str, object] | None:
    """Size and root of the newest checkpoint, as answers carry it."""
    sql = "SELECT size, root FROM eventstore_log_checkpoint ORDER BY size DESC LIMIT 1"
    found = rows(using, sql)
    return {"size": found[0][0], "root": found[0][1].hex()} if found else None


def inclusion(index: int, size: int, *, using: str = "default") -> tuple[bytes, ...]:
    """Inclusion path of a leaf in the tree of a size, nearest sibling first.

    Raises: Refused with `bad_proof_range` where the size is not signed yet.
    """
    log, signed = _log(using)
    if not 0 <= index < size or size > signed:
        raise refuse("bad_proof_range")
    return Nodes(log, size, using, low=True).roots(merkle.inclusion_ranges(index, size))


def consistency(old: int, new: int, *, using: str = "default") -> tuple[bytes, ...]:
    """Consistency path between two sizes. Raises: Refused with `bad_proof_range`, as above."""
    log, signed = _log(using)
    if not 0 < old <= new or new > signed:
        raise refuse("bad_proof_range")
    return Nodes(log, new, using, low=True).roots(merkle.consistency_ranges(old, new))


def consistency_unsigned(old: int, new: int, *, using: str) -> tuple[bytes, ...]:
    """The same up to any size that the tree has: for whoever is about to sign it."""
    return _nodes(new, using).roots(merkle.consistency_ranges(old, new))


def frontier(size: int, *, using: str = "default") -> tuple[bytes, ...]:
    """Roots of the complete subtrees that the first `size` leaves make up, the largest first."""
    whole = [
        (number << height, number + 1 << height) for height, number in merkle.subtrees((0, size))
    ]
    return _nodes(size, using).roots(whole)


def root(size: int, *, using: str = "default") -> bytes:
    """Root over the first `size` leaves."""
    return _nodes(size, using).roots([(0, size)])[0]


def tile(level: int, n: int, width: int, *, using: str = "default") -> bytes | None:
    """The first `width` hashes of a tile, None where the tree is not that large yet."""
    if not 0 <= level <= tiles.LEVEL_MAX or n < 0 or not 0 < width <= tiles.WIDTH:
        return None
    have = size(using=using)
    if tiles.width_at((level, n), have) < width:
        return None
    return b"".join(_nodes(have, using).tiles([(level, n)])[level, n][:width])


def leaf_hashes(first: int, count: int, *, using: str = "default") -> list[bytes]:
    """Hashes of these leaves, as far as they are there."""
    return Nodes(None, 0, using).leaves(first, count)


def edge(size: int, *, using: str = "default") -> tiles.Edge:
    """The right edge of the tree at this size, as the sequencer goes on from it."""
    places: list[tiles.Place] = []
    while size >> tiles.HEIGHT * len(places):
        level = len(places)
        places.append((level, size >> tiles.HEIGHT * (level + 1)))
    found = _nodes(size, using).tiles(places)
    return tiles.Edge(size, [found[place][: tiles.width_at(place, size)] for place in places])


def index_of(stream: str, version: int, *, using: str = "default") -> int | None:
    """Place of an event in the log, None while it has none."""
    return indexes_of(stream, version, version, using=using)[0]


def indexes_of(stream: str, first: int, last: int, *, using: str = "default") -> list[int | None]:
    """Places of the versions `first` to `last`, None for what has no place or is not there."""
    placed = rows(
        using,
        """SELECT e.version, l.log_index FROM eventstore_event e
        JOIN eventstore_log_leaf l USING (position)
        WHERE e.stream = %s AND e.version BETWEEN %s AND %s""",
        [stream, first, last],
    )
    found: dict[int, int] = dict(placed)
    return [found.get(version) for version in range(first, last + 1)]


def keys(*, using: str = "default") -> list[Key]:
    """Every key that has signed for the log or will, the oldest first."""
    known = rows(
        using,
        """SELECT k.name, k.public_key, k.from_size, k.to_size FROM eventstore_log_key k
        ORDER BY k.from_size, k.to_size NULLS LAST, k.key_id""",
    )
    why: dict[str, str] = dict(
        rows(
            using,
            """SELECT e.data->>'key', e.data->>'reason'
            FROM eventstore_event e, eventstore_log_state s
            WHERE e.stream = 'log/' || s.log_id AND e.type = 'KeyRetired'""",
        )
    )
    found = []
    for name, public_key, from_size, to_size in known:
        text = verifier_key(name, bytes(public_key))
        found.append(Key(text, from_size, to_size, why.get(text)))
    return found


def _log(using: str) -> tuple[UUID | None, int]:
    """Id of the log, and the newest signed size."""
    found: tuple[UUID | None, int] = rows(
        using,
        """SELECT log_id, (SELECT coalesce(max(size), 0) FROM eventstore_log_checkpoint)
        FROM eventstore_log_state""",
    )[0]
    return found


def _nodes(size: int, using: str) -> Nodes:
    return Nodes(_log(using)[0], size, using)


def _checkpoints(found: Iterable[Sequence[Any]]) -> Iterator[Checkpoint]:
    for size, root_, signed_at, note in found:
        yield Checkpoint(size, bytes(root_), note, signed_at.astimezone(UTC))
