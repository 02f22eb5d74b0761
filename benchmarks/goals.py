"""Figures beside a fixed goal: events a second of processor time, or a time that is enough."""

from __future__ import annotations

from math import ceil
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.measure import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

PEER = "goal"


def at_least(bench: str, case: str, rates: Sequence[float], goal: float, **facts: object) -> Figure:
    """A rate of each round beside the rate that is asked for: 1 is enough."""
    return Figure(
        bench=bench, case=case, rate=median(rates), peer=PEER, peer_rate=goal,
        ratios=[rate / goal for rate in rates], goal=1.0, facts=facts,
    )  # fmt: skip


def at_most(
    bench: str, case: str, seconds: Sequence[float], goal: float, **facts: object
) -> Figure:
    """A time of each round beside the time that is allowed, as rates: 1 is enough."""
    rates = [1 / one for one in seconds]
    return at_least(bench, case, rates, 1 / goal, milliseconds=1000 * median(seconds), **facts)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share of all does not exceed.

    >>> percentile([3.0, 1.0, 2.0, 4.0], 0.75)
    3.0
    """
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * share) - 1)]
