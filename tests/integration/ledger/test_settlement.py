"""The settler: in order, once, and what stops it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction

from eventstore.core.ids import table_stream, tournament_stream
from eventstore.core.refusal import InvariantBroken, Refused, Retryable, refuse
from eventstore.services import ATTEMPTS_MAX, in_transaction
from ledger import selectors, wake
from ledger.models import DeadLetter, Entry, SettlementCursor, SettlementDue
from ledger.services import settle, settle_due, settlement, unpark
from ledger.store import due
from ledger.store.books import LIVE
from tests.integration.ledger.commands import (
    cashed_out,
    command,
    deposit,
    entered,
    hand_ended,
    prizes,
    sit,
)
from tonk_site.celery import app

pytestmark = pytest.mark.django_db
app.loader.import_default_modules()


class Sitting:
    """Two players of 1000 each at one table."""

    def __init__(self) -> None:
        self.table, self.first, self.second = uuid4(), uuid4(), uuid4()
        self.stream = table_stream(self.table)
        for player in (self.first, self.second):
            deposit(player, 1000)
            sit(self.table, player, 1000)

    def hand(self, won: int, rake: int = 0) -> None:
        nets = {self.first: won, self.second: -won}
        command(
            self.stream, ("CardDrawn", {}), hand_ended(nets, {self.first: rake} if rake else {})
        )

    def seats(self) -> list[int]:
        held = selectors.seats(self.table)
        return [held[str(self.first)], held[str(self.second)]]


@pytest.fixture
def sitting() -> Sitting:
    return Sitting()


def test_hands_are_posted_in_order_with_what_lies_between_passed_over(sitting: Sitting) -> None:
    sitting.hand(100, rake=5)
    sitting.hand(-300)
    assert selectors.cursor(sitting.stream).version == 0
    result = settle(sitting.stream)
    assert (result.events, result.parked_code) == (4, None)
    assert sitting.seats() == [795, 1200]
    assert selectors.cursor(sitting.stream).version == 6
    assert selectors.is_settled(sitting.stream, 6)
    assert selectors.house("rake", "EUR") == 5


def test_inline_entries_are_passed_over_not_posted_twice(sitting: Sitting) -> None:
    before = Entry.objects.count()
    sitting.hand(10)
    settle(sitting.stream)
    assert Entry.objects.count() == before + 1


def test_a_second_message_finds_nothing(sitting: Sitting) -> None:
    sitting.hand(10)
    settle(sitting.stream)
    assert settle(sitting.stream).events == 0
    assert settle(table_stream(uuid4())).events == 0


def test_a_cursor_set_back_posts_nothing_twice(sitting: Sitting) -> None:
    sitting.hand(10)
    settle(sitting.stream)
    before = Entry.objects.count()
    LIVE.rows("UPDATE ledger.settlement_cursor SET version = 0")
    settle(sitting.stream)
    assert Entry.objects.count() == before
    assert sitting.seats() == [1010, 990]


def test_a_backlog_is_cut_into_batches(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        sitting.hand(10)
    monkeypatch.setattr(settlement, "BATCH_EVENTS", 2)
    monkeypatch.setattr(settlement, "READ_EVENTS", 4)
    assert settle(sitting.stream).events == 7
    assert sitting.seats() == [1050, 950]


def test_a_batch_holds_many_legs_but_always_one_whole_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tournament, player = uuid4(), uuid4()
    deposit(player, 90)
    entered(tournament, player, 90)
    stream = tournament_stream(tournament)
    three = [(uuid4(), 10) for _ in range(3)]
    command(stream, prizes(*three), prizes(*three), prizes(*three))
    monkeypatch.setattr(settlement, "BATCH_LEGS", 8)
    assert settlement.settle_batch(stream, in_transaction(lambda tx: tx.now)).events == 2
    assert settle(stream).events == 2


def test_a_closed_table_keeps_nothing(sitting: Sitting) -> None:
    command(
        sitting.stream,
        cashed_out(sitting.first, 1000),
        cashed_out(sitting.second, 1000),
        ("TableClosed", {"reason": "empty"}),
    )
    settle(sitting.stream)
    with pytest.raises(Refused, match="account_closed"):
        sit(sitting.table, sitting.first, 10)
    assert [selectors.available(player, "EUR") for player in (sitting.first, sitting.second)] == [
        1000,
        1000,
    ]


def test_a_poison_event_parks_its_stream_and_keeps_all_before_it(sitting: Sitting) -> None:
    other = Sitting()
    sitting.hand(100)
    sitting.hand(5000)
    sitting.hand(1)
    other.hand(50)
    assert settle(sitting.stream).parked_code == "floor_violated"
    assert settle(other.stream).events == 3
    assert sitting.seats() == [1100, 900]
    assert selectors.cursor(sitting.stream) == selectors.Cursor(5, "floor_violated")
    letter = DeadLetter.objects.get()
    assert (letter.stream, letter.version, letter.code) == (sitting.stream, 6, "floor_violated")
    assert letter.detail["account"] == f"seat:{sitting.table}:{sitting.second}:EUR"
    assert settle(sitting.stream).events == 0, "a parked stream stands"
    assert settle_due() == []


@pytest.mark.no_replay("an entry is posted by hand to mend the stream")
def test_an_unparked_stream_goes_on_where_it_stood(sitting: Sitting) -> None:
    sitting.hand(1500)
    settle(sitting.stream)
    assert unpark(sitting.stream)
    assert settle(sitting.stream).parked_code == "floor_violated"
    assert DeadLetter.objects.get().attempts == 2
    deposit(sitting.second, 600)
    mend(sitting)
    assert unpark(sitting.stream)
    assert settle(sitting.stream).parked_code is None
    assert sitting.seats() == [2500, 100]
    assert DeadLetter.objects.get().resolved_by == "worker:settle"
    assert not unpark(sitting.stream)


def mend(sitting: Sitting) -> None:
    """What staff could do: bring money to the seat by an entry of its own."""
    wallet, seat = f"wallet:{sitting.second}:EUR", f"seat:{sitting.table}:{sitting.second}:EUR"
    LIVE.rows(
        """SELECT ledger.post(40::smallint, 'EUR', 'wallet/mended', 1, 0, now(), now(), NULL,
            sha256('mend'), array_agg(id ORDER BY id),
            array_agg(CASE code WHEN %s THEN 600 ELSE -600 END ORDER BY id))
        FROM ledger.account WHERE code IN (%s, %s)""",
        [wallet, wallet, seat],
    )


def test_an_unknown_type_parks_and_is_not_passed_over(sitting: Sitting) -> None:
    command(sitting.stream, ("HandFinished", {"currency": "EUR"}))
    sitting.hand(1)
    assert settle(sitting.stream).parked_code == "unknown_event"
    assert selectors.cursor(sitting.stream).version == 2


def test_an_escrow_that_is_not_empty_parks(sitting: Sitting) -> None:
    command(sitting.stream, ("TableClosed", {"reason": "empty"}))
    assert settle(sitting.stream).parked_code == "escrow_not_empty"


def test_the_sweep_settles_what_is_behind_oldest_first(sitting: Sitting) -> None:
    later = Sitting()
    sitting.hand(1)
    later.hand(2)
    assert [result.stream for result in settle_due()] == [sitting.stream, later.stream]
    assert settle_due() == []


def test_after_eight_tries_the_sweep_rests_ever_longer(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting.hand(1)

    def fail(stream: str) -> None:
        tried.append(stream)
        raise Retryable(stream)

    tried = list[str]()
    with monkeypatch.context() as broken:
        broken.setattr(settlement, "settle", fail)
        for _ in range(ATTEMPTS_MAX + 2):
            assert settle_due() == []
        assert len(tried) == ATTEMPTS_MAX
        became_due(sitting.stream, timedelta(minutes=1))
        for _ in range(2):
            assert settle_due() == []
        assert len(tried) == ATTEMPTS_MAX + 1
    app.tasks["ledger.sweep"]()
    assert sitting.seats() != [1001, 999]
    became_due(sitting.stream, timedelta(minutes=2))
    app.tasks["ledger.sweep"]()
    assert sitting.seats() == [1001, 999]
    assert SettlementCursor.objects.get(stream=sitting.stream).attempts == 0


def became_due(stream: str, before: timedelta) -> None:
    """Let so much time have passed since the stream became due."""
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE ledger.settlement_due
            SET event_at = clock_timestamp() - make_interval(secs => %s) WHERE stream = %s""",
            [before.total_seconds(), stream],
        )


