"""Commands, receipts and appends on a real database."""

import pytest
from django.db import connection

from eventstore import store
from eventstore.core.chain import START, Fact, Head, head_of, verify_chain
from eventstore.core.ids import player_stream
from eventstore.core.refusal import Refused, VersionConflict
from eventstore.ports import new_id
from eventstore.services import LiveRow, Outcome, Receipt, in_transaction, run_command
from players.core.events import NameConsentSet

pytestmark = pytest.mark.django_db


def consent(value: bool) -> Fact:
    return Fact(NameConsentSet(consent=value), "player:x")


def test_an_append_is_read_back_with_its_chain() -> None:
    stream = player_stream(new_id())
    first = in_transaction(lambda tx: tx.append(stream, START, [consent(True), consent(False)]))
    loaded = store.load(stream)
    assert loaded.events == first
    assert verify_chain(loaded.events) is None
    assert (
        in_transaction(lambda tx: tx.append(stream, loaded.head, [consent(True)]))[0].version == 3
    )
    assert store.load(stream, from_version=3, with_first=True).events[0] == first[0]


@pytest.mark.parametrize("head", [START, Head(1, bytes(31) + b"x")])
def test_an_append_on_another_head_is_a_conflict(head: Head) -> None:
    stream = player_stream(new_id())
    in_transaction(lambda tx: tx.append(stream, START, [consent(True)]))
    with pytest.raises(VersionConflict):
        in_transaction(lambda tx: tx.append(stream, head, [consent(False)]))


def test_one_key_has_one_effect() -> None:
    stream = player_stream(new_id())
    receipt = Receipt("player:x", "k" * 16, bytes(32))
    runs = []

    def work(tx: object, row: object) -> Outcome:
        runs.append(row)
        return Outcome(200, {"version": 1}, stream, 1, 1)

    first = run_command(receipt, None, work)
    again = run_command(receipt, None, work)
    assert (again.result, again.replayed, len(runs)) == (first.result, True, 1)
    with pytest.raises(Refused, match="idempotency_key_reused"):
        run_command(Receipt("player:x", "k" * 16, bytes(31) + b"x"), None, work)


def test_a_missing_row_is_not_found_and_leaves_the_key_free() -> None:
    receipt = Receipt("player:x", "k" * 16, bytes(32))
    with pytest.raises(Refused, match="not_found"):
        run_command(receipt, LiveRow("games_table", new_id()), lambda tx, row: Outcome(200, {}))
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM eventstore_command_receipt")
        assert cursor.fetchone()[0] == 0


def test_head_of_nothing_is_the_start() -> None:
    assert head_of(()) == START
