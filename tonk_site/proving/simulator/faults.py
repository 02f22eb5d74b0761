"""Which faults strike where: drawn by the seed, or as a trace says.

Each run draws some kinds (every second one) and for each a rate between 1/1,000 and 1/10 a point:
so some runs are hit by one kind often, others by all a little (swarm testing).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from games.rules.selfplay import SeededNumbers

CALLS = ("crash", "crash_all", "cut", "conflict", "unknown_commit")
"""Strike a call of the database, before or after it."""
MESSAGES = ("drop", "duplicate", "delay", "reorder", "redis_down", "redis_flush")
"""Strike a message."""
CLIENTS = ("lost_answer", "other_body", "stale_reader", "drop_out")
"""Strike a client between question and answer."""
TIMES = ("pause", "clock_jump")
"""Strike whoever hands the baton over."""
KINDS = (*CALLS, *MESSAGES, *CLIENTS, *TIMES)
RARE = {"crash_all": 0.05, "redis_flush": 0.2, "redis_down": 0.2, "clock_jump": 0.2, "pause": 0.2,
        "drop_out": 0.2}  # fmt: skip
"""What hits everybody, or stops somebody for minutes, comes so much more seldom."""
RATE_MIN, RATE_MAX = 0.001, 0.1


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that struck: at which point, counted from 1, what, and how."""

    point: int
    kind: str
    argument: float
    """Evenly in [0, 1): what the kind still leaves open, such as how long."""
    command: str
    """What was being done then: an operation of the API, a task, or the name of a process."""


class Plan(Protocol):
    """Says which faults strike."""

    def at(self, point: int, kinds: Sequence[str]) -> tuple[str, float] | None:
        """Kind and argument of the fault that strikes at a point where these kinds can."""


class Drawn:
    """Faults by the seed."""

    def __init__(self, seed: str, only: Collection[str] = KINDS) -> None:
        numbers = SeededNumbers(f"{seed}/faults")
        drawn = {kind: (numbers.random() < 0.5, numbers.random()) for kind in KINDS}
        self._rates = {
            kind: RATE_MIN * (RATE_MAX / RATE_MIN) ** level * RARE.get(kind, 1.0)
            for kind, (chosen, level) in drawn.items()
            if kind in only and (chosen or len(only) < len(KINDS))
        }
        self._numbers = numbers

    def at(self, point: int, kinds: Sequence[str]) -> tuple[str, float] | None:
        """At most one strikes; a number is drawn for each kind that can."""
        del point
        found = None
        for kind in kinds:
            if kind in self._rates and self._numbers.random() < self._rates[kind]:
                found = found or kind
        return None if found is None else (found, self._numbers.random())


class Listed:
    """The faults of a trace, and no others."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self._faults = {fault.point: fault for fault in faults}

    def at(self, point: int, kinds: Sequence[str]) -> tuple[str, float] | None:
        """The fault of that point, where it still can strike."""
        fault = self._faults.get(point)
        return None if fault is None or fault.kind not in kinds else (fault.kind, fault.argument)


@dataclass
class Menu:
    """The plan of a run, until faults stop, and what has struck so far."""

    plan: Plan
    is_open: bool = False
    """Nothing strikes before the world is made, and after faults have stopped."""
    points: int = 0
    struck: list[Fault] = field(default_factory=list)
    met: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often each kind met each command."""

    def draw(self, kinds: Sequence[str], command: str) -> tuple[str, float] | None:
        """The fault that strikes here, counted and remembered."""
        if not self.is_open:
            return None
        self.points += 1
        found = self.plan.at(self.points, kinds)
        if found is not None:
            self.struck.append(Fault(self.points, *found, command))
            self.met[found[0], command] += 1
        return found

    def counts(self) -> dict[str, int]:
        """How often each kind struck."""
        return dict(sorted(Counter(fault.kind for fault in self.struck).items()))
