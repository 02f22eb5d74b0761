"""The log's private keys: files that the sequencer's process and `log_key` alone read (4.5).

The newest key lies in the file of `TONK_LOG_KEY_FILE`; one that was rotated out and signs for some
days more lies beside it, under the same name with its key id.
"""

from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from eventstore import keyfiles
from eventstore.core.notes import VerifierKey, signature_line
from eventstore.ports import random_bytes

LAST_CHECKPOINT = "last_checkpoint"


class KeyMissing(RuntimeError):
    """No file holds a key that must sign; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key under a name. Has no text form that shows it."""

    key: VerifierKey
    _private: Ed25519PrivateKey

    def line(self, text: str) -> str:
        """Signature line over a checkpoint's text."""
        return signature_line(self.key.name, self.key.id, self._private.sign(text.encode()))


class KeyFolder:
    """The private keys of one log, and the last note that they signed."""

    def __init__(self, newest: Path | None = None) -> None:
        """`newest` is the file of the newest key, that of the settings without it."""
        self.newest = newest or Path(settings.LOG_KEY_FILE)

    @property
    def exists(self) -> bool:
        """Whether there is a key."""
        return self.newest.exists()

    def current(self, name: str) -> Signer:
        """The newest key, made where there is none."""
        return _signer(name, keyfiles.read_or_make(self.newest))

    def find(self, key: VerifierKey) -> Signer | None:
        """The private key to a verifier key, None where no file holds it."""
        for path in (self.newest, self._beside(key)):
            if path.exists():
                signer = _signer(key.name, keyfiles.read(path))
                if signer.key == key:
                    return signer
        return None

    def draft(self, name: str) -> Signer:
        """A new key that lies beside the newest one."""
        fresh = random_bytes(keyfiles.KEY_BYTES)
        signer = _signer(name, fresh)
        keyfiles.replace(self._beside(signer.key), keyfiles.encoded(fresh))
        return signer

    def promote(self, key: VerifierKey) -> None:
        """Make a key that lies beside the newest one; that one changes places with it."""
        path = self._beside(key)
        if not path.exists():
            return
        if self.exists:
            old = keyfiles.read(self.newest)
            keyfiles.replace(self._beside(_signer(key.name, old).key), keyfiles.encoded(old))
        path.replace(self.newest)

    def forget(self, key: VerifierKey) -> None:
        """Remove a key that signs no more."""
        self._beside(key).unlink(missing_ok=True)

    def last_note(self) -> str | None:
        """The last note that was signed, public or about to be."""
        path = self.newest.with_name(LAST_CHECKPOINT)
        return path.read_text(encoding="utf-8") if path.exists() else None

    def keep_note(self, note: str) -> None:
        """Keep a note, safe on the disk, before it becomes public."""
        keyfiles.replace(self.newest.with_name(LAST_CHECKPOINT), note)

    def _beside(self, key: VerifierKey) -> Path:
        return self.newest.with_name(f"{self.newest.name}.{key.id.hex()}")


def _signer(name: str, secret: bytes) -> Signer:
    private = Ed25519PrivateKey.from_private_bytes(secret)
    return Signer(VerifierKey(name, private.public_key().public_bytes_raw()), private)
