"""Secrets that wait in the database for their reveal: AES-256-GCM under a key outside of it.

The newest key lies in the file of `TONK_DEALER_KEY_FILE` and seals; one that was rotated out lies
beside it, under the same name with its id, and opens what it has sealed. Files are read at each
use, so that a rotation or a loss is known to every process at once.
"""

import fcntl
import os
import re
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from eventstore import keyfiles
from eventstore.core.refusal import InvariantBroken
from eventstore.ports import random_bytes

NONCE_BYTES = 12
# Whoever has sealed under a key has committed by then: no transaction stays open for so long.
KEPT_SECONDS = 3_600
_ID = re.compile("[0-9a-f]{16}")


class KeyLost(InvariantBroken):
    """A secret is sealed under a key that is in no file; the message says what to do."""

    def __init__(self, key_id: str) -> None:
        super().__init__(
            f"a secret is sealed under the dealer's key {key_id}, which is in no file beside "
            f"{_newest()}: bring it back and run `manage.py dealer_key resume`, or give up the "
            "hands under it by `manage.py dealer_key void-lost`"
        )


@dataclass(frozen=True, slots=True)
class Sealed:
    """A ciphertext with what is needed to open it again, but for the key."""

    key_id: str
    nonce: bytes
    ciphertext: bytes


def seal(secret: bytes, subject: bytes) -> Sealed:
    """`secret` sealed for `subject`, which must be named to open it. Makes the first key."""
    key = keyfiles.read_or_make(_newest())
    nonce = random_bytes(NONCE_BYTES)
    return Sealed(_id(key), nonce, AESGCM(key).encrypt(nonce, secret, subject))


def unseal(sealed: Sealed, subject: bytes) -> bytes:
    """The secret. Raises: KeyLost, InvariantBroken where the text was changed."""
    key = _find(sealed.key_id)
    if key is None:
        raise KeyLost(sealed.key_id)
    try:
        return AESGCM(key).decrypt(sealed.nonce, sealed.ciphertext, subject)
    except InvalidTag as fault:
        raise InvariantBroken("a sealed secret was changed, or is another's") from fault


# --- the keys -------------------------------------------------------------------------------------


def newest() -> str | None:
    """Id of the key that seals; None before the first, or where its file is gone."""
    path = _newest()
    return _id(keyfiles.read(path)) if path.exists() else None


def older() -> tuple[str, ...]:
    """Ids of the keys that were rotated out and still open, in order."""
    path = _newest()
    ids = (one.name.removeprefix(f"{path.name}.") for one in path.parent.glob(f"{path.name}.*"))
    return tuple(sorted(one for one in ids if _ID.fullmatch(one)))


def is_lost(key_id: str) -> bool:
    """Whether no file holds this key."""
    return _find(key_id) is None


def rotate() -> str:
    """Make a new key, by whose id it answers; the one before goes on opening what it has sealed."""
    path = _newest()
    with _alone(path.parent):
        if path.exists():
            old = keyfiles.read(path)
            # Beside it first: whoever finds another key in the file finds this one there.
            keyfiles.replace(_beside(_id(old)), keyfiles.encoded(old))
        fresh = random_bytes(keyfiles.KEY_BYTES)
        keyfiles.replace(path, keyfiles.encoded(fresh))
    return _id(fresh)


def prune(used: Collection[str]) -> tuple[str, ...]:
    """Remove the older keys that are not in `used`, but those rotated out just now; their ids.

    A transaction that is still open may have sealed under one of the last hour, and no other
    transaction sees that yet.
    """
    with _alone(_newest().parent):
        gone = tuple(one for one in older() if one not in used and _is_at_rest(_beside(one)))
        for one in gone:
            _beside(one).unlink()
    return gone


def _is_at_rest(path: Path) -> bool:
    return time.time() - path.stat().st_mtime >= KEPT_SECONDS


def _find(key_id: str) -> bytes | None:
    """The key of that id. The newest file first: a rotation moves keys the other way."""
    if not _ID.fullmatch(key_id):  # it comes from the database, and names a file
        return None
    for path in (_newest(), _beside(key_id)):
        if path.exists():
            key = keyfiles.read(path)
            if _id(key) == key_id:
                return key
    return None


def _id(key: bytes) -> str:
    return sha256(b"tonk/dealer-key/1" + key).hexdigest()[:16]


def _newest() -> Path:
    return Path(settings.DEALER_KEY_FILE)


def _beside(key_id: str) -> Path:
    path = _newest()
    return path.with_name(f"{path.name}.{key_id}")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process of this host changes which keys there are meanwhile."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # ends the lock too
