"""The demo's tournament: nine players, two of them through the REST API, and what is left to check.

The people use the shipped client alone. The organiser's account is the operator's set-up.
"""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from clients.python.tonk_client import Document, Tonk
from eventstore import store
from eventstore.core.ids import tournament_stream
from eventstore.ports import random_bytes
from ledger import lag, rebuild
from ledger.reconciliation import reconcile
from ledger.selectors import balance_sums, digest, escrow, sums
from players.services import Registration, register
from tonk_site.demo import Failed, say
from tonk_site.demo.narration import Narrator
from tonk_site.demo.receipts import prove_receipts
from tonk_site.proof import prove_log

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    from tonk_site.supervisor import Supervisor

PEOPLE = (("ona", "Ona"), ("petras", "Petras"))
BOTS = (("greedy-1", 4), ("random-0", 3))
PLAYERS = 9
TEMPLATE = "sim-short"
# Levels rise fast and nobody rests before the final, so that it is soon over; and as play chips are
# at stake, everybody may look on at once.
OVERRIDES: dict[str, object] = {
    "bots": "fill", "currency": "XTK", "level_hands": 3, "redraw_final": False, "spectators": 0,
}  # fmt: skip
PLAY_SECONDS_MAX = 300
LOOK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Held:
    """A tournament that was held: its id, its prizes by place, how many receipts proved one."""

    id: str
    prizes: tuple[int, ...]
    receipts: int


def run(url: str, children: Supervisor) -> dict[str, object]:
    """Hold the tournament, stop everything that writes, verify. Raises: Failed."""
    password = random_bytes(16).hex()
    who = Registration(username="jonas", password=password, display_name="Jonas")
    register(who, extra_roles=("organiser",))
    with Tonk(url) as organiser:
        organiser.login("jonas", password)
        tournament = open_tournament(organiser)
        # The seeds of a person stay with his client: here in the folder that goes at the end.
        folder = Path(children.environment["TONK_DATA"]) / "clients"
        with people(url, tournament, folder) as playing:
            watch(organiser, tournament, children, playing)
        prizes = organiser.tournament(tournament)["prizes"]
    say("proving every prize by a program that knows nothing of the product")
    proved = prove_receipts(url, tournament)
    for name in ("web", "beat", "worker"):
        children.stop(name)
    held = Held(tournament, tuple(prize["amount"] for prize in prizes), proved)
    return verify(held)


def open_tournament(organiser: Tonk) -> str:
    """Id of a tournament that wants two more entries."""
    draft = organiser.create_tournament(TEMPLATE, "Demo", **OVERRIDES)
    tournament = str(draft["tournament_id"])
    published = organiser.publish(tournament, draft["version"])
    opened = organiser.open_registration(tournament, published["version"])
    version = opened["version"]
    for level, count in BOTS:
        version = organiser.add_bots(tournament, version, level=level, count=count)["version"]
    return tournament


@contextlib.contextmanager
def people(url: str, tournament: str, folder: Path) -> Iterator[Sequence[Future[Document]]]:
    """The people, who enter and play on threads of their own until the block ends."""
    clients = [Tonk(url, folder=folder / username) for username, _ in PEOPLE]
    with ThreadPoolExecutor(len(PEOPLE)) as threads:
        try:
            yield [
                threads.submit(take_part, client, tournament, *names)
                for client, names in zip(clients, PEOPLE, strict=True)
            ]
        finally:
            for client in clients:
                client.close()


def take_part(tonk: Tonk, tournament: str, username: str, display_name: str) -> Document:
    """The entry of a person who did all a person has to do."""
    password = random_bytes(16).hex()
    email = f"{username}@example.org"
    tonk.register(username, password, email=email, display_name=display_name)
    tonk.login(username, password)
    tonk.enter(tournament)
    return tonk.play_tournament(tournament, first_legal)


def first_legal(state: Document) -> str:
    """The first move of the published order: a sensible one."""
    return str(state["legal"][0]["move"])


def watch(
    organiser: Tonk, tournament: str, children: Supervisor, playing: Sequence[Future[Document]]
) -> None:
    """Tell what happens until the tournament is settled. Raises: Failed."""
    narrator, deadline = Narrator(), time.monotonic() + PLAY_SECONDS_MAX
    pause = threading.Event()
    while not narrator.settled:
        for line in narrator.news():
            say(line)
        for player in playing:
            if player.done() and (fault := player.exception()):
                raise Failed(f"a player could not go on: {fault!r}") from fault
        if children.ended.is_set():
            raise Failed(children.failure)
        if time.monotonic() > deadline:
            status = organiser.tournament(tournament)["status"]
            raise Failed(f"not settled after {PLAY_SECONDS_MAX} s: {status}")
        pause.wait(LOOK_SECONDS)


def verify(held: Held) -> dict[str, object]:
    """The demo's figures, from the log and the books at rest. Raises: Failed."""
    say("verifying chains, replays and books")
    proof, books = prove_log(), rebuild.compare()
    digests = {books.digest, rebuild.compare().digest, digest()}
    found = [(check.name, check.findings) for check in reconcile(is_full=True).checks]
    legs = {**sums(), **{f"balances {name}": amount for name, amount in balance_sums().items()}}
    events = [event for name in store.streams("table/") for event in store.load(name).events]
    checks = {
        f"chain: {proof.faults}": proof.chain_ok,
        f"replay: {[str(one) for one in proof.differences]}": proof.replay_identical,
        f"books: {books.difference}": books.difference is None,
        f"digests: {digests}": len(digests) == 1,
        f"reconciliation: {found}": not any(findings for _, findings in found),
        f"legs: {legs}": not any(legs.values()),
        f"escrow: {escrow(held.id)}": not any(escrow(held.id).values()),
        f"prizes: {held.prizes}": len(held.prizes) > 0,
        f"receipts: {held.receipts}": held.receipts == len(held.prizes),
        f"entries of {held.id}": _entries(held.id) == PLAYERS,
    }
    median, most, longest = lag.figures().settle_delay_ms or (0, 0, 0)
    say(f"money was booked within {median} ms (median), {most} ms (95 %), {longest} ms (longest)")
    wrong = [what for what, holds in checks.items() if not holds]
    if wrong:
        raise Failed("; ".join(wrong))
    return {
        "players": PLAYERS,
        "hands": sum(event.type == "HandDealt" for event in events),
        "events": proof.events,
        "prizes": list(held.prizes),
        "ledger_sum": sum(sums().values()),
        "chain": "ok",
        "replay": "identical",
        "receipts": "verified",
    }


def _entries(tournament: str) -> int:
    stored = store.load(tournament_stream(UUID(tournament))).events
    return sum(event.type == "EntryPaid" for event in stored)
