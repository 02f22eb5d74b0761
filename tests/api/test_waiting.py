"""Waiting for news of a table: at once when there is some, and no connection held meanwhile."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import httpx
import pytest
from django.db import connections

from games import selectors
from tests.api.callers import NOWHERE, Caller, caller
from tests.databases import owner
from tonk_site.asgi import application
from tonk_site.proving.acting.factories import a_table, sits_down
from tonk_site.proving.acting.play import play, turn_of

pytestmark = pytest.mark.usefixtures("committed")

DEADLINE_SECONDS = 10
LOOK_SECONDS = 0.02
SHORT = 1  # the shortest patience that a caller can name

Work = Callable[[httpx.AsyncClient], Coroutine[Any, Any, None]]


@asynccontextmanager
async def client_of(who: Caller) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": f"Token {who.token}"} if who.token else {}
    transport = httpx.ASGITransport(application)  # type: ignore[arg-type]  # Django says dict
    async with httpx.AsyncClient(
        transport=transport, base_url="http://localhost/api/v1", headers=headers
    ) as client:
        yield client


def asked_by(who: Caller, work: Work) -> None:
    """Run a conversation with the application, as an event loop serves it."""

    async def talk() -> None:
        async with client_of(who) as client:
            await work(client)

    connections.close_all()  # what is held from now on, the application holds
    asyncio.run(talk())


def held_connections() -> int:
    """Connections of the application to the tests' database."""
    with owner(connections["owner"].settings_dict["NAME"]) as connection:
        found = connection.execute(
            """SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND usename = 'tonk_app'"""
        ).fetchone()
    return int(found[0]) if found else 0


async def until(condition: Callable[[], bool]) -> None:
    """Return when the condition holds."""
    end = time.monotonic() + DEADLINE_SECONDS
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < end, "the condition never holds"
        await asyncio.sleep(LOOK_SECONDS)


def in_thread(act: Callable[[], None]) -> None:
    """An act of another process, whose connection ends with it."""
    try:
        act()
    finally:
        connections.close_all()


@pytest.fixture
def ona(committed: None) -> Caller:
    return caller("ona")


@pytest.fixture
def table(ona: Caller) -> UUID:
    """A table with a running hand of two, Ona to act."""
    made = a_table(ona.who)
    sits_down(made, ona.who)
    sits_down(made, caller("petras").who)
    turn_of(made, ona.who.id)
    return made


def test_patience_ends_with_not_modified(ona: Caller, table: UUID) -> None:
    version = selectors.live_row(table).version

    async def work(client: httpx.AsyncClient) -> None:
        begun = time.monotonic()
        answer = await client.get(f"/tables/{table}/state?wait={SHORT}&after={version}")
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["ETag"].startswith(f'"v{version}.s')
        assert SHORT <= time.monotonic() - begun < SHORT + DEADLINE_SECONDS / 2

    asked_by(ona, work)


def test_news_ends_the_wait_and_nothing_is_held_meanwhile(ona: Caller, table: UUID) -> None:
    turn = turn_of(table, ona.who.id)

    async def work(client: httpx.AsyncClient) -> None:
        begun = time.monotonic()
        path = f"/tables/{table}/state"
        waiting = [
            asyncio.create_task(client.get(f"{path}?wait=25&after={turn.version}")),
            asyncio.create_task(
                client.get(
                    f"{path}?wait=25", headers={"If-None-Match": f'"v{turn.version}.s{turn.seat}"'}
                )
            ),
        ]
        await until(lambda: held_connections() > 0)
        await until(lambda: held_connections() == 0)
        assert not any(one.done() for one in waiting)
        await asyncio.to_thread(in_thread, lambda: play(table, turn))
        for answer in await asyncio.gather(*waiting):
            assert answer.status_code == 200
            assert answer.json()["version"] > turn.version
        assert time.monotonic() - begun < DEADLINE_SECONDS
        assert held_connections() == 0

    asked_by(ona, work)


def test_nobody_waits_for_what_is_there_or_never_comes(table: UUID) -> None:
    version = selectors.live_row(table).version

    async def work(client: httpx.AsyncClient) -> None:
        begun = time.monotonic()
        path = f"/tables/{table}/state"
        for query, status in (
            ("wait=25", 200),
            (f"wait=25&after={version - 1}", 200),
            (f"wait=0&after={version}", 304),
            (f"after={version}", 304),
            ("wait=26&after=0", 400),
            (f"wait=25&after={version}&x=1", 400),
        ):
            assert (await client.get(f"{path}?{query}")).status_code == status
        missing = await client.get(f"/tables/{NOWHERE}/state?wait=25&after=0")
        assert missing.json()["code"] == "not_found"
        wrong = await client.post(f"{path}?wait=25&after={version}")
        assert wrong.status_code == 405
        assert time.monotonic() - begun < DEADLINE_SECONDS

    asked_by(Caller(), work)
