"""The smallest run that still breaks the same: fewer kinds, fewer faults, fewer players."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from tonk_site.proving.simulator.faults import KINDS, Fault
from tonk_site.proving.simulator.order import Order, Report

PLAYERS_MIN = 3
_NAMES = re.compile(r"[0-9a-f-]{8,}|\d+")

Breaks = Callable[[Order], bool]


def breach_of(report: Report) -> str:
    """What broke, without ids and numbers: the same in another run of another length."""
    if report.safety != "ok":
        return "safety " + _NAMES.sub("#", report.safety.splitlines()[-1])[:120]
    if not report.ok:
        return "progress " + report.progress.split(":")[0]
    return ""


def shrunk(order: Order, faults: Sequence[Fault], breaks: Breaks) -> Order:
    """An order with the fewest faults that breaks as this one does with all of them.

    `breaks` runs an order and says whether it breaks in the same way. First whole kinds are left
    out, then halves, quarters and single faults, then players.
    """
    smallest = replace(order, faults=tuple(faults))
    if not breaks(smallest):
        return smallest  # a fault that was never drawn is not what it takes
    for kind in KINDS:
        smallest = _without(smallest, [one for one in faults if one.kind == kind], breaks)
    size = max(1, len(smallest.faults or ()) // 2)
    while True:
        smallest = _without_parts(smallest, size, breaks)
        if size == 1:
            break
        size //= 2
    while smallest.players > PLAYERS_MIN:
        fewer = replace(smallest, players=smallest.players - 1)
        if not breaks(fewer):
            break
        smallest = fewer
    return smallest


def _without(order: Order, left_out: Collection[Fault], breaks: Breaks) -> Order:
    kept = tuple(fault for fault in order.faults or () if fault not in left_out)
    fewer = replace(order, faults=kept)
    return fewer if len(kept) < len(order.faults or ()) and breaks(fewer) else order


def _without_parts(order: Order, size: int, breaks: Breaks) -> Order:
    place = 0
    while place < len(order.faults or ()):
        fewer = _without(order, (order.faults or ())[place : place + size], breaks)
        if fewer is order:
            place += size
        order = fewer
    return order
