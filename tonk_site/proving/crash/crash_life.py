"""One life of a process that does an act and may die in it, and what is done after its death.

Each life is a fork, so that its memory ends with it. The process that forks holds no connection
and has no thread meanwhile.
"""

import multiprocessing
import os
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import msgspec
from django.db import OperationalError, connection, connections

from eventstore.core.refusal import Refused
from eventstore.followers import registered
from eventstore.following import Runner
from eventstore.ports import machine
from eventstore.services import Outcome
from eventstore.wake import messages
from ledger import selectors
from tonk_site.celery import SWEEPS, app
from tonk_site.proof import prove_log
from tonk_site.proving.acting.sealing import seal_log
from tonk_site.proving.chance import Chance
from tonk_site.proving.crash import crash_copies
from tonk_site.proving.crash.crash_copies import Copy
from tonk_site.proving.points import Call, at, hooked

FORK = multiprocessing.get_context("fork")
DEAD = 9
ROUNDS_MAX = 30  # of sweeps; what is due comes to its end long before
MESSAGES_MAX = 1_000

REFUSED = "refused"
BEFORE, AFTER = "before", "after"
MADE, NOT_MADE = "unknown, made", "unknown, not made"
"""The connection is cut at a commit: the process lives on and does not know what became of it."""

Act = Callable[[], object]
Message = tuple[str, tuple[str | int, ...]]


@dataclass(frozen=True, slots=True)
class Strike:
    """Where a life is struck: at which of its calls, counted from 1, and how."""

    number: int
    how: str


def strikes(calls: list[Call]) -> list[Strike]:
    """Every way to be struck at these calls."""
    found = []
    for number, call in enumerate(calls, start=1):
        hows = (BEFORE, AFTER, MADE, NOT_MADE) if call.kind == "commit" else (BEFORE, AFTER)
        found += [Strike(number, how) for how in hows]
    return found


@dataclass(slots=True)
class Life:
    """What a process did, as far as others could see it."""

    calls: list[Call] = field(default_factory=list)
    sent: list[Message] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    answer: str | None = None
    """What the client was told; None where the process died before."""
    was_struck: bool = False
    kept: int = 0
    """How much had been drawn by chance when it last committed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all lives of one act share."""

    act: Act
    seed: str
    milliseconds: int
    later: timedelta = timedelta(0)
    """How much time passes before the sweeps: for what waits for its next try."""

    def chance(self, name: str) -> Chance:
        """Chance of that name."""
        return Chance(f"{self.seed}/{name}", self.milliseconds)


# --- a life ---------------------------------------------------------------------------------------


def live(setting: Setting, copy: Copy, chance: str, strike: Strike | None = None) -> Life:
    """The act done once on a copy, in a process that is struck there."""
    life = Life()
    for name, told in _forked(partial(_live, setting, copy, chance, strike)):
        if name == "answer":
            life.answer = told
        elif name == "struck":
            life.was_struck = True
        elif name == "kept":
            life.kept = told
        else:
            getattr(life, name).append(told)
    return life


class _Listener:
    """Hears of the calls of a life, tells of them, and strikes."""

    def __init__(self, tell: Connection, strike: Strike | None, chance: Chance) -> None:
        self._tell, self._strike, self._chance = tell, strike, chance
        self._count, self.kept = 0, 0
        self._struck: Call | None = None

    def before(self, call: Call) -> None:
        """It is about to be made."""
        self._count += 1
        self._tell.send(("calls", call))
        if self._strike is not None and self._strike.number == self._count:
            self._struck = call
            self._at(BEFORE, NOT_MADE)

    def after(self, call: Call) -> None:
        """It has been made."""
        if call.kind == "commit":
            self.kept = self._chance.drawn
            self._tell.send(("kept", self.kept))
        if call is self._struck:
            self._at(AFTER, MADE)

    def _at(self, death: str, cut: str) -> None:
        how = self._strike.how if self._strike is not None else ""
        if how not in {death, cut}:
            return
        self._tell.send(("struck", how))
        if how == death:
            os._exit(DEAD)
        for one in connections.all(initialized_only=True):
            if one.connection is not None:
                one.connection.close()
        raise OperationalError("the connection is cut")


class _Told:
    """Messages of a life: they leave it, and nobody has them yet."""

    def __init__(self, tell: Connection) -> None:
        self._tell = tell

    def send(self, task: str, arguments: tuple[str | int, ...], queue: str) -> None:
        """It is out before the call is over."""
        del queue
        if connection.in_atomic_block:
            self._tell.send(("faults", f"{task} is sent before its commit"))
        with at(Call("send", task)):
            self._tell.send(("sent", (task, arguments)))

    def publish(self, channel: str, message: int) -> None:
        """Followers look by themselves too."""
        del message
        with at(Call("publish", channel)):
            pass


