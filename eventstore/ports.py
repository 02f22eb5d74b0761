"""The ways to what no fold can repeat: ids and the system's randomness."""

import secrets
import time
from uuid import UUID

from eventstore.core.ids import RANDOM_BYTES, uuid7


def random_bytes(count: int) -> bytes:
    """Bytes of the system's generator, the only source of chance in the product."""
    return secrets.token_bytes(count)


def new_id() -> UUID:
    """A fresh UUIDv7."""
    return uuid7(time.time_ns() // 1_000_000, random_bytes(RANDOM_BYTES))
