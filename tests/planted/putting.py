"""How a fault gets into this process, into those that a check starts, and into its databases.

Nothing here imports a model: a fresh process reads this module before Django is set up.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import psycopg

from tonk_site.proving import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tonk_site.proving.scratch import Place

OURS = frozenset(
    {"eventstore", "players", "ledger", "games", "tournaments", "web", "tonk_site", "tests"}
)
_taken_out: list[Callable[[], None]] = []


def instead(owner: object, name: str, make: Callable[[Any], Any]) -> None:
    """Put `make(true)` in place of a member; of a function also where it was imported by name."""
    true = getattr(owner, name)
    other = make(true)
    places = [(owner, name)]
    if isinstance(owner, ModuleType) and callable(true):
        modules = [one for name, one in sys.modules.items() if name.split(".")[0] in OURS]
        places += [
            (module, key)
            for module in modules
            for key, value in vars(module).items()
            if value is true
        ]
    for place, key in places:
        setattr(place, key, other)
        _taken_out.append(partial(setattr, place, key, true))


@contextmanager
def in_place(put: Callable[[], None] | None, sql: str) -> Iterator[None]:
    """The fault is in this process, and will be in the processes and databases of a check."""
    try:
        if put is not None:
            put()
            where = put.__module__, put.__qualname__
            instead(scratch, "_begin", lambda _: partial(_begin, where))
        if sql:
            instead(scratch, "_copy", lambda true: partial(_copy, true, sql))
        yield
    finally:
        while _taken_out:
            _taken_out.pop()()


def _begin(where: tuple[str, str], variables: Mapping[str, str]) -> None:
    """First thing in a process of a check: what it does anyhow, then the fault."""
    scratch._begin(variables)
    getattr(import_module(where[0]), where[1])()


def _copy(true: Callable[[Place], Place], sql: str, source: Place) -> Place:
    """A copy of the empty database with the fault; what is played in it, is played with it."""
    place = true(source)
    if source.name == "tonk":
        with psycopg.connect(place.superuser_url, autocommit=True) as superuser:
            superuser.execute(sql.encode())
    return place
