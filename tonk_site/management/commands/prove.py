"""`manage.py prove`: the promises as checks (`trust.md` section 1)."""

import json
import logging
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore.ports import random_bytes
from tonk_site.product import commit, version
from tonk_site.proving import live, scratch
from tonk_site.proving.checks import BREACHES_TOLD, Breach, Check, Found, Order
from tonk_site.proving.stopping import stoppable

logger = logging.getLogger(__name__)

MODULES = (
    "cards.cards", "cards.fair_deal", "cards.fast_twin", "cards.recall", "cards.rules_twin",
    "crash.crash_points",
    "log.append_only", "log.audit_export", "log.chain", "log.gapless", "log.replay",
    "money.balances_derived", "money.cancel_safe", "money.four_eyes", "money.limits",
    "money.no_overdraft", "money.payout_sum", "money.zero_sum",
    "processes.nothing_lost",
    "races.once", "races.races",
    "silence.authz", "silence.inputs", "silence.no_leak", "silence.secrets",
    "simulator.progress",
)  # fmt: skip
"""Every check: the modules of `tonk_site.proving` that have a `CHECK`."""


def _loaded() -> dict[str, Check]:
    checks = (import_module(f"tonk_site.proving.{one}").CHECK for one in MODULES)
    return dict(sorted((check.name, check) for check in checks))


CHECKS: Mapping[str, Check] = _loaded()


class Command(BaseCommand):
    """One JSON line a check; exit code 1 if one is not ok, 2 for wrong use."""

    help = "Check what the product promises; a JSON line each."
    stops: Sequence[int] = ()
    """Signals that told this run to stop."""
    requires_system_checks: tuple[str, ...] = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """The arguments of `trust.md` section 1."""
        parser.add_argument("names", nargs="*", metavar="NAME", help="all checks without a name")
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument("--quick", action="store_true", help="the default")
        mode.add_argument("--full", action="store_true", help="as before a release")
        mode.add_argument("--scale", type=_part, help="a part of the full size: 0.1 is a tenth")
        parser.add_argument("--seed", help="of the trial; random unless given")
        parser.add_argument("--live-only", action="store_true", help="read the live data, no trial")
        parser.add_argument("--only", type=int, metavar="N", help="the one hand N of the seed")
        parser.add_argument("--list", action="store_true", help="the names of all checks")
        parser.add_argument("--out", type=Path, help="a file for the lines, too")

    @override
    def handle(self, **arguments: Any) -> None:
        """Runs the checks; what they found is on standard output, progress on the other."""
        if arguments["list"]:
            self.stdout.write("\n".join(CHECKS))
            return
        checks = _chosen(arguments)
        if arguments["out"]:
            _write(arguments["out"], "")  # what can not be written is told before the work
        lines: list[dict[str, Any]] = []
        with stoppable() as self.stops, scratch.shared():
            for check in checks:
                lines.append(self._run(check, arguments))
                if arguments["out"]:  # whoever stops the rest has these
                    _write(arguments["out"], "".join(f"{json.dumps(line)}\n" for line in lines))
        if not all(line["ok"] for line in lines):
            raise SystemExit(1)

    def _run(self, check: Check, arguments: Mapping[str, Any]) -> dict[str, Any]:
        sizes, mode = _sizes(check, arguments)
        seed = arguments["seed"] or random_bytes(4).hex()

        def say(progress: str) -> None:
            self.stderr.write(f"{check.name}: {progress}")

        order = Order(sizes=sizes, seed=seed, only=arguments["only"], say=say)
        began = time.monotonic()
        seen: Found | None = None
        try:
            seen = _seen_live(check, arguments)
            found = check.run(order) if check.run and sizes else Found()
        except Exception as fault:
            if self.stops:  # it broke down because its processes had to
                raise
            # The other checks go on.
            logger.exception("%s broke down", check.name)
            rerun = f"manage.py prove {check.name} --seed {seed}"
            broke = Breach("the check broke down", "", "an end", repr(fault), rerun)
            found = Found(breaches=[broke])
        line = _line(check, order, found, seen) | {
            "mode": mode,
            "seconds": round(time.monotonic() - began, 1),
            "version": version(),
            "commit": commit(),
        }
        self.stdout.write(json.dumps(line))
        return line


