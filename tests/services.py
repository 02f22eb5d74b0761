"""Plugin of pytest: the servers of a test run, and the database that its tests copy.

The controlling process starts throwaway servers before any settings are read; workers inherit their
addresses by the environment. A given DATABASE_URL or REDIS_URL is used as it is; its tonk_owner
needs the right to create databases.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from tonk_site.embedded_services import Services, throwaway

if TYPE_CHECKING:
    from collections.abc import Generator

OUR_VARIABLES = ("DATABASE_URL", "REDIS_URL")
_running = contextlib.ExitStack()


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(args: list[str]) -> Generator[None, None, None]:
    """Start what the environment does not name. A wrapper, so that it is before pytest-django."""
    os.environ.setdefault("TONK_TEST_TEMPLATE", f"tonk_test_{os.getpid()}")
    if not _asks_only(args) and not all(os.environ.get(name) for name in OUR_VARIABLES):
        services = _running.enter_context(throwaway())
        os.environ.update(services.addresses)
        os.environ.setdefault("TONK_DATA", str(services.data))
        _let_owner_create_databases(services)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        number = int(worker.removeprefix("gw")) + 1
        os.environ["REDIS_URL"] = numbered(os.environ["REDIS_URL"], number)
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers when the controlling process ends; workers have started none."""
    _running.close()


def numbered(url: str, number: int) -> str:
    """The same server's database `number`: each worker empties its own alone."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"unix://{parts.path}?db={number}"
    return urlunsplit(parts._replace(path=f"/{number}"))


def _asks_only(args: list[str]) -> bool:
    return any(arg in {"--help", "-h", "--version", "--markers", "--fixtures"} for arg in args)


def _let_owner_create_databases(services: Services) -> None:
    with psycopg.connect(services.superuser_url, autocommit=True) as connection:
        connection.execute("ALTER ROLE tonk_owner CREATEDB")
