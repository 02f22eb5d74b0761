"""Faults of real processes: which, in which order, and how they are done.

All of them are drawn from a seed before the first; only processes that the trial started are
touched.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Event
from typing import Literal

import psycopg
from psycopg.conninfo import make_conninfo
from redis import Redis

from games.rules.selfplay import Item, Random, SeededNumbers, pick, shuffled
from tonk_site.proving.processes.fragile import POSTGRES, VALKEY, Running, children_of

OURS = ("web", "worker", "worker-2", "beat", "sequencer", "followers")
WORKERS = ("worker", "worker-2")
# `pool child`: a process of a worker's pool, as the kernel kills it for its memory.
# `backend`: a process of PostgreSQL, which then throws everybody out and recovers.
# Those of the first row come first, in any order: a brief trial has these.
KILLS = (
    ("workers", "pool child", "all", POSTGRES),
    (*OURS, "backend"),
)
LOSSES = (("flush",), (VALKEY,))
PAUSED_SECONDS_MAX, PAUSED_SECONDS_LONG = 3.0, 30.0
LONG_PAUSES = 0.05  # part of the pauses that are long
RECOVERY_SECONDS_MAX, RECOVERY_PAUSE_SECONDS = 30, 0.1
KILLS_A_PAUSE = 3  # faults that end nothing come beside those that do

Kind = Literal["kill", "loss", "cut", "pause"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, and how long people play before the next; seconds."""

    kind: Kind
    what: str
    then: float
    chance: float = 0.0  # whom it meets where there are several
    stopped: float = 0.0


def plan(seed: str, counts: Mapping[Kind, int], play: tuple[float, float]) -> tuple[Fault, ...]:
    """So many faults of each kind, in an order that is the seed's; pauses for some of the kills.

    `play` bounds the seconds after each. Every way to kill comes before one comes again.
    """
    rng = SeededNumbers(f"{seed}/nemesis")
    drawn: list[tuple[Kind, str]] = [
        *(("kill", what) for what in islice(_dealt(rng, KILLS), counts["kill"])),
        *(("loss", what) for what in islice(_dealt(rng, LOSSES), counts["loss"])),
        *(("cut", POSTGRES) for _ in range(counts["cut"])),
        *(("pause", pick(rng, OURS)) for _ in range(counts["kill"] // KILLS_A_PAUSE)),
    ]
    return tuple(
        Fault(kind, what, then=_between(rng, *play), chance=rng.random(), stopped=_stopped(rng))
        if kind == "pause"
        else Fault(kind, what, then=_between(rng, *play), chance=rng.random())
        for kind, what in shuffled(rng, drawn)
    )


def _dealt(rng: Random, rows: Sequence[Sequence[Item]]) -> Iterator[Item]:
    while True:
        for row in rows:
            yield from shuffled(rng, row)


def _between(rng: Random, least: float, most: float) -> float:
    return least + rng.random() * (most - least)


def _stopped(rng: Random) -> float:
    longest = PAUSED_SECONDS_LONG if rng.random() < LONG_PAUSES else PAUSED_SECONDS_MAX
    return _between(rng, 0.5, longest)


class Nemesis:
    """Does faults to a running product."""

    def __init__(self, product: Running) -> None:
        """Nothing happens yet."""
        self._product, self._wait = product, Event()
        self._acts: Mapping[str, Callable[[Fault], None]] = {
            "kill": self._kill, "loss": self._lose, "cut": self._cut, "pause": self._pause,
        }  # fmt: skip

    def strike(self, fault: Fault) -> None:
        """One fault, and the play after it. Raises: ServicesError (a server does not come back)."""
        self._acts[fault.kind](fault)
        self._wait.wait(fault.then)

    def _kill(self, fault: Fault) -> None:
        children, servers = self._product.children, self._product.servers
        if fault.what == POSTGRES:
            servers.kill(POSTGRES)
            servers.start(POSTGRES)
        elif fault.what == "backend":
            self._signal_backend(fault.chance)
        elif fault.what == "pool child":
            name = chosen(WORKERS, fault.chance)
            pool = children_of(children.pid(name) or 0) or [children.pid(name) or 0]
            _signal(chosen(pool, fault.chance), signal.SIGKILL)
        else:
            groups = {"workers": WORKERS, "all": OURS}
            for name in groups.get(fault.what, (fault.what,)):
                children.kill(name)

    def _lose(self, fault: Fault) -> None:
        servers = self._product.servers
        if fault.what == VALKEY:
            servers.kill(VALKEY)
            servers.start(VALKEY)
        else:
            with Redis.from_url(self._product.variables["REDIS_URL"]) as broker:
                broker.flushall()

    def _cut(self, fault: Fault) -> None:
        """End connections as the database's operator might: at least one, half of them or so."""
        with self._superuser() as connection:
            pids = self._backends(connection)
            for number, pid in enumerate(shuffled(SeededNumbers(str(fault.chance)), pids)):
                if number <= fault.chance * len(pids):
                    connection.execute("SELECT pg_terminate_backend(%s)", [pid])

    def _pause(self, fault: Fault) -> None:
        """Stop a process with its own children, and let it go on where it was."""
        pid = self._product.children.pid(fault.what)
        if pid is None:
            return
        try:
            _signal_group(pid, signal.SIGSTOP)
            self._wait.wait(fault.stopped)
        finally:
            _signal_group(pid, signal.SIGCONT)

    def _signal_backend(self, chance: float) -> None:
        with self._superuser() as connection:
            pids = self._backends(connection)
        if pids:
            _signal(chosen(pids, chance), signal.SIGKILL)

    def _superuser(self) -> psycopg.Connection:
        """A connection, as soon as the server takes one: it may be recovering."""
        address = make_conninfo(self._product.servers.superuser_url, dbname="tonk")
        deadline = time.monotonic() + RECOVERY_SECONDS_MAX
        while True:
            try:
                return psycopg.connect(address, autocommit=True)
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
            self._wait.wait(RECOVERY_PAUSE_SECONDS)

    @staticmethod
    def _backends(connection: psycopg.Connection) -> list[int]:
        rows = connection.execute(
            """SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'
            AND pid <> pg_backend_pid() ORDER BY pid"""
        )
        return [pid for (pid,) in rows]


def chosen(items: Sequence[Item], chance: float) -> Item:
    """One of `items`, by a number in [0, 1).

    >>> chosen("abc", 0.0), chosen("abc", 0.99)
    ('a', 'c')
    """
    return items[int(chance * len(items))]


def _signal(pid: int, sign: signal.Signals) -> None:
    if pid > 0:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sign)


def _signal_group(pid: int, sign: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, sign)
