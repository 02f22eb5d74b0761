"""Files of secret keys: 32 bytes in base64, mode 0600, on this host alone."""

import base64
import contextlib
import os
from pathlib import Path

from eventstore.ports import random_bytes

KEY_BYTES = 32


def read_or_make(path: Path) -> bytes:
    """The key of a file, which is made where it is missing. Several processes get the same one."""
    if not path.exists():
        draft = _draft(path, encoded(random_bytes(KEY_BYTES)))
        with contextlib.suppress(FileExistsError):  # another process was first: its key counts
            os.link(draft, path)
        draft.unlink()
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
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the new name is on the disk too
    finally:
        os.close(folder)


def _draft(path: Path, text: str) -> Path:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return draft
