"""The books rebuilt from the log, and every way in which the live ones can be found wrong."""

import json
from collections.abc import Iterator
from uuid import UUID, uuid4

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from eventstore import store as log
from eventstore import tree
from eventstore.core.ids import HOUSE, table_stream, wallet_stream
from ledger import selectors
from ledger.rebuild import Difference, compare
from ledger.services import settle, settle_due
from ledger.store.books import in_schema
from tests.databases import owner
from tests.integration.ledger.commands import (
    cashed_out,
    command,
    deposit,
    hand_ended,
    sit,
)
from tests.sealing import seal_log

pytestmark = pytest.mark.usefixtures("committed")
STAFF = {"reason_code": "review", "proposer": "s1", "approver": "s2"}


def test_the_books_are_what_the_log_says(played: object) -> None:
    settle_due()
    found = compare()
    assert found.difference is None
    assert found.entries == 13
    assert found.digest == selectors.digest()
    assert found == compare()
    assert set(selectors.sums().values()) | set(selectors.balance_sums().values()) == {0}


def test_a_reversal_is_rebuilt_in_one_batch_with_what_it_takes_back() -> None:
    player = uuid4()
    (deposited,) = deposit(player, 700)
    lines = [
        {"account": f"wallet:{player}:EUR", "amount": 700},
        {"account": "cash:manual:EUR", "amount": -700},
    ]
    facts = {
        "adjustment": str(uuid4()),
        "lines": lines,
        "currency": "EUR",
        "reason_code": "duplicate",
        "proposer": "s1",
        "approver": "s2",
        "reverses": f"{deposited.stream}@1#0",
        "effective": None,
    }
    command(wallet_stream(HOUSE), ("AdjustmentApproved", facts))
    assert compare().difference is None


def test_the_books_of_an_earlier_size(
    played: tuple[UUID, UUID], tampered: psycopg.Connection, capsys: pytest.CaptureFixture[str]
) -> None:
    settle_due()
    seal_log()
    size = tree.size()
    then, digest = compare(size), selectors.digest(size)
    deposit(played[0], 50)
    command(wallet_stream(played[1]), ("WalletReleased", STAFF))
    seal_log()
    assert compare(size) == then
    assert then.digest == digest == selectors.digest(size)
    assert compare().entries == then.entries + 1
    assert [compare(part).entries for part in (0, 1)] == [0, 1]
    move = """UPDATE ledger.account_balance SET balance = balance + %s
        WHERE account_id = (SELECT id FROM ledger.account WHERE code = %s)"""
    wallet = f"wallet:{played[0]}:EUR"
    tampered.execute(move, [1, wallet])
    tampered.commit()
    found = compare(size).difference
    assert found is not None
    assert found == Difference(wallet, "4596", "4595")
    tampered.execute(move, [-1, wallet])
    tampered.commit()
    call_command("ledger_rebuild", "--check", "--to", str(size))
    assert json.loads(capsys.readouterr().out)["digest"] == digest
    with pytest.raises(CommandError, match="events in their places"):
        call_command("ledger_rebuild", "--check", "--to", "9999")


def test_a_payment_that_the_books_forgot_is_missed_at_every_size(
    played: object, tampered: psycopg.Connection
) -> None:
    settle_due()
    seal_log()
    tampered.execute("DELETE FROM ledger.external_payment")
    difference = compare(tree.size()).difference
    assert difference is not None
    assert difference.live is None


def test_a_currency_that_was_installed_later() -> None:
    player = uuid4()
    deposit(player, 700)
    with owner(connections["default"].settings_dict["NAME"]) as connection:
        connection.execute("INSERT INTO ledger.currency VALUES ('JPY', 0, 'cash', 'Yen')")
        connection.execute("SELECT ledger.open_house(), ledger.open_cash('manual')")
    deposit(player, 500, "JPY")
    found = compare()
    assert (found.entries, found.difference) == (2, None)


def test_what_is_not_settled_yet_is_no_difference(played: object) -> None:
    assert compare().difference is None


def test_nothing_of_the_rebuild_stays(played: object) -> None:
    compare()
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_namespace WHERE nspname = 'ledger_check'")
        assert cursor.fetchone() == (0,)


