"""Witnesses: outsiders who cosign checkpoints (C2SP tlog-witness, `eventstore.md` section 4.5).

Asked from a thread of their own, so one that answers nothing delays nobody. Their lines lie in
`log_cosignature`, and are added to the note when it is served.
"""

import logging
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from threading import Event

import httpx
from django.db import Error, connections

from eventstore import tree
from eventstore.core.notes import (
    COSIGNATURE,
    SIGNATURE_BYTES,
    TIME_BYTES,
    Line,
    VerifierKey,
    parse_note,
    read_line,
)
from eventstore.core.refusal import Refused

logger = logging.getLogger(__name__)
EVERY_SECONDS = 60.0
ANSWER_SECONDS_MAX = 10.0
SIZE_DIGITS_MAX = 18
LINE_CHARACTERS_MAX = 300  # a longer name is none to verifiers: they would refuse the whole note
LINES_MAX = 4  # of one witness: all that is served must stay a note that everybody reads
ANSWER_BYTES_MAX = 1 << 14


@dataclass(frozen=True, slots=True)
class Witness:
    """Where a witness is asked, and its verifier key where we know it."""

    url: str
    key: VerifierKey | None


class NoCosignature(RuntimeError):
    """A witness did not cosign; the message says what it answered."""


def witnesses_of(settings: Sequence[str]) -> tuple[Witness, ...]:
    """The witnesses of the setting: `URL` or `URL#VERIFIER-KEY` each. Raises: BadNote.

    >>> witnesses_of(["https://w.example/tonk/"])[0].url
    'https://w.example/tonk/add-checkpoint'
    """
    found = []
    for text in settings:
        url, _, key = text.strip().partition("#")
        address = f"{url.rstrip('/').removesuffix('/add-checkpoint')}/add-checkpoint"
        found.append(Witness(address, VerifierKey.read(key) if key else None))
    return tuple(found)


def request_body(old_size: int, path: Iterable[bytes], note: str) -> str:
    """What a witness is sent: the size that it has seen, the proof from there, the new note."""
    proof = "".join(f"{b64encode(one).decode()}\n" for one in path)
    return f"old {old_size}\n{proof}\n{note}"


class Witnesses:
    """Asks witnesses to cosign the newest checkpoint, again and again."""

    def __init__(self, witnesses: Sequence[Witness], *, using: str = "sequencer") -> None:
        self._witnesses, self._using = witnesses, using
        self._seen: dict[str, int] = {}  # the size that a witness has cosigned last

    def run(self, stop: Event) -> None:
        """Ask every minute until `stop` is set."""
        try:
            while self._witnesses and not stop.is_set():
                self.ask_all()
                stop.wait(EVERY_SECONDS)
        finally:
            connections.close_all()  # those of this thread

    def ask_all(self) -> None:
        """Ask each witness once. What one of them does wrong is a line in the log.

        All are asked about one note and their lines are kept at once: a note that is served with
        the line of one has those of all who answered.
        """
        try:
            newest = tree.newest(using=self._using)
            if newest is not None:
                self._keep(
                    newest, [line for one in self._witnesses for line in self._of(one, newest)]
                )
        except Error as fault:
            self._seen.clear()  # what was not kept is asked for again
            logger.warning("witnesses: %s", fault)

    def _of(self, witness: Witness, newest: tree.Checkpoint) -> list[Line]:
        try:
            return self.ask(witness, newest)
        except (NoCosignature, httpx.HTTPError, httpx.InvalidURL, Refused) as fault:
            logger.warning("witness %s: %s", witness.url, fault)
            return []

    def ask(self, witness: Witness, newest: tree.Checkpoint) -> list[Line]:
        """Lines of a witness, none for a note that it has. Raises: NoCosignature, HTTPError."""
        if self._seen.get(witness.url) == newest.size:
            return []
        answer = self._post(witness, newest, self._seen.get(witness.url, 0))
        if answer.status_code == HTTPStatus.CONFLICT:
            self._seen[witness.url] = _size(answer, newest)
            answer = self._post(witness, newest, self._seen[witness.url])
        if answer.status_code != HTTPStatus.OK:
            raise NoCosignature(f"answered {answer.status_code}")
        lines = _lines(witness, newest, answer.text)
        self._seen[witness.url] = newest.size
        return lines

    def _post(self, witness: Witness, newest: tree.Checkpoint, old: int) -> httpx.Response:
        path = tree.consistency(old, newest.size, using=self._using) if old else ()
        body = request_body(old, path, newest.note)
        headers = {"Content-Type": "text/plain; charset=utf-8", "Accept-Encoding": "identity"}
        content = body.encode()
        with httpx.stream(
            "POST", witness.url, content=content, timeout=ANSWER_SECONDS_MAX, headers=headers
        ) as answer:
            found = _all_of(answer)
        return httpx.Response(answer.status_code, content=found)

    def _keep(self, newest: tree.Checkpoint, lines: Sequence[Line]) -> None:
        with connections[self._using].cursor() as cursor:
            for line in lines:
                cursor.execute(
                    """INSERT INTO eventstore_log_cosignature (size, name, line)
                    VALUES (%s, %s, %s) ON CONFLICT DO NOTHING""",
                    [newest.size, line.name, line.text],
                )


def _all_of(answer: httpx.Response) -> bytes:
    """The body of an answer as it came, if it is no longer than any could be."""
    found = b""
    for part in answer.iter_raw():
        found += part
        if len(found) > ANSWER_BYTES_MAX:
            raise NoCosignature(f"answered more than {ANSWER_BYTES_MAX} bytes")
    return found


def _size(answer: httpx.Response, newest: tree.Checkpoint) -> int:
    """The size that a witness says it has seen."""
    text = answer.text.strip()
    if not text.isascii() or not text.isdigit() or len(text) > SIZE_DIGITS_MAX:
        raise NoCosignature("says 409 without a size")
    if int(text) > newest.size:
        raise NoCosignature(f"has seen {text}, which is more than the log's {newest.size}")
    return int(text)


def _lines(witness: Witness, newest: tree.Checkpoint, text: str) -> list[Line]:
    """The cosignatures of an answer. Of a witness whose key is known they are checked."""
    note = parse_note(newest.note)
    known = witness.key
    if known is not None and parse_note(newest.note + _ended(text)).cosigned_at(known) is None:
        raise NoCosignature("answered with a line that its key did not sign")
    lines = filter(None, map(read_line, _ended(text).splitlines(keepends=True)))
    found = [
        line
        for line in lines
        if len(line.payload) == TIME_BYTES + SIGNATURE_BYTES
        and line.name != note.origin
        and len(line.text) <= LINE_CHARACTERS_MAX
        and (known is None or (line.name, line.key_id) == (known.name, known.id))
    ]
    if not found:
        raise NoCosignature("answered without a cosignature")
    return found[:LINES_MAX]


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


def published(settings: Sequence[str]) -> list[dict[str, str]]:
    """Names and verifier keys of the witnesses whose keys are known."""
    found = [one.key for one in witnesses_of(settings) if one.key is not None]
    return [{"name": key.name, "key": key.text} for key in found if key.kind == COSIGNATURE]
