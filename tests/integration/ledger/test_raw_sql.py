"""The invariants of the books, each broken by hand (`ledger.md` section 1).

Those of balanced entries and floors are also checks of `manage.py prove`.
"""

from collections.abc import Iterator

import psycopg
import pytest

from tests.databases import as_superuser, connected
from tonk_site.proving.money import book_attacks
from tonk_site.proving.money.book_attacks import IDENTITIES, PAIRS, books, identity

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


@pytest.fixture
def superuser(django_db_setup: None) -> Iterator[str]:
    """Address of the tests' database for its superuser."""
    with as_superuser() as connection:
        yield connection.info.dsn


def refusal_of(connection: psycopg.Connection, sql: str) -> tuple[str | None, str | None]:
    found = book_attacks.refusal_of(connection, sql)
    assert found is not None
    return found


@pytest.mark.parametrize(("who", "name"), PAIRS)
def test_a_broken_invariant_is_refused(superuser: str, who: str, name: str) -> None:
    with identity(superuser, who) as connection:
        found = refusal_of(connection, book_attacks.statement(name, books(connection)))
    state, constraint = book_attacks.expected(who, name)
    assert found[0] == state
    assert constraint is None or found[1] == constraint


@pytest.mark.parametrize("who", IDENTITIES)
@pytest.mark.parametrize("sql", EDITS)
def test_nothing_is_edited(superuser: str, who: str, sql: str) -> None:
    with identity(superuser, who) as connection:
        assert refusal_of(connection, sql.format(**books(connection)))[0] == "42501"


@pytest.mark.parametrize("who", IDENTITIES)
@pytest.mark.parametrize("name", CALLS)
def test_the_functions_refuse(superuser: str, who: str, name: str) -> None:
    sql, state = CALLS[name]
    with identity(superuser, who) as connection:
        assert refusal_of(connection, sql.format(**books(connection)))[0] == state


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
