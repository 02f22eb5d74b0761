"""Variants in turn, so that what the machine does meanwhile meets them all alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measure import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Rates = dict[str, list[float]]


def in_turn(case: str, variants: Mapping[str, Callable[[], float]], rounds: int) -> Rates:
    """A rate a round of each variant."""
    rates: Rates = {name: [] for name in variants}
    for number in range(1, rounds + 1):
        say(f"ledger: {case}, round {number} of {rounds}")
        for name, run in variants.items():
            rates[name].append(run())
    return rates


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """One ratio a round; none where the peer is absent.

    >>> ratios([6.0, 8.0], [3.0, 2.0]), ratios([6.0], [])
    ([2.0, 4.0], [])
    """
    return [mine / other for mine, other in zip(ours, theirs, strict=bool(theirs))]
