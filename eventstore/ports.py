"""The ways to what no fold can repeat: chance, the machine's clock, pauses.

Each way is a port: a protocol with the real side, which the product uses, and a simulated one in
`tonk_site.proving`. Nothing else of the product differs between the two. The other ports lie where
they are used: messages in `eventstore.wake`; transactions are Django's database backend; the time
of stored facts is the database's `clock_timestamp()`.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from uuid import UUID

from eventstore.core.ids import RANDOM_BYTES, uuid7


class Machine(Protocol):
    """What a program can ask of the machine that it runs on."""

    def random_bytes(self, count: int) -> bytes:
        """Bytes that nobody can foretell."""

    def milliseconds(self) -> int:
        """Time since 1970 by the machine's clock, for ids: never stored as the time of a fact."""

    def seconds(self) -> float:
        """A clock that never goes back, for how long something takes."""

    def pause(self, seconds: float) -> None:
        """Stand still."""


class System:
    """The real side."""

    def random_bytes(self, count: int) -> bytes:
        """Bytes of the system's generator, the only source of chance in the product."""
        return secrets.token_bytes(count)

    def milliseconds(self) -> int:
        """Time since 1970."""
        return time.time_ns() // 1_000_000

    def seconds(self) -> float:
        """Seconds since some instant."""
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)  # noqa: TID251  # the one pause of the product, see `services`


class _Used:
    """The side that the whole process uses."""

    machine: Machine = System()


@contextmanager
def machine(other: Machine) -> Iterator[None]:
    """Run on another machine within the block."""
    before, _Used.machine = _Used.machine, other
    try:
        yield
    finally:
        _Used.machine = before


def random_bytes(count: int) -> bytes:
    """Bytes that nobody can foretell."""
    return _Used.machine.random_bytes(count)


def new_id() -> UUID:
    """A fresh UUIDv7."""
    return uuid7(_Used.machine.milliseconds(), random_bytes(RANDOM_BYTES))


def seconds() -> float:
    """A clock that never goes back, for how long something takes."""
    return _Used.machine.seconds()


def pause(seconds: float) -> None:
    """Stand still for so many seconds."""
    _Used.machine.pause(seconds)
