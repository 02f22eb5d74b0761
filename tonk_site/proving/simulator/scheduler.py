"""Actors of which one runs at a time, and time that moves only when nobody can.

An actor is a thread. It runs while it holds the baton, and hands it back between transactions,
messages and waits: a transaction is one step, because whoever waits for a lock can not hold it.
"""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock, Thread, current_thread

from games.rules.selfplay import SeededNumbers, pick

BEGINNING = dt.datetime(2026, 12, 1, 12, tzinfo=dt.UTC)
TICK = 0.001  # seconds that a step takes
STEPS_MAX = 2_000_000  # a run that does not end is a fault too

Condition = Callable[[], bool]
Instant = Callable[[], float]
NEVER = float("inf")


def _taken() -> Lock:
    """A lock for which one waits until it is given."""
    lock = Lock()
    lock.acquire()
    return lock


class Crashed(BaseException):
    """The actor's process is dead. Nothing that it still does reaches the world."""


class Halted(BaseException):
    """The run is over."""


class Stuck(Exception):
    """Nobody can run any more, or everybody runs for ever."""


@dataclass(eq=False)
class Actor:
    """Somebody who acts: his thread, and when he may run."""

    name: str
    work: Callable[[], None]
    process: str = ""
    """Whose memory he uses inside: that of his own process, or of the one that serves requests."""
    go: Lock = field(default_factory=_taken)
    until: Instant = float  # the beginning
    """Not before this instant, unless the condition holds."""
    condition: Condition | None = None
    doing: str = ""
    """The command that he carries out: an operation of the API, a task, or his own name."""
    is_inside: bool = False
    """Whether he runs code of the product, as a process that can die."""
    is_doomed: bool = False
    """He dies as soon as he is given the baton inside."""
    is_dead: bool = False
    """Between a crash and the restart."""
    is_over: bool = False
    fault: BaseException | None = None
    thread: Thread | None = None

    def can_run(self, now: float) -> bool:
        """Whether the baton may be given to him."""
        return not self.is_over and (
            self.until() <= now or (self.condition is not None and self.condition())
        )


class Scheduler:
    """Gives the baton to one actor after another. `now` is in seconds since the beginning."""

    def __init__(self, seed: str) -> None:
        self._numbers = SeededNumbers(f"{seed}/scheduler")
        self._actors: list[Actor] = []
        self._back = _taken()
        self._halting = False
        self._of_thread: dict[int | None, Actor] = {}
        self.entering: Callable[[Actor], None] = lambda _: None
        """Called before an actor is given the baton."""
        self.dying: Callable[[Actor], None] = lambda _: None
        """Called by an actor who is doomed, before he dies."""
        self.now = 0.0
        self.jumped = 0.0
        """Seconds by which the database's clock is ahead of `now`."""
        self.steps = 0

    @property
    def time(self) -> dt.datetime:
        """What the database's clock shows."""
        return BEGINNING + dt.timedelta(seconds=self.now + self.jumped)

    @property
    def actors(self) -> tuple[Actor, ...]:
        """Everybody who is not over."""
        return tuple(actor for actor in self._actors if not actor.is_over)

    def add(self, name: str, work: Callable[[], None], process: str = "") -> Actor:
        """A new actor; he begins when he is given the baton."""
        actor = Actor(name, work, process or name)
        actor.thread = Thread(target=self._live, args=(actor,), name=name, daemon=True)
        self._actors.append(actor)
        return actor

    def current(self) -> Actor | None:
        """Whose thread this is; None for the scheduler's own."""
        return self._of_thread.get(current_thread().ident)

    # --- for actors ---

    def myself(self) -> Actor:
        """Whose thread this is. Raises: LookupError for the scheduler's own."""
        return self._of_thread[current_thread().ident]

    def hand_over(self) -> None:
        """Let others run; come back when it is this actor's turn. Raises: Halted."""
        self.wait(0.0)

    def wait(self, seconds: float, condition: Condition | None = None) -> None:
        """Stand still so long, or until the condition holds. Raises: Halted, Crashed."""
        instant = self.now + seconds
        self.wait_until(lambda: instant, condition)

    def wait_until(self, instant: Instant, condition: Condition | None = None) -> None:
        """Stand still until an instant, which may move meanwhile. Raises: Halted, Crashed."""
        actor = self.current()
        if actor is None or actor.is_dead:
            return
        actor.until, actor.condition = instant, condition
        self._back.release()
        actor.go.acquire()
        actor.condition = None
        if self._halting:
            raise Halted
        if actor.is_doomed and actor.is_inside:
            self.dying(actor)
            raise Crashed

    # --- the loop ---

    def run(self, each: Callable[[], bool]) -> None:
        """Run until `each`, called after every step, says that it is over.

        Raises: Stuck, or what an actor died of.
        """
        try:
            while True:
                self._step()
                if each():
                    return
                if self.steps >= STEPS_MAX:
                    raise Stuck(f"not over after {STEPS_MAX:,} steps")
        finally:
            self._halt()

    def _step(self) -> None:
        able = [actor for actor in self._actors if actor.can_run(self.now)]
        if not able:
            self._leap()
            able = [actor for actor in self._actors if actor.can_run(self.now)]
        actor = pick(self._numbers, able)
        self.steps += 1
        self.now += TICK
        self._give(actor)
        if actor.fault is not None:
            raise actor.fault

    def _leap(self) -> None:
        """On to the next instant at which somebody can run."""
        coming = [actor.until() for actor in self._actors if not actor.is_over]
        if not coming or min(coming) == NEVER:
            raise Stuck("nobody can run any more")
        self.now = max(self.now, min(coming))

    def _give(self, actor: Actor) -> None:
        self.entering(actor)
        thread = actor.thread
        if thread is not None and thread.ident is None:
            thread.start()
        else:
            actor.go.release()
        self._back.acquire()

    def _live(self, actor: Actor) -> None:
        self._of_thread[current_thread().ident] = actor
        try:
            actor.work()
        except Halted:
            pass
        except BaseException as fault:  # noqa: BLE001  # told by `run`
            actor.fault = fault
        finally:
            actor.is_over = True
            self._back.release()

    def _halt(self) -> None:
        """End every actor, wherever he stands."""
        self._halting = True
        for actor in self._actors:
            if not actor.is_over and actor.thread is not None and actor.thread.ident is not None:
                self._give(actor)
