"""The product's own processes as actors: workers, beat, sequencer, followers."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from django.db import Error, close_old_connections, connections
from kombu.exceptions import OperationalError

from eventstore import followers, sequencing
from eventstore.core.refusal import Refused, Retryable
from eventstore.following import Runner
from eventstore.sequencer import BATCH_EVENTS, LogBehindPublished, Sequencer
from eventstore.sequencing import Pace
from eventstore.signing import KeyMissing
from tonk_site.celery import MOVES, SWEEPS
from tonk_site.celery import app as celery
from tonk_site.management.commands.sequencer import URGENT
from tonk_site.proving.simulator.broker import Broker, Message
from tonk_site.proving.simulator.scheduler import NEVER, Actor, Crashed, Scheduler
from tonk_site.proving.simulator.strikes import RESTART_SECONDS_MAX, bury
from tonk_site.proving.simulator.watch import Watch

HOUR = 3_600.0
HOURLY = ("games.stop_sitters", "ledger.reconcile", "ledger.expire", "players.expire")
WORKERS = ("settle", "settle", "bots", "bots")
TRIED = (Error, Retryable, Refused)
"""What a task may end in: the sweep finds what is still due."""


class Processes:
    """Starts them as actors of a scheduler."""

    def __init__(self, scheduler: Scheduler, broker: Broker, watch: Watch) -> None:
        self._scheduler, self._broker, self._watch = scheduler, broker, watch
        self._ran = {"sweeps": 0.0, "hourly": HOUR}
        self.faults: dict[str, str] = {}
        """What each process met last."""

    def start(self) -> None:
        """One beat, one sequencer, one process of followers, and the workers."""
        celery.loader.import_default_modules()
        for number, queue in enumerate(WORKERS, start=1):
            self._add(f"{queue}-{number}", partial(self._work, queue))
        self._add("beat", self._beat)
        self._add("sequencer", self._sequence)
        self._add("followers", self._follow)

    def _add(self, name: str, life: Callable[[Actor], None]) -> None:
        def lives() -> None:
            actor = self._scheduler.myself()
            while True:
                self._live_once(actor, name, life)
                self._scheduler.wait(RESTART_SECONDS_MAX * self._watch.numbers.random())

        self._scheduler.add(name, lives)

    def _live_once(self, actor: Actor, name: str, life: Callable[[Actor], None]) -> None:
        """From a start to the crash."""
        actor.doing, actor.is_inside = name, True
        try:
            life(actor)
        except (Crashed, Error):
            pass  # whoever starts the product's processes starts this one again
        except Exception:
            if not actor.is_dead:
                raise
        finally:
            actor.is_inside = False
        bury(actor)

    # --- workers and beat ---

    def _work(self, queue: str, actor: Actor) -> None:
        while True:
            name = actor.doing = f"{queue} worker"
            message = self._broker.take(queue)
            if message is None:
                self._scheduler.wait_until(lambda: self._broker.next_at(queue))
                continue
            try:
                self._run(actor, message)
            except BaseException:
                if actor.is_dead or actor.is_doomed:
                    self._broker.restore(message)
                raise
            actor.doing = name

    def _run(self, actor: Actor, message: Message) -> None:
        actor.doing = message.task
        try:
            celery.tasks[message.task].run(*message.arguments)
        except TRIED as fault:
            if actor.is_dead:
                raise Crashed from fault
            self.faults[message.task] = repr(fault)
        close_old_connections()
        self._scheduler.hand_over()

    def _beat(self, actor: Actor) -> None:
        """Sweeps every two seconds; one that would find nothing is spared."""
        del actor
        while True:
            now = self._scheduler.now
            names = list(SWEEPS)
            if now >= self._ran["hourly"]:
                self._ran["hourly"] = now + HOUR
                names += HOURLY
            for name in names:
                self._send(name)
            self._ran["sweeps"] = self._scheduler.now
            self._scheduler.wait_until(self._next_beat)

    def _send(self, name: str) -> None:
        queue = "bots" if name in MOVES else "settle"
        with suppress(OperationalError):
            self._broker.send(name, (), queue)

    def _next_beat(self) -> float:
        due = max(self._ran["sweeps"] + 2, self._watch.due_at())
        return min(due, self._ran["hourly"])

    # --- the log ---

    def _sequence(self, actor: Actor) -> None:
        """As `eventstore.sequencing.run` does it, but that it looks only when there is news."""
        while True:
            pause = sequencing.LOCK_SECONDS
            try:
                if sequencing.hold():
                    self._place()
            except (LogBehindPublished, KeyMissing, Error, Retryable) as fault:
                if actor.is_dead:
                    raise
                self.faults["sequencer"] = repr(fault)
            connections.close_all()
            self._scheduler.wait(pause)

    def _place(self) -> None:
        at_work = Sequencer(urgent=URGENT, using=sequencing.USING)
        at_work.start()
        pace = Pace(at_work, lambda: self._scheduler.now)
        while True:
            seen = self._watch.events
            placed = at_work.round()
            pace.sign_if_due()
            pace.retire_keys_if_due()
            if placed < BATCH_EVENTS:
                is_quiet = pace.seconds() >= sequencing.POLL_SECONDS and placed == 0
                self._wait_for_more(NEVER if is_quiet else pace.seconds(), seen)

    def _wait_for_more(self, seconds: float, seen: int) -> None:
        """Wait so long, or until there are more events than were seen."""
        self._scheduler.wait(seconds, lambda: self._watch.events > seen)

    def _follow(self, actor: Actor) -> None:
        runner = Runner(followers.registered(), lambda: self._scheduler.now)
        while True:
            seen = self._watch.placed
            runner.poll()
            if actor.is_dead:
                raise Crashed
            waits = any(one.lag for one in followers.standings())
            self._wait_for_places(1.0 if waits else NEVER, seen)
            close_old_connections()

    def _wait_for_places(self, seconds: float, seen: int) -> None:
        """Wait so long, or until more events have their place than were seen."""
        self._scheduler.wait(seconds, lambda: self._watch.placed > seen)
