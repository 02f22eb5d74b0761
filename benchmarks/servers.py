"""The durable server of the benchmarks: the product's own, migrated, in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import django
from django.db import connections

from eventstore.sequencer import LOCK
from tonk_site.embedded_services import CHECKOUT, throwaway
from tonk_site.identity import ServicesError
from tonk_site.product import environment_of, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tonk_site.embedded_services import Services

TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS_MAX = 20
LOOK_SECONDS = 0.05


@contextlib.contextmanager
def server() -> Iterator[Services]:
    """The server, durable; this process and those that it starts are set up to use it."""
    with throwaway(durable=True) as services:
        environment = environment_of(services, port=0)
        migrate(services, environment)
        os.environ.update(environment)
        django.setup()
        try:
            yield services
        finally:
            connections.close_all()


@contextlib.contextmanager
def sequencer() -> Iterator[None]:
    """The sequencer at work, as a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "sequencer"], cwd=CHECKOUT, stdin=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + START_SECONDS_MAX
        while not _holds_lock():
            if process.poll() is not None or time.monotonic() > deadline:
                raise ServicesError("the sequencer did not begin")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_SECONDS)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _holds_lock() -> bool:
    with connections["default"].cursor() as cursor:
        cursor.execute(
            """SELECT EXISTS (SELECT 1 FROM pg_locks
            WHERE locktype = 'advisory' AND classid::bigint = %s AND objid::bigint = %s)""",
            LOCK,
        )
        return bool(cursor.fetchone()[0])


def processor_seconds(services: Services) -> float:
    """Processor time of the database server so far, of ended connections too."""
    master = int((services.home / "postgres" / "postmaster.pid").read_text().split()[0])
    total = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            parent, times = int(fields[1]), [int(one) for one in fields[11:15]]
            if parent == master:
                total += sum(times[:2])
            elif path.parent.name == str(master):
                total += sum(times)
    return total / TICKS
