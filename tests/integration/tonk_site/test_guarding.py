"""What the database guards: each guard taken away is named, and production does not start."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import pytest
from celery.signals import beat_init, worker_init
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from eventstore import checks
from tests.databases import as_superuser, owner, scratch_copy
from tonk_site import guarding
from tonk_site.embedded_services import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import psycopg

EVENT, LEAF = "eventstore_event", "eventstore_log_leaf"
ALIASES = {"default", "owner", "sequencer", "auditor"}
KEEPER = "EXECUTE FUNCTION eventstore_refuse_change()"
# What somebody may do with the rights of the owner or of a superuser, and what is said of it.
TAKEN_AWAY = {
    f"DROP TRIGGER event_no_change ON {EVENT}": f"{EVENT}: trigger event_no_change is missing",
    f"ALTER TABLE {EVENT} DISABLE TRIGGER event_no_truncate": (
        f"{EVENT}: trigger event_no_truncate is not ENABLE ALWAYS (tgenabled is D)"
    ),
    f"ALTER TABLE {LEAF} ENABLE TRIGGER log_leaf_no_change": (
        f"{LEAF}: trigger log_leaf_no_change is not ENABLE ALWAYS (tgenabled is O)"
    ),
    "ALTER TABLE ledger.posting ENABLE REPLICA TRIGGER check_legs": (
        "ledger.posting: trigger check_legs is not ENABLE ALWAYS (tgenabled is R)"
    ),
    f"""DROP TRIGGER log_leaf_no_change ON {LEAF};
    CREATE TRIGGER log_leaf_no_change BEFORE UPDATE ON {LEAF} FOR EACH ROW {KEEPER};
    ALTER TABLE {LEAF} ENABLE ALWAYS TRIGGER log_leaf_no_change""": (
        f"{LEAF}: trigger log_leaf_no_change is another one: CREATE TRIGGER log_leaf_no_change "
        f"BEFORE UPDATE ON public.{LEAF} FOR EACH ROW {KEEPER}"
    ),
    f"""DROP TRIGGER event_no_change ON {EVENT};
    CREATE TRIGGER event_no_change BEFORE UPDATE OR DELETE ON {EVENT} FOR EACH ROW
        WHEN (OLD.version > 9) {KEEPER};
    ALTER TABLE {EVENT} ENABLE ALWAYS TRIGGER event_no_change""": (
        f"{EVENT}: trigger event_no_change is another one: CREATE TRIGGER event_no_change BEFORE "
        f"DELETE OR UPDATE ON public.{EVENT} FOR EACH ROW WHEN ((old.version > 9)) {KEEPER}"
    ),
    f"GRANT UPDATE ON {EVENT} TO tonk_app": f"{EVENT}: tonk_app has UPDATE",
    f"GRANT INSERT (tx) ON {EVENT} TO tonk_app": f"{EVENT}: tonk_app has INSERT(tx)",
    f"GRANT DELETE ON {EVENT} TO PUBLIC": f"{EVENT}: public has DELETE",
    f"GRANT TRUNCATE ON {EVENT} TO pg_monitor": f"{EVENT}: pg_monitor has TRUNCATE",
    f"REVOKE INSERT (data) ON {EVENT} FROM tonk_app": f"{EVENT}: tonk_app lacks INSERT(data)",
    f"REVOKE SELECT ON {LEAF} FROM tonk_auditor": f"{LEAF}: tonk_auditor lacks SELECT",
    "GRANT INSERT ON ledger.posting TO tonk_app": "ledger.posting: tonk_app has INSERT",
    "GRANT UPDATE ON games_dealersecret TO tonk_app": "games_dealersecret: tonk_app has UPDATE",
    "GRANT SELECT ON games_dealersecret TO tonk_auditor": (
        "games_dealersecret: tonk_auditor has SELECT"
    ),
    f"ALTER TABLE {EVENT} OWNER TO postgres": f"{EVENT}: its owner is postgres, not tonk_owner",
    "DROP TABLE eventstore_log_tile": "eventstore_log_tile: there is no such relation",
    "DROP FUNCTION eventstore_forget_receipts()": (
        "eventstore_forget_receipts(): there is no such function"
    ),
    "GRANT EXECUTE ON FUNCTION eventstore_forget_receipts() TO PUBLIC": (
        "eventstore_forget_receipts(): public may call it"
    ),
    "REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ledger FROM tonk_app": (
        "ledger.post(): tonk_app may not call it"
    ),
    "ALTER FUNCTION ledger.set_state(text, text) SECURITY INVOKER": (
        "ledger.set_state(): it does not act for tonk_owner"
    ),
    "ALTER ROLE tonk_owner RENAME TO somebody": "there is no role tonk_owner",
    "ALTER ROLE tonk_app SUPERUSER": "the connecting role tonk_app is a superuser",
    "GRANT tonk_owner TO tonk_app": (
        "the connecting role tonk_app is, or can become, the owner tonk_owner"
    ),
    "GRANT SET ON PARAMETER session_replication_role TO tonk_app": (
        "the connecting role tonk_app may set session_replication_role"
    ),
}


@pytest.fixture
def administrator() -> Iterator[psycopg.Connection]:
    """A superuser's transaction, rolled back at the end: roles and rights too."""
    with as_superuser() as found:
        yield found


