"""Long lists in pieces: a record holds 65,535 bytes (`tournaments.md` section 4)."""

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")

ITEMS_PER_PART = 300
PARTS_MAX = 64


def in_parts(
    items: Sequence[Item], size: int = ITEMS_PER_PART
) -> list[tuple[int, int, tuple[Item, ...]]]:
    """The list as (part, parts, piece), parts from 1; an empty list is one empty part.

    Raises: ValueError for a list that does not fit into 64 parts.

    >>> [(part, parts, len(piece)) for part, parts, piece in in_parts(range(400))]
    [(1, 2, 300), (2, 2, 100)]
    """
    parts = max(1, -(-len(items) // size))
    if parts > PARTS_MAX:
        raise ValueError(f"{len(items)} items do not fit into {PARTS_MAX} parts")
    return [
        (part + 1, parts, tuple(items[part * size : (part + 1) * size])) for part in range(parts)
    ]
