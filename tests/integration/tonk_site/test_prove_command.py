"""`manage.py prove`: what it runs, what its lines say, how it ends."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from io import StringIO
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tonk_site.management.commands import prove
from tonk_site.product import commit, version
from tonk_site.proving import live, scratch
from tonk_site.proving.checks import Breach, Check, Found, Order

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("committed")
SIZES = {"things": 3}


def who() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user || ' ' || current_setting('transaction_isolation')")
        return str(cursor.fetchone()[0])


def look() -> Found:
    assert who() == "tonk_auditor repeatable read"
    return Found(Counter(rows=7))


def wrong() -> Found:
    return Found(breaches=[live.told("a row", "there", expected=1, got=2)])


def tries(order: Order) -> Found:
    return Found(Counter(things=order.sizes["things"]))


def too_few(order: Order) -> Found:
    return Found(Counter(things=order.sizes["things"] - 1))


def never(_: Order) -> NoReturn:
    raise AssertionError("no trial is asked for")


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts one check in place of all."""

    def put(**parts: Any) -> None:
        made = Check(name="a-check", promise=1, quick=SIZES, full={"things": 2_000}, **parts)
        monkeypatch.setattr(prove, "CHECKS", {"a-check": made})

    return put


def told(*arguments: str) -> dict[str, Any]:
    """The one line of a run."""
    out = StringIO()
    with contextlib.suppress(SystemExit):
        call_command("prove", *arguments, stdout=out, stderr=StringIO())
    line: dict[str, Any] = json.loads(out.getvalue())
    return line


def test_live_alone_reads_as_the_auditor_and_tries_nothing(check: Callable[..., None]) -> None:
    check(run=never, live=look)
    line = told("--live-only")
    assert (line["ok"], line["mode"], line["live"]) == (True, "live", {"rows": 7})
    assert line["size"] == line["done"] == {}
    assert who().startswith("tonk_app")


def test_both_parts_count(check: Callable[..., None]) -> None:
    check(run=tries, live=wrong)
    line = told()
    assert (line["ok"], line["breaches_total"], line["done"]) == (False, 1, SIZES)
    rerun = "manage.py prove a-check --live-only"
    assert line["breaches"] == [
        {"what": "a row", "where": "there", "expected": "1", "got": "2", "rerun": rerun}
    ]


def test_without_a_database_the_live_part_is_null(
    check: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.setenv("TONK_DATA", str(tmp_path))
    check(run=tries, live=wrong)
    line = told()
    assert (line["ok"], line["live"], line["mode"]) == (True, None, "quick")
    check(run=None, live=look)
    line = told()
    assert (line["ok"], line["live"]) == (False, None)


def test_a_check_that_did_less_is_not_passed(check: Callable[..., None]) -> None:
    check(run=too_few)
    assert told()["ok"] is False
    with pytest.raises(SystemExit, match="1"):
        call_command("prove", stdout=StringIO())


def test_a_part_of_the_full_size(check: Callable[..., None]) -> None:
    check(run=tries)
    line = told("--scale", "0.1")
    assert (line["mode"], line["size"]) == ("full x 0.1", {"things": 200})


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["other"], "unknown: other"),
        (["a-check", "--live-only"], "no live part: a-check"),
        (["a-check", "--only", "3"], "--only is for"),
    ],
)
def test_a_name_that_means_no_such_part(
    check: Callable[..., None], arguments: list[str], why: str
) -> None:
    check(run=tries)
    with pytest.raises(CommandError, match=why) as caught:
        call_command("prove", *arguments)
    assert caught.value.returncode == 2


def test_a_line_names_version_and_commit(check: Callable[..., None]) -> None:
    check(run=tries)
    line = told("--seed", "7")
    assert (line["seed"], line["version"]) == ("7", version())
    assert line["commit"] == commit()


def test_breaches_are_counted_and_the_first_are_told(check: Callable[..., None]) -> None:
    check(run=lambda order: Found(Counter(SIZES), breaches=[Breach("a", "b", "", "", "")] * 30))
    line = told()
    assert (line["breaches_total"], len(line["breaches"])) == (30, 20)


@pytest.mark.slow
def test_a_check_that_breaks_down_is_a_breach_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def breaks(order: Order) -> NoReturn:
        raise ValueError(order.seed)

    checks = [Check(name, 1, SIZES, SIZES, run) for name, run in (("a", breaks), ("b", tries))]
    monkeypatch.setattr(prove, "CHECKS", {one.name: one for one in checks})
    said, path = StringIO(), tmp_path / "lines"
    with pytest.raises(SystemExit):
        call_command("prove", seed="s", out=path, stdout=said, stderr=StringIO())
    assert path.read_text(encoding="utf-8") == said.getvalue()
    broken, other = map(json.loads, said.getvalue().splitlines())
    assert (broken["ok"], broken["breaches"][0]["got"]) == (False, "ValueError('s')")
    assert other["ok"]


def test_trials_of_a_run_share_servers_and_nothing_else() -> None:
    """A database of its own each, with the keys of its template; dropped at its end."""

    def mark(place: scratch.Place) -> None:
        (place.folder / "keys" / "mark").write_text("made once")

    with scratch.shared() as run:
        with scratch.database() as one, scratch.database() as other:
            assert one.services is other.services
            assert len({one.name, other.name, run.migrated().name}) == 3
            assert one.variables["DATABASE_URL"] != other.variables["DATABASE_URL"]
        assert not one.folder.exists()
        for _ in range(2):
            with scratch.database(lambda run: run.world("marked", mark)) as copy:
                assert (copy.folder / "keys" / "mark").read_text() == "made once"
        assert len(run.worlds) == 2
        folder = one.services.data
    assert not folder.exists()
