"""How far the books are behind, what is an alarm about them, and when they are not ready."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection

from eventstore import alarms
from eventstore.core.ids import table_stream
from ledger import lag
from ledger.lag import Figures
from ledger.reconciliation import reconcile
from ledger.services import settle_due
from tests.alarms import is_said_once
from tests.integration.ledger.commands import cashed_out, command, deposit, hand_ended, sit
from tonk_site import system

pytestmark = pytest.mark.usefixtures("committed")
QUIET = Figures(
    settle_lag_seconds=0,
    settle_lag_events=0,
    settle_parked_streams=0,
    settle_delay_ms=None,
    unassigned_payments=0,
    reconcile_ok=None,
)


@pytest.fixture(autouse=True)
def fresh_alarms() -> Iterator[None]:
    alarms.forget()
    yield
    alarms.forget()


def a_hand() -> tuple[UUID, UUID]:
    """A table whose hand waits to be settled, and its winner."""
    table, first, second = (uuid4() for _ in range(3))
    for player in (first, second):
        deposit(player, 1_000)
        sit(table, player, 1_000)
    command(table_stream(table), hand_ended({first: 10, second: -10}))
    return table, first


def grow_old(seconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE ledger.settlement_due SET event_at = event_at - make_interval(secs => %s)",
            [seconds],
        )


def test_books_that_owe_nothing() -> None:
    assert lag.figures() == QUIET
    assert lag.is_ready()


def test_what_is_not_settled_grows_old() -> None:
    a_hand()
    found = lag.figures()
    assert (found.settle_lag_events, found.settle_delay_ms) == (3, None)
    assert lag.is_ready()
    grow_old(31)
    assert 31 <= lag.figures().settle_lag_seconds < 600
    assert not system.CHECKS["settle"]()
    settle_due()
    found = lag.figures()
    assert (found.settle_lag_events, found.settle_lag_seconds) == (0, 0)
    assert found.settle_delay_ms is not None
    assert list(found.settle_delay_ms) == sorted(found.settle_delay_ms)
    assert 0 < found.settle_delay_ms[0] < 600_000
    assert lag.is_ready()


def test_a_parked_stream_is_no_lag_but_an_alarm(caplog: pytest.LogCaptureFixture) -> None:
    table, first = a_hand()
    command(table_stream(table), cashed_out(first, 5_000))
    settle_due()
    grow_old(60)
    found = lag.watch()
    assert (found.settle_parked_streams, found.settle_lag_seconds) == (1, 0)
    assert lag.is_ready()
    assert "tonk_settle_parked_streams: 1 streams" in caplog.text


def test_what_waits_too_long_is_named_whether_parked_or_not() -> None:
    table, first = a_hand()
    grow_old(119)
    assert lag.idle(120) == []
    grow_old(1)
    (one,) = lag.idle(120)
    assert (one.subject, one.due) == (table_stream(table), "settle")
    assert 120 <= one.seconds < 600
    command(table_stream(table), cashed_out(first, 5_000))
    settle_due()
    assert lag.figures().settle_parked_streams == 1
    grow_old(180)
    assert [one.subject for one in lag.idle(120)] == [table_stream(table)]


def test_the_newest_reconciliation_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    reconcile(is_full=False)
    assert lag.figures().reconcile_ok is True


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"settle_lag_seconds": 5}, ""),
        ({"settle_lag_seconds": 6}, "WARNING"),
        ({"settle_lag_seconds": 31}, "ERROR"),
        ({"unassigned_payments": 2}, "2 payments"),
        ({"reconcile_ok": True}, ""),
        ({"reconcile_ok": False}, "ERROR"),
    ],
)
def test_alarms(
    figures: dict[str, Any],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(lag, "figures", lambda: replace(QUIET, **figures))
    is_said_once(lag.watch, said, caplog)
