"""A product that stands still is noticed from outside: nothing of it raises an error by itself."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connection

from eventstore import alarms, store
from eventstore.core.chain import START, Fact, seal
from eventstore.core.ids import player_stream
from eventstore.ports import new_id
from eventstore.services import ATTEMPTS_MAX, count_attempt, update_live
from games import selectors
from games.services import bots, loading
from ledger.models import PaymentOrder
from players.core.events import NameConsentSet
from tests.integration.ledger.commands import deposit
from tonk_site.proving.acting.factories import (
    a_player,
    a_table,
    a_tournament,
    a_withdrawal,
    receipt,
    sits_down,
)
from tonk_site.watchdog import IDLE_SECONDS, look

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_alarms() -> Iterator[None]:
    alarms.forget()
    yield
    alarms.forget()


@pytest.fixture
def table() -> Iterator[UUID]:
    """A table whose first hand is due; its own times come back at last."""
    ona = a_player()
    found = a_table(ona, seats=2)
    sits_down(found, ona)
    bots.add_bot(found, "greedy-1", seat=None, creator=ona, receipt=receipt())
    yield found
    update_live(loading.live(found), loading.changes(selectors.see_now(found).table))


def due_since(table: UUID, seconds: int) -> None:
    """Let what is due at a table have been due for so long."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_table SET due_at = clock_timestamp() - make_interval(secs => %s)"
            " WHERE id = %s",
            [seconds, table],
        )


def test_what_is_done_in_time_is_no_alarm(table: UUID, caplog: pytest.LogCaptureFixture) -> None:
    due_since(table, IDLE_SECONDS - 10)
    assert look() == []
    call_command("watchdog", stdout=(out := StringIO()))
    assert out.getvalue() == ""
    assert caplog.records == []


def test_B7_no_progress_for_two_minutes_is_an_alarm_and_a_bad_end(
    table: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    due_since(table, IDLE_SECONDS)
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("watchdog", stdout=out)
    assert ended.value.code == 1
    told = json.loads(out.getvalue())
    assert told["subject"] == f"games_table {table}"
    assert told["due"] == "deal"
    assert told["seconds"] >= IDLE_SECONDS
    (alarm,) = caplog.records
    assert alarm.levelname == "ERROR"
    assert alarm.getMessage().startswith("tonk_due_overdue_seconds: 12")


def test_the_seconds_are_the_operators_to_choose(table: UUID) -> None:
    due_since(table, 30)
    with pytest.raises(SystemExit):
        call_command("watchdog", "--seconds", "20", stdout=StringIO())
    call_command("watchdog", "--seconds", "40", stdout=StringIO())


def test_a_row_that_was_parked_stands_still_too(table: UUID) -> None:
    due_since(table, 1)
    for _ in range(ATTEMPTS_MAX):
        count_attempt(loading.live(table))
    due_since(table, IDLE_SECONDS)
    (one,) = look()
    assert one.subject == f"games_table {table}"


def statement(sql: str, *parameters: str | datetime | UUID | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)


def test_a_tournament_that_stands_still_is_found() -> None:
    tournament = a_tournament(a_player("jonas", "organiser"))
    change = "UPDATE tournaments_tournament SET due = %s, due_at = %s WHERE id = %s"
    statement(change, "settle", datetime.now(UTC) - timedelta(minutes=5), tournament)
    (one,) = look()
    assert (one.subject, one.due) == (f"tournaments_tournament {tournament}", "settle")
    statement(change, None, None, tournament)


def test_a_payment_that_nobody_looks_at_is_found() -> None:
    ona = a_player()
    deposit(ona.id, 9_000)
    order = a_withdrawal(ona)
    PaymentOrder.objects.filter(id=order).update(due_at=datetime.now(UTC) - timedelta(minutes=5))
    assert [one.subject for one in look()] == [f"order {order}"]
    PaymentOrder.objects.filter(id=order).update(due_at=None)


def test_a_log_without_a_sequencer_is_found() -> None:
    at = datetime.now(UTC) - timedelta(minutes=5)
    facts = [Fact(NameConsentSet(consent=True), "player:x")]
    store.append(
        seal(player_stream(new_id()), START, facts, at=at, ids=[new_id(), new_id()]), START
    )
    assert [(one.subject, one.due) for one in look()] == [("the log", "order")]
