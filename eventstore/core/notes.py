"""Signed notes over the tree's size and root, and the lines of witnesses (`eventstore.md` 4.4).

Checkpoint, signature and verifier key are those of C2SP (tlog-checkpoint, signed-note), the line of
a witness that of tlog-cosignature. Private keys are elsewhere.
"""

import binascii
import re
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SIGNATURE, COSIGNATURE = 0x01, 0x04  # kinds of key, mixed into its id
KEY_BYTES, ID_BYTES, TIME_BYTES, SIGNATURE_BYTES, ROOT_BYTES = 32, 4, 8, 64, 32
_MARK = "— "
_TEXT = re.compile(r"([^\n]+)\n(0|[1-9][0-9]{0,18})\n([A-Za-z0-9+/]{43}=)\n\Z")
_NAME = re.compile(r"[^\s+]+\Z")


class BadNote(ValueError):
    """A text that is no note, or no verifier key."""


def checkpoint_text(origin: str, size: int, root: bytes) -> str:
    """What is signed: origin, size and root, a line each.

    >>> checkpoint_text("log.example", 0, bytes(32)).splitlines()[1]
    '0'
    """
    return f"{origin}\n{size}\n{b64encode(root).decode()}\n"


def key_id(name: str, public_key: bytes, kind: int = SIGNATURE) -> bytes:
    """The four bytes that name a key in a signature line."""
    return sha256(name.encode() + b"\n" + bytes([kind]) + public_key).digest()[:ID_BYTES]


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with its name and use: the log's (SIGNATURE) or a witness's (COSIGNATURE)."""

    name: str
    public_key: bytes
    kind: int = SIGNATURE

    @property
    def id(self) -> bytes:
        """Id in signature lines."""
        return key_id(self.name, self.public_key, self.kind)

    @property
    def text(self) -> str:
        """The verifier key string."""
        key = b64encode(bytes([self.kind]) + self.public_key).decode()
        return f"{self.name}+{self.id.hex()}+{key}"

    @classmethod
    def read(cls, text: str) -> Self:
        """The key of a verifier key string. Raises: BadNote."""
        name, _, rest = text.partition("+")
        named, _, encoded = rest.partition("+")
        raw = _bytes(encoded)
        if raw is None or len(raw) != 1 + KEY_BYTES or not _NAME.match(name):
            raise BadNote("no verifier key")
        found = cls(name, raw[1:], raw[0])
        if found.kind not in {SIGNATURE, COSIGNATURE} or found.id.hex() != named:
            raise BadNote("a verifier key of another kind, or with a foreign id")
        return found


def verifier_key(name: str, public_key: bytes) -> str:
    """The string by which a key of the log is given to others."""
    return VerifierKey(name, public_key).text


def signature_line(name: str, id_: bytes, payload: bytes) -> str:
    """One signature line, with its end."""
    return f"{_MARK}{name} {b64encode(id_ + payload).decode()}\n"


def cosignature_message(text: str, time: int) -> bytes:
    """What a witness signs: the instant at which it saw the checkpoint, and the text."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def cosignature_payload(time: int, signature: bytes) -> bytes:
    """What stands behind the key id in a witness's line."""
    return time.to_bytes(TIME_BYTES, "big") + signature


@dataclass(frozen=True, slots=True)
class Line:
    """A signature line in parts."""

    name: str
    key_id: bytes
    payload: bytes
    text: str  # as it was read, with its end


@dataclass(frozen=True, slots=True)
class Note:
    """A checkpoint with its signature lines, none of which was judged."""

    text: str
    origin: str
    size: int
    root: bytes
    lines: tuple[Line, ...]

    def is_signed_by(self, key: VerifierKey) -> bool:
        """Whether one line is a valid signature of this key of the log."""
        if key.kind != SIGNATURE:
            return False
        message = self.text.encode()
        return any(_verifies(key, message, line.payload) for line in self._lines_of(key))

    def cosigned_at(self, key: VerifierKey) -> int | None:
        """Unix time in a valid line of this witness, None without one."""
        if key.kind != COSIGNATURE:
            return None
        for line in self._lines_of(key):
            time = int.from_bytes(line.payload[:TIME_BYTES], "big")
            message = cosignature_message(self.text, time)
            if _verifies(key, message, line.payload[TIME_BYTES:]):
                return time
        return None

    def _lines_of(self, key: VerifierKey) -> list[Line]:
        return [line for line in self.lines if (line.name, line.key_id) == (key.name, key.id)]


def parse_note(note: str) -> Note:
    """The parts of a note. Lines that are no signature lines are left out, as unknown ones are.

    Raises: BadNote where the text is no checkpoint.
    """
    head, blank, below = note.partition("\n\n")
    match = _TEXT.match(head + "\n")
    if match is None or not blank or not below.endswith("\n"):
        raise BadNote("no note over a checkpoint")
    root = _bytes(match[3])
    if root is None or len(root) != ROOT_BYTES:
        raise BadNote("no root")
    lines = filter(None, (read_line(f"{line}\n") for line in below[:-1].split("\n")))
    return Note(head + "\n", match[1], int(match[2]), root, tuple(lines))


def read_line(text: str) -> Line | None:
    """The parts of one signature line with its end, None where it is none."""
    name, _, encoded = text.removeprefix(_MARK).removesuffix("\n").partition(" ")
    raw = _bytes(encoded)
    if not text.startswith(_MARK) or not text.endswith("\n") or not _NAME.match(name):
        return None
    if raw is None or len(raw) <= ID_BYTES:
        return None
    return Line(name, raw[:ID_BYTES], raw[ID_BYTES:], text)


def _bytes(text: str) -> bytes | None:
    """What a text encodes as base64 in its one proper form."""
    try:
        raw = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if b64encode(raw).decode() == text else None


def _verifies(key: VerifierKey, message: bytes, signature: bytes) -> bool:
    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(key.public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
