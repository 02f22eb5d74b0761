"""The process of the check `authz`: every caller asks every endpoint of the matrix."""

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from itertools import chain
from typing import Any

from tonk_site.proving.checks import Breach, Found

RERUN = "manage.py prove authz"
JOBS = 3
SEALED = 2
"""The share that also asks for what is signed."""


def run(_: str, share: Sequence[int]) -> Found:
    """The cells of every endpoint that exists whose number is in a share of `JOBS`."""
    # Loaded by name: the product runs without its tests, this check does not.
    matrix: Any = import_module("tests.api.matrix")
    world: Any = import_module("tests.api.world").World()
    found = Found(seen={"answers": Counter()})
    names = [name for at, name in enumerate(matrix.OPEN) if at % JOBS in share]
    sealed = matrix.sealed_cells(world) if SEALED in share else ()
    for name, answers in chain(matrix.open_cells(world, names), sealed):
        expected = matrix.expected(name)
        found.done["routes"] += 1
        found.done["cells"] += len(answers)
        found.seen["answers"].update(map(str, answers.values()))
        found.breaches += [
            Breach("another answer", f"{name} by {role}", str(status), str(got), RERUN)
            for role, status in expected.items()
            if (got := answers.get(role)) != status
        ]
    if SEALED in share:
        routes, rows = matrix.places()
        found.breaches += [
            Breach("a route without its row", name, str(rows.get(name)), str(routes[name]), RERUN)
            for name in routes
            if routes[name] != rows.get(name)
        ]
    return found
