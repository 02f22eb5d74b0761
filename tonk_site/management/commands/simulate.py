"""`manage.py simulate`: a whole world under faults in one process, repeatable from its seed."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec
from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from tonk_site.proving.simulator.coverage import Coverage
from tonk_site.proving.simulator.database import Simulate, simulated, simulator
from tonk_site.proving.simulator.faults import KINDS
from tonk_site.proving.simulator.order import Order, Report
from tonk_site.proving.simulator.shrinking import breach_of, shrunk
from tonk_site.proving.stopping import stoppable
from tonk_site.proving.world import ACTS

PLAYERS, PLAYERS_MIN, PLAYERS_MAX = 9, 3, 64
CASH_PLAYERS = 3
"""People at the cash table; a bot has the fourth seat."""
OUT = "file for the trace of a run that breaks; of several runs each has its seed in its name"


class Command(BaseCommand):
    """A JSON line a run, the last one that of the whole; exit code 1 if something broke."""

    help = "Play a tournament or a cash table under injected faults, repeatable from its seed."
    requires_system_checks: tuple[str, ...] = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--seed", help="the run of this seed")
        which.add_argument("--seeds", type=_span, metavar="A..B", help="a run for each number")
        which.add_argument("--replay", type=Path, metavar="FILE", help="the run of a trace")
        parser.add_argument(
            "--mode", choices=("bounded", "unlimited", "none"), default="bounded",
            help="bounded: faults stop, and all must come to its end; unlimited: they never stop",
        )  # fmt: skip
        parser.add_argument("--world", choices=("tournament", "cash"), default="tournament")
        parser.add_argument("--players", type=int, help="of the tournament; 9 unless given")
        parser.add_argument("--only-faults", type=_kinds, default=KINDS, metavar="A,B")
        parser.add_argument(
            "--first", type=_operations, default=(), metavar="A,B",
            help="operations that people are keen on until one of each was carried out",
        )  # fmt: skip
        parser.add_argument("--shrink", action="store_true", help="to the fewest faults it takes")
        parser.add_argument("--out", type=Path, help=OUT)

    @override
    def handle(self, **given: Any) -> None:
        orders = self._orders(given)
        for order in orders if given["out"] else ():
            _require_writable(_place(given["out"], order, len(orders)))
        coverage, broken = Coverage(), 0
        with stoppable(), closing(simulated(orders)) as reports:
            for order, report in zip(orders, reports, strict=True):
                self.stdout.write(json.dumps(report.line()))
                coverage.add(report)
                if not report.ok:
                    broken += 1
                    found = self._tell(order, report, shrink=given["shrink"])
                    if given["out"]:
                        trace = msgspec.json.format(msgspec.json.encode(asdict(found)))
                        _place(given["out"], order, len(orders)).write_bytes(trace)
        if len(orders) > 1:
            self.stderr.write(coverage.table())
            total = {"seeds": len(orders), "broken": broken, "faults": coverage.faults()}
            self.stdout.write(json.dumps(total | {"ok": not broken}))
        if broken:
            raise SystemExit(1)

    def _orders(self, given: dict[str, Any]) -> list[Order]:
        if given["replay"]:
            return [_trace(given["replay"])]
        seeds = given["seeds"] or [given["seed"]]
        options = {name: given[name] for name in ("mode", "first")}
        options |= {"kind": given["world"], "only": given["only_faults"]}
        return [Order(seed, players=_players(given), **options) for seed in seeds]

    def _tell(self, order: Order, report: Report, *, shrink: bool) -> Order:
        """What broke, and the command that shows it again. The trace of it."""
        self.stderr.write(f"{report.safety}\n{report.progress}\nagain: {order.again()}")
        found = replace(order, faults=tuple(report.struck), trace="")
        if shrink:
            with simulator() as simulate:
                found = self._shrunk(found, report, simulate)
            self.stderr.write(f"{len(found.faults or ())} faults are enough: {found.faults}")
        return found

    def _shrunk(self, order: Order, report: Report, simulate: Simulate) -> Order:
        wanted = breach_of(report)

        def breaks(fewer: Order) -> bool:
            self.stderr.write(f"{len(fewer.faults or ())} faults, {fewer.players} players")
            return breach_of(simulate(fewer)) == wanted

        return shrunk(order, report.struck, breaks)


def _span(text: str) -> Sequence[str]:
    first, dots, last = text.partition("..")
    if not (dots and first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
        raise ArgumentTypeError(f"{text!r} is no span like 1..20")
    return [str(number) for number in range(int(first), int(last) + 1)]


def _kinds(text: str) -> tuple[str, ...]:
    kinds = tuple(text.split(","))
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise ArgumentTypeError(f"unknown: {', '.join(unknown)}; known: {', '.join(KINDS)}")
    return kinds


def _operations(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    unknown = set(names) - {act.operation for act in ACTS}
    if unknown:
        raise ArgumentTypeError(f"unknown: {', '.join(sorted(unknown))}")
    return names


def _players(given: dict[str, Any]) -> int:
    """How many play. Raises: CommandError for a number that the world can not have."""
    number: int | None = given["players"]
    if given["world"] == "cash":
        if number not in {None, CASH_PLAYERS}:
            why = f"--players {number}: at the cash table there are always {CASH_PLAYERS}"
            raise CommandError(why, returncode=2)
        return CASH_PLAYERS
    number = PLAYERS if number is None else number
    if not PLAYERS_MIN <= number <= PLAYERS_MAX:
        why = f"{number} players: there are {PLAYERS_MIN} to {PLAYERS_MAX}"
        raise CommandError(why, returncode=2)
    return number


def _place(out: Path, order: Order, runs: int) -> Path:
    """Where the trace of a run goes: of several runs none takes another's place."""
    return out if runs == 1 else out.with_stem(f"{out.stem}-{order.seed}")


def _require_writable(path: Path) -> None:
    """What can not be written is told before the work. Raises: CommandError."""
    is_new = not path.exists()
    try:
        path.open("ab").close()
    except OSError as fault:
        raise CommandError(f"{path}: {fault.strerror}", returncode=2) from fault
    if is_new:
        path.unlink()


def _trace(path: Path) -> Order:
    try:
        return replace(msgspec.json.decode(path.read_bytes(), type=Order), trace=str(path))
    except (OSError, msgspec.DecodeError) as fault:
        raise CommandError(f"{path}: {fault}", returncode=2) from fault
