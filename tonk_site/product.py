"""The whole product as one context: services, migrations, children, until it says it is ready.

`manage.py up`, the demo and the tests of crashes start the same thing by this module.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from typing import TYPE_CHECKING

from tonk_site.embedded_services import CHECKOUT, Services, end_of, given_addresses, log_file
from tonk_site.identity import ServicesError
from tonk_site.supervisor import Patience, Program, Supervisor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

HOST = "127.0.0.1"
PORTS_TRIED = 100
READY_SECONDS_MAX = 60
READY_POLL_SECONDS = 0.1
STREAM_SECONDS_MAX = 5  # what open streams get at a stop


PATIENCE = Patience()


class NotReady(RuntimeError):
    """The product did not come up; the message says which part."""


def programs(data: Path, port: int) -> tuple[Program, ...]:
    """The children, in the order in which they are stopped."""
    celery = (sys.executable, "-m", "celery", "--app", "tonk_site.celery")
    return (
        Program(
            "web",
            (sys.executable, "-m", "uvicorn", "tonk_site.asgi:application", "--host", HOST,
             "--port", str(port), "--workers", "1", "--lifespan", "off", "--no-server-header",
             "--no-access-log", "--timeout-graceful-shutdown", str(STREAM_SECONDS_MAX)),
        ),
        Program(
            "worker",
            (*celery, "worker", "--queues", "settle,bots", "--concurrency", "2",
             "--without-gossip", "--without-mingle", "--loglevel", "WARNING"),
        ),
        Program(
            "beat",
            (*celery, "beat", "--schedule", str(data / "beat"), "--pidfile", "",
             "--loglevel", "WARNING"),
        ),
        Program("sequencer", (sys.executable, "manage.py", "sequencer")),
        Program("followers", (sys.executable, "manage.py", "follower", "run")),
    )  # fmt: skip


@contextlib.contextmanager
def product(
    data: Path,
    port: int,
    *,
    patience: Patience = PATIENCE,
    guests: Sequence[Program] = (),
) -> Iterator[Supervisor]:
    """The product, serving on `port`, ready; everything is stopped at the end, `guests` first.

    Raises: ServicesError, NotReady.
    """
    with Services(data, given=given_addresses()) as services:
        environment = environment_of(services, port)
        migrate(services, environment)
        supervisor = Supervisor(
            (*guests, *programs(services.data, port)), data=services.data, environment=environment,
            guard=services.guard, patience=patience,
        )  # fmt: skip
        supervisor.ground = services.failure
        with supervisor as children:
            wait_until_ready(port, children)
            yield children


def environment_of(services: Services, port: int) -> dict[str, str]:
    """Variables of the children of `services`."""
    own = {"TONK_DATA": str(services.data), "PORT": str(port)}
    module = {"DJANGO_SETTINGS_MODULE": "tonk_site.settings"}
    return {**os.environ, **services.addresses, **own, **module}


def migrate(services: Services, environment: Mapping[str, str]) -> None:
    """Bring the relations up to date. Raises: ServicesError with the end of the log."""
    log = log_file(services.data, "migrate")
    with log.open("ab") as output:
        done = subprocess.run(
            [sys.executable, "manage.py", "migrate"], cwd=CHECKOUT, env=environment, check=False,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
    if done.returncode:
        raise ServicesError(f"the migrations failed:\n{end_of(log)}")


def wait_until_ready(port: int, children: Supervisor) -> None:
    """Return when `/readyz` is green. Raises: NotReady."""
    deadline, last = time.monotonic() + READY_SECONDS_MAX, "no answer"
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, last = ask(port, "/readyz")
            if status == http.client.OK:
                return
        if children.ended.wait(READY_POLL_SECONDS):
            raise NotReady(children.failure)
    raise NotReady(f"not ready after {READY_SECONDS_MAX} s: {last}\n{end_of(children.log('web'))}")


def ask(port: int, path: str) -> tuple[int, str]:
    """Status and text of one GET. Raises: OSError, HTTPException."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    with contextlib.closing(connection):
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")


def is_free(port: int) -> bool:
    """Whether nobody listens on this port of the machine's own address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_port(after: int) -> int:
    """A free port, near `after` where possible."""
    for port in range(after + 1, min(after + 1 + PORTS_TRIED, 65536)):
        if is_free(port):
            return port
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def version() -> str:
    """Of this product, as `pyproject.toml` states it."""
    text = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


def commit() -> str | None:
    """What the checkout stands at; None where this is no checkout, or no git is at hand."""
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run(
        [git, "-C", CHECKOUT, "rev-parse", "HEAD"], check=False, capture_output=True, text=True
    )
    return done.stdout.strip() or None
