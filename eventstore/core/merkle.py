"""Merkle trees of RFC 6962 over leaf hashes that are given as they are (`eventstore.md` 4.1)."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

Range = tuple[int, int]
"""Leaves from the first number up to, without, the second."""
EMPTY_ROOT = sha256(b"").digest()


def node(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """Root over leaf hashes; of none it is the hash of nothing. Linear time.

    >>> root([]).hex()[:8]
    'e3b0c442'
    """
    if not leaves:
        return EMPTY_ROOT
    level = list(leaves)
    while len(level) > 1:
        # An odd last hash rises unchanged: the same tree as a split at the largest power of two.
        paired = [node(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = paired + level[len(paired) * 2 :]
    return level[0]


def path(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """Inclusion path of leaf `index`, nearest sibling first (RFC 9162 section 2.1.3.1)."""
    if not 0 <= index < len(leaves):
        raise IndexError(f"leaf {index} of {len(leaves)}")
    level, found = list(leaves), []
    while len(level) > 1:
        sibling = index ^ 1
        if sibling < len(level):
            found.append(level[sibling])
        paired = [node(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = paired + level[len(paired) * 2 :]
        index //= 2
    return found


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Root that `path` leads to from a leaf, or None where the path has the wrong length."""
    last, computed = size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            computed = node(sibling, computed)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            computed = node(computed, sibling)
        index, last = index >> 1, last >> 1
    return computed if last == 0 else None


def consistency_path(leaves: Sequence[bytes], old_size: int) -> list[bytes]:
    """Proof that a tree over all `leaves` goes on from its first `old_size` (RFC 9162 2.1.4.1)."""
    return [root(leaves[first:end]) for first, end in consistency_ranges(old_size, len(leaves))]


def is_consistent(
    old_size: int, old_root: bytes, new_size: int, new_root: bytes, path: Sequence[bytes]
) -> bool:
    """Whether `path` proves that the newer tree begins with the older one (RFC 9162 2.1.4.2)."""
    if not 0 <= old_size <= new_size:
        return False
    if old_size in {0, new_size}:
        return not path and old_root == (new_root if old_size else EMPTY_ROOT)
    if not path:
        return False
    whole = old_size & (old_size - 1) == 0  # then the old tree is a node of the new one
    first, *rest = [old_root, *path] if whole else path
    roots = _roots_from_path(old_size, new_size, first, rest)
    return roots == (old_root, new_root)


def _roots_from_path(
    old_size: int, new_size: int, first: bytes, rest: Sequence[bytes]
) -> tuple[bytes, bytes] | None:
    """Both roots that a consistency path leads to, or None where it has the wrong length."""
    index, last = old_size - 1, new_size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    old = new = first
    for sibling in rest:
        if last == 0:
            return None
        if index & 1 or index == last:
            old, new = node(sibling, old), node(sibling, new)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            new = node(new, sibling)
        index, last = index >> 1, last >> 1
    return (old, new) if last == 0 else None


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """The subtrees whose roots are the inclusion path of a leaf, nearest sibling first.

    >>> inclusion_ranges(4, 7)
    [(5, 6), (6, 7), (0, 4)]
    """
    if not 0 <= index < size:
        raise IndexError(f"leaf {index} of {size}")
    first, end, found = 0, size, []
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            found.append((middle, end))
            end = middle
        else:
            found.append((first, middle))
            first = middle
    return found[::-1]


def consistency_ranges(old_size: int, new_size: int) -> list[Range]:
    """The subtrees whose roots are the consistency path between two sizes.

    >>> consistency_ranges(3, 7)
    [(2, 3), (3, 4), (0, 2), (4, 7)]
    """
    if not 0 < old_size <= new_size:
        raise IndexError(f"size {old_size} of {new_size}")
    first, end, found = 0, new_size, []
    while end != old_size:
        middle = first + _split(end - first)
        if old_size <= middle:
            found.append((middle, end))
            end = middle
        else:
            found.append((first, middle))
            first = middle
    if first:
        found.append((first, end))
    return found[::-1]


def subtrees(leaves: Range) -> Iterator[tuple[int, int]]:
    """Height and number of the complete subtrees under the node over these leaves, left to right.

    >>> list(subtrees((4, 7)))
    [(1, 2), (0, 6)]
    """
    first, end = leaves
    while first < end:
        height = (end - first).bit_length() - 1
        yield height, first >> height
        first += 1 << height


def join(hashes: Sequence[bytes]) -> bytes:
    """Root over complete subtrees that get smaller from left to right; of none the empty root."""
    if not hashes:
        return EMPTY_ROOT
    joined = hashes[-1]
    for left in hashes[-2::-1]:
        joined = node(left, joined)
    return joined


def _split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)


class Frontier:
    """A tree that only grows, kept as the roots of its complete subtrees.

    >>> frontier = Frontier()
    >>> for leaf in (b"a", b"b", b"c"):
    ...     frontier.push(leaf)
    >>> frontier.size, frontier.root() == root([b"a", b"b", b"c"])
    (3, True)
    """

    __slots__ = ("hashes", "size")

    def __init__(self) -> None:
        self.size = 0
        self.hashes: list[bytes] = []  # of falling size

    def push(self, leaf: bytes) -> None:
        """Add a leaf on the right."""
        grown, size = leaf, self.size
        while size & 1:
            grown, size = node(self.hashes.pop(), grown), size >> 1
        self.hashes.append(grown)
        self.size += 1

    def root(self) -> bytes:
        """Root over all leaves so far, in logarithmic time."""
        return join(self.hashes)