def test_an_event_appended_meanwhile_is_no_difference(
    played: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle_due()
    expected = compare()

    def read_and_disturb(size: int | None = None) -> Iterator[object]:
        with owner(connections["default"].settings_dict["NAME"]) as other:
            other.execute(
                """INSERT INTO eventstore_event
                    (event_id, stream, version, type, schema, data, meta, at, prev_hash, hash)
                SELECT gen_random_uuid(), stream, version + 100, type, schema, data, meta, at,
                    prev_hash, hash FROM eventstore_event"""
            )
        yield from in_order(size)

    in_order = log.in_order
    monkeypatch.setattr(log, "in_order", read_and_disturb)
    assert compare() == expected


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        (
            """UPDATE ledger.posting SET amount = amount + sign(amount) WHERE entry_id = (
                SELECT id FROM ledger.entry WHERE kind = 3)""",
            "table/",
        ),
        ("UPDATE ledger.entry SET effective_at = effective_at + '1s' WHERE kind = 3", "table/"),
        ("UPDATE ledger.entry SET hash = sha256('x') WHERE kind = 3", "table/"),
        (
            """UPDATE ledger.account_balance SET balance = balance + 1 WHERE account_id = (
                SELECT min(id) FROM ledger.account WHERE role = 'wallet' AND currency = 'EUR')""",
            "wallet:",
        ),
        (
            """UPDATE ledger.account_balance SET state = 'open' WHERE account_id = (
                SELECT id FROM ledger.account WHERE role = 'fees')""",
            "fees:",
        ),
        (
            """DELETE FROM ledger.posting WHERE entry_id = (
                SELECT id FROM ledger.entry WHERE kind = 3);
            DELETE FROM ledger.entry WHERE kind = 3""",
            "table/",
        ),
        (
            """INSERT INTO ledger.entry (kind, currency, stream, version, part, effective_at,
                recorded_at, posting_count, hash)
            VALUES (1, 'EUR', 'table/none', 1, 0, now(), now(), 2, sha256('x'))""",
            "table/none@1#0",
        ),
        (
            """UPDATE ledger.account SET owner = gen_random_uuid() WHERE id = (
                SELECT min(id) FROM ledger.account WHERE role = 'wallet' AND currency = 'EUR')""",
            "wallet:",
        ),
        ("UPDATE ledger.account_balance SET min_balance = NULL WHERE min_balance = 0", "fees:"),
        ("DELETE FROM ledger.external_payment", "payment manual "),
        ("UPDATE ledger.external_payment SET reference = reference || 'x'", "payment manual "),
    ],
)
def test_a_change_by_hand_is_named(
    played: object, tampered: psycopg.Connection, sql: str, named: str
) -> None:
    settle_due()
    tampered.execute(sql)
    difference = compare().difference
    assert difference is not None
    assert difference.name.startswith(named)
    assert difference.live != difference.log


def test_a_log_that_overdraws_is_named(played: tuple[UUID, UUID]) -> None:
    """One amount of the log changed: the books refuse it where they would have refused the fact."""
    settle_due()
    with owner(connections["default"].settings_dict["NAME"]) as connection:
        connection.execute("ALTER TABLE eventstore_event DISABLE TRIGGER USER")
        connection.execute(
            """UPDATE eventstore_event SET data = replace(data::text, '5000', '1500')::json
            WHERE type = 'DepositRecorded'"""
        )
        connection.execute("ALTER TABLE eventstore_event ENABLE ALWAYS TRIGGER event_no_change")
        connection.execute("ALTER TABLE eventstore_event ENABLE ALWAYS TRIGGER event_no_truncate")
    difference = compare().difference
    assert difference is not None
    assert difference.log == "refused: insufficient_funds"


def test_the_command_prints_json_last(
    played: object, capsys: pytest.CaptureFixture[str], tampered: psycopg.Connection
) -> None:
    settle_due()
    call_command("ledger_rebuild", check=True)
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["equal"] is True
    assert set(found) == {"entries", "accounts", "digest", "equal"}
    tampered.execute("UPDATE ledger.entry SET hash = sha256('x') WHERE kind = 3")
    with pytest.raises(SystemExit, match="1"):
        call_command("ledger_rebuild", check=True)
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[-1])["equal"] is False
    assert "books" in lines[0]
    assert "log" in lines[1]


def test_unparking_by_command(capsys: pytest.CaptureFixture[str]) -> None:
    table = uuid4()
    stream = table_stream(table)
    players = uuid4(), uuid4()
    for player in players:
        deposit(player, 100)
        sit(table, player, 100)
    command(stream, hand_ended({players[0]: 50, players[1]: -50}))
    command(stream, ("HandFinished", {"currency": "EUR"}))
    command(stream, cashed_out(players[0], 150))
    assert settle(stream).parked_code == "unknown_event"
    with pytest.raises(Exception, match="parked again: unknown_event"):
        call_command("ledger_settle", unpark=stream)
    with pytest.raises(Exception, match="is not parked"):
        call_command("ledger_settle", unpark=table_stream(uuid4()))
    assert compare().difference is None


def test_an_unparked_stream_is_settled_by_command(capsys: pytest.CaptureFixture[str]) -> None:
    table, player = uuid4(), uuid4()
    stream = table_stream(table)
    deposit(player, 100)
    sit(table, player, 50)
    command(stream, cashed_out(player, 60))
    assert settle(stream).parked_code == "floor_violated"
    command(stream, ("StackToppedUp", {"player": str(player), "amount": 10, "currency": "EUR"}))
    call_command("ledger_settle", unpark=stream)
    assert capsys.readouterr().out == f"{stream}: 1 events settled\n"


def test_sql_of_the_live_books_speaks_of_others() -> None:
    sql = "CREATE SCHEMA ledger; SELECT ledger.post(), nextval('ledger.account_id')"
    assert in_schema(sql, "ledger") == sql
    assert in_schema(sql, "other") == (
        "CREATE SCHEMA other; SELECT other.post(), nextval('other.account_id')"
    )
