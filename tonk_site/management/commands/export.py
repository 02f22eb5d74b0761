"""`manage.py export receipt|events|FORMAT`: what proves a payout; log and books to take away."""

import json
import logging
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore import tree
from eventstore.core.ids import subject
from eventstore.core.refusal import Refused
from eventstore.exports import LOGGER, log_export, stream_export
from eventstore.readers import PUBLIC, STAFF
from ledger.core.receipts import claims
from ledger.exports import FORMS, wanted
from ledger.receipts import booked, receipt
from ledger.services import access
from ledger.services.access import OPERATOR, Look
from tonk_site.pipes import while_read

PROGRESS_LINES = 50_000

logger = logging.getLogger(LOGGER)
Lines = Iterable[bytes]


class Command(BaseCommand):
    """Writes to standard output or a file; what it does is told on standard error."""

    help = "Write a receipt, a stream, the log or the books, to be checked elsewhere."
    requires_system_checks: tuple[str, ...] = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """One action a kind of file; all of them know `--out`."""
        actions = parser.add_subparsers(dest="action", required=True)
        one = actions.add_parser("receipt", help="all that proves one payout")
        one.add_argument("entry", metavar="ENTRY", type=int, help="id of an entry of the books")
        one.add_argument("--player", type=UUID, help="whose, where the entry pays several")
        events = actions.add_parser("events", help="the log, or one stream of it")
        events.add_argument("--stream", metavar="S", help="table/<id>, wallet/<id>, ..")
        events.add_argument("--from", dest="start", metavar="I", type=int, help="the first leaf")
        events.add_argument(
            "--to", dest="end", metavar="J", type=int, help="the first leaf left out"
        )
        for action in (one, events, *_books_parsers(actions)):
            action.add_argument("--out", type=Path, help="a file; without it standard output")

    @override
    def handle(self, **arguments: Any) -> None:
        """Writes the file. Refusals end with 1 and why; a reader that has enough is no fault."""
        try:
            lines = ACTIONS[arguments["action"]](arguments)
        except Refused as refused:
            raise CommandError(_words(refused)) from refused
        with _opened(arguments["out"]) as file:
            for number, line in enumerate(lines, start=1):
                file.write(line)
                if number % PROGRESS_LINES == 0:
                    self.stderr.write(f"{number:,} lines")
            file.flush()


def _receipt(arguments: Mapping[str, Any]) -> Lines:
    number, player = arguments["entry"], arguments["player"]
    with _unless_found(f"there is no entry {number}"):
        entry = booked(number)
    whom = "nobody" if player is None or not claims(entry) else f"player {player} nothing"
    with _unless_found(f"entry {number} pays {whom} ({entry.kind.word}): there is no receipt"):
        made: dict[str, Any] = receipt(entry, player)
    logger.info("receipt of entry %s for %s", number, OPERATOR)
    parameters = {"entry_id": number, "player": player and str(player)}
    access.note(Look(OPERATOR, "ledger.receipt", parameters, UUID(made["claim"]["player"])), made)
    return [json.dumps(made, ensure_ascii=False, indent=1).encode() + b"\n"]


def _events(arguments: Mapping[str, Any]) -> Lines:
    stream, start, end = (arguments[name] for name in ("stream", "start", "end"))
    if stream is not None:
        if start is not None or end is not None:
            raise CommandError("--from and --to are places in the whole log, not in a stream")
        with _unless_found(f"there is no stream {stream}"):
            lines = stream_export(stream)
        logger.info("exported %s for %s", stream, OPERATOR)
        owner = None if PUBLIC.may_read(stream) else subject(stream)
        access.note_unread(Look(OPERATOR, "log.stream_head", {"stream": stream}, owner))
    else:
        lines = log_export(start or 0, end, STAFF)
        until = "the end" if end is None else end
        logger.info("exported records %s to %s for %s", start or 0, until, OPERATOR)
        parameters = {"from_index": start or 0, "to_index": end}
        access.note_unread(Look(OPERATOR, "log.export", parameters))
    return lines


def _books_parsers(actions: Any) -> Iterator[ArgumentParser]:
    """An action a form of the books."""
    for form in FORMS:
        action = actions.add_parser(form, help=f"the books as {form}")
        action.add_argument("--from", dest="start", metavar="DATE", type=date.fromisoformat)
        action.add_argument(
            "--to",
            dest="end",
            metavar="DATE",
            type=date.fromisoformat,
            help="the first day left out",
        )
        action.add_argument("--size", metavar="N", type=int, help="of the log")
        action.add_argument("--currency", metavar="CUR", help="one alone")
        yield action


def _books(arguments: Mapping[str, Any]) -> Lines:
    form = arguments["action"]
    asked = wanted(*(arguments[name] for name in ("size", "start", "end", "currency")))
    return _told(access.export(form, asked, OPERATOR), form, asked.size)


def _told(chunks: Lines, form: str, size: int) -> Lines:
    """The same bytes; what they were is told once all of them are written."""
    summed = sha256()
    for chunk in chunks:
        summed.update(chunk)
        yield chunk
    told = (form, OPERATOR, size, tree.root(size).hex(), summed.hexdigest())
    logger.info("exported %s for %s: size %s, root %s, sha256 %s", *told)


ACTIONS: Mapping[str, Callable[[Mapping[str, Any]], Lines]] = MappingProxyType(
    {"receipt": _receipt, "events": _events, **dict.fromkeys(FORMS, _books)}
)


@contextmanager
def _opened(out: Path | None) -> Iterator[BinaryIO]:
    if out is None:
        with while_read():
            yield sys.stdout.buffer
        return
    try:
        with out.open("wb") as file:
            yield file
    except OSError as error:
        raise CommandError(f"{out}: {error.strerror}") from error


@contextmanager
def _unless_found(words: str) -> Iterator[None]:
    """Says in words what was not found. Other refusals keep their codes."""
    try:
        yield
    except Refused as refused:
        if refused.refusal.code != "not_found":
            raise
        raise CommandError(words) from refused


def _words(refused: Refused) -> str:
    facts = ", ".join(f"{name} {value}" for name, value in refused.refusal.facts.items())
    return refused.refusal.code + (f": {facts}" if facts else "")
