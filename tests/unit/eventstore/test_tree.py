"""The tree against a second implementation written from RFC 6962, and against pymerkle."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256

import pytest
from pymerkle import InmemoryTree, verify_inclusion
from typing_extensions import override

from eventstore.core import merkle, tiles
from eventstore.nodes import Nodes

SIZE = 300
LARGE = 65_540
PREIMAGES = [b"leaf %d" % number for number in range(LARGE)]
LEAVES = [sha256(b"\x00" + preimage).digest() for preimage in PREIMAGES]
AROUND = [1, 2, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, LARGE]


# --- the definitions of RFC 6962, section 2.1, word for word --------------------------------------


def largest_power_below(count: int) -> int:
    power = 1
    while power * 2 < count:
        power *= 2
    return power


@cache
def mth(first: int, end: int) -> bytes:
    if end == first:
        return sha256(b"").digest()
    if end - first == 1:
        return LEAVES[first]
    k = largest_power_below(end - first)
    return sha256(b"\x01" + mth(first, first + k) + mth(first + k, end)).digest()


def path(m: int, first: int, end: int) -> list[bytes]:
    if end - first == 1:
        return []
    k = largest_power_below(end - first)
    if m < k:
        return [*path(m, first, first + k), mth(first + k, end)]
    return [*path(m - k, first + k, end), mth(first, first + k)]


def subproof(m: int, first: int, end: int, *, whole: bool) -> list[bytes]:
    if m == end - first:
        return [] if whole else [mth(first, end)]
    k = largest_power_below(end - first)
    if m <= k:
        return [*subproof(m, first, first + k, whole=whole), mth(first + k, end)]
    return [*subproof(m - k, first + k, end, whole=False), mth(first, first + k)]


# --- all small trees ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored() -> dict[tiles.Place, list[bytes]]:
    """Every tile of the large tree, the partial ones of its edge too."""
    edge = tiles.Edge()
    found = {(tile.level, tile.n): tiles.split_hashes(tile.hashes) for tile in edge.push(LEAVES)}
    for level, hashes in enumerate(edge.levels):
        found.setdefault((level, LARGE >> tiles.HEIGHT * (level + 1)), hashes)
    return found


def test_every_root_up_to_300() -> None:
    frontier, edge = merkle.Frontier(), tiles.Edge()
    for size in range(SIZE + 1):
        expected = mth(0, size)
        assert merkle.root(LEAVES[:size]) == expected
        assert frontier.root() == edge.root() == expected
        assert (frontier.size, edge.size) == (size, size)
        frontier.push(LEAVES[size])
        edge.push([LEAVES[size]])


def from_tiles(stored: dict[tiles.Place, list[bytes]], leaves: merkle.Range) -> bytes:
    """Root over a range from the tiles alone, which must be that of the definition."""
    (found,) = tiles.roots_of([leaves], stored)
    assert found == mth(*leaves)
    return found


def test_every_inclusion_up_to_300(stored: dict[tiles.Place, list[bytes]]) -> None:
    root_over = cache(lambda leaves: from_tiles(stored, leaves))
    for size in range(1, SIZE + 1):
        for index in range(size):
            found = [root_over(leaves) for leaves in merkle.inclusion_ranges(index, size)]
            assert found == path(index, 0, size)
            assert merkle.root_from_path(LEAVES[index], index, size, found) == mth(0, size)


def test_some_inclusions_from_leaves_alone() -> None:
    for size in (1, 2, 7, 8, 9, 255, 256, 257):
        for index in range(size):
            assert merkle.path(LEAVES[:size], index) == path(index, 0, size)


def test_every_consistency_up_to_300(stored: dict[tiles.Place, list[bytes]]) -> None:
    root_over = cache(lambda leaves: from_tiles(stored, leaves))
    for new in range(1, SIZE + 1):
        for old in range(1, new + 1):
            found = [root_over(leaves) for leaves in merkle.consistency_ranges(old, new)]
            assert found == subproof(old, 0, new, whole=True)
            assert merkle.is_consistent(old, mth(0, old), new, mth(0, new), found)


def test_some_consistencies_from_leaves_alone() -> None:
    for new in (1, 2, 7, 8, 9, 63, 64, 65):
        for old in range(1, new + 1):
            found = merkle.consistency_path(LEAVES[:new], old)
            assert found == subproof(old, 0, new, whole=True)


def test_pymerkle_agrees() -> None:
    tree = InmemoryTree(algorithm="sha256")
    for preimage in PREIMAGES[:70]:
        tree.append_entry(preimage)
    for size in range(1, 71):
        root = tree.get_root(size)
        assert root == merkle.root(LEAVES[:size])
        for index in range(size):
            inclusion = tree.prove_inclusion(index + 1, size)
            verify_inclusion(LEAVES[index], root, inclusion)
            assert inclusion.path == [LEAVES[index], *merkle.path(LEAVES[:size], index)]
        for old in range(1, size):  # its consistency proofs have another form than RFC 9162's
            found = merkle.consistency_path(LEAVES[:size], old)
            assert merkle.is_consistent(old, tree.get_root(old), size, root, found)


# --- sizes around complete tiles ------------------------------------------------------------------


@pytest.mark.parametrize("size", AROUND)
def test_proofs_around_complete_tiles(size: int, stored: dict[tiles.Place, list[bytes]]) -> None:
    root = mth(0, size)
    assert tiles.roots_of([(0, size)], stored) == (root,)
    for index in sorted({0, 1, 254, 255, 256, 511, 512, size // 2, size - 2, size - 1}):
        if 0 <= index < size:
            found = tiles.roots_of(merkle.inclusion_ranges(index, size), stored)
            assert list(found) == path(index, 0, size)
            assert merkle.root_from_path(LEAVES[index], index, size, found) == root
    for old in (one for one in AROUND if one <= size):
        found = tiles.roots_of(merkle.consistency_ranges(old, size), stored)
        assert list(found) == subproof(old, 0, size, whole=True)
        assert merkle.is_consistent(old, mth(0, old), size, root, found)


@pytest.mark.parametrize("size", AROUND)
def test_an_edge_goes_on_from_wherever_it_was_left(size: int) -> None:
    before = tiles.Edge()
    before.push(LEAVES[:size])
    assert before.root() == mth(0, size)
    after = before.copy()
    after.push(LEAVES[size:LARGE])
    assert (before.size, after.size) == (size, LARGE)
    assert before.root() == mth(0, size)
    assert after.root() == mth(0, LARGE)


def test_complete_tiles_are_given_once_and_in_order() -> None:
    edge, found = tiles.Edge(), []
    for first in range(0, LARGE, 1000):
        found += edge.push(LEAVES[first : first + 1000])
    zero = [tile for tile in found if tile.level == 0]
    assert [tile.n for tile in zero] == list(range(256))
    assert [(tile.level, tile.n) for tile in found if tile.level] == [(1, 0)]
    assert all(len(tile.hashes) == tiles.TILE_BYTES for tile in found)
    assert zero[3].hashes == b"".join(LEAVES[768:1024])
    assert [len(hashes) for hashes in edge.levels] == [4, 0, 1]


# --- what is no proof -----------------------------------------------------------------------------


def test_a_wrong_consistency_is_none() -> None:
    old, new = 5, 13
    good = subproof(old, 0, new, whole=True)
    roots = mth(0, old), mth(0, new)
    assert merkle.is_consistent(old, roots[0], new, roots[1], good)
    other = bytes(32)
    wrong = [
        (old, other, new, roots[1], good),
        (old, roots[0], new, other, good),
        (old + 1, roots[0], new, roots[1], good),
        (new, roots[1], old, roots[0], good),
        (-1, roots[0], new, roots[1], good),
        (old, roots[0], new, roots[1], []),
        (old, roots[0], new, roots[1], good[:-1]),
        (old, roots[0], new, roots[1], [*good, other]),
        *(
            (old, roots[0], new, roots[1], [*good[:place], other, *good[place + 1 :]])
            for place in range(len(good))
        ),
    ]
    for case in wrong:
        assert not merkle.is_consistent(*case)


def test_consistency_with_nothing_and_with_itself() -> None:
    empty, root = merkle.EMPTY_ROOT, mth(0, 7)
    assert merkle.is_consistent(0, empty, 7, root, [])
    assert merkle.is_consistent(7, root, 7, root, [])
    assert not merkle.is_consistent(0, root, 7, root, [])
    assert not merkle.is_consistent(7, root, 7, empty, [])
    assert not merkle.is_consistent(7, root, 7, root, [root])


def test_ranges_that_are_none() -> None:
    for index, size in ((7, 7), (-1, 7), (0, 0)):
        with pytest.raises(IndexError):
            merkle.inclusion_ranges(index, size)
    for old, new in ((0, 7), (8, 7)):
        with pytest.raises(IndexError):
            merkle.consistency_ranges(old, new)


def test_a_tile_that_is_too_short_gives_no_proof() -> None:
    with pytest.raises(IndexError):
        tiles.roots_of([(0, 4)], {(0, 0): LEAVES[:3]})


# --- paths of tiles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "width", "text"),
    [
        (0, 256, "000"),
        (999, 256, "999"),
        (1000, 256, "x001/000"),
        (1_234_067, 256, "x001/x234/067"),
        (2, 88, "002.p/88"),
        (1000, 1, "x001/000.p/1"),
    ],
)
def test_paths_of_tiles(n: int, width: int, text: str) -> None:
    assert tiles.tile_path(n, width) == text
    assert tiles.read_tile_path(text) == (n, width)


@pytest.mark.parametrize(
    "text",
    ["", "1", "0000", "x000/000", "x1/000", "001/000", "x001", "000.p/0", "000.p/256", "000.p/300",
     "000.p/01", "000.p/", "000.p", "000/", "/000", "000\n", "\u0660\u0660\u0660", "000.p/999"],
)  # fmt: skip
def test_texts_that_are_no_tile(text: str) -> None:
    assert tiles.read_tile_path(text) is None


def test_how_wide_a_tile_is() -> None:
    assert [tiles.width_at((0, n), 600) for n in range(4)] == [256, 256, 88, 0]
    assert [tiles.width_at((1, n), 600) for n in range(2)] == [2, 0]
    assert tiles.width_at((2, 0), 600) == 0


@dataclass(frozen=True, slots=True)
class TilesInMemory(Nodes):
    """Nodes over tiles that lie here; those that were read are told."""

    kept: dict[tiles.Place, list[bytes]] = field(default_factory=dict)
    read: set[tiles.Place] = field(default_factory=set)

    @override
    def tiles(self, places: Iterable[tiles.Place]) -> dict[tiles.Place, Sequence[bytes]]:
        wanted = set(places)
        self.read.update(wanted)
        return {place: self.kept[place] for place in wanted}


def test_a_proof_reads_the_tile_of_its_leaf_and_those_above() -> None:
    edge = tiles.Edge()
    complete = edge.push(LEAVES)
    kept = {(tile.level, tile.n): tiles.split_hashes(tile.hashes) for tile in complete}
    kept |= {(0, LARGE // tiles.WIDTH): edge.levels[0]}
    for index in (0, 255, 256, 30_000, 65_535):
        nodes = TilesInMemory(None, LARGE, "", kept=kept)
        found = nodes.roots(merkle.inclusion_ranges(index, LARGE))
        assert list(found) == merkle.path(LEAVES, index)
        assert nodes.read == {(0, index // tiles.WIDTH), (1, 0), (0, 256)}  # the last: the edge
