"""The product as `manage.py up` starts it, on servers that may be killed and started again.

Whatever of ours ends is started again by the supervisor, as in life; a server by whoever killed
it, as a service manager would.
"""

import contextlib
import os
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from typing_extensions import override

from tonk_site.embedded_services import Services, removed
from tonk_site.identity import ServicesError
from tonk_site.product import environment_of, free_port, migrate, programs, wait_until_ready
from tonk_site.proving.stopping import living
from tonk_site.supervisor import Patience, Program, Supervisor

if TYPE_CHECKING:
    import subprocess

PATIENCE = Patience(first_seconds=0.1, longest_seconds=1, ends_max=1_000_000)
POSTGRES, VALKEY = "postgres", "valkey"
AGAIN_SECONDS_MAX, AGAIN_PAUSE_SECONDS = 30, 0.05
FIRST_PORT, PORTS = 20_000, 10_000  # below those that a kernel gives to clients


class FragileServers(Services):
    """Servers, safe on disk, each of which can be killed with all that it has started."""

    def __init__(self, data: Path) -> None:
        """Nothing starts yet."""
        super().__init__(data)
        self._named: dict[str, subprocess.Popen[str]] = {}

    def kill(self, name: str) -> None:
        """SIGKILL to a server and its own children, all at the same instant as far as we can."""
        server = self._named[name]
        server.send_signal(signal.SIGSTOP)  # else it has new children meanwhile
        for pid in children_of(server.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        server.kill()
        server.wait()

    def start(self, name: str) -> None:
        """Start a server that was killed, on the same data. Raises: ServicesError."""
        deadline, pause = time.monotonic() + AGAIN_SECONDS_MAX, Event()
        while True:
            self._children[:] = [one for one in self._children if one[0].poll() is None]
            try:
                self._postgres() if name == POSTGRES else self._valkey()
            except ServicesError:  # the memory of those who were killed may not be gone yet
                if time.monotonic() > deadline:
                    raise
                pause.wait(AGAIN_PAUSE_SECONDS)
            else:
                break
        self.guard.serve(self._stops())

    @override
    def _postgres(self) -> str:
        url = super()._postgres()
        self._named[POSTGRES] = self._children[-1][0]
        return url

    @override
    def _valkey(self) -> str:
        url = super()._valkey()
        self._named[VALKEY] = self._children[-1][0]
        return url


@dataclass(frozen=True, slots=True)
class Running:
    """A running product: its servers, its processes, where it serves."""

    servers: FragileServers
    children: Supervisor
    port: int

    @property
    def variables(self) -> Mapping[str, str]:
        """What leads a process to the same data."""
        return self.children.environment


@contextlib.contextmanager
def running() -> Iterator[Running]:
    """The product in a folder of its own, ready; nothing of it is left afterwards.

    Raises: ServicesError, NotReady.
    """
    port = free_port(FIRST_PORT + os.getpid() % PORTS)
    servers = FragileServers(Path(tempfile.mkdtemp(prefix="tonk-")))
    with removed(servers):
        environment = environment_of(servers, port)
        migrate(servers, environment)
        children = Supervisor(
            with_two_workers(programs(servers.data, port)), data=servers.data,
            environment=environment, guard=servers.guard, patience=PATIENCE,
        )  # fmt: skip
        with children:
            wait_until_ready(port, children)
            yield Running(servers, children, port)


def with_two_workers(single: tuple[Program, ...]) -> tuple[Program, ...]:
    """The programs of a product with a second worker."""
    (worker,) = (program for program in single if program.name == "worker")
    second = replace(
        worker, name="worker-2", command=(*worker.command, "--hostname", "worker-2@%h")
    )
    return (*single, second)


def children_of(parent: int) -> list[int]:
    """Processes that a process has started and that live, oldest first."""
    return sorted(pid for pid, its_parent, _ in living() if its_parent == parent)
