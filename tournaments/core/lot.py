"""The lot: the published order by which everything random is decided (`tournaments.md` 1).

The seed is 32 bytes, committed to before anybody may enter and revealed when the event is over;
with it anybody can repeat every draw.
"""

from collections.abc import Iterable
from hashlib import sha256
from hmac import digest

SEED_BYTES = 32


def commitment(seed: bytes) -> str:
    """What is published of the seed, hex."""
    return sha256(b"tonk.lot.commit.v1|" + seed).hexdigest()


def key(seed: bytes, context: str, name: str) -> bytes:
    """The number that stands beside `name` in the draw `context`."""
    return digest(seed, f"tonk.lot.v1|{context}|{name}".encode("ascii"), "sha256")


def order(seed: bytes, context: str, names: Iterable[str]) -> list[str]:
    """The names (ids of players) in the order of the lot for `context`."""
    return sorted(names, key=lambda name: key(seed, context, name))


def first_seat(seed: bytes, context: str, table: str, free: Iterable[int]) -> int:
    """The free seat of a table that the lot names: seats are drawn under `<table>/<seat>`."""
    return min(free, key=lambda seat: key(seed, context, f"{table}/{seat}"))
