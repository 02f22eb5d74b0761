"""Transactions that run again, requests that come twice, receipts that grow old."""

from collections.abc import Callable

import psycopg
import pytest
from django.db import DatabaseError, connection

from eventstore import store
from eventstore.core.chain import START, Fact
from eventstore.core.ids import player_stream
from eventstore.core.refusal import InvariantBroken, Refused, Retryable, refuse
from eventstore.ports import new_id
from eventstore.services import (
    LiveRow,
    Outcome,
    Receipt,
    Row,
    Transaction,
    fingerprint,
    forget_receipts,
    in_transaction,
    run_command,
)
from games.models import Table
from players.core.events import NameConsentSet
from tests.databases import connected, owner
from tonk_site.proving.acting.factories import a_player, a_table

pytestmark = pytest.mark.usefixtures("committed")


def fail(state: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '{state}'; END $$")


def failing(times: int, how: Callable[[], None]) -> tuple[Callable[[Transaction], str], list[str]]:
    """Work that appends and then fails some times, and the streams that it tried."""
    tried: list[str] = []

    def work(tx: Transaction) -> str:
        stream = player_stream(new_id())
        tried.append(stream)
        tx.append(stream, START, [Fact(NameConsentSet(consent=True), "player:x")])
        if len(tried) <= times:
            how()
        return stream

    return work, tried


def raise_retryable() -> None:
    raise Retryable("planted")


AGAIN = [lambda: fail("40001"), lambda: fail("40P01"), lambda: fail("55P03"), raise_retryable]


@pytest.mark.parametrize("how", AGAIN)
def test_what_may_run_again_does_and_leaves_one_effect(how: Callable[[], None]) -> None:
    work, tried = failing(2, how)
    assert in_transaction(work) == tried[-1]
    assert len(tried) == 3
    assert store.streams() == [tried[-1]]


@pytest.mark.parametrize("how", AGAIN)
def test_after_three_tries_it_is_left_to_the_caller(how: Callable[[], None]) -> None:
    work, tried = failing(3, how)
    with pytest.raises(Retryable):
        in_transaction(work)
    assert len(tried) == 3
    assert store.streams() == []


def test_another_fault_of_the_database_is_not_tried_again() -> None:
    work, tried = failing(1, lambda: fail("22012"))
    with pytest.raises(DatabaseError, match="planted"):
        in_transaction(work)
    assert len(tried) == 1


# --- receipts -------------------------------------------------------------------------------------


@pytest.fixture
def receipt() -> Receipt:
    return Receipt("player:x", new_id().hex, bytes(32))


def done(tx: Transaction, row: Row) -> Outcome:
    del tx, row  # nothing is done with them
    return Outcome(200, {"version": 1})


def test_a_running_twin_is_said(receipt: Receipt) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '50ms'")
    with connected("tonk_app") as twin:
        twin.execute(
            """INSERT INTO eventstore_command_receipt (actor, key, fingerprint)
            VALUES (%s, %s, %s)""",
            [receipt.actor, receipt.key, receipt.fingerprint],
        )
        with pytest.raises(Refused, match="idempotency_in_progress"):
            run_command(receipt, None, done)
    assert not run_command(receipt, None, done).replayed


def test_a_refusal_leaves_the_key_free_and_the_row_as_it_was(receipt: Receipt) -> None:
    table = a_table(a_player())
    before = Table.objects.get(id=table)

    def work(tx: Transaction, row: Row) -> Outcome:
        raise refuse("wrong_state", status=row["status"])

    with pytest.raises(Refused, match="wrong_state"):
        run_command(receipt, LiveRow("games_table", table), work)
    assert Table.objects.get(id=table).version == before.version
    assert run_command(receipt, LiveRow("games_table", table), done).status == 200


def test_a_row_and_its_receipt_change_together(receipt: Receipt) -> None:
    table = a_table(a_player())

    def work(tx: Transaction, row: Row) -> Outcome:
        return Outcome(200, {"version": row["version"]}, changes={"attempts": 3})

    run_command(receipt, LiveRow("games_table", table), work)
    assert Table.objects.get(id=table).attempts == 3
    again = run_command(receipt, LiveRow("games_table", table), work)
    assert (again.replayed, again.result) == (True, {"version": 1})


def test_a_result_has_its_limit(receipt: Receipt) -> None:
    def work(tx: Transaction, row: Row) -> Outcome:
        return Outcome(200, {f"text_{part}": "a" * 1_000 for part in range(5)})

    with pytest.raises(InvariantBroken, match="a result of"):
        run_command(receipt, None, work)
    assert not run_command(receipt, None, done).replayed


def test_only_old_receipts_are_forgotten() -> None:
    receipts = [Receipt("player:x", new_id().hex, bytes(32)) for _ in range(2)]
    for one in receipts:
        run_command(one, None, done)
    with owner(connection.settings_dict["NAME"]) as as_owner:
        age(as_owner, receipts[0], days=31)
        age(as_owner, receipts[1], days=29)
    assert forget_receipts() == 1
    assert not run_command(receipts[0], None, done).replayed
    assert run_command(receipts[1], None, done).replayed


def age(as_owner: psycopg.Connection, receipt: Receipt, days: int) -> None:
    as_owner.execute(
        "UPDATE eventstore_command_receipt SET created_at = now() - %s * interval '1 day'"
        " WHERE key = %s",
        [days, receipt.key],
    )


def test_every_part_of_a_request_is_in_its_fingerprint() -> None:
    requests = [("POST", "/a", {"x": 1}), ("PUT", "/a", {"x": 1}), ("POST", "/b", {"x": 1})]
    requests += [("POST", "/a", {"x": 2}), ("POST", "/a", {})]
    assert len({fingerprint(*request) for request in requests}) == len(requests)
    assert fingerprint("POST", "/a", {"b": 1, "a": 2}) == fingerprint(
        "POST", "/a", {"a": 2, "b": 1}
    )
