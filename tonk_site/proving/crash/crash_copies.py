"""A copy of a database with a folder for its keys, in which time stands still.

So no deadline passes while a death is tried.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.db import connections
from psycopg import sql

from games import folds
from tonk_site.proving.simulator.database import CLOCK

PROVIDERS = ("ledger.cashier.manual.Manual", "tonk_site.proving.crash.crash_till.Till")
LEAVE_SECONDS_MAX = 60
LOOK_SECONDS = 0.001  # at the server's last process of somebody who died
# As the simulator does it: found before PostgreSQL's own clock, because that is named last.
PATH = "-c search_path=simulated,public,pg_catalog"
_OTHERS = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Copy:
    """A database that its superuser reaches by `url`, and the folder with the keys of its log."""

    url: str
    folder: Path

    @property
    def name(self) -> str:
        """Name of the database."""
        return urlsplit(self.url).path.removeprefix("/")

    def named(self, name: str) -> str:
        """The address of another database of the same server."""
        return urlsplit(self.url)._replace(path=f"/{name}").geturl()


@contextmanager
def copied(source: Copy) -> Iterator[Copy]:
    """A copy of a database that nobody uses, gone at the end."""
    name = f"{source.name[:30]}_{os.getpid()}_{next(_numbers)}"
    copy = Copy(source.named(name), source.folder.with_name(name))
    make = "CREATE DATABASE {} TEMPLATE {} OWNER tonk_owner"
    with psycopg.connect(source.named("postgres"), autocommit=True) as server:
        server.execute(_named(make, name, source.name))
        shutil.copytree(source.folder, copy.folder)
        try:
            yield copy
        finally:
            server.execute(_named("DROP DATABASE {} WITH (FORCE)", name))
            shutil.rmtree(copy.folder)


def _named(form: str, *names: str) -> sql.Composed:
    return sql.SQL(form).format(*map(sql.Identifier, names))


def stop_time(copy: Copy, moment: datetime) -> None:
    """From now on the clock that `use` shows the product stands at this moment."""
    with psycopg.connect(copy.url) as connection:
        connection.execute(CLOCK)
        connection.execute("UPDATE simulated.clock SET now = %s", [moment])
        connection.execute("GRANT UPDATE ON simulated.clock TO tonk_owner")  # who prepares acts


def move_time(copy: Copy, by: timedelta) -> None:
    """Let it be so much later."""
    with psycopg.connect(copy.url) as connection:
        connection.execute("UPDATE simulated.clock SET now = now + %s", [by])


def now() -> datetime:
    """A moment to stand still at."""
    return datetime.now(UTC).replace(microsecond=0)


def use(copy: Copy) -> None:
    """Point this process, every alias and every key, at a copy; what it remembers is gone."""
    connections.close_all()
    for alias in connections:
        found = connections[alias].settings_dict
        found["NAME"] = copy.name
        found["OPTIONS"] = found["OPTIONS"] | {"options": PATH}
    settings.LOG_KEY_FILE = copy.folder / "log.key"
    settings.DEALER_KEY_FILE = copy.folder / "dealer.key"
    tempfile.tempdir = str(copy.folder.parent)  # whoever dies leaves nothing elsewhere
    settings.CASHIER_PROVIDERS = list(PROVIDERS)
    folds.forget_all()


@contextmanager
def looking(copy: Copy) -> Iterator[psycopg.Connection]:
    """A superuser's connection, once whoever died is gone. Raises: TimeoutError."""
    deadline, pause = time.monotonic() + LEAVE_SECONDS_MAX, Event()
    with psycopg.connect(copy.url, autocommit=True) as connection:
        while connection.execute(_OTHERS).fetchall() != [(0,)]:
            if time.monotonic() > deadline:
                raise TimeoutError(f"somebody is still in {copy.name}")
            pause.wait(LOOK_SECONDS)
        yield connection
