"""`manage.py verify`: every chain of the database, the tree over them, what was signed."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore.core.notes import BadNote, VerifierKey
from eventstore.tree_verification import Outside
from eventstore.verification import verify_log

NOTE_MARK = "{"  # an export's lines are JSON; a note never begins so


class Command(BaseCommand):
    """A line for each faulty stream or relation: where first, and why; the last line is JSON."""

    help = "Verify chains, tree and signatures of the log; exit code 1 if one does not hold."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """What is held outside the database makes the check worth more."""
        parser.add_argument(
            "--key", action="append", default=[], metavar="VKEY", help="trust these keys alone"
        )
        parser.add_argument(
            "--notes",
            action="append",
            default=[],
            type=Path,
            metavar="FILE",
            help="a note that was kept, or an export: each checkpoint in it must be there still",
        )

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        outside = Outside(
            keys=[_key(text) for text in options["key"]],
            notes=[note for path in options["notes"] for note in _notes(path)],
        )
        found = verify_log(outside)
        for fault in found.faults:
            print(f"{fault.stream} version {fault.version}: {fault.code}")
        for other in found.tree.faults:
            print(other)
        faults = len(found.faults) + len(found.tree.faults)
        counts = {
            "streams": found.streams,
            "events": found.events,
            "leaves": found.tree.leaves,
            "checkpoints": found.tree.checkpoints,
            "faults": faults,
        }
        print(json.dumps(counts, separators=(",", ":")))
        if faults:
            sys.exit(1)


def _key(text: str) -> VerifierKey:
    try:
        return VerifierKey.read(text)
    except BadNote as fault:
        raise CommandError(f"--key {text}: {fault}") from fault


def _notes(path: Path) -> list[str]:
    """The note of a file, or every note of an export."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise CommandError(f"{path}: {fault}") from fault
    if not text.startswith(NOTE_MARK):
        return [text]
    found = (json.loads(line).get("c") for line in text.splitlines() if '"c":' in line)
    return [note for note in found if note]
