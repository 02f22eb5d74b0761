"""The whole product under kill -9 and an emptied broker: nothing is lost, everything ends."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis

from eventstore.ports import new_id
from tonk_site.embedded_services import CHECKOUT
from tonk_site.product import HOST, free_port, product
from tonk_site.supervisor import Patience, Supervisor

PASSWORD = "correct-horse-battery"
END_SECONDS_MAX = 120


class Product:
    """A running product, its API, and its commands."""

    def __init__(self, children: Supervisor, port: int) -> None:
        self.children = children
        self.http = httpx.Client(base_url=f"http://{HOST}:{port}/api/v1", timeout=30)

    def command(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=CHECKOUT,
            env=self.children.environment | {"TONK_PASSWORD": PASSWORD},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def post(self, path: str, body: object) -> Any:
        answer = self.http.post(path, json=body, headers={"Idempotency-Key": new_id().hex})
        assert answer.status_code in {200, 201}, answer.text
        return answer.json()

    def flush_broker(self) -> None:
        with Redis.from_url(self.children.environment["REDIS_URL"]) as broker:
            broker.flushall()


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Product]:
    """The product on durable servers of its own."""
    for name in ("DATABASE_URL", "REDIS_URL", "TONK_DATA", "DJANGO_SETTINGS_MODULE"):
        monkeypatch.delenv(name, raising=False)
    port = free_port(8100 + os.getpid() % 1000)
    patience = Patience(first_seconds=0.1, ends_max=20)
    with product(tmp_path / "data", port, patience=patience) as children:
        found = Product(children, port)
        with found.http:
            yield found


def starts_a_tournament(running: Product) -> str:
    running.command("account", "jonas", "--role", "organiser")
    login = running.post("/auth/login", {"username": "jonas", "password": PASSWORD})
    running.http.headers["Authorization"] = f"Token {login['token']}"
    draft = {"template": "sim-short", "name": "Under fire", "overrides": {"bots": "fill"}}
    tournament = running.post("/tournaments", draft)
    path = f"/tournaments/{tournament['tournament_id']}"
    running.post(f"{path}/publish", {"version": 1})
    running.post(f"{path}/open-registration", {"version": 2})
    running.post(f"{path}/bots", {"level": "greedy-1", "count": 5, "version": 3})
    running.post(f"{path}/bots", {"level": "random-0", "count": 4, "version": 8})
    return path


def looks(running: Product, path: str) -> Iterator[dict[str, Any]]:
    """The tournament, again and again, whatever the web process suffers."""
    deadline, pause = time.monotonic() + END_SECONDS_MAX, threading.Event()
    while time.monotonic() < deadline:
        pause.wait(0.2)
        try:
            answer = running.http.get(path)
        except httpx.TransportError:
            continue
        if answer.status_code == 200:
            yield answer.json()
    raise AssertionError(f"{path} has not ended after {END_SECONDS_MAX} s")


def wait_until_followed(running: Product) -> None:
    """Return when every follower has applied the whole log."""
    deadline, pause = time.monotonic() + END_SECONDS_MAX, threading.Event()
    while any(json.loads(line)["lag"] for line in running.command("follower", "list").splitlines()):
        assert time.monotonic() < deadline, "the followers do not catch up"
        pause.wait(0.2)


@pytest.mark.no_replay("the product has a database of its own; its commands replay it")
def test_kills_and_an_emptied_broker_lose_nothing(running: Product) -> None:
    path = starts_a_tournament(running)
    children = running.children

    def who_follows() -> None:
        children.kill("sequencer")
        children.kill("followers")

    def everything_at_once() -> None:
        running.flush_broker()
        for name in ("worker", "beat", "sequencer", "followers"):
            children.kill(name)

    nemesis: list[Callable[[], None]] = [
        partial(children.kill, "worker"),
        running.flush_broker,
        who_follows,
        partial(children.kill, "web"),
        everything_at_once,
    ]
    version = 0
    for seen in looks(running, path):
        if seen["status"] == "settled":
            break
        if nemesis and seen["version"] >= version + 3 and seen["status"] == "running":
            nemesis.pop(0)()
            version = seen["version"]
    assert not nemesis, "the tournament ended before all was tried"
    assert sum(prize["amount"] for prize in seen["prizes"]) == 9_000
    assert json.loads(running.command("verify").splitlines()[-1])["faults"] == 0
    assert json.loads(running.command("ledger_rebuild", "--check").splitlines()[-1])["equal"]
    wait_until_followed(running)
    assert json.loads(running.command("follower", "rebuild", "hands").splitlines()[-1])["equal"]
