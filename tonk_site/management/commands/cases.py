"""`manage.py cases`: hand-worked cases and vectors, whatever their kind."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import yaml
from django.core.management import BaseCommand
from typing_extensions import override

Verdict = tuple[str, str | None]
"""Id of a case, and why it failed or None."""

# What a file says of itself, and the module whose `run(document)` gives its verdicts.
RUNNERS = {
    ("kind", "rules"): "games.cases",
    ("kind", "ledger"): "ledger.cases",
    ("kind", "tournaments"): "tournaments.cases",
    ("protocol", "tonk/fair/1"): "games.fair_cases",
    ("format", "tonk/event/1"): "eventstore.cases",
}


class Command(BaseCommand):
    """A line a case; the last line counts them; exit code 1 if one failed or there was none."""

    help = "Run case files in the schemas of tests/cases/README.md."
    requires_system_checks = []

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")

    @override
    def handle(self, *args: object, files: list[Path], **options: object) -> None:
        counts = {"ok": 0, "FAIL": 0}
        for name, why in verdicts(files):
            word = "ok" if why is None else "FAIL"
            counts[word] += 1
            self.stdout.write(" ".join(filter(None, (word, name, why))))
        self.stdout.write(f"{counts['ok']} passed, {counts['FAIL']} failed")
        self.stdout.flush()
        if counts["FAIL"] or not counts["ok"]:
            raise SystemExit(1)


def verdicts(files: list[Path]) -> Iterator[Verdict]:
    """Verdicts of all files; an id that an earlier case had is a failed case."""
    seen: set[str] = set()
    for path in files:
        for name, why in of_file(path):
            yield name, "schema: id twice" if name in seen else why
            seen.add(name)


def of_file(path: Path) -> Iterator[Verdict]:
    """Verdicts of one file; a file that nobody can run is one failed case of its own name."""
    try:
        document = read(path)
    except (OSError, ValueError, yaml.YAMLError) as error:
        yield str(path), f"schema: {' '.join(str(error).split())}"
        return
    heads = document.items() if isinstance(document, dict) else ()
    modules = [RUNNERS[head] for head in heads if isinstance(head[1], str) and head in RUNNERS]
    if len(modules) != 1:
        yield str(path), "schema: unknown kind"
        return
    yield from import_module(modules[0]).run(document)


def read(path: Path) -> object:
    """Decoded content of a file. Raises: OSError, ValueError, YAMLError."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
