"""`manage.py cases`: hand-worked cases and vectors, whatever their kind."""

import contextlib
import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import yaml
from django.core.management import BaseCommand, call_command
from django.db import connections
from typing_extensions import override

from tonk_site.embedded_services import throwaway

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


NEED_DATABASE = frozenset({"ledger.cases"})  # they post, and roll back


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
        with contextlib.ExitStack() as stack:
            for name, why in verdicts(files, stack):
                word = "ok" if why is None else "FAIL"
                counts[word] += 1
                self.stdout.write(" ".join(filter(None, (word, name, why))))
        self.stdout.write(f"{counts['ok']} passed, {counts['FAIL']} failed")
        self.stdout.flush()
        if counts["FAIL"] or not counts["ok"]:
            raise SystemExit(1)


def verdicts(files: list[Path], stack: contextlib.ExitStack) -> Iterator[Verdict]:
    """Verdicts of all files; an id that an earlier case had is a failed case.

    The first file that needs a database gets a fresh one; `stack` stops it.
    """
    seen: set[str] = set()
    database = cache(lambda: stack.enter_context(fresh_database()))
    for path in files:
        for name, why in of_file(path, database):
            yield name, "schema: id twice" if name in seen else why
            seen.add(name)


def of_file(path: Path, database: Callable[[], None]) -> Iterator[Verdict]:
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
    if modules[0] in NEED_DATABASE:
        database()
    yield from import_module(modules[0]).run(document)


@contextlib.contextmanager
def fresh_database() -> Iterator[None]:
    """Every alias points at an empty, migrated database until the end; no real data is touched."""
    with throwaway() as services:
        address = {"HOST": str(services.sockets), "PORT": "", "NAME": "tonk"}
        before = {alias: dict(connections[alias].settings_dict) for alias in connections}
        try:
            for alias in connections:
                connections[alias].settings_dict.update(address)
            call_command("migrate", verbosity=0)
            yield
        finally:
            connections.close_all()
            for alias, settings in before.items():
                connections[alias].settings_dict.update(settings)


def read(path: Path) -> object:
    """Decoded content of a file. Raises: OSError, ValueError, YAMLError."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
