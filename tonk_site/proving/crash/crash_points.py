"""Whoever dies, wherever: nothing is lost and nothing is done twice (`trust.md` section 4).

Each command, task, follower's step and round of the sequencer is done once, and its calls are
listed: statements, ends of transactions, messages. Then it dies at each of them, once before and
once after it, in a process and a database of its own; a commit is made unknown, too. The client
asks again under his key, the sweeps run, and everything must be as if nobody had died.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import django

from tonk_site.proving import scratch
from tonk_site.proving.checks import Breach, Check, Found, Order

JOBS = 2
SETTINGS = "tonk_site.proving.settings"
DEATHS = 2  # in a row, of the acts of the quick mode when the mode is full


@dataclass(frozen=True, slots=True)
class Part:
    """An act to be tried, from an empty database that its superuser reaches, with its keys."""

    seed: str
    url: str
    keys: Path
    name: str
    deaths: int = 1


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that is otherwise than without the death."""

    what: str
    where: str
    expected: str
    got: str


@dataclass(slots=True)
class Report:
    """What was tried of an act, and what is wrong."""

    name: str
    calls: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    wrongs: list[Wrong] = field(default_factory=list)


def run(order: Order) -> Found:
    """The trials, in processes that read their settings."""
    found = Found()
    with scratch.database() as place:
        variables = {**place.variables, "DJANGO_SETTINGS_MODULE": SETTINGS}
        with scratch.fresh_processes(JOBS, variables) as pool:
            wanted, missing = pool.submit(acts, is_full="pairs" in order.sizes).result()
            found.breaches += [_breach(order, "nobody tries it", one) for one in missing]
            tasks = [
                pool.submit(
                    try_out, Part(order.seed, place.superuser_url, place.folder / "keys", *one)
                )
                for one in wanted.items()
            ]
            for task in as_completed(tasks):
                _add(found, order, task.result())
    return found


def acts(*, is_full: bool) -> tuple[Mapping[str, int], Sequence[str]]:
    """The acts to be tried, with how many deaths in a row; and what no act is made of."""
    known: Any = _loaded("crash_acts")
    if not is_full:
        return dict.fromkeys(known.QUICK, 1), ()
    return {name: DEATHS if name in known.QUICK else 1 for name in known.deeds()}, known.missing()


def try_out(part: Part) -> Report:
    """The report of an act."""
    deed = _loaded("crash_acts").deeds()[part.name]
    report: Report = _loaded("crash_trial").trial(part, deed)
    return report


def _loaded(name: str) -> Any:
    """A module that needs Django, in a process that has its settings."""
    django.setup()
    return import_module(f"tonk_site.proving.crash.{name}")


def _add(found: Found, order: Order, report: Report) -> None:
    """Count what was tried, and tell it: the list of calls is part of the result."""
    found.done["commands"] += 1
    found.done.update(report.counts)
    calls = "".join(f"\n  {number:3} {told}" for number, told in enumerate(report.calls, start=1))
    counts = ", ".join(f"{count:,} {name}" for name, count in report.counts.items())
    order.say(f"{report.name}: {len(report.calls)} calls, {counts}{calls}")
    found.breaches += [
        _breach(order, one.what, one.where, one.expected, one.got) for one in report.wrongs
    ]


def _breach(order: Order, what: str, where: str, expected: str = "", got: str = "") -> Breach:
    mode = "--quick" if order.sizes == CHECK.quick else "--full"
    rerun = f"manage.py prove {CHECK.name} {mode} --seed {order.seed}"
    return Breach(what, where, expected, got, rerun)


CHECK = Check(
    name="crash-points",
    promise=3,
    quick={"commands": 3, "points": 60},
    # No more than a thousand points are demanded: they grow with each command, and are all tried.
    full={"commands": 75, "points": 1_000, "pairs": 500},
    run=run,
)