def _chosen(arguments: Mapping[str, Any]) -> Sequence[Check]:
    """The checks to run. Raises: CommandError for a name that means none of them."""
    able = {
        name: check for name, check in CHECKS.items() if check.live or not arguments["live_only"]
    }
    dead = sorted(set(arguments["names"]) & CHECKS.keys() - able.keys())
    if dead:
        raise CommandError(
            f"no live part: {', '.join(dead)}; there is one in: {', '.join(able)}", returncode=2
        )
    unknown = sorted(set(arguments["names"]) - set(able))
    if unknown:
        raise CommandError(f"unknown: {', '.join(unknown)}; known: {', '.join(able)}", returncode=2)
    chosen = [able[name] for name in arguments["names"] or sorted(able)]
    if arguments["only"] is not None:
        _require_hands(chosen, arguments)
    return chosen


def _require_hands(chosen: Sequence[Check], arguments: Mapping[str, Any]) -> None:
    """A single hand is asked for of checks that play hands by numbers, and of a seed."""
    able = sorted(name for name, check in CHECKS.items() if check.unit == "hands")
    if any(check.name not in able for check in chosen):
        raise CommandError(f"--only is for {', '.join(able)}", returncode=2)
    if arguments["seed"] is None or arguments["only"] < 1:
        raise CommandError("--only is the number of a hand of a --seed, from 1", returncode=2)


def _seen_live(check: Check, arguments: Mapping[str, Any]) -> Found | None:
    """What the live part found; None where there is none, or nothing to read."""
    if check.live is None or not (arguments["live_only"] or live.configured()):
        return None
    return live.read(check.live, f"manage.py prove {check.name} --live-only")


def _part(text: str) -> float:
    """A part of the full size. Raises: ArgumentTypeError, ValueError for what is none."""
    part = float(text)
    if not 0 < part <= 1:
        raise ArgumentTypeError(f"{text}: a part is above 0 and at most 1")
    return part


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=2) from error


def _sizes(check: Check, arguments: Mapping[str, Any]) -> tuple[Mapping[str, int], str]:
    """What is demanded, and the name of that mode."""
    if arguments["only"] is not None:
        return {"hands": 1}, f"only {arguments['only']}"
    if arguments["live_only"]:
        return {}, "live"
    if arguments["full"]:
        return check.full, "full"
    scale = arguments["scale"]
    if scale is None:
        return check.quick, "quick"
    # What is not ten times as much in the full mode are kinds of things: as in the quick one.
    quick = {name: check.quick.get(name, 0) for name in check.full}
    sizes = {
        name: max(1, int(size * scale)) if size >= 10 * max(1, quick[name]) else quick[name]
        for name, size in check.full.items()
    }
    return sizes, f"full x {scale:g}"


def _line(check: Check, order: Order, found: Found, seen: Found | None) -> dict[str, Any]:
    """What trust.md lists, and what the check met on the way (`seen`)."""
    # A check of live data alone, where there is none, has proved nothing.
    looked = check.run is not None or seen is not None
    enough = looked and all(found.done[name] >= size for name, size in order.sizes.items())
    breaches = [*(seen.breaches if seen else ()), *found.breaches]
    return {
        "check": check.name,
        "promise": check.promise,
        "ok": enough and not breaches,
        "seed": order.seed,
        "live": dict(seen.done) if seen else None,
        "size": dict(order.sizes),
        "done": {name: found.done[name] for name in order.sizes},
        "seen": {name: dict(counts.most_common()) for name, counts in found.seen.items()},
        "breaches_total": len(breaches),
        "breaches": [asdict(one) for one in breaches[:BREACHES_TOLD]],
    }
