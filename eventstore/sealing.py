"""Secrets that wait in the database for their reveal: AES-256-GCM under a key outside of it."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from eventstore import keyfiles
from eventstore.core.refusal import InvariantBroken
from eventstore.ports import random_bytes

NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class Sealed:
    """A ciphertext with what is needed to open it again, but for the key."""

    key_id: str
    nonce: bytes
    ciphertext: bytes


def seal(secret: bytes, subject: bytes) -> Sealed:
    """`secret` sealed for `subject`, which must be named to open it."""
    key = _key()
    nonce = random_bytes(NONCE_BYTES)
    return Sealed(_name(key), nonce, AESGCM(key).encrypt(nonce, secret, subject))


def unseal(sealed: Sealed, subject: bytes) -> bytes:
    """The secret. Raises: InvariantBroken where the key is another, or the text was changed."""
    key = _key()
    if sealed.key_id != _name(key):
        raise InvariantBroken(f"a secret is sealed under the key {sealed.key_id}")
    try:
        return AESGCM(key).decrypt(sealed.nonce, sealed.ciphertext, subject)
    except InvalidTag as fault:
        raise InvariantBroken("a sealed secret was changed, or is another's") from fault


def _name(key: bytes) -> str:
    return sha256(b"tonk/dealer-key/1" + key).hexdigest()[:16]


@cache
def _key() -> bytes:
    """The dealer's key: a file of this host, made at first use, mode 0600."""
    return keyfiles.read_or_make(Path(settings.DEALER_KEY_FILE))
