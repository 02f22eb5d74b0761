"""Tiles of the tree (C2SP tlog-tiles, height 8), and proofs from them (`eventstore.md` 4.2).

Tile (level, n) holds the hashes of the complete subtrees of 256^level leaves numbered 256n to
256n + 255. A proof names nodes; each complete one lies within a single tile.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from eventstore.core import merkle

HEIGHT = 8
WIDTH = 1 << HEIGHT
HASH_BYTES = 32
TILE_BYTES = WIDTH * HASH_BYTES
LEVEL_MAX = 63 // HEIGHT  # sizes are numbers of 63 bits
_TILE = re.compile(r"((?:x[0-9]{3}/){0,6}[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?\Z")

Place = tuple[int, int]
"""Level and number of a tile."""
Node = tuple[int, int]
"""Height and number of a complete subtree: 2^height leaves."""


def tile_path(n: int, width: int = WIDTH) -> str:
    """Number of a tile as paths write it, with the width of a partial one.

    >>> tile_path(1234067), tile_path(2, 88)
    ('x001/x234/067', '002.p/88')
    """
    groups = [f"{n % 1000:03}"]
    while n >= 1000:
        n //= 1000
        groups.append(f"x{n % 1000:03}")
    return "/".join(reversed(groups)) + ("" if width == WIDTH else f".p/{width}")


def read_tile_path(text: str) -> tuple[int, int] | None:
    """Number and width that `tile_path` wrote as exactly this text, else None.

    >>> read_tile_path("x001/x234/067"), read_tile_path("002.p/88"), read_tile_path("x000/002")
    ((1234067, 256), (2, 88), None)
    """
    match = _TILE.match(text)
    if match is None:
        return None
    n = int(match[1].replace("/", "").replace("x", ""))
    width = int(match[2]) if match[2] else WIDTH
    return (n, width) if tile_path(n, width) == text and width <= WIDTH else None


def width_at(place: Place, size: int) -> int:
    """How many hashes a tile has in a tree of this size, 0 to 256."""
    level, n = place
    return max(0, min(WIDTH, (size >> HEIGHT * level) - WIDTH * n))


def split_hashes(hashes: bytes) -> list[bytes]:
    """The hashes of a tile, one by one."""
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]


def tiles_of(nodes: Iterable[Node]) -> set[Place]:
    """The tiles in which these nodes lie."""
    return {_place(node)[0] for node in nodes}


def roots_of(
    ranges: Iterable[merkle.Range], tiles: Mapping[Place, Sequence[bytes]]
) -> tuple[bytes, ...]:
    """Roots over these ranges. `tiles` has at least the hashes that they need.

    Raises: IndexError where a tile is too short.
    """
    return tuple(
        merkle.join([hash_of(node, tiles) for node in merkle.subtrees(leaves)]) for leaves in ranges
    )


def hash_of(node: Node, tiles: Mapping[Place, Sequence[bytes]]) -> bytes:
    """Hash of a node from the tile in which it lies. Raises: as `roots_of`."""
    place, first, count = _place(node)
    hashes = tiles[place][first : first + count]
    if len(hashes) < count:
        raise IndexError(f"tile {place} is too short for the tree")
    return merkle.root(hashes)


def _place(node: Node) -> tuple[Place, int, int]:
    """Tile of a complete subtree, and the first and number of its hashes there."""
    height, number = node
    level, above = divmod(height, HEIGHT)
    first = number << above
    return (level, first // WIDTH), first % WIDTH, 1 << above


@dataclass(frozen=True, slots=True)
class Tile:
    """A complete tile."""

    level: int
    n: int
    hashes: bytes


class Edge:
    """The right edge of a tree that only grows: on each level the tile that is not complete."""

    __slots__ = ("levels", "size")

    def __init__(self, size: int = 0, levels: Sequence[Sequence[bytes]] = ()) -> None:
        """`levels` holds the hashes of the partial tile of each level, from level 0 on."""
        self.size = size
        self.levels = [list(hashes) for hashes in levels]

    def copy(self) -> Self:
        """The same, to be grown apart."""
        return type(self)(self.size, self.levels)

    def push(self, leaves: Iterable[bytes]) -> list[Tile]:
        """Add leaves on the right; the tiles that became complete by it."""
        found: list[Tile] = []
        for leaf in leaves:
            self._add(0, leaf, found)
            self.size += 1
        return found

    def _add(self, level: int, hashed: bytes, found: list[Tile]) -> None:
        if level == len(self.levels):
            self.levels.append([])
        hashes = self.levels[level]
        hashes.append(hashed)
        if len(hashes) == WIDTH:
            n = self.size >> HEIGHT * (level + 1)  # the size before the last leaf
            found.append(Tile(level, n, b"".join(hashes)))
            self._add(level + 1, merkle.root(hashes), found)
            hashes.clear()

    def root(self) -> bytes:
        """Root over all leaves so far."""
        right: list[bytes] = []
        for hashes in self.levels:
            # What is not complete on the level below counts as the last unit of this one.
            units = [*hashes, *right]
            right = [merkle.root(units)] if units else []
        return right[0] if right else merkle.EMPTY_ROOT
