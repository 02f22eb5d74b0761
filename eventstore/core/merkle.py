"""Merkle trees of RFC 6962 over leaf hashes that are given as they are (`eventstore.md` 4.1)."""

from collections.abc import Sequence
from hashlib import sha256


def node(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """Root over leaf hashes; of none it is the hash of nothing. Linear time.

    >>> root([]).hex()[:8]
    'e3b0c442'
    """
    if not leaves:
        return sha256(b"").digest()
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
