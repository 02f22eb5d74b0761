"""Databases of its own for a trial, and processes that find them.

One run of `prove` starts servers once (`shared`) and migrates once; each trial gets a copy of that
database, or of a world that was played in one. A trial that kills servers takes `own_servers`.
"""

import contextlib
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import django
import psycopg
import redis
from django.conf import settings
from psycopg import sql

from eventstore.ports import random_bytes
from tonk_site.embedded_services import Services, throwaway
from tonk_site.product import environment_of, migrate

SPAWN = multiprocessing.get_context("spawn")
NO_PORT = 0  # nothing is served
CHEAP = "django.contrib.auth.hashers.MD5PasswordHasher"


@dataclass(frozen=True, slots=True)
class Place:
    """A database on scratch servers, and the data folder with the keys of its log."""

    services: Services
    name: str
    folder: Path

    @property
    def variables(self) -> Mapping[str, str]:
        """What leads a process there."""
        found = environment_of(self.services, NO_PORT)
        own = {"DATABASE_URL": self._at(found["DATABASE_URL"]), "TONK_DATA": str(self.folder)}
        return found | own | {"TONK_THREADS": "0"}  # a pool has threads, and trials fork

    @property
    def superuser_url(self) -> str:
        """Its address for the server's superuser."""
        return self._at(self.services.superuser_url)

    def _at(self, url: str) -> str:
        return urlsplit(url)._replace(path=f"/{self.name}").geturl()


@dataclass
class Run:
    """What the checks of one run share: where the migrations ran, and what was played since."""

    stack: contextlib.ExitStack
    worlds: dict[str, Place] = field(default_factory=dict)

    def migrated(self) -> Place:
        """An empty database; the servers start when it is first asked for."""
        if "" not in self.worlds:
            services = self.stack.enter_context(throwaway())
            self.worlds[""] = _migrated(services)
        return self.worlds[""]

    def world(self, name: str, make: Callable[[Place], object]) -> Place:
        """What `make` made of an empty database, once in this run. Nobody may change it."""
        if name not in self.worlds:
            place = _copy(self.migrated())
            make(place)
            self.worlds[name] = place
        return self.worlds[name]


_runs: list[Run] = []


@contextlib.contextmanager
def shared() -> Iterator[Run]:
    """The run that this is part of, or a new one, whose servers stop at the end."""
    if _runs:
        yield _runs[-1]
        return
    with contextlib.ExitStack() as stack:
        stack.callback(_runs.clear)
        _runs.append(Run(stack))
        yield _runs[-1]


@contextlib.contextmanager
def database(template: Callable[[Run], Place] = Run.migrated) -> Iterator[Place]:
    """A copy of a database of the run, dropped at the end; queues and channels are empty."""
    with shared() as run:
        place = _copy(template(run))
        redis.Redis.from_url(place.services.addresses["REDIS_URL"]).flushall()
        try:
            yield place
        finally:
            statement(place.services, "DROP DATABASE {} WITH (FORCE)", place.name)
            shutil.rmtree(place.folder)


@contextlib.contextmanager
def servers() -> Iterator[tuple[Services, Mapping[str, str]]]:
    """Servers with an empty database for the caller alone, and the variables that lead there."""
    with database() as place:
        yield place.services, place.variables


@contextlib.contextmanager
def own_servers(*, durable: bool = False) -> Iterator[tuple[Services, Mapping[str, str]]]:
    """The same on servers that nobody else uses: they may be killed."""
    with throwaway(durable=durable) as services:
        yield services, _migrated(services).variables


@contextlib.contextmanager
def fresh_processes(count: int, variables: Mapping[str, str]) -> Iterator[ProcessPoolExecutor]:
    """Processes that read their settings from these variables, where Django is set up.

    So a function for them may lie in a module that imports models.
    """
    before = dict(os.environ)
    os.environ.update(variables)  # what Python itself reads must be there when one starts
    try:
        with ProcessPoolExecutor(
            count, mp_context=SPAWN, initializer=_begin, initargs=(dict(variables),)
        ) as pool:
            yield pool
    finally:
        os.environ.clear()
        os.environ.update(before)


def _begin(variables: Mapping[str, str]) -> None:
    """First thing in a process, which may have started inside another block than its own."""
    os.environ.update(variables)
    tempfile.tempdir = variables["TONK_DATA"]  # whoever is killed leaves nothing elsewhere
    django.setup()
    settings.PASSWORD_HASHERS = [CHEAP]  # a good one is slow, and people of trials are many


def statement(services: Services, form: str, *names: str) -> None:
    """Run a statement about whole databases, of these names, as the servers' superuser."""
    made = sql.SQL(form).format(*map(sql.Identifier, names))
    with psycopg.connect(services.superuser_url, autocommit=True) as connection:
        connection.execute(made)


def _migrated(services: Services) -> Place:
    migrate(services, environment_of(services, NO_PORT))
    return Place(services, "tonk", services.data)


def _copy(source: Place) -> Place:
    """The same under another name, with the same keys in a folder of its own."""
    name = f"tonk_prove_{random_bytes(4).hex()}"
    form = "CREATE DATABASE {} TEMPLATE {} OWNER tonk_owner"
    statement(source.services, form, name, source.name)
    folder = source.services.data / name
    shutil.copytree(source.folder / "keys", folder / "keys")
    return Place(source.services, name, folder)
