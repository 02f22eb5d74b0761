"""The database of the tests: who we are there, and how it gets back to its first state."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from tests.databases import FirstState, owner


@pytest.mark.django_db
def test_J9_the_product_is_no_owner_and_no_superuser() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        )
        assert cursor.fetchone() == ("tonk_app", False, False)
        cursor.execute("SELECT has_schema_privilege('public', 'CREATE')")
        assert cursor.fetchone() == (False,)
        cursor.execute("SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole")
        assert cursor.fetchone() == (0,)


@pytest.mark.django_db
def test_the_product_waits_for_nothing_for_long() -> None:
    limits = {
        "idle_in_transaction_session_timeout": "5s",
        "lock_timeout": "2s",
        "statement_timeout": "10s",
    }
    with connection.cursor() as cursor:
        for name, value in limits.items():
            cursor.execute(f"RESET {name}")  # a test that is rolled back may idle for longer
            cursor.execute(f"SHOW {name}")
            assert cursor.fetchone() == (value,)


def test_the_aliases_are_four_roles_of_one_database(first_state: FirstState) -> None:
    users = {alias: connections[alias].settings_dict["USER"] for alias in connections}
    assert users == {
        "default": "tonk_app",
        "owner": "tonk_owner",
        "auditor": "tonk_auditor",
        "sequencer": "tonk_sequencer",
    }
    assert {connections[alias].settings_dict["NAME"] for alias in connections} == {
        first_state.database
    }


def test_every_migration_is_applied(committed: None) -> None:
    executor = MigrationExecutor(connections["owner"])
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []


@pytest.fixture
def planted(first_state: FirstState) -> Iterator[FirstState]:
    """State of a database with a guarded relation and a row that its migration put there."""
    with owner(first_state.database) as connection:
        connection.execute("""
            CREATE TABLE planted (id int PRIMARY KEY, note text);
            INSERT INTO planted VALUES (1, E'first\\trow');
            CREATE FUNCTION refuse_planted() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE 'no' USING ERRCODE = '42501'; END $$;
            CREATE TRIGGER guard BEFORE UPDATE OR DELETE ON planted
                FOR EACH ROW EXECUTE FUNCTION refuse_planted();
            CREATE TRIGGER wall BEFORE TRUNCATE ON planted
                FOR EACH STATEMENT EXECUTE FUNCTION refuse_planted();
            ALTER TABLE planted ENABLE ALWAYS TRIGGER guard;
            ALTER TABLE planted ENABLE ALWAYS TRIGGER wall;
        """)
    yield FirstState.read(first_state.database)
    with owner(first_state.database) as connection:
        connection.execute("DROP TABLE planted; DROP FUNCTION refuse_planted()")


def test_a_database_gets_back_to_its_first_state(planted: FirstState) -> None:
    with owner(planted.database) as connection:
        connection.execute("INSERT INTO planted VALUES (2, 'later')")
        planted.restore()
        rows = connection.execute("SELECT id, note FROM planted").fetchall()
        assert rows == [(1, "first\trow")]
        for command in ("DELETE FROM planted", "TRUNCATE planted"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(command)
        states = connection.execute(
            "SELECT DISTINCT tgenabled::text FROM pg_trigger WHERE tgrelid = 'planted'::regclass"
        )
        assert states.fetchall() == [("A",)]
