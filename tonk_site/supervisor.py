"""Children of one launcher: started, watched, started again when they end, stopped in order.

    with Supervisor(programs, data=data, environment=environment, guard=guard) as children:
        children.kill("worker")             # SIGKILL to the child and its group: a crash
        children.ended.wait()               # until one ends too often; `children.failure` says how

Each child leads a session of its own, so that Ctrl-C reaches the launcher alone.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from tonk_site.embedded_services import CHECKOUT, end_of, log_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tonk_site.guard import Guard

logger = logging.getLogger(__name__)
LOOK_SECONDS = 0.1  # between two looks at the children
TERMINATE_SECONDS_MAX = 30  # the longest task, and a little


@dataclass(frozen=True, slots=True)
class Program:
    """One child: its name, which is also that of its log, and its command."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Patience:
    """When a child that ended is started again, and when that happens too often."""

    first_seconds: float = 1
    longest_seconds: float = 30
    ends_max: int = 5
    window_seconds: float = 60

    def delay(self, recent_ends: int) -> float:
        """Seconds to wait after so many ends inside the window.

        >>> [Patience().delay(count) for count in (1, 2, 3, 9)]
        [1, 2, 4, 30]
        """
        return min(self.first_seconds * (1 << (recent_ends - 1)), self.longest_seconds)


@dataclass(slots=True)
class _Child:
    program: Program
    process: subprocess.Popen[bytes] | None = None
    start_at: float = 0  # of the monotonic clock, while there is no process
    held: bool = False  # stopped on purpose: not started again
    ends: deque[float] = field(default_factory=deque)


class Supervisor:
    """The children of a launcher, by name; a context manager."""

    def __init__(
        self,
        programs: Sequence[Program],
        *,
        data: Path,
        environment: Mapping[str, str],
        guard: Guard | None = None,
        patience: Patience = Patience(),
    ) -> None:
        """Nothing starts yet. `guard` is that of the services, and covers the children too."""
        # Says why the children can not go on, such as a server that ended; nothing while they can.
        self.ground: Callable[[], str] = str
        self.data, self.environment, self.patience = data, dict(environment), patience
        self.failure = ""
        self.ended = threading.Event()
        self._guard = guard
        self._children = {program.name: _Child(program) for program in programs}
        self._mutex = threading.RLock()
        self._closing = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def __enter__(self) -> Self:
        """Start every child, and watch them."""
        with self._mutex:
            for child in self._children.values():
                self._start(child)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop every child in the order of the programs."""
        self._closing.set()
        self._watcher.join()
        for name in self._children:
            self.stop(name)

    def pid(self, name: str) -> int | None:
        """Process id of a child, None while it does not run."""
        with self._mutex:
            process = self._children[name].process
            return process.pid if process and process.poll() is None else None

    def log(self, name: str) -> Path:
        """Path of a child's log."""
        return self.data / "logs" / f"{name}.log"

    def kill(self, name: str) -> None:
        """End a child and its own children at once, as a crash would; it is started again."""
        with self._mutex:
            process = self._children[name].process
            if process:
                _signal_group(process, signal.SIGKILL)
                process.wait()

    def stop(self, name: str) -> None:
        """Ask a child to end, wait, insist; it stays stopped.

        The signal goes to the process alone: a pool child of a worker would die inside its task.
        """
        with self._mutex:
            child = self._children[name]
            child.held, process = True, child.process
        if process is None:
            return
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(TERMINATE_SECONDS_MAX)
        _signal_group(process, signal.SIGKILL)  # what it may have left behind
        process.wait()
        with self._mutex:
            child.process = None
            self._tell_guard()

    def start(self, name: str) -> None:
        """Start a child that was stopped."""
        with self._mutex:
            child = self._children[name]
            child.held = False
            if child.process is None:
                self._start(child)

    def _watch(self) -> None:
        while not self._closing.wait(LOOK_SECONDS) and not self.ended.is_set():
            self.failure = self.ground()
            if self.failure:
                self.ended.set()
                return
            with self._mutex:
                for child in self._children.values():
                    self._look_at(child)

    def _look_at(self, child: _Child) -> None:
        """Note an end, and start again what has waited long enough."""
        now = time.monotonic()
        if child.held:
            return
        if child.process is None:
            if now >= child.start_at:
                self._start(child)
            return
        status = child.process.poll()
        if status is None:
            return
        _signal_group(child.process, signal.SIGKILL)  # orphans of a child that was killed
        child.process = None
        child.ends.append(now)
        while child.ends[0] < now - self.patience.window_seconds:
            child.ends.popleft()
        name, recent = child.program.name, len(child.ends)
        if recent >= self.patience.ends_max:
            self.failure = f"{name} ended {recent} times:\n{end_of(self.log(name))}"
            self.ended.set()
            return
        child.start_at = now + self.patience.delay(recent)
        seconds = child.start_at - now
        logger.warning("%s ended with status %s: again in %.0f s", name, status, seconds)

    def _start(self, child: _Child) -> None:
        with log_file(self.data, child.program.name).open("ab") as log:
            child.process = subprocess.Popen(
                child.program.command, cwd=CHECKOUT, env=self.environment, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                pass_fds=(self._guard.lock,) if self._guard else (),
            )  # fmt: skip
        self._tell_guard()

    def _tell_guard(self) -> None:
        if self._guard:
            processes = (child.process for child in self._children.values())
            self._guard.watch(process.pid for process in processes if process)


def _signal_group(process: subprocess.Popen[bytes], sign: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, sign)