def test_the_tasks_are_the_services(sitting: Sitting) -> None:
    sitting.hand(1)
    task = app.tasks["ledger.settle"]
    task(sitting.stream)
    task(sitting.stream)
    assert sitting.seats() == [1001, 999]


def test_due_keeps_the_instant_of_the_oldest_unsettled_event(sitting: Sitting) -> None:
    sitting.hand(1)
    first = SettlementDue.objects.get().event_at
    sitting.hand(1)
    assert SettlementDue.objects.get().event_at == first
    settle(sitting.stream)
    sitting.hand(1)
    assert SettlementDue.objects.get().event_at > first


@pytest.mark.no_replay("a stream is due that does not exist")
def test_what_is_due_but_not_there_is_a_bug() -> None:
    stream = table_stream(uuid4())
    due.mark_due(stream, 3, in_transaction(lambda tx: tx.now))
    with pytest.raises(InvariantBroken):
        settle(stream)


def test_apps_above_are_told_after_the_commit(
    sitting: Sitting,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    told: list[tuple[str, int]] = []
    monkeypatch.setattr(wake, "_callbacks", [])

    def note(stream: str, version: int) -> None:
        told.append((stream, version))

    wake.when_settled(note)
    wake.when_settled(note)
    sitting.hand(1)
    with django_capture_on_commit_callbacks(execute=True):
        settle(sitting.stream)
    assert told == [(sitting.stream, 4)]


def test_a_stale_letter_of_another_stream_is_left_alone(sitting: Sitting) -> None:
    other = Sitting()
    other.hand(5000)
    settle(other.stream)
    sitting.hand(1)
    settle(sitting.stream)
    assert DeadLetter.objects.get().resolved_at is None


def test_a_loser_pays_from_his_own_seat_alone(sitting: Sitting) -> None:
    third: UUID = uuid4()
    deposit(third, 100)
    sit(sitting.table, third, 100)
    command(sitting.stream, hand_ended({sitting.first: 100, third: -100}))
    settle(sitting.stream)
    assert selectors.seats(sitting.table)[str(third)] == 0
    assert connection.in_atomic_block
    assert not transaction.get_rollback()


def test_somebody_else_at_the_stream_is_left_to_it(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting.hand(1)
    monkeypatch.setattr(due, "count_attempt", lambda stream: False)
    assert settle_due() == []
    assert not DeadLetter.objects.exists()


def test_a_refusal_outside_a_batch_is_not_tried_for_ever(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise refuse("bad_entry")

    monkeypatch.setattr(settlement, "settle_batch", refused)
    with pytest.raises(Refused, match="bad_entry"):
        settle(sitting.stream)