def faults_of(connection: psycopg.Connection) -> tuple[str, ...]:
    connection.execute("SET LOCAL ROLE tonk_app")
    with connection.cursor() as cursor:
        return tuple(checks.faults(cursor, guarding.GUARDS))


@pytest.mark.django_db(databases=ALIASES)
def test_the_migrations_leave_everything_guarded() -> None:
    for alias in ALIASES - {"owner"}:
        assert guarding.faults(alias) == ()
    call_command("check", "--deploy", "--tag", "tonk")


@pytest.mark.django_db(databases=ALIASES)
def test_the_owner_is_not_the_one_to_connect() -> None:
    assert guarding.faults("owner") == (
        "the connecting role tonk_owner is, or can become, the owner tonk_owner",
    )


@pytest.mark.django_db
@pytest.mark.parametrize("statements", TAKEN_AWAY)
def test_what_was_taken_away_is_named(administrator: psycopg.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        administrator.execute(statement)
    assert TAKEN_AWAY[statements] in faults_of(administrator)


@pytest.mark.django_db
def test_every_trigger_and_every_relation_of_the_log_is_listed() -> None:
    listed = {relation.name: relation for one in guarding.GUARDS for relation in one.relations}
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT tgrelid::regclass::text, tgname FROM pg_trigger
            WHERE NOT tgisinternal ORDER BY 1, 2"""
        )
        triggers = cursor.fetchall()
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'eventstore%'"
        )
        relations = {name for (name,) in cursor.fetchall()}
    assert triggers == sorted(
        (name, trigger.name) for name, one in listed.items() for trigger in one.triggers
    )
    assert relations <= set(listed)


@pytest.fixture
def scratch(first_state: object, tmp_path: Path) -> Iterator[dict[str, str]]:
    """Environment of a production on a database of its own, where the log has lost a trigger."""
    with scratch_copy("unguarded") as name:
        with owner(name) as breaker:
            breaker.execute("DROP TRIGGER event_no_change ON eventstore_event")
        keys = {}
        for key in ("SECRET", "LOG", "DEALER"):
            keys[f"TONK_{key}_KEY_FILE"] = str(tmp_path / key)
            (tmp_path / key).write_text("a key that only this test knows, for nothing else")
        address = urlsplit(os.environ["DATABASE_URL"])
        yield {
            **os.environ,
            **keys,
            "TONK_SETTINGS": "production",
            "TONK_ALLOWED_HOSTS": "tonk.example",
            "TONK_DATA": str(tmp_path),
            "DATABASE_URL": address._replace(path=f"/{name}").geturl(),
            "DJANGO_SETTINGS_MODULE": "tonk_site.settings",
        }


STARTS: Sequence[Sequence[str]] = (
    ("-c", "import tonk_site.wsgi"),
    ("-c", "import tonk_site.asgi"),
    ("-m", "celery", "--app", "tonk_site.celery", "worker", "--pool", "solo"),
    ("manage.py", "sequencer"),
    ("manage.py", "check", "--deploy", "--tag", "tonk"),
)


@pytest.mark.slow
@pytest.mark.usefixtures("committed")
def test_production_does_not_start_unguarded(scratch: dict[str, str]) -> None:
    commands = [[sys.executable, *start] for start in STARTS]
    processes = [
        subprocess.Popen(command, cwd=CHECKOUT, env=scratch, text=True, stderr=subprocess.PIPE)
        for command in commands
    ]
    ended = [(process.communicate()[1], process.returncode) for process in processes]
    for command, (told, code) in zip(commands, ended, strict=True):
        assert code != 0, command
        assert "eventstore_event: trigger event_no_change is missing" in told, (command, told)


@dataclass(frozen=True)
class Profile:
    """All that is asked of the environment."""

    profile: str


def test_only_production_asks(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(guarding, "faults", lambda alias="default": (f"{alias} is open",))
    guarding.require_guards("sequencer")
    settings.ENV = Profile("production")
    with pytest.raises(ImproperlyConfigured, match="sequencer is open"):
        guarding.require_guards("sequencer")
    for started in (worker_init, beat_init):
        with pytest.raises(SystemExit, match="default is open"):
            started.send(sender=None)
    with pytest.raises(CommandError, match="default is open"):
        call_command("check", "--deploy", "--tag", "tonk")


def test_a_database_that_is_away_is_told(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    def away(alias: str = "default") -> NoReturn:
        raise OperationalError(f"{alias} is away")

    monkeypatch.setattr(guarding, "faults", away)
    settings.ENV = Profile("production")
    with pytest.raises(ImproperlyConfigured, match="default is away"):
        guarding.require_guards()
    with pytest.raises(CommandError, match="default is away"):
        call_command("check", "--deploy", "--tag", "tonk")
