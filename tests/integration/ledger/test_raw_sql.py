"""The invariants of the books, each broken by hand (`ledger.md` section 1).

Every statement runs as the application, as the owner, and as the owner under replication role
`replica`, where plain triggers sleep.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
import pytest

from tests.databases import as_replica, connected

ENTRY = """INSERT INTO ledger.entry
        (kind, currency, stream, version, part, effective_at, recorded_at, posting_count,
        reverses, hash)
    VALUES (1, 'EUR', 'table/x', 7, 0, now(), now(), {count}, {reverses}, sha256('x'));
    """
LEGS = """INSERT INTO ledger.posting
        (entry_id, account_id, line, amount, account_version, balance_after)
    SELECT (SELECT max(id) FROM ledger.entry), v.* FROM (VALUES {rows}) AS v;
    """
AT_COMMIT = "SET CONSTRAINTS ALL IMMEDIATE"


def entry(*rows: str, count: int = 2, reverses: str = "NULL") -> str:
    values = ", ".join(f"({row})" for row in rows)
    return ENTRY.format(count=count, reverses=reverses) + (LEGS.format(rows=values) if rows else "")


# name -> statements, SQLSTATE as owner, constraint
BROKEN = {
    "I1 unbalanced": (entry("{a}, 1, 5, 9, 9", "{b}, 2, -4, 9, 9"), "23514", "balanced"),
    "I2 appended to an old entry": (
        LEGS.replace("(SELECT max(id) FROM ledger.entry)", "{old}").format(
            old="{old}", rows="({b}, 3, 5, 9, 9), ({c}, 4, -5, 9, 9)"
        ),
        "23514",
        "leg_count",
    ),
    "I2 in two statements": (
        entry("{a}, 1, 5, 9, 9") + LEGS.format(rows="({b}, 2, -5, 9, 9)"),
        "23514",
        None,
    ),
    "I2 without legs": (entry() + AT_COMMIT, "23514", "leg_count"),
    "I3 an account twice": (entry("{a}, 1, 5, 9, 9", "{a}, 2, -5, 10, 9"), "23505", "posting_pkey"),
    "I4 zero": (entry("{a}, 1, 0, 9, 9", "{b}, 2, 0, 9, 9"), "23514", "posting_amount_check"),
    "I4 too large": (
        entry("{a}, 1, 1000000000001, 9, 9", "{b}, 2, -1000000000001, 9, 9"),
        "23514",
        "posting_amount_check",
    ),
    "I5 a balance below its floor": (
        "UPDATE ledger.account_balance SET balance = -1 WHERE account_id = {a}",
        "23514",
        "floor",
    ),
    "I5 a leg below the floor": (
        entry("{a}, 1, 5, 9, -1", "{b}, 2, -5, 9, 9"),
        "23514",
        "floor",
    ),
    "I5 a transfer above the wallet": (
        """SELECT ledger.post(1::smallint, 'EUR', 'table/x', 7, 0, now(), now(), NULL, sha256('x'),
            ARRAY[{a}, {b}], ARRAY[1001, -1001])""",
        "23514",
        "floor",
    ),
    "I5 a balance above the limit": (
        "UPDATE ledger.account_balance SET balance = 1000000000000001 WHERE account_id = {a}",
        "23514",
        "balance_limit",
    ),
    "I6 legs without their balances": (
        entry("{a}, 1, 5, 9, 9", "{b}, 2, -5, 9, 9") + AT_COMMIT,
        "23514",
        "balance_moved",
    ),
    "I6 another balance than the one stored": (
        entry("{a}, 1, 5, 2, 7", "{b}, 2, -5, 1, 5")
        + "UPDATE ledger.account_balance SET version = 2 WHERE account_id IN ({a}, {b});"
        + AT_COMMIT,
        "23514",
        "balance_moved",
    ),
    "I6 a used version": (
        entry("{a}, 1, 5, 1, 9", "{b}, 2, -5, 9, 9"),
        "23505",
        "posting_version",
    ),
    "I8 the same key": (ENTRY.replace("table/x', 7", "wallet/a', 1"), "23505", "entry_key"),
    "I9 an unknown account": (
        entry("999999, 1, 5, 9, 9", "{b}, 2, -5, 9, 9"),
        "23514",
        "account_known",
    ),
    "I9 a closed account": (
        "SELECT ledger.set_state('{code_c}', 'closed');"
        + entry("{a}, 1, 5, 9, 9", "{c}, 2, -5, 9, 9"),
        "23514",
        "account_open",
    ),
    "I9 another currency": (
        entry("{a}, 1, 5, 9, 9", "{chips}, 2, -5, 9, 9"),
        "23514",
        "entry_currency",
    ),
    "I9 a debit of a frozen account": (
        "SELECT ledger.set_state('{code_a}', 'frozen');"
        + entry("{a}, 1, 5, 9, 9", "{b}, 2, -5, 9, 9"),
        "23514",
        "account_not_frozen",
    ),
    "I10 reversed twice": (
        entry(reverses="{old}") + ENTRY.replace("7, 0", "8, 0").format(count=2, reverses="{old}"),
        "23505",
        "entry_reverses",
    ),
    "I11 a reference twice": (
        "INSERT INTO ledger.external_payment VALUES ('manual', 'r-1', 'in', 'wallet/a', 2)",
        "23505",
        "external_payment_pkey",
    ),
    "an account of a currency that is not installed": (
        "INSERT INTO ledger.account VALUES (99, 'wallet:x:JPY', 'wallet', 'L', 'JPY')",
        "23503",
        "account_currency_fkey",
    ),
    "chips are no currency": (
        "INSERT INTO ledger.currency VALUES ('CHIPS', 0, 'play', 'no')",
        "23514",
        "currency_code_check",
    ),
}
IDENTITIES = ["tonk_app", "tonk_owner", "replica"]
IDENTITIES_AND_NAMES = [
    (who, name)
    for name in BROKEN
    for who in IDENTITIES
    # Foreign keys are triggers of the system, which sleep under `replica`.
    if (who, BROKEN[name][1]) != ("replica", "23503")
]
EDITS = [
    "UPDATE ledger.entry SET kind = 2 WHERE id = {old}",
    "UPDATE ledger.entry SET kind = 2 WHERE false",
    "DELETE FROM ledger.entry",
    "TRUNCATE ledger.entry, ledger.posting",
    "UPDATE ledger.posting SET amount = amount + 1 WHERE entry_id = {old}",
    "DELETE FROM ledger.posting",
    "TRUNCATE ledger.posting",
    "DELETE FROM ledger.account",
    "TRUNCATE ledger.account, ledger.account_balance",
    "DELETE FROM ledger.account_balance",
    "TRUNCATE ledger.account_balance",
    "UPDATE ledger.account SET owner = gen_random_uuid() WHERE id = {a}",
    "UPDATE ledger.account_balance SET min_balance = NULL WHERE account_id = {a}",
    "UPDATE ledger.account_balance SET sign = -sign WHERE account_id = {a}",
    "UPDATE ledger.external_payment SET reference = 'r-2'",
    "DELETE FROM ledger.external_payment",
    "TRUNCATE ledger.external_payment",
    "UPDATE ledger.currency SET exponent = 0 WHERE code = 'EUR'",
    "UPDATE ledger.currency SET kind = 'cash' WHERE code = 'XTK'",
    "DELETE FROM ledger.currency WHERE code = 'XTK'",
    "UPDATE ledger.period SET size = size",
    "DELETE FROM ledger.period",
    "TRUNCATE ledger.period, ledger.period_balance",
    "UPDATE ledger.period_balance SET balance = 0",
    "DELETE FROM ledger.period_balance",
    "TRUNCATE ledger.period_balance",
]
# What the application may call, and what is refused to it there as to the owner.
CALLS = {
    "I8 post with other content": (
        """SELECT ledger.post(1::smallint, 'EUR', 'wallet/a', 1, 0, now(), now(), NULL, sha256('y'),
            ARRAY[{a}, {b}], ARRAY[5, -5])""",
        "LG001",
    ),
    "unknown account": (
        """SELECT ledger.post(1::smallint, 'EUR', 'table/x', 7, 0, now(), now(), NULL, sha256('x'),
            ARRAY[{b}, 999999], ARRAY[-5, 5])""",
        "LG002",
    ),
    "no mirror": (
        """SELECT ledger.post(1::smallint, 'EUR', 'table/x', 7, 0, now(), now(), {old}, sha256('x'),
            ARRAY[{a}, {b}], ARRAY[5, -5])""",
        "LG003",
    ),
    "I13 closing what is not empty": ("SELECT ledger.set_state('{code_a}', 'closed')", "LG005"),
    "another order of locks": (
        """SELECT ledger.post(1::smallint, 'EUR', 'table/x', 7, 0, now(), now(), NULL, sha256('x'),
            ARRAY[{b}, {a}], ARRAY[-5, 5])""",
        "22023",
    ),
}


def value(cursor: psycopg.Cursor) -> object:
    row = cursor.fetchone()
    assert row
    return row[0]


def books(connection: psycopg.Connection) -> dict[str, object]:
    """Wallets a (1000), b and c, one of chips, and the entry that paid into a."""
    codes = {name: f"wallet:{uuid4()}:EUR" for name in "abc"}
    made: dict[str, object] = {f"code_{name}": code for name, code in codes.items()}
    codes["chips"] = f"wallet:{uuid4()}:XTK"
    for name, code in codes.items():
        made[name] = value(
            connection.execute(
                "SELECT ledger.open_account(%s, 'wallet', 'L', %s, NULL, NULL, NULL, 0)",
                [code, code[-3:]],
            )
        )
    made["old"] = value(
        connection.execute(
            """SELECT entry_id FROM ledger.post(30::smallint, 'EUR', 'wallet/a', 1, 0, now(), now(),
            NULL, sha256('x'),
            ARRAY[%s, (SELECT id FROM ledger.account WHERE code = 'cash:manual:EUR:00')],
            ARRAY[-1000, 1000])""",
            [made["a"]],
        )
    )
    connection.execute("SELECT ledger.record_payment('manual', 'r-1', 'in', 'wallet/a', 1)")
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    connection.execute("SET CONSTRAINTS ALL DEFERRED")
    return made


@contextmanager
def identity(name: str) -> Iterator[tuple[psycopg.Connection, dict[str, object]]]:
    if name == "replica":
        with as_replica() as connection:
            yield connection, books(connection)
        return
    with connected(name) as connection:
        yield connection, books(connection)


def refusal_of(connection: psycopg.Connection, sql: str) -> tuple[str | None, str | None]:
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(sql)
    return caught.value.sqlstate, caught.value.diag.constraint_name


@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.parametrize(("who", "name"), IDENTITIES_AND_NAMES)
def test_a_broken_invariant_is_refused(who: str, name: str) -> None:
    sql, state, constraint = BROKEN[name]
    with identity(who) as (connection, made):
        sql = sql.replace("{count}", "2").replace("{reverses}", "NULL")
        found = refusal_of(connection, sql.format(**made))
    if who == "tonk_app" and "ledger.post(" not in sql:
        assert found[0] == "42501"
    else:
        assert found[0] == state
        assert constraint is None or found[1] == constraint


@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.parametrize("who", IDENTITIES)
@pytest.mark.parametrize("sql", EDITS)
def test_nothing_is_edited(who: str, sql: str) -> None:
    with identity(who) as (connection, made):
        assert refusal_of(connection, sql.format(**made))[0] == "42501"


@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.parametrize("who", IDENTITIES)
@pytest.mark.parametrize("name", CALLS)
def test_the_functions_refuse(who: str, name: str) -> None:
    sql, state = CALLS[name]
    with identity(who) as (connection, made):
        assert refusal_of(connection, sql.format(**made))[0] == state


@pytest.mark.usefixtures("django_db_setup")
def test_the_application_writes_through_the_functions_alone() -> None:
    with connected("tonk_app") as connection:
        granted = connection.execute(
            """SELECT table_name, privilege_type FROM information_schema.role_table_grants
            WHERE grantee = 'tonk_app' AND table_schema = 'ledger' AND privilege_type <> 'SELECT'"""
        ).fetchall()
    assert {table for table, _ in granted} == {
        "adjustment",
        "adjustment_comment",
        "audit_access",
        "dead_letter",
        "payment_order",
        "reconciliation_check",
        "reconciliation_run",
        "settlement_cursor",
        "settlement_due",
    }
    assert {right for _, right in granted} == {"INSERT", "UPDATE"}


@pytest.mark.usefixtures("django_db_setup")
def test_every_guard_is_always_on() -> None:
    with connected("tonk_app") as connection:
        found = connection.execute(
            """SELECT t.tgname, t.tgenabled FROM pg_trigger t
            JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'ledger' AND NOT t.tgisinternal"""
        ).fetchall()
    assert len(found) == 15
    assert {enabled for _, enabled in found} == {"A"}
