"""How faults strike the calls of the database, and where an actor hands the baton on."""

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import psycopg
from django.db import OperationalError, connections

from games import folds
from tonk_site.proving.pointed.base import end
from tonk_site.proving.points import Call
from tonk_site.proving.simulator.faults import CALLS, TIMES, Menu
from tonk_site.proving.simulator.scheduler import Actor, Crashed, Scheduler

if TYPE_CHECKING:
    from uuid import UUID

RESTART_SECONDS_MAX = 60
PAUSE_SECONDS_MAX = 600
JUMP_SECONDS_MAX = 60
CONFLICTS = ("serialization_failure", "deadlock_detected", "lock_not_available")
CLOCK = "clock_timestamp"  # in the text of each statement that reads the time
ANYWHERE = ("crash", "crash_all", "cut")


class Strikes:
    """The hook of a simulation (`tonk_site.proving.points`)."""

    def __init__(self, scheduler: Scheduler, menu: Menu, set_clock: Callable[[], None]) -> None:
        self._scheduler, self._menu, self._set_clock = scheduler, menu, set_clock
        self._shown = 0.0
        """What the database's clock was set to last."""
        self.commits = 0

    def before(self, call: Call) -> None:
        """Hand the baton on where no transaction is open, then see what strikes."""
        actor = self._actor()
        if actor is None:
            return
        inside = in_transaction()
        if call.kind == "statement" and not inside:
            self._hand_over(actor)
        if CLOCK in call.what and self._shown != self._scheduler.now:
            self._shown = self._scheduler.now
            self._set_clock()
        if call.kind in {"statement", "commit"}:
            kinds = CALLS if inside or call.kind == "commit" else ANYWHERE
            self._strike(actor, call, tuple(kind for kind in kinds if kind != "unknown_commit"))
        elif call.kind in {"connect", "send", "publish"}:
            self._strike(actor, call, ANYWHERE if call.kind == "connect" else ANYWHERE[:2])

    def after(self, call: Call) -> None:
        """The same after the call: it has happened, and perhaps nobody knows."""
        actor = self._actor()
        if call.kind == "commit":
            self.commits += 1
        if actor is None:
            return
        if call.kind == "commit":
            self._strike(actor, call, ("crash", "crash_all", "unknown_commit"))
            self._hand_over(actor)
        elif call.kind in {"send", "publish"}:
            self._strike(actor, call, ANYWHERE[:2])

    def _actor(self) -> Actor | None:
        """Who calls. Raises: Crashed for one who is dead: nothing of his reaches the world."""
        actor = self._scheduler.current()
        if actor is not None and actor.is_dead:
            raise Crashed
        return actor

    def _hand_over(self, actor: Actor) -> None:
        self._scheduler.wait(self._stop(actor))

    def _stop(self, actor: Actor) -> float:
        """Seconds for which the actor stands still; the clock may jump meanwhile."""
        found = self._menu.draw(TIMES, actor.doing)
        if found is None:
            return 0.0
        kind, argument = found
        if kind == "pause":
            return PAUSE_SECONDS_MAX * argument
        self._scheduler.jumped += JUMP_SECONDS_MAX * (2 * argument - 1)
        return 0.0

    def _strike(self, actor: Actor, call: Call, kinds: tuple[str, ...]) -> None:
        found = self._menu.draw(kinds, actor.doing)
        if found is None:
            return
        kind, argument = found
        if kind in {"crash", "crash_all"}:
            if kind == "crash_all":
                for other in self._scheduler.actors:
                    other.is_doomed = other.is_inside
            die(actor)
            raise Crashed
        if kind == "conflict":
            # The server itself refuses, so that its transaction is broken as in life.
            condition = CONFLICTS[int(argument * len(CONFLICTS))]
            with connections[call.alias].wrap_database_errors:
                raw: Any = connections[call.alias].connection
                raw.execute(f"DO $$ BEGIN RAISE {condition}; END $$")
        cut(call.alias)
        fault = psycopg.OperationalError("the connection was cut")
        raise OperationalError(str(fault)) from fault


class Memories:
    """What each process remembers of tables: `games.folds`, once for each."""

    def __init__(self) -> None:
        self._kept: dict[str, OrderedDict[UUID, folds.Folded]] = {}

    def enter(self, actor: Actor) -> None:
        """Whoever runs now has the memory of his own process."""
        folds._kept = self._kept.setdefault(actor.process, OrderedDict())


def in_transaction() -> bool:
    """Whether this thread has one open, on any connection."""
    return any(one.in_atomic_block for one in connections.all(initialized_only=True))


def cut(alias: str) -> None:
    """End a connection of this thread; what was not committed is undone at once."""
    raw: Any = connections[alias].connection
    if raw is not None:
        end(raw)


def die(actor: Actor) -> None:
    """What the end of a process does to the world: connections break, its memory is gone."""
    actor.is_dead = True
    for one in connections.all(initialized_only=True):
        cut(one.alias)
    folds.forget_all()


def bury(actor: Actor) -> None:
    """Make the thread of a dead process fit for the next one."""
    for one in connections.all(initialized_only=True):
        del connections[one.alias]
    actor.is_dead = actor.is_doomed = False
