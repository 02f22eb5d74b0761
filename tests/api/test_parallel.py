"""Copies of one request at the same time: done once, and every copy gets the one answer."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest
from django.db import connections

from eventstore import store
from eventstore.core.ids import table_stream, tournament_stream
from games import selectors
from ledger.selectors import balances
from tests.api.callers import Answer, Caller, caller
from tonk_site.proving.acting.factories import a_table, a_tournament, sits_down
from tonk_site.proving.acting.play import turn_of

pytestmark = pytest.mark.usefixtures("committed")

COPIES, MOVES = 32, 16
CHIPS = 10_000  # granted at registration
MAY_ANSWER = {"idempotency_in_progress", "unavailable"}  # both say: the same again, later


def at_once(*acts: Callable[[], Answer]) -> list[Answer]:
    """Answers of acts that begin together, each on a connection of its own."""
    start = Barrier(len(acts))

    def run(act: Callable[[], Answer]) -> Answer:
        try:
            start.wait()
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def copies(who: Caller, path: str, body: object, count: int = COPIES) -> list[Answer]:
    """One POST, sent several times at once by clients of its caller."""
    key = "k" * 16
    clients = [Caller(who.token) for _ in range(count)]
    return at_once(
        *[lambda one=one: one.call("POST", path, body, Idempotency_Key=key) for one in clients]
    )


def one_answer(answers: list[Answer], status: int) -> Answer:
    """The answer that all copies got which were not asked to come again."""
    done = [one for one in answers if one.status == status]
    assert done
    assert {one.content for one in done} == {done[0].content}
    assert sum("Idempotency-Replayed" not in one.headers for one in done) == 1
    assert {one.code for one in answers if one.status != status} <= MAY_ANSWER
    return done[0]


def versions(stream: str) -> int:
    return len(store.events_after(stream, 0))


def spent(who: Caller) -> int:
    """What has left the wallet of play chips."""
    return CHIPS - sum(one.available for one in balances(who.who.id))


@pytest.fixture
def ona(committed: None) -> Caller:
    return caller("ona")


def test_A7_sitting_down_is_paid_once(ona: Caller) -> None:
    table = a_table(ona.who)
    body = {"buy_in": 500, "version": 1}
    one_answer(copies(ona, f"/tables/{table}/seat", body), 201)
    assert (versions(table_stream(table)), spent(ona)) == (2, 500)


def test_A7_an_entry_is_paid_once(ona: Caller) -> None:
    tournament = a_tournament(caller("jonas", "organiser").who)
    one_answer(copies(ona, f"/tournaments/{tournament}/entries", {}), 201)
    assert (versions(tournament_stream(tournament)), spent(ona)) == (4, 1_100)


def test_G5_a_move_is_made_once_and_two_moves_do_not_both_count(ona: Caller) -> None:
    table, petras = a_table(ona.who), caller("petras")
    sits_down(table, ona.who)
    sits_down(table, petras.who)
    turn = turn_of(table, ona.who.id)
    path, body = f"/tables/{table}/moves", {"move": "S", "version": turn.version}
    one_answer(copies(ona, path, body, MOVES), 200)
    assert selectors.live_row(table).version == turn.version + 1

    turn = turn_of(table, ona.who.id)
    discards = [one["move"] for one in turn.legal if one["kind"] == "discard"][:2]
    assert len(discards) == 2
    answers = at_once(*[_discard(ona, table, move, turn.version) for move in discards])
    assert sorted(one.status for one in answers) == [200, 409]
    (lost,) = [one for one in answers if one.status == 409]
    assert lost.code == "stale_version"
    assert lost.document["state"]["version"] == lost.document["current_version"]


def _discard(who: Caller, table: UUID, move: str, version: int) -> Callable[[], Answer]:
    body = {"move": move, "version": version}
    return lambda: Caller(who.token).post(f"/tables/{table}/moves", body)
