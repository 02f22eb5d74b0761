"""How far the log is behind, what is an alarm, and when the product is not ready."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from eventstore import alarms, lag, store
from eventstore.core.chain import START, Fact, seal
from eventstore.core.ids import player_stream
from eventstore.core.record import Stored
from eventstore.lag import Figures
from eventstore.ports import new_id
from eventstore.sequencer import LOCK
from players.core.events import NameConsentSet
from tests.alarms import is_said_once
from tests.databases import connected
from tests.sealing import seal_log, sequencer
from tonk_site import system

pytestmark = pytest.mark.usefixtures("committed")
QUIET = Figures(
    log_size=0,
    log_lag_seconds=0.0,
    log_scan_rows=0,
    sequencer_refused=0,
    sequencer_absent=False,
    checkpoint_age_seconds=None,
)


@pytest.fixture(autouse=True)
def fresh_alarms(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    alarms.forget()
    lag._Absence.since = None
    yield
    alarms.forget()
    lag._Absence.since = None


def aged(seconds: float) -> Stored:
    """An event that was written so long ago."""
    at = datetime.now(UTC) - timedelta(seconds=seconds)
    fact = Fact(NameConsentSet(consent=True), "player:x")
    (event,) = seal(player_stream(new_id()), START, [fact], at=at, ids=[new_id(), new_id()])
    return event


def test_a_log_without_events_is_ready() -> None:
    assert lag.figures() == replace(QUIET, sequencer_absent=True)
    assert lag.is_ready()
    assert system.CHECKS["sequencer"]()


def test_what_has_no_place_grows_old() -> None:
    store.append([aged(60)], START)
    store.append([aged(5)], START)
    assert 60 <= lag.figures().log_lag_seconds < 600
    assert not lag.is_ready()
    seal_log()
    found = lag.figures()
    assert (found.log_size, found.log_lag_seconds) == (3, 0.0)
    assert found.checkpoint_age_seconds is not None
    assert lag.is_ready()


def test_a_refused_row_is_no_lag_but_an_alarm(caplog: pytest.LogCaptureFixture) -> None:
    event = aged(60)
    store.append([event], START)
    with connected("postgres") as superuser:
        superuser.execute("ALTER TABLE eventstore_event DISABLE TRIGGER event_no_change")
        superuser.execute("UPDATE eventstore_event SET hash = sha256('x')")
        superuser.execute("ALTER TABLE eventstore_event ENABLE ALWAYS TRIGGER event_no_change")
        superuser.commit()
        at_work = sequencer()
        while at_work.round():
            pass
        caplog.clear()
        assert lag.watch().sequencer_refused == 1
        assert lag.is_ready()
        assert "tonk_sequencer_refused: 1 rows" in caplog.text
        superuser.execute("ALTER TABLE eventstore_event DISABLE TRIGGER event_no_change")
        superuser.execute("UPDATE eventstore_event SET hash = %s WHERE stream = %s",
                          [event.hash, event.stream])  # fmt: skip
        superuser.execute("ALTER TABLE eventstore_event ENABLE ALWAYS TRIGGER event_no_change")
        superuser.commit()


def test_whether_somebody_is_the_sequencer() -> None:
    with connected("tonk_sequencer") as holder:
        holder.execute("SELECT pg_advisory_lock(%s, %s)", LOCK)
        assert not lag.figures().sequencer_absent
        holder.execute("SELECT pg_advisory_unlock(%s, %s)", LOCK)
        assert lag.figures().sequencer_absent


def test_the_scan_is_counted() -> None:
    for _ in range(3):
        store.append([aged(0)], START)
    assert lag.figures().log_scan_rows == 3


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"log_lag_seconds": 4.9}, ""),
        ({"log_lag_seconds": 6.0}, "WARNING"),
        ({"log_lag_seconds": 31.0}, "ERROR"),
        ({"log_scan_rows": lag.SCAN_ROWS_MAX}, ""),
        ({"log_scan_rows": lag.SCAN_ROWS_MAX + 1}, "oldest open transaction: "),
        ({"sequencer_refused": 2}, "2 rows"),
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


def test_the_oldest_open_transaction_is_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lag, "figures", lambda: replace(QUIET, log_scan_rows=lag.SCAN_ROWS_MAX + 1))
    with connected("tonk_app") as held:
        held.execute("SELECT pg_current_xact_id()")
        as_old = held.execute("SELECT pid FROM pg_stat_activity WHERE xact_start <= now()")
        pids = [pid for (pid,) in as_old]  # on a server where other tests run too
        assert held.info.backend_pid in pids
        lag.watch()
        assert any(f"process {pid} of " in caplog.text for pid in pids)


def test_nobody_for_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now, absent = [100.0], [True]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(lag, "figures", lambda: replace(QUIET, sequencer_absent=absent[0]))
    lag.watch()
    now[0] += 9
    lag.watch()
    absent[0] = False
    lag.watch()
    absent[0] = True
    now[0] += 9
    lag.watch()
    assert caplog.text == ""
    now[0] += 10
    lag.watch()
    assert "tonk_sequencer_absent" in caplog.text
