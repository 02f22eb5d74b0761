"""Client of a public beacon of randomness; a port, off without `TONK_BEACON_URL`.

It speaks the HTTP form of drand: `info`, `public/latest` and `public/<round>` below an address that
ends with the hash of the chain. Nobody calls it inside a transaction of the database.
"""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Protocol
from urllib.parse import urlsplit

from django.conf import settings

logger = logging.getLogger(__name__)
TIMEOUT_SECONDS = 0.8  # of one call; a worker that deals has two seconds in all
ANSWER_BYTES_MAX = 16_384
RANDOM_BYTES = 32
_HASH = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Chain:
    """A beacon's chain: its rounds, from 1 on, come at fixed times."""

    hash: str
    genesis: datetime
    period_s: int

    def round_from(self, at: datetime) -> tuple[int, datetime]:
        """The first round that is not published before `at`, and its time.

        >>> chain = Chain("ab" * 32, datetime(2026, 1, 1, tzinfo=UTC), 3)
        >>> chain.round_from(datetime(2026, 1, 1, 0, 0, 4, tzinfo=UTC))[0]
        3
        """
        step = timedelta(seconds=self.period_s)
        steps = max(0, -((self.genesis - at) // step))
        return steps + 1, self.genesis + steps * step


class Beacon(Protocol):
    """Where public randomness comes from."""

    def chain(self) -> Chain | None:
        """The chain, where the beacon answers just now."""

    def randomness(self, number: int) -> bytes | None:
        """The 32 bytes of a round; None where it is not to be had yet."""


class HttpBeacon:
    """The beacon at an address `http(s)://host[:port][/path]/<hash of the chain>`."""

    def __init__(self, url: str) -> None:
        """Raises: ValueError for an address that names no chain."""
        parts = urlsplit(url.rstrip("/"))
        self._hash = parts.path.rpartition("/")[2]
        if parts.scheme not in {"http", "https"} or not parts.netloc or not _HASH.match(self._hash):
            raise ValueError("TONK_BEACON_URL is no address that ends with the hash of a chain")
        self._secure, self._host, self._path = parts.scheme == "https", parts.netloc, parts.path
        self._chain: Chain | None = None

    def chain(self) -> Chain | None:
        """The chain; asked for once, and again whether the beacon is there at all."""
        if self._chain is None:
            self._chain = self._read_chain()
        return self._chain if self._get("public/latest") is not None else None

    def randomness(self, number: int) -> bytes | None:
        """The round's bytes. They must be the hash of its signature, where that is told."""
        found = self._get(f"public/{number}")
        if found is None or found.get("round") != number:
            return None
        drawn = _bytes(found.get("randomness"))
        signature = _bytes(found.get("signature", ""))
        if drawn is None or len(drawn) != RANDOM_BYTES or signature is None:
            return None
        return drawn if not signature or sha256(signature).digest() == drawn else None

    def _read_chain(self) -> Chain | None:
        found = self._get("info") or {}
        period, genesis = found.get("period"), found.get("genesis_time")
        if found.get("hash") != self._hash or not isinstance(period, int) or period < 1:
            return None
        if not isinstance(genesis, int):
            return None
        return Chain(self._hash, datetime.fromtimestamp(genesis, UTC), period)

    def _get(self, name: str) -> Mapping[str, Any] | None:
        """A document of the beacon; None where it does not answer with one."""
        connect = HTTPSConnection if self._secure else HTTPConnection
        connection = connect(self._host, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(
                "GET", f"{self._path}/{name}", headers={"Accept": "application/json"}
            )
            answer = connection.getresponse()
            if answer.status != 200:
                return None
            found = json.loads(answer.read(ANSWER_BYTES_MAX))
        except (OSError, HTTPException, ValueError) as fault:
            logger.warning("the beacon does not answer: %s", fault)
            return None
        finally:
            connection.close()
        return found if isinstance(found, dict) else None


def _bytes(text: object) -> bytes | None:
    try:
        return bytes.fromhex(text) if isinstance(text, str) else None
    except ValueError:
        return None


@cache
def _at(url: str) -> HttpBeacon:
    return HttpBeacon(url)


def beacon() -> Beacon | None:
    """The configured beacon, None where the product runs without one."""
    url = settings.BEACON_URL
    return _at(url) if url else None


def beacon_of(chain: str) -> Beacon | None:
    """The configured beacon where it is of the chain with this hash, None elsewhere."""
    url = settings.BEACON_URL
    return _at(url) if url and url.rstrip("/").endswith(f"/{chain}") else None
