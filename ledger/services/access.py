"""Who looked at what is not his own, and who took the books away (`ledger.md` section 6.4).

The row is written before anything goes out: nobody sees what is not on the list.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO
from uuid import UUID

import msgspec

from eventstore.services import Transaction, in_transaction
from ledger import exports
from ledger.exports import Wanted
from ledger.models import AuditAccess

OPERATOR = "the command line"
CHUNK_BYTES = 65_536  # of a file that are sent at once
IN_MEMORY_BYTES = 1 << 20  # a longer export lies in a file until it is sent


@dataclass(frozen=True, slots=True)
class Look:
    """Somebody gets to see something: what, of whom, by which parameters."""

    actor: str
    what: str  # the operation's name in the API
    parameters: Mapping[str, object]
    subject: UUID | None = None  # the player who is looked at


def staff(player: UUID) -> str:
    """How one of the staff is named in the list."""
    return f"staff:{player}"


def note(look: Look, document: object, *, rows: int = 1) -> None:
    """Put a look at a document on the list, in a transaction of its own."""
    _write(look, rows=rows, digest=sha256(msgspec.json.encode(document)).hexdigest())


def note_unread(look: Look) -> None:
    """The same of what is read only while it goes out: its length and its hash are not known."""
    _write(look, rows=0, digest=None)


def export(form: str, asked: Wanted, actor: str) -> Iterator[bytes]:
    """The bytes of an export, once it is whole and on the list."""
    with ExitStack() as unless_whole:
        file = unless_whole.enter_context(SpooledTemporaryFile(max_size=IN_MEMORY_BYTES))
        written = exports.write(form, asked, file)
        parameters = {name: value for name, value in _parameters(asked).items() if value}
        look = Look(actor, "ledger.export", {"format": form, **parameters})
        _write(look, rows=written.rows, digest=written.sha256)
        unless_whole.pop_all()
        return _chunks(file)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _parameters(asked: Wanted) -> dict[str, object]:
    return {
        "size": asked.size,
        "from": asked.start and str(asked.start),
        "to": asked.end and str(asked.end),
        "currency": asked.currency,
    }


def _write(look: Look, *, rows: int, digest: str | None) -> None:
    in_transaction(partial(_insert, look=look, rows=rows, digest=digest))


def _insert(tx: Transaction, *, look: Look, rows: int, digest: str | None) -> None:
    AuditAccess.objects.create(
        actor=look.actor,
        at=tx.now,
        what=look.what,
        subject=look.subject,
        parameters=dict(look.parameters),
        row_count=rows,
        sha256=digest,
    )
