"""Files in which a client keeps what it must not forget: written aside, flushed, then renamed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import urlsplit

Document = dict[str, Any]


def own_folder(base_url: str, folder: Path | None = None) -> Path:
    """Where this user keeps what belongs to a server, unless he names a folder.

    >>> own_folder("http://127.0.0.1:8000/", Path("kept")).as_posix()
    'kept/127.0.0.1_8000'
    """
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return (folder or Path(state) / "tonk_client") / urlsplit(base_url).netloc.replace(":", "_")


def read(path: Path) -> Document | None:
    """What was kept there, None if nothing was. Raises: ValueError where it can not be read."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    return dict(json.loads(text))


def write(path: Path, document: Document) -> None:
    """Keep a document for its owner alone: after a fall it is there whole, or as it was before."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", delete=False) as aside:
        try:
            json.dump(document, aside)
            aside.flush()
            os.fsync(aside.fileno())
            Path(aside.name).replace(path)  # the file was made with mode 0600
        except BaseException:
            Path(aside.name).unlink(missing_ok=True)
            raise
