"""`manage.py tonkh export|verify|replay`: hand histories as texts (`api.md` section 8)."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore.core.refusal import Refusal, Refused
from games.histories import ended_history
from games.rules.tonkh.check import verify
from games.rules.tonkh.history import HandHistory
from games.rules.tonkh.play import document, replay
from games.rules.tonkh.text import read_all, write

VIEWERS = ("all", "public", *(f"seat {seat}" for seat in range(1, 7)))


class Command(BaseCommand):
    """Writes a hand of the log as a text; verifies texts and replays them without the log."""

    help = "Export a hand, verify or replay hand histories."
    requires_system_checks: tuple[str, ...] = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of `design.md` section 6."""
        actions = parser.add_subparsers(dest="action", required=True)
        export = actions.add_parser("export", help="a hand that has ended, from the log")
        export.add_argument("hand", metavar="HAND", type=UUID)
        export.add_argument(
            "--viewer", nargs="+", default=["all"], help="all, public or seat N: as seen by them"
        )
        export.add_argument("--out", type=Path, help="a file; without it standard output")
        verifying = actions.add_parser("verify", help="rules and proof of each hand")
        verifying.add_argument("files", metavar="FILE", nargs="+", type=Path)
        replaying = actions.add_parser("replay", help="the state of each hand, as JSON")
        replaying.add_argument("file", metavar="FILE", type=Path)
        replaying.add_argument(
            "--at", metavar="N", type=int, help="after N actions; without it after all of them"
        )

    @override
    def handle(self, **arguments: Any) -> None:
        """Does one of the three. Verify exits with 1 if a hand failed, or there was none."""
        if arguments["action"] == "export":
            viewer = " ".join(arguments["viewer"])
            self._write(_exported(arguments["hand"], viewer), arguments["out"])
        elif arguments["action"] == "verify":
            self._verify(arguments["files"])
        else:
            for line in _states(arguments["file"], arguments["at"]):
                self.stdout.write(line)

    def _write(self, text: str, out: Path | None) -> None:
        if out is None:
            self.stdout.write(text, ending="")
            return
        try:
            out.write_bytes(text.encode())
        except OSError as error:
            raise CommandError(f"{out}: {error.strerror}") from error

    def _verify(self, paths: list[Path]) -> None:
        failed = verified = 0
        hands = [(path, found) for path in paths for found in enumerate(_hands(path), start=1)]
        for path, (number, found) in hands:
            why = _complaints(found)
            name = found.hand if isinstance(found, HandHistory) else f"{path}#{number}"
            self.stdout.write(f"FAIL {name}: {why}" if why else f"ok {name}")
            failed, verified = failed + bool(why), verified + (not why)
        self.stdout.write(f"{verified} verified, {failed} failed")
        if failed or not verified:
            raise SystemExit(1)


def _exported(hand: UUID, viewer: str) -> str:
    if viewer not in VIEWERS:
        raise CommandError(f"--viewer is one of {', '.join(VIEWERS)}")
    try:
        return write(ended_history(hand, viewer))
    except Refused as refused:
        code = refused.refusal.code
        if code == "not_found":
            raise CommandError(f"there is no hand {hand} (is it a table's id?)") from refused
        raise CommandError(f"hand {hand}: {code}") from refused


def _hands(path: Path) -> tuple[HandHistory | Refusal, ...]:
    """The hands of a file, each read or refused."""
    try:
        return read_all(path.read_bytes().decode())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: no UTF-8") from error


def _complaints(found: HandHistory | Refusal) -> str:
    if isinstance(found, Refusal):
        return f"{found.code}: {found.facts['where']}: {found.facts['why']}"
    return "; ".join(map(str, verify(found)))


def _states(path: Path, at: int | None) -> list[str]:
    """A state of each hand of a file, as JSON."""
    states = []
    for number, found in enumerate(_hands(path), start=1):
        if isinstance(found, Refusal):
            raise CommandError(f"{path}#{number}: {_complaints(found)}")
        hands = replay(found).hands
        if at is not None and not 0 <= at < len(hands):
            raise CommandError(f"{path}#{number} has {len(hands) - 1} actions")
        state = document(found, hands[-1 if at is None else at])
        states.append(json.dumps(state, ensure_ascii=False))
    if not states:
        raise CommandError(f"{path}: no hand")
    return states
