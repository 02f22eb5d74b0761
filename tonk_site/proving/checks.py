"""What a check is, what it found, and the line that says so (`trust.md` section 1)."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

BREACHES_TOLD = 20
HANDS_A_TASK = 250
"""Hands that a process plays before it reports: some half a second."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A promise that did not hold, and the command line that shows it again."""

    what: str
    where: str
    expected: str
    got: str
    rerun: str


@dataclass
class Found:
    """What a check has done so far: counts, what it met on the way, and breaches."""

    done: Counter[str] = field(default_factory=Counter)
    seen: dict[str, Counter[str]] = field(default_factory=dict)
    breaches: list[Breach] = field(default_factory=list)

    def add(self, other: "Found") -> None:
        """Count what another part of the check has done."""
        self.done += other.done
        for name, counts in other.seen.items():
            self.seen[name] = self.seen.get(name, Counter()) + counts
        self.breaches += other.breaches


@dataclass(frozen=True, slots=True)
class Order:
    """What a check is asked for."""

    sizes: Mapping[str, int]
    seed: str
    only: int | None = None
    """The one hand of the seed to look at again, None for all."""
    say: Callable[[str], None] = lambda _: None
    """Where progress goes."""


@dataclass(frozen=True, slots=True)
class Check:
    """A promise as a command: of a trial, of the live data, or both."""

    name: str
    promise: int
    """Number of the promise in `design.md` section 2."""
    quick: Mapping[str, int]
    full: Mapping[str, int]
    run: Callable[[Order], Found] | None
    """The trial, on data of its own."""
    live: Callable[[], Found] | None = None
    """Reads the live data: called within `live.snapshot`, so every reader of the product will do.
    Its counts are `live` in the line, its breaches count."""

    @property
    def unit(self) -> str:
        """What the trial is made of, by its first size: of hands each can be looked at alone."""
        return next(iter(self.quick), "")


def hands_asked(order: Order) -> range:
    """Numbers of the hands to play."""
    if order.only is not None:
        return range(order.only, order.only + 1)
    return range(1, order.sizes["hands"] + 1)


def in_processes(task: Callable[[str, range], Found], order: Order) -> Found:
    """`task(seed, numbers)` for all hands of an order, in as many processes as pay."""
    numbers = hands_asked(order)
    parts = [
        numbers[start : start + HANDS_A_TASK] for start in range(0, len(numbers), HANDS_A_TASK)
    ]
    total = Found()
    for number, found in enumerate(_each(task, order.seed, parts), start=1):
        total.add(found)
        if number % 40 == 0:
            order.say(f"{total.done['hands']:,} of {len(numbers):,} hands")
    return total


def _each(
    task: Callable[[str, range], Found], seed: str, parts: Iterable[range]
) -> Iterator[Found]:
    parts = list(parts)
    jobs = min(os.cpu_count() or 1, len(parts))
    if jobs < 2:
        yield from (task(seed, part) for part in parts)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(task, [seed] * len(parts), parts)
