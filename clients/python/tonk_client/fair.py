"""The fair deal `tonk/fair/1` as a seat needs it: its own chain, and decks out of seeds.

The arithmetic is that of the stand-alone verifier, which lies beside this as `tonk_verify`.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from . import tonk_verify as verifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SEED_BYTES = 32
LENGTH_MAX = 65_536  # of a chain
OPENING = (
    "hand", "shuffle_no", "position", "place", "size", "card", "code", "salt", "path", "root",
)  # fmt: skip


def chain(root: bytes, length: int) -> tuple[bytes, ...]:
    """All links from the anchor, number 0, to the root, number `length`.

    Raises: ValueError where the root or the length is none.
    """
    if len(root) != SEED_BYTES or not 1 <= length <= LENGTH_MAX:
        raise ValueError("a chain has a root of 32 bytes and 1 to 65,536 links")
    links = [root]
    for _ in range(length):
        links.append(verifier.link(links[-1]))
    return tuple(reversed(links))


def transcript(
    hand: bytes,
    *,
    commit: bytes,
    spec: str,
    seats: Iterable[tuple[int, bytes, bytes]],
    beacon: bytes = b"",
) -> bytes:
    """Hash of all that was fixed before the shuffle; seats are (seat, player, seed or empty)."""
    return sha256(verifier.transcript_preimage(hand, commit, spec, beacon, seats)).digest()


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The order of a shuffle, top card first, and the root that sealed it."""

    order: tuple[int, ...]
    root: bytes


def shuffled(key: bytes, hand: bytes, cards: Sequence[int], shuffle_no: int = 0) -> Shuffled:
    """A shuffle as the key of the hand gives it."""
    order = verifier.shuffled(cards, verifier.stream_words(key, shuffle_no))
    leaves = verifier.card_leaves(key, hand, shuffle_no, order)
    return Shuffled(tuple(order), verifier.root_of(leaves))


def opens(opening: dict[str, Any], root: bytes) -> bool:
    """Whether a card that was shown lies at its place of the shuffle with this root."""
    known = {name: value for name, value in opening.items() if name in OPENING}
    return verifier.is_opening(known, root)