def _live(
    setting: Setting, copy: Copy, chance: str, strike: Strike | None, tell: Connection
) -> None:
    crash_copies.use(copy)
    first = setting.chance(chance)
    told, listener = _Told(tell), _Listener(tell, strike, first)
    with messages(told), machine(first), hooked(listener):
        try:
            answer = _answer(setting.act)
        except OperationalError:
            if strike is None or strike.how not in {MADE, NOT_MADE}:
                raise
            connections.close_all()  # as the end of a request or task does
            with machine(setting.chance(after(chance, listener.kept))):
                answer = _answer(setting.act)
        tell.send(("answer", answer))


def after(chance: str, kept: int) -> str:
    """Name of the chance of whoever does the act again, when so much of the first one is kept.

    Of what was drawn for nothing the same may be drawn again: then the runs are easy to compare.
    """
    return f"{chance}, again" if kept else chance


def _answer(act: Act) -> str:
    """What the client is told, as text; what has no receipt is done or refused."""
    try:
        found = act()
    except Refused as refused:
        facts = msgspec.json.encode(refused.refusal.facts).decode()
        return f"{REFUSED}: {refused.refusal.code} {facts}"
    if not isinstance(found, Outcome):
        return "done"
    return f"{found.status} {msgspec.json.encode(found.result).decode()}"


# --- after it -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Mended:
    """What was done after a life: the answer to the client who asked again, and what is wrong."""

    answer: str | None = None
    faults: list[str] = field(default_factory=list)


def mend(setting: Setting, copy: Copy, life: Life, chance: str) -> Mended:
    """Start anew: messages arrive, the client asks again if nobody answered, the sweeps run.

    Then everything is settled, in its place, signed, followed, and compared with its replay.
    """
    mended = Mended(life.answer)
    for name, told in _forked(partial(_mend, setting, copy, life, chance)):
        if name == "answer":
            mended.answer = told
        else:
            mended.faults.append(told)
    return mended


class _Worker:
    """A worker in this process: what is sent is done, in order."""

    def __init__(self, sent: list[Message]) -> None:
        self._queue = deque(sent)
        self.done = 0

    def send(self, task: str, arguments: tuple[str | int, ...], queue: str) -> None:
        """It waits for its turn."""
        del queue
        self._queue.append((task, arguments))

    def publish(self, channel: str, message: int) -> None:
        """Nobody listens."""

    def work(self) -> int:
        """Do all that waits; how much it was. Raises: RuntimeError where there is no end."""
        before = self.done
        while self._queue:
            task, arguments = self._queue.popleft()
            app.tasks[task](*arguments)
            self.done += 1
            if self.done > MESSAGES_MAX:
                raise RuntimeError(f"no end of messages: {task}{arguments}")
        return self.done - before


def _mend(setting: Setting, copy: Copy, life: Life, chance: str, tell: Connection) -> None:
    crash_copies.use(copy)
    worker = _Worker(life.sent)
    with messages(worker), machine(setting.chance("mend")):
        worker.work()
        if life.answer is None:
            with machine(setting.chance(chance)):
                tell.send(("answer", _answer(setting.act)))
        if setting.later:
            crash_copies.move_time(copy, setting.later)
        _sweep(worker)
        seal_log()
        Runner(registered()).poll()
        for fault in _wrongs():
            tell.send(("faults", fault))


def _sweep(worker: _Worker) -> None:
    """What beat starts, until a round of it finds nothing. Raises: RuntimeError."""
    for _ in range(ROUNDS_MAX):
        for sweep in SWEEPS:
            app.tasks[sweep]()
        if not worker.work():
            return
    raise RuntimeError("what is due does not come to its end")


def inspect(copy: Copy) -> list[str]:
    """What looks wrong in a copy as it is."""
    return [told for _, told in _forked(partial(_inspect, copy))]


def _inspect(copy: Copy, tell: Connection) -> None:
    crash_copies.use(copy)
    for fault in _wrongs():
        tell.send(("faults", fault))


def _wrongs() -> list[str]:
    """What breaks a promise, whatever an undisturbed run would have given."""
    proof = prove_log()
    found = [f"{one.stream}@{one.version}: {one.code}" for one in proof.faults]
    found += [str(one) for one in proof.differences]
    return found + [f"{name}: {amount}" for name, amount in selectors.sums().items() if amount]


# --- forks ----------------------------------------------------------------------------------------


def _forked(work: Callable[[Connection], None]) -> list[tuple[str, Any]]:
    """What a process told before its end. One that fails tells it as a fault."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=_run, args=(work, sender))
    process.start()
    sender.close()
    told = []
    with receiver, suppress(EOFError):
        while True:
            told.append(receiver.recv())
    process.join()
    return told


def _run(work: Callable[[Connection], None], tell: Connection) -> None:
    try:
        work(tell)
    except Exception as fault:  # whatever it is, it is a finding
        where = traceback.extract_tb(fault.__traceback__)[-1]
        tell.send(("faults", f"{fault!r} at {where.name}:{where.lineno}"))
        raise
    finally:
        connections.close_all()
