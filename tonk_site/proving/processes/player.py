"""One person who plays by the shipped client while processes die, and what he was told."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import httpx

from clients.python.tonk_client import Document, NoAnswer, Problem, Tonk
from eventstore.ports import random_bytes
from tonk_site.proving.processes.history import Recorder

PAUSE_SECONDS = 0.3
# Of a world that has moved on meanwhile, or is not there just now: look again.
PASSING = frozenset({
    "already_seated", "hand_over", "no_hand", "not_seated", "not_your_turn", "stale_version",
    "table_paused", "too_late", "wrong_state",
})  # fmt: skip
ENTERED = frozenset({"already_registered", "registration_closed"})
POOR = "insufficient_funds"

T = TypeVar("T")


class Player:
    """An account with its history."""

    def __init__(self, url: str, username: str, folder: Path) -> None:
        """Nobody has opened the account yet."""
        self.username, self.password = username, random_bytes(16).hex()
        self.recorder = Recorder(username, httpx.HTTPTransport)
        self._url, self._folder = url, folder / username
        self._token: str | None = None
        self._clients: list[Tonk] = []

    def enrol(self) -> None:
        """Open the account, and log in."""
        mail = f"{self.username}@example.org"
        shown, tonk = self.username.title(), self.client()
        tonk.register(self.username, self.password, email=mail, display_name=shown)
        self.take(str(tonk.login(self.username, self.password)["token"]))

    def take(self, token: str) -> None:
        """Act with a token; calls are noted under the player's id from now on."""
        self._token = token
        self.recorder.player = str(self.client().me()["player_id"])

    def client(self) -> Tonk:
        """A client of this player's."""
        made = Tonk(self._url, self._token, transport=self.recorder, folder=self._folder)
        self._clients.append(made)
        return made

    def close(self) -> None:
        """Whoever waits for an answer is told that it is over."""
        for client in self._clients:
            client.close()
        self._clients.clear()


@dataclass
class Hall:
    """Which tournament may be entered; whoever waits hears of the next."""

    tournament: str | None = None
    is_over: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def announce(self, tournament: str) -> None:
        """This one may be entered."""
        with self._changed:
            self.tournament = tournament
            self._changed.notify_all()

    def close(self) -> None:
        """There is no other."""
        with self._changed:
            self.is_over = True
            self._changed.notify_all()

    def each(self) -> Iterator[str]:
        """The tournaments, as they come."""
        found = self._after(None)
        while found is not None:
            yield found
            found = self._after(found)

    def _after(self, known: str | None) -> str | None:
        """The one after `known`, None where there is none any more."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_over or self.tournament != known)
            return None if self.is_over else self.tournament


def stubborn(tonk: Tonk, act: Callable[[], T]) -> T:
    """What `act` returns in the end. Raises: Closed, and a Problem that does not pass."""
    while True:
        try:
            return act()
        except (NoAnswer, Problem) as fault:
            if not passes(fault):
                raise
        tonk.pause(PAUSE_SECONDS)


def passes(fault: NoAnswer | Problem) -> bool:
    """Whether another look may change it."""
    return isinstance(fault, NoAnswer) or fault.retryable or fault.code in PASSING


def play_for_cash(tonk: Tonk, table: str, buy_in: int) -> None:
    """Sit down and play, again and again, until the money is gone or the client is closed."""

    def sit_and_play() -> bool:
        state = tonk.state(table) or {}
        if state["viewer"]["kind"] != "seat":
            try:
                tonk.sit_down(table, buy_in=buy_in, version=state["version"])
            except Problem as problem:
                if problem.code != POOR:
                    raise
                return False
        tonk.play(table, first_legal)
        return True

    while stubborn(tonk, sit_and_play):
        pass


def enter(tonk: Tonk, tournament: str) -> None:
    """Enter, unless that was done already: the answer may have been lost."""
    try:
        stubborn(tonk, lambda: tonk.enter(tournament))
    except Problem as problem:
        if problem.code not in ENTERED:
            raise


def play_tournaments(tonk: Tonk, hall: Hall) -> None:
    """Enter each tournament, and play it to its end."""
    for tournament in hall.each():
        enter(tonk, tournament)
        _play_to_the_end(tonk, tournament)


def haunt(tonk: Tonk, hall: Hall) -> None:
    """Enter one tournament, and never act."""
    for tournament in hall.each():
        enter(tonk, tournament)
        return


def _play_to_the_end(tonk: Tonk, tournament: str) -> Document:
    return stubborn(tonk, lambda: tonk.play_tournament(tournament, first_legal))


def leave(tonk: Tonk, table: str) -> None:
    """Leave a table, and play the hand that runs to its end."""
    state = stubborn(tonk, lambda: tonk.state(table)) or {}
    if state["viewer"]["kind"] == "seat":
        stubborn(tonk, lambda: tonk.leave(table))
        stubborn(tonk, lambda: tonk.play(table, first_legal))


def first_legal(state: Document) -> str:
    """The first move of the published order: a sensible one."""
    return str(state["legal"][0]["move"])
