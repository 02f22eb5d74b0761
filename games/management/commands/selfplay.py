"""`manage.py selfplay`: hands played without a database, one JSON object a line."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore.core.refusal import Refusal
from games.rules.options import DEFAULTS, SEATS_MAX, SEATS_MIN, Options, complete
from games.rules.selfplay import MIXED, POLICIES, Run, play
from games.selfplay_check import check_line


class Command(BaseCommand):
    """Plays hands and writes them in the format of `cases/README.md`."""

    help = "Plays hands without a database; writes one JSON object a hand."
    requires_system_checks: tuple[str, ...] = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of `design.md` section 6."""
        names = ", ".join((MIXED, *POLICIES))
        parser.add_argument("--hands", type=int, default=1000)
        parser.add_argument("--seats", type=int, default=3)
        parser.add_argument("--seed", default="1")
        parser.add_argument("--options", default="{}", help="overrides of the defaults, JSON")
        parser.add_argument("--bots", default=MIXED, help=f"one a seat, by commas: {names}")
        parser.add_argument("--out", type=Path, help="a file; without it standard output")
        parser.add_argument("--check", type=Path, metavar="FILE", help="replay the hands of FILE")

    @override
    def handle(self, **arguments: Any) -> None:
        """Plays and writes; a bad argument is refused before the first hand."""
        if arguments["check"]:
            self._check(arguments["check"])
            return
        seats, hands = arguments["seats"], arguments["hands"]
        if not SEATS_MIN <= seats <= SEATS_MAX or hands < 0:
            raise CommandError(f"--seats is {SEATS_MIN} to {SEATS_MAX}, --hands 0 or more")
        run = Run(
            options=_options(arguments["options"], seats),
            seats=seats,
            seed=arguments["seed"],
            bots=_bots(arguments["bots"]),
        )
        lines = (json.dumps(line, separators=(",", ":")) for line in play(run, hands))
        if arguments["out"]:
            self._write(arguments["out"], lines)
        else:
            for line in lines:
                self.stdout.write(line)

    def _check(self, path: Path) -> None:
        """A line a hand, the last line counts them; exit code 1 if one fails or there is none."""
        counts = {"ok": 0, "FAIL": 0}
        try:
            with path.open(encoding="utf-8") as lines:
                for number, text in enumerate(lines, start=1):
                    why = check_line(_decoded(text))
                    counts["FAIL" if why else "ok"] += 1
                    self.stdout.write(f"FAIL {number} {why}" if why else f"ok {number}")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{path}: {error}") from error
        self.stdout.write(f"{counts['ok']} passed, {counts['FAIL']} failed")
        if counts["FAIL"] or not counts["ok"]:
            raise SystemExit(1)

    def _write(self, path: Path, lines: Iterable[str]) -> None:
        try:
            with path.open("w", encoding="utf-8") as out:
                out.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error


def _decoded(text: str) -> Any:
    """The JSON of a line; what is none is a line without keys."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {}


def _options(text: str, seats: int) -> Options:
    """The option set; a table for more players than by default has as many seats as are dealt."""
    try:
        overrides = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"--options is no JSON: {error}") from error
    if not isinstance(overrides, dict):
        raise CommandError("--options is a JSON object")
    overrides = {"max_players": max(seats, DEFAULTS.max_players)} | overrides
    options = complete(overrides, seats)
    if isinstance(options, Refusal):
        raise CommandError(f"bad_options: {json.dumps(options.facts['problems'])}")
    return options


def _bots(text: str) -> tuple[str, ...]:
    bots = tuple(text.split(","))
    unknown = [bot for bot in bots if bot != MIXED and bot not in POLICIES]
    if unknown:
        raise CommandError(f"unknown bots {unknown}: {MIXED} or one of {', '.join(POLICIES)}")
    return bots
