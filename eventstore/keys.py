"""The log's keys over time: begun, rotated, retired (`eventstore.md` section 4.5).

Every change is a row of `log_key` and an event in the stream of the log. Each step may be cut off
and done again.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.db import transaction

from eventstore.core.chain import Fact
from eventstore.core.events import KeyAdded, KeyRetired, LogEvent, LogOpened
from eventstore.core.notes import VerifierKey
from eventstore.nodes import rows
from eventstore.services import Transaction, in_transaction
from eventstore.signing import KeyFolder, KeyMissing, Signer

logger = logging.getLogger(__name__)
OVERLAP = timedelta(days=7)  # for so long notes carry the old signature beside the new one
ACTOR = "worker:sequencer"


@dataclass(frozen=True, slots=True)
class Change:
    """Who changes keys, why, and who approved."""

    actor: str
    reason: str
    second: str | None = None


ROTATED = Change(ACTOR, "rotated")


def known(origin: str, *, using: str) -> list[VerifierKey]:
    """Every key of this name that was ever added."""
    sql = "SELECT name, public_key FROM eventstore_log_key WHERE name = %s"
    return [VerifierKey(name, bytes(public)) for name, public in rows(using, sql, [origin])]


def open_keys(origin: str, *, using: str) -> list[VerifierKey]:
    """The keys that sign now, the newest last."""
    found = rows(
        using,
        """SELECT name, public_key FROM eventstore_log_key
        WHERE name = %s AND to_size IS NULL ORDER BY from_size""",
        [origin],
    )
    return [VerifierKey(name, bytes(public)) for name, public in found]


def signers(origin: str, folder: KeyFolder, *, using: str) -> list[Signer]:
    """The private keys that sign now, the newest first. Raises: KeyMissing."""
    wanted = open_keys(origin, using=using)
    found = [signer for key in reversed(wanted) if (signer := folder.find(key)) is not None]
    if not found:
        raise KeyMissing("no file holds a key of the log: manage.py log_key revoke makes a new one")
    return found


def begin(stream: str, origin: str, folder: KeyFolder, *, using: str) -> None:
    """The first key and the event of the first start, where they are not there yet.

    Raises: KeyMissing for a log whose keys are in no file.
    """
    if not known(origin, using=using):
        _add_row(folder.current(origin).key, 0, using)
    key = signers(origin, folder, using=using)[-1].key
    in_transaction(partial(_open, stream=stream, event=LogOpened(origin=origin, key=key.text)))


def _open(tx: Transaction, *, stream: str, event: LogOpened) -> None:
    loaded = tx.load(stream)
    if not loaded.events:
        tx.append(stream, loaded.head, [Fact(event, ACTOR)])


def rotate(stream: str, origin: str, folder: KeyFolder, change: Change, *, using: str) -> str:
    """Add a key; the ones before sign beside it for seven days. The new verifier key."""
    signer = folder.draft(origin)
    with transaction.atomic(using=using):
        size = _lock_size(using)
        _add_row(signer.key, size, using)
        event = KeyAdded(key=signer.key.text, size=size, reason=change.reason, second=change.second)
        _append(stream, event, change.actor)
    folder.promote(signer.key)
    return signer.key.text


def revoke(stream: str, origin: str, folder: KeyFolder, change: Change, *, using: str) -> str:
    """End every key at the newest signed size; only a new one signs from now on."""
    ended = open_keys(origin, using=using)
    fresh = rotate(stream, origin, folder, change, using=using)
    for key in ended:
        _retire(stream, key, folder, change, using)
    return fresh


def retire_due(stream: str, origin: str, folder: KeyFolder, *, using: str) -> None:
    """End the keys that were followed by another one seven days ago."""
    *older, newest = open_keys(origin, using=using)
    folder.promote(newest)
    if not older:
        return
    is_over: bool = in_transaction(partial(_overlap_is_over, stream=stream, key=newest.text))
    if is_over:
        for key in older:
            _retire(stream, key, folder, ROTATED, using)


def _overlap_is_over(tx: Transaction, *, stream: str, key: str) -> bool:
    loaded = tx.load(stream)
    added = [one.at for one in loaded.events if _adds(one.event, key)]
    return bool(added) and loaded.now - added[-1] >= OVERLAP


def _adds(event: object, key: str) -> bool:
    return isinstance(event, KeyAdded) and event.key == key


def _retire(stream: str, key: VerifierKey, folder: KeyFolder, change: Change, using: str) -> None:
    """The event goes with the row: a row alone would be a key that ended for no reason."""
    with transaction.atomic(using=using):
        _lock_size(using)  # nothing is signed meanwhile
        size = rows(using, "SELECT coalesce(max(size), 0) FROM eventstore_log_checkpoint")[0][0]
        rows(
            using,
            """UPDATE eventstore_log_key SET to_size = %s
            WHERE name = %s AND key_id = %s AND to_size IS NULL""",
            [size, key.name, key.id],
        )
        event = KeyRetired(key=key.text, size=size, reason=change.reason, second=change.second)
        _append(stream, event, change.actor)
    folder.forget(key)


def _append(stream: str, event: LogEvent, actor: str) -> None:
    in_transaction(partial(_append_one, stream=stream, fact=Fact(event, actor)))


def _append_one(tx: Transaction, *, stream: str, fact: Fact) -> None:
    tx.append(stream, tx.load(stream).head, [fact])


def _lock_size(using: str) -> int:
    return int(rows(using, "SELECT size FROM eventstore_log_state FOR UPDATE")[0][0])


def _add_row(key: VerifierKey, size: int, using: str) -> None:
    rows(
        using,
        """INSERT INTO eventstore_log_key (key_id, name, public_key, from_size)
        VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING""",
        [key.id, key.name, key.public_key, size],
    )
