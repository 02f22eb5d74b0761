"""Fixtures of every test: the database, real commits, closed sockets, profiles of Hypothesis."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, NoReturn

import hypothesis
import psycopg
import pytest
from django.core.cache import cache
from django.db import connections

from tests.databases import FirstState, copy_of_template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_django import DjangoDbBlocker

pytest_plugins = ["tests.replay"]

hypothesis.settings.register_profile("dev", deadline=None, max_examples=50)
hypothesis.settings.register_profile("ci", deadline=None, max_examples=50, derandomize=True)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=2000)
hypothesis.settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev")
)


@pytest.fixture(scope="session")
def first_state(
    request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker
) -> Iterator[FirstState]:
    """What the migrations left in this worker's database."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with django_db_blocker.unblock(), copy_of_template(worker) as name:
        yield FirstState.read(name)


@pytest.fixture(scope="session")
def django_db_setup(first_state: FirstState) -> None:
    """In place of pytest-django's, which would migrate as tonk_app."""


@pytest.fixture
def committed(first_state: FirstState, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Commits are real; the database and the cache are as the migrations left them afterwards."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()
        first_state.restore()
        cache.clear()


@pytest.fixture(autouse=True)
def patient_transaction(request: pytest.FixtureRequest) -> None:
    """A test that is rolled back is one transaction: it may idle while a busy machine does not.

    The product's own limit of some seconds would end it between two statements.
    """
    if request.node.get_closest_marker("django_db") or "db" in request.fixturenames:
        request.getfixturevalue("db")
        with connections["default"].cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '5min'")


@pytest.fixture(autouse=True)
def closed_sockets(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In `tests/unit` nothing connects to anything."""
    if "unit" not in request.path.relative_to(request.config.rootpath / "tests").parts[:1]:
        return

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a unit test opens no socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(psycopg, "connect", refuse)  # the driver opens its own, in C
