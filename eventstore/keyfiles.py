"""Files of secret keys: 32 bytes in base64, mode 0600, on this host alone."""

import base64
import contextlib
import os
import tempfile
from pathlib import Path

from eventstore.ports import random_bytes

KEY_BYTES = 32


def read_or_make(path: Path) -> bytes:
    """The key of a file, which is made where it is missing. All who ask get the same one."""
    if not path.exists():
        draft = _draft(path, encoded(random_bytes(KEY_BYTES)))
        with contextlib.suppress(FileExistsError):  # somebody else was first: his key counts
            os.link(draft, path)
        draft.unlink()
        _flush(path.parent)
    return read(path)


def read(path: Path) -> bytes:
    """The key of a file. Raises: FileNotFoundError, ValueError for a file without a key."""
    key = base64.b64decode(path.read_text(encoding="ascii"), validate=True)
    if len(key) != KEY_BYTES:
        raise ValueError(f"{path.name} holds no key of {KEY_BYTES} bytes")
    return key


def encoded(key: bytes) -> str:
    """A key as its file holds it."""
    return base64.b64encode(key).decode()


def replace(path: Path, text: str) -> None:
    """Give a file a new content at once: written aside, flushed to the disk, renamed."""
    _draft(path, text).replace(path)
    _flush(path.parent)


def _flush(folder: Path) -> None:
    """Have the names in a folder on the disk too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _draft(path: Path, text: str) -> Path:
    """A file beside it, of this call alone: threads make the first key at once, too."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    opened, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)  # mode 0600
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return Path(name)
