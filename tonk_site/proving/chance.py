"""Chance that repeats: what a trial does again is given the same ids at the same time."""

from hashlib import sha256


class Chance:
    """Chance and the machine's clock, the same for the same seed."""

    def __init__(self, seed: str, milliseconds: int) -> None:
        self._seed, self._milliseconds, self.drawn = seed, milliseconds, 0

    def random_bytes(self, count: int) -> bytes:
        """At most 64 bytes."""
        self.drawn += 1
        first = sha256(f"{self._seed}/{self.drawn}".encode()).digest()
        return (first + sha256(first).digest())[:count]

    def milliseconds(self) -> int:
        """Time stands still."""
        return self._milliseconds

    def seconds(self) -> float:
        """So a busy machine does not change what a task does."""
        return 0.0

    def pause(self, seconds: float) -> None:
        """Nothing waits."""
