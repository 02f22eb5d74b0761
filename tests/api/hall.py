"""A table with the shipped client at two seats, and a plain script at the third."""

from __future__ import annotations

import json
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import httpx
from django.test import Client
from typing_extensions import override

from clients.python.tonk_client import FairSeat, Tonk
from eventstore import store
from eventstore.core.ids import table_stream
from games import selectors
from games.services.deals import deal_next
from tests.api.callers import Caller, caller
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import PLAYED, a_table, sits_down

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from uuid import UUID

    Change = Callable[[Any], Any]

HERE = "http://testserver"
STEPS_MAX = 400


class Inside(httpx.BaseTransport):
    """Requests go to the product in this process; answers pass by whoever tampers with them."""

    def __init__(self) -> None:
        self.client = Client()
        self.lies: list[tuple[str, Change]] = []
        self.asked = list[str]()

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        content = request.read()
        self.asked.append(f"{request.method} {request.url.path}")
        sent = {name: value for name, value in request.headers.items() if name != "content-length"}
        media = sent.pop("content-type", "application/json")
        found = self.client.generic(
            request.method, request.url.raw_path.decode(), content, media, headers=sent
        )
        answer = b"".join(found) if found.streaming else found.content
        for where, change in self.lies:
            if where in request.url.path and found.status_code == 200:
                answer = json.dumps(change(json.loads(answer))).encode()
        headers = {"Content-Type": found.headers.get("Content-Type", "")}
        return httpx.Response(found.status_code, headers=headers, content=answer)


def choose(state: Any) -> str:
    """A sensible move, and the end of the hand from the second round on."""
    moves = [str(one["move"]) for one in state["legal"]]
    return "K" if "K" in moves and state["round"] > 1 else moves[0]


class Plain:
    """A person whose script ignores the fair deal."""

    tonk: Tonk

    def __init__(self, who: Caller, table: UUID, folder: Path, url: str) -> None:
        self.who, self.table, self.folder, self.url = who, str(table), folder, url
        self.inside = Inside()
        self.connected = False
        self.connect()

    def connect(self) -> None:
        """The connection of a new process."""
        transport = self.inside if self.url == HERE else None
        if self.connected:
            self.tonk.close()
        self.connected = True
        self.tonk = Tonk(self.url, self.who.token, transport=transport, folder=self.folder)

    def look(self) -> Any:
        return self.tonk.state(self.table)

    def act(self) -> None:
        """Make a move where it is mine to make one."""
        state = self.look()
        if "legal" in state:
            self.moved(self.tonk.move(self.table, choose(state), state["version"]))

    def moved(self, made: Any) -> None:
        """What came of it."""


class Sitting(Plain):
    """A person with the shipped client, which takes part."""

    @override
    def connect(self) -> None:
        self.start()

    def start(self, length: int = 16) -> None:
        super().connect()
        self.seat = FairSeat(self.tonk, self.table, length=length)

    @override
    def look(self) -> Any:
        state = self.tonk.state(self.table) or {}
        self.seat.follow(state)
        return state

    @override
    def moved(self, made: Any) -> None:
        self.seat.told(made.get("checkpoint"))
        self.seat.follow(made["state"], made["events"])


class Hall:
    """The table, where no deal wins by itself.

    Without the address of a running server the product is asked in this process.
    """

    def __init__(self, folder: Path, url: str = HERE, **settings: object) -> None:
        people = [caller(name) for name in ("ona", "petras", "jonas")]
        self.table = a_table(people[0].who, **{"options": PLAYED, **settings})
        for one in people:
            sits_down(self.table, one.who)
        ona, petras, jonas = people
        self.ona = Sitting(ona, self.table, folder, url)
        self.petras = Sitting(petras, self.table, folder, url)
        self.all = [self.ona, self.petras, Plain(jonas, self.table, folder, url)]
        self.ona.look()
        self.petras.look()

    def close(self) -> None:
        for one in self.all:
            one.tonk.close()

    def commit(self) -> None:
        """Let the dealer commit to the next hand."""
        hurry(self.table)
        deal_next(self.table, selectors.live_row(self.table).version)

    def hand(self) -> None:
        """A hand from its commitment to its reveal."""
        self.commit()
        for one in islice(cycle(self.all), STEPS_MAX):
            one.act()
            if selectors.live_row(self.table).status == "between_hands":
                break
        else:
            raise AssertionError("the hand does not end")
        for one in self.all:
            one.look()

    def events(self, kind: str) -> list[Any]:
        stored = store.load(table_stream(self.table)).events
        return [one.payload for one in stored if one.type == kind]
