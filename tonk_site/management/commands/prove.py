"""`manage.py prove`: the promises as checks (`trust.md` section 1)."""

import json
import time
import tomllib
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from eventstore.ports import random_bytes
from tonk_site.embedded_services import CHECKOUT
from tonk_site.proving import append_only, chain, fast_twin, gapless, rules_twin
from tonk_site.proving.checks import BREACHES_TOLD, Check, Found, Order

CHECKS: Mapping[str, Check] = {
    one.CHECK.name: one.CHECK for one in (rules_twin, fast_twin, gapless, chain, append_only)
}


class Command(BaseCommand):
    """One JSON line a check; exit code 1 if one is not ok, 2 for wrong use."""

    help = "Check what the product promises; a JSON line each."
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
        parser.add_argument("--only", type=int, metavar="N", help="the one hand N of the seed")
        parser.add_argument("--list", action="store_true", help="the names of all checks")
        parser.add_argument("--out", type=Path, help="a file for the lines, too")

    @override
    def handle(self, **arguments: Any) -> None:
        """Runs the checks; what they found is on standard output, progress on the other."""
        if arguments["list"]:
            self.stdout.write("\n".join(CHECKS))
            return
        unknown = sorted(set(arguments["names"]) - set(CHECKS))
        if unknown:
            raise CommandError(
                f"unknown: {', '.join(unknown)}; known: {', '.join(CHECKS)}", returncode=2
            )
        if arguments["out"]:
            _write(arguments["out"], "")  # what can not be written is told before the work
        lines = [
            self._run(CHECKS[name], arguments) for name in arguments["names"] or sorted(CHECKS)
        ]
        if arguments["out"]:
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
        found = check.run(order)
        line = _line(check, order, found) | {
            "mode": mode,
            "seconds": round(time.monotonic() - began, 1),
            "version": _version(),
        }
        self.stdout.write(json.dumps(line))
        return line


def _part(text: str) -> float:
    """A part of the full size. Raises: ValueError for what is none."""
    part = float(text)
    if not 0 < part <= 1:
        raise ValueError(text)
    return part


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=2) from error


def _sizes(check: Check, arguments: Mapping[str, Any]) -> tuple[Mapping[str, int], str]:
    """What is demanded, and the name of that mode."""
    if arguments["only"] is not None:
        if "hands" not in check.quick:
            raise CommandError(f"{check.name} plays no hands: --only is not for it", returncode=2)
        return {"hands": 1}, f"only {arguments['only']}"
    if arguments["full"]:
        return check.full, "full"
    scale = arguments["scale"]
    if scale is None:
        return check.quick, "quick"
    # What does not grow with the hands is demanded as in the quick mode.
    grows = {name: check.full[name] > 1_000 for name in check.full}
    sizes = {
        name: max(1, int(check.full[name] * scale)) if grows[name] else check.quick[name]
        for name in check.full
    }
    return sizes, f"full x {scale:g}"


def _version() -> str:
    text = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def _line(check: Check, order: Order, found: Found) -> dict[str, Any]:
    """What trust.md lists, and what the check met on the way (`seen`)."""
    enough = all(found.done[name] >= size for name, size in order.sizes.items())
    return {
        "check": check.name,
        "promise": check.promise,
        "ok": enough and not found.breaches,
        "seed": order.seed,
        "live": None,
        "size": dict(order.sizes),
        "done": {name: found.done[name] for name in order.sizes},
        "seen": {name: dict(counts.most_common()) for name, counts in found.seen.items()},
        "breaches_total": len(found.breaches),
        "breaches": [asdict(one) for one in found.breaches[:BREACHES_TOLD]],
    }
