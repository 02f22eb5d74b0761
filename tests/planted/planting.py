"""What a plant is, and whether the checks that it names notice it."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.planted.putting import in_place
from tonk_site.management.commands.prove import CHECKS
from tonk_site.proving import scratch
from tonk_site.proving.checks import Found, Order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

SEED = "planted"


@dataclass(frozen=True)
class Plant:
    """A fault, and the quick checks that must notice it."""

    number: int
    row: str
    """The row of `tests/incidents.toml` after which it is made."""
    what: str
    caught_by: tuple[str, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    """As much of a quick check as is enough to notice; what is not named is as in the check."""
    put: Callable[[], None] | None = None
    """Replaces functions, in this process and in every one that the check starts."""
    sql: str = ""
    """Statements of a superuser, in every scratch database before it is used."""
    starred: bool = False
    """Whether the suite runs it."""
    part: Callable[[Order], Found] | None = None
    """The part of the check that notices, where the whole takes long: the suite runs that."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one check said of one plant."""

    plant: Plant
    check: str
    told: tuple[str, ...]
    """Kinds of its breaches."""
    seconds: float

    @property
    def caught(self) -> bool:
        """Whether the check told of anything; to have done too little is not enough."""
        return bool(self.told)

    def line(self) -> dict[str, Any]:
        """As `make planted` prints it."""
        return {
            "plant": self.plant.number,
            "row": self.plant.row,
            "what": self.plant.what,
            "check": self.check,
            "caught": self.caught,
            "told": self.told,
            "seconds": round(self.seconds, 1),
        }


def run(plant: Plant, *, in_part: bool = False) -> Iterator[Outcome]:
    """The plant before each check that must notice it, or before the part that does."""
    for name in plant.caught_by:
        began = time.monotonic()
        with in_place(plant.put, plant.sql):
            found = _ran(plant, name, in_part=in_part)
        kinds = sorted({one.what for one in found.breaches})
        yield Outcome(plant, name, tuple(kinds), time.monotonic() - began)


def without(plant: Plant, name: str) -> Found:
    """The same check of the same size without the fault: it has nothing to tell."""
    return _ran(plant, name, in_part=False)


def _ran(plant: Plant, name: str, *, in_part: bool) -> Found:
    check = CHECKS[name]
    work = plant.part if in_part and plant.part else check.run
    order = Order(sizes=dict(check.quick) | dict(plant.sizes), seed=SEED)
    with scratch.shared() as servers, _no_worlds(servers):
        return work(order) if work else Found()


@contextmanager
def _no_worlds(run: scratch.Run) -> Iterator[None]:
    """Worlds that were played before are not seen, those that are played now are forgotten."""
    before = run.worlds | {"": run.migrated()}
    run.worlds = {"": before[""]}
    try:
        yield
    finally:
        run.worlds = before


def tell(plants: Iterable[Plant]) -> bool:
    """A line on standard output for each check of each, and the whole in words on the other.

    Whether all were caught, and nothing was told without a plant.
    """
    caught, talkative, tried = dict[int, bool](), list[str](), set[object]()
    with scratch.shared():
        for plant in plants:
            caught[plant.number] = True
            for outcome in run(plant):
                line, size = outcome.line(), (outcome.check, *sorted(plant.sizes.items()))
                if size not in tried:
                    tried.add(size)
                    found = without(plant, outcome.check)
                    line["told_without_it"] = [one.what for one in found.breaches]
                    talkative += [outcome.check] * bool(found.breaches)
                caught[plant.number] &= outcome.caught
                sys.stdout.write(f"{json.dumps(line)}\n")
                sys.stdout.flush()
    sys.stderr.write(f"{in_words(caught, talkative)}\n")
    return all(caught.values()) and not talkative


def in_words(caught: Mapping[int, bool], talkative: Iterable[str]) -> str:
    """The last line: plants by whether every check that they name noticed them, and the checks
    that told of something without a plant."""
    missed = [number for number, was_caught in caught.items() if not was_caught]
    said = f"{len(caught)} planted, {len(caught) - len(missed)} caught, {len(missed)} not caught"
    if missed:
        said += f": {', '.join(map(str, missed))}"
    names = ", ".join(talkative)
    return f"{said}; told of something without a plant: {names}" if names else said
