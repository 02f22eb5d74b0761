"""Which fault has met which command, how often: a simulator that injects nothing shows nothing."""

from collections import Counter

from tonk_site.proving.simulator.faults import KINDS
from tonk_site.proving.simulator.order import Report


class Coverage:
    """Sums over runs."""

    def __init__(self) -> None:
        self.met: Counter[tuple[str, str]] = Counter()
        self.done: Counter[str] = Counter()
        self.succeeded: Counter[str] = Counter()

    def add(self, report: Report) -> None:
        """Count what a run met."""
        for kind, command, count in report.met:
            self.met[kind, command] += count
        self.done.update(report.done)
        self.succeeded.update(report.succeeded)

    def faults(self) -> dict[str, int]:
        """How often each kind struck."""
        found = Counter[str]()
        for (kind, _), count in self.met.items():
            found[kind] += count
        return dict(sorted(found.items()))

    def missing_kinds(self) -> list[str]:
        """Kinds that never struck."""
        return [kind for kind in KINDS if kind not in self.faults()]

    def table(self) -> str:
        """A line for each command, a column for each kind."""
        commands = sorted({command for _, command in self.met})
        width = max(map(len, commands), default=0)
        head = " ".join(f"{kind:>{max(6, len(kind))}}" for kind in KINDS)
        lines = [f"{'':{width}} {head}"]
        for command in commands:
            counts = (f"{self.met[kind, command]:>{max(6, len(kind))}}" for kind in KINDS)
            lines.append(f"{command:{width}} {' '.join(counts)}")
        return "\n".join(lines)
