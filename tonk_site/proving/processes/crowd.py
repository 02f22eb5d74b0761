"""Everybody who plays while processes die: a host with his tournaments, guests, a cash table."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from clients.python.tonk_client import Closed, Document, Tonk
from tonk_site.proving.processes.history import Call
from tonk_site.proving.processes.history_checks import Wrong
from tonk_site.proving.processes.player import (
    PAUSE_SECONDS,
    Hall,
    Player,
    haunt,
    leave,
    play_for_cash,
    play_tournaments,
    stubborn,
)

TEMPLATE, CURRENCY = "sim-short", "XTK"
PRICE, FEE = 50, 5  # so that the welcome chips last for many tournaments
# Levels rise fast and nobody rests before the final, so that a tournament is soon over.
OVERRIDES: dict[str, object] = {
    "buy_in": PRICE, "fee": FEE, "level_hands": 3, "stack_stakes": 5, "redraw_final": False,
    "spectators": 0,
}  # fmt: skip
STAKE, BUY_IN = 2, 200
CASH_BOTS = ({"level": "greedy-1"}, {"level": "random-0"})
BOTS_LATER = 3
OVER = frozenset({"settled", "cancelled"})
BEGIN_SECONDS_MAX, LAST_ANSWERS_SECONDS = 180, 120


@dataclass(frozen=True, slots=True)
class Cast:
    """How many take part: people at the cash table, people and bots in each tournament."""

    cash: int
    people: int
    bots: int
    ghosts: int = 0
    """People who enter the first tournament and never act."""

    def after_first(self) -> "Cast":
        """Those of a later tournament, which is a small one: the last is to end soon."""
        return replace(self, bots=min(self.bots, BOTS_LATER), ghosts=0)

    @property
    def entries(self) -> int:
        """Entries of a tournament."""
        return self.people + self.bots + self.ghosts


class Crowd:
    """All players of a trial, each on a thread of his own."""

    def __init__(self, url: str, cast: Cast, folder: Path) -> None:
        """Nobody has an account yet; the token of `host` is the operator's to give."""
        self._cast, self.wrongs = cast, list[Wrong]()
        self.host = Player(url, "host", folder)
        self._cash = [Player(url, f"cash-{one}", folder) for one in range(cast.cash)]
        self._guests = [Player(url, f"guest-{one}", folder) for one in range(cast.people)]
        self._ghosts = [Player(url, f"ghost-{one}", folder) for one in range(cast.ghosts)]
        self.players = [self.host, *self._cash, *self._guests, *self._ghosts]
        self.held: list[Document] = []
        """Tournaments that were brought to their end."""
        self._hall, self._table = Hall(), ""
        self._begun, self._stop = threading.Event(), threading.Event()
        self._threads = ThreadPoolExecutor(len(self.players))
        self._parts: list[tuple[str, Future[None]]] = []

    @property
    def calls(self) -> list[Call]:
        """What everybody but the host was told so far: acts of hosts are not judged."""
        return [call for one in self.players[1:] for call in one.recorder.calls]

    def begin(self) -> None:
        """Open accounts and the cash table, and have everybody play; the first tournament runs."""
        for player in self.players[1:]:
            player.enrol()
        self._table = str(
            self.host.client().open_table(
                stake=STAKE, currency=CURRENCY, seats=len(self._cash) + len(CASH_BOTS),
                clock="turbo", bots=list(CASH_BOTS),
            )["table_id"]
        )  # fmt: skip
        self._hosting = self._start(self.host, self._direct)
        for player in self._cash:
            self._start(player, partial(play_for_cash, table=self._table, buy_in=BUY_IN))
        for player in self._guests:
            self._start(player, partial(play_tournaments, hall=self._hall))
        for player in self._ghosts:
            self._start(player, partial(haunt, hall=self._hall))
        if not self._begun.wait(BEGIN_SECONDS_MAX):
            self._wrong("does not begin", "the first tournament", "it runs", "it waits")

    def end(self, seconds: float) -> None:
        """Bring the tournament to its end, empty the cash table, ask again what is unknown."""
        self._stop.set()
        if wait([self._hosting], timeout=seconds).not_done:
            where = f"tournament {self._hall.tournament}"
            self._wrong("does not end", where, f"within {seconds} s", "it still goes on")
        self._hall.close()
        self.close()
        with ThreadPoolExecutor(len(self.players)) as threads:
            until = time.monotonic() + LAST_ANSWERS_SECONDS
            list(threads.map(lambda one: one.recorder.repeat(until), self.players))
            for one in self._cash:
                part = threads.submit(leave, one.client(), self._table)
                self._parts.append((one.username, part))
        self.close()

    def close(self) -> None:
        """Nobody plays on."""
        for player in self.players:
            player.close()
        self._threads.shutdown()
        self._hear()
        for player in self.players:
            player.recorder.close()  # what was begun while it was closed

    def _start(self, player: Player, play: Callable[[Tonk], None]) -> Future[None]:
        part = self._threads.submit(play, player.client())
        self._parts.append((player.username, part))
        return part

    def _hear(self) -> None:
        """Keep what stopped a player before he was told to."""
        for username, part in self._parts:
            fault = part.exception()
            if fault is not None and not isinstance(fault, Closed):
                self._wrong("a client could not go on", username, "play", repr(fault))
        self._parts.clear()

    def _direct(self, tonk: Tonk) -> None:
        """Hold one tournament after the other until it is enough."""
        while not (self._stop.is_set() and self.held):
            name = f"Round {len(self.held) + 1}"
            draft = stubborn(tonk, partial(self._draft, tonk, name))
            tournament = str(draft["tournament_id"])
            while True:
                now = stubborn(tonk, partial(tonk.tournament, tournament))
                if now["status"] in OVER:
                    break
                stubborn(tonk, partial(self._advance, tonk, tournament))
            self._check_prizes(now)
            self.held.append(now)

    @property
    def _now(self) -> Cast:
        """Who takes part in the tournament that is held now."""
        return self._cast.after_first() if self.held else self._cast

    def _draft(self, tonk: Tonk, name: str) -> Document:
        """The tournament of this name: it is there already where only the answer was lost."""
        mine = tonk.tournaments(organiser=self.host.recorder.player)["items"]
        found = next((one for one in mine if one["name"] == name), None)
        count = self._now.entries
        return found or tonk.create_tournament(
            TEMPLATE, name, entries_min=count, entries_max=count, **OVERRIDES
        )

    def _advance(self, tonk: Tonk, tournament: str) -> None:
        """Take the director's next step; where there is none, wait a little."""
        now = tonk.tournament(tournament)
        version = now["version"]
        missing = self._now.bots - now["counts"]["entries"]
        if now["status"] == "draft":
            tonk.publish(tournament, version)
        elif now["status"] == "announced":
            tonk.open_registration(tournament, version)
        elif now["status"] == "registration" and self._hall.tournament != tournament:
            if missing > 0:
                half = -(-self._now.bots // 2)
                level, count = ("greedy-1", half) if missing > half else ("random-0", missing)
                tonk.add_bots(tournament, version, level=level, count=min(count, missing))
            else:
                self._hall.announce(tournament)
        else:
            if now["status"] == "running":
                self._begun.set()
            tonk.pause(PAUSE_SECONDS)

    def _check_prizes(self, tournament: Document) -> None:
        paid = sum(prize["amount"] for prize in tournament.get("prizes", ()))
        pool = PRICE * self._now.entries
        if tournament["status"] != "settled" or paid != pool:
            where, got = f"tournament {tournament['tournament_id']}", tournament["status"]
            self._wrong("prizes", where, f"settled, {pool}", f"{got}, {paid}")

    def _wrong(self, what: str, where: str, expected: str, got: str) -> None:
        self.wrongs.append(Wrong(what, where, expected, got))


def answers(calls: Sequence[Call]) -> dict[str, int]:
    """How many attempts ended in which way; those with a status of a fault by it."""
    found: dict[str, int] = {}
    for call in calls:
        name: str = call.outcome
        if call.outcome == "unknown":
            name = f"unknown {call.answer.get('code') or call.status or 'no answer'}"
        found[name] = found.get(name, 0) + 1
    return found
