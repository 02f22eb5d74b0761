"""Nodes of the tree, read from stored tiles and leaves. Complete ones are remembered.

A node over a complete subtree never changes, so a process computes each of the upper ones once:
they are in every proof. Those below the roots of tiles are mostly the right edge's, again and
again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connections

from eventstore.core import merkle, tiles
from eventstore.core.tiles import HEIGHT, WIDTH, Node, Place

NODES_KEPT_MAX = 1 << 17  # above it a memory is emptied; it fills again

_high: dict[tuple[UUID, Node], bytes] = {}
_low: dict[tuple[UUID, Node], bytes] = {}


def rows(using: str, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
    """Rows of a statement, on whatever alias; none of a statement that gives none."""
    with connections[using].cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall()) if cursor.description else []


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of one log at one size. `low`: remember those below the roots of tiles too."""

    log: UUID | None  # None: nothing is remembered
    size: int
    using: str
    low: bool = False

    def roots(self, ranges: Sequence[merkle.Range]) -> tuple[bytes, ...]:
        """Roots over these ranges of leaves."""
        parts = [list(merkle.subtrees(leaves)) for leaves in ranges]
        found = self._hashes({node for nodes in parts for node in nodes})
        return tuple(merkle.join([found[node] for node in nodes]) for nodes in parts)

    def tiles(self, places: Iterable[Place]) -> dict[Place, Sequence[bytes]]:
        """Hashes of these tiles, at least those that a tree of this size has."""
        wanted = set(places)
        stored = rows(
            self.using,
            """SELECT t.level, t.n, t.hashes FROM eventstore_log_tile t
            JOIN unnest(%s::smallint[], %s::bigint[]) AS w (level, n) USING (level, n)""",
            [[level for level, _ in wanted], [n for _, n in wanted]],
        )
        found: dict[Place, Sequence[bytes]] = {
            (level, n): tiles.split_hashes(hashes) for level, n, hashes in stored
        }
        for place in wanted - found.keys():
            found[place] = self._edge_tile(place)
        return found

    def leaves(self, first: int, count: int) -> list[bytes]:
        """Hashes of these leaves, as far as they are there."""
        found = rows(
            self.using,
            """SELECT hash FROM eventstore_log_leaf
            WHERE log_index >= %s AND log_index < %s ORDER BY log_index""",
            [first, first + count],
        )
        return [hashed for (hashed,) in found]

    def _edge_tile(self, place: Place) -> list[bytes]:
        """Hashes of a tile that is not complete: leaves, or roots of the tiles below it."""
        level, n = place
        first, width = n * WIDTH, tiles.width_at(place, self.size)
        if level == 0 or not width:
            return self.leaves(first, width) if width else []
        nodes = [(HEIGHT * level, number) for number in range(first, first + width)]
        found = self._hashes(nodes)
        return [found[node] for node in nodes]

    def _hashes(self, nodes: Iterable[Node]) -> dict[Node, bytes]:
        """Hashes of complete subtrees."""
        found = {node: self._remembered(node) for node in nodes}
        missing = [node for node, known in found.items() if known is None]
        if missing:
            places = {node: self._tile_of(node) for node in missing}
            known_tiles = self.tiles(places.values())
            for node, place in places.items():
                found[node] = self._remember(node, _made_from(node, place, known_tiles[place]))
        return {node: known for node, known in found.items() if known is not None}

    def _tile_of(self, node: Node) -> Place:
        """The tile that a node is read from; for a tile's root where none is stored, that tile."""
        height, number = node
        (place,) = tiles.tiles_of([node])
        is_root = height > 0 and height % HEIGHT == 0
        if is_root and tiles.width_at(place, self.size) < WIDTH:
            return height // HEIGHT - 1, number
        return place

    def _memory(self, node: Node) -> dict[tuple[UUID, Node], bytes] | None:
        if node[0] >= HEIGHT:
            return _high
        return _low if self.low else None

    def _remembered(self, node: Node) -> bytes | None:
        memory = self._memory(node)
        return memory.get((self.log, node)) if memory and self.log else None

    def _remember(self, node: Node, hashed: bytes) -> bytes:
        memory = self._memory(node)
        if memory is not None and self.log:
            if len(memory) >= NODES_KEPT_MAX:
                memory.clear()
            memory[self.log, node] = hashed
        return hashed


def _made_from(node: Node, place: Place, hashes: Sequence[bytes]) -> bytes:
    """Hash of a node from its tile, or from all of the tile whose root it is."""
    level, _ = place
    if node[0] == HEIGHT * (level + 1):
        return merkle.root(hashes)
    return tiles.hash_of(node, {place: hashes})
