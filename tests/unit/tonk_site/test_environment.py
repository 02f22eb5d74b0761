"""What the environment says, and the addresses that are made of it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tonk_site.celery import app, broker_url
from tonk_site.embedded_services import CHECKOUT
from tonk_site.settings import base, env

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = {"DATABASE_URL": "postgres://x@h/d", "REDIS_URL": "redis://h/0"}


def test_defaults_without_any_variable(tmp_path: Path) -> None:
    found = env.read({"TONK_DATA": str(tmp_path)})
    assert found.profile == "run"
    assert found.database_url.startswith("postgres://tonk_app@/tonk?host=")
    assert found.redis_url.startswith("unix://")
    assert (found.port, found.threads, found.prepare, found.num_proxies) == (8000, 0, True, 0)
    assert found.secret_key == env.DEVELOPMENT_KEY
    assert found.dealer_key_file == tmp_path / "keys/dealer.key"
    assert (found.log_origin, found.witnesses) == ("", ())


def test_given_values_are_used(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("a key\n")
    given = {"TONK_SECRET_KEY_FILE": str(tmp_path / "key"), "TONK_ALLOWED_HOSTS": "a.org,b.org"}
    found = env.read({**GIVEN, **given, "PORT": "81", "TONK_PREPARE": "0"})
    assert (found.database_url, found.redis_url) == tuple(GIVEN.values())
    assert (found.secret_key, found.port, found.prepare) == ("a key", 81, False)
    assert found.allowed_hosts == ("a.org", "b.org")
    witnesses = env.read({**GIVEN, "TONK_WITNESSES": "https://a#k,https://b"}).witnesses
    assert witnesses == ("https://a#k", "https://b")


@pytest.mark.parametrize(
    ("name", "value"), [("PORT", "http"), ("TONK_NUM_PROXIES", "-1"), ("TONK_SETTINGS", "debug")]
)
def test_a_value_that_means_nothing_is_named(name: str, value: str) -> None:
    with pytest.raises(env.BadEnvironment, match=name):
        env.read({**GIVEN, name: value})


def test_a_command_says_so_in_one_line() -> None:
    own = {**os.environ, "PORT": "abc", "DJANGO_SETTINGS_MODULE": "tonk_site.settings"}
    done = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=CHECKOUT, env=own, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "PORT is 'abc', not a whole number\n"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "postgres://tonk_app:secret@/games?host=%2Fa%20b%2Frun&port=6000&sslmode=disable"
    given = {**GIVEN, "DATABASE_URL": url, "TONK_THREADS": "4"}
    monkeypatch.setattr(base, "ENV", env.read(given))


@pytest.mark.usefixtures("made")
def test_an_alias_is_the_address_under_another_user() -> None:
    app_alias, owner = base.database("tonk_app"), base.database("tonk_owner")
    assert app_alias["HOST"] == owner["HOST"] == "/a b/run"
    assert (app_alias["NAME"], app_alias["PORT"]) == ("games", "6000")
    assert (app_alias["PASSWORD"], owner["PASSWORD"]) == ("secret", "")
    assert app_alias["OPTIONS"]["sslmode"] == "disable"
    assert app_alias["OPTIONS"]["server_side_binding"] is True
    assert "server_side_binding" not in owner["OPTIONS"]
    assert app_alias["OPTIONS"]["pool"]["max_size"] == 4
    assert app_alias["CONN_MAX_AGE"] == 0


def test_one_thread_keeps_its_connection() -> None:
    alias = base.database("tonk_app")
    assert "pool" not in alias["OPTIONS"]
    assert alias["CONN_MAX_AGE"] is None


def test_the_broker_is_the_same_server() -> None:
    assert broker_url("unix:///run/v.sock?db=3") == "redis+socket:///run/v.sock?virtual_host=3"
    assert broker_url("redis://cache:6379/0") == "redis://cache:6379/0"


def test_no_task_outlives_the_visibility_of_its_message() -> None:
    late = [
        limits for limits in app.conf.task_annotations.values() if limits.get("acks_late", True)
    ]  # a message that is acknowledged first is never delivered again
    limits = [limit["time_limit"] for limit in late]
    visible = app.conf.broker_transport_options["visibility_timeout"]
    assert max([*limits, app.conf.task_time_limit]) < visible
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
