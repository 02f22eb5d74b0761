"""Order and signature in a test, in its own process: what the sequencer does in the product."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connections

from eventstore.sequencer import Sequencer
from eventstore.signing import KeyFolder
from ledger.core.entries import MONEY

if TYPE_CHECKING:
    from uuid import UUID

    from eventstore.tree import Checkpoint

URGENT = frozenset(name for name, _ in MONEY)
_folders: dict[UUID | None, KeyFolder] = {}


def sequencer() -> Sequencer:
    """A sequencer that has started. The keys of a log stay those of its first start.

    Sees committed rows alone: the test has the fixture `committed`.
    """
    folder = _folders.get(log_id()) or KeyFolder(_fresh_folder() / "key")
    found = Sequencer(urgent=URGENT, folder=folder)
    found.start()
    _folders[log_id()] = folder
    return found


def _fresh_folder() -> Path:
    """In the folder of the test run, which is removed with it."""
    keys = Path(settings.LOG_KEY_FILE).parent
    keys.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=keys))


def seal_log() -> Checkpoint | None:
    """Every committed event has its place, and the tree is signed; None if nothing was new."""
    at_work = sequencer()
    while at_work.round():
        pass
    return at_work.sign()


def log_id() -> UUID | None:
    """Id of the log in the database, None before its first start."""
    with connections["sequencer"].cursor() as cursor:
        cursor.execute("SELECT log_id FROM eventstore_log_state")
        found: UUID | None = cursor.fetchone()[0]
        return found
