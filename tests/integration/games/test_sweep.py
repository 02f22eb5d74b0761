"""The sweep: whatever a lost message left behind is found, and nothing loops for ever."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from eventstore.services import ATTEMPTS_MAX, LiveRow, count_attempt, overdue, update_live
from games import selectors
from games.bots import ladder
from games.models import BotDecision
from games.services import bots, loading
from games.services.deals import deal_next
from games.services.sweep import attend, sweep
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import PLAYED, a_player, a_table, receipt, sits_down

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Iterator[UUID]:
    """A table of a person and a bot, whose first hand is due; its own times come back at last."""
    ona = a_player()
    found = a_table(ona, seats=2, options=PLAYED)
    sits_down(found, ona)
    bots.add_bot(found, "greedy-1", seat=None, creator=ona, receipt=receipt())
    hurry(found)
    yield found
    update_live(loading.live(found), loading.changes(selectors.see_now(found).table))


def test_an_overdue_deal_is_found_and_dealt(table: UUID) -> None:
    assert sweep() == 1
    attend(table)
    assert selectors.live_row(table).status == "playing"


def test_nothing_is_attended_before_its_time(table: UUID) -> None:
    attend(table)
    version = selectors.live_row(table).version
    attend(table)  # whoever is to act has time left
    assert selectors.live_row(table).version == version
    assert sweep() == 0


def a_turn_of_the_bot(table: UUID) -> int:
    """Deal, and let the person's time run out until the bot is to act; the version then."""
    attend(table)
    while selectors.live_row(table).due != "bot":
        hurry(table)
        attend(table)
    hurry(table)
    return selectors.live_row(table).version


def test_a_bots_lost_turn_is_played_by_the_bot_twice_then_for_it(
    table: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = a_turn_of_the_bot(table)
    monkeypatch.setattr(bots, "submit_move", lambda *_: pytest.fail("the bot is asleep"))
    monkeypatch.setattr("games.services.sweep.bot_turn", lambda *_: 0)
    for _ in range(2):
        attend(table)
        assert selectors.live_row(table).version == version
    attend(table)
    assert selectors.live_row(table).version > version


@pytest.mark.parametrize("fault", ["raises", "chooses nonsense"])
def test_a_bot_whose_level_fails_plays_the_first_legal_move(
    table: UUID, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def fails(*_: object) -> ladder.Decision:
        if fault == "raises":
            raise ZeroDivisionError
        return ladder.Decision("K K K")

    version = a_turn_of_the_bot(table)
    monkeypatch.setattr(bots, "policy", lambda _: fails)
    assert bots.bot_turn(table, version) > 0
    decision = BotDecision.objects.get(table_id=table, version=version)
    assert decision.fallback == ("error" if fault == "raises" else "illegal")


def test_a_row_that_always_fails_is_tried_ever_more_seldom(table: UUID) -> None:
    row = loading.live(table)
    tries = [count_attempt(row) for _ in range(ATTEMPTS_MAX)]
    assert [attempt.number for attempt in tries if attempt] == list(range(1, ATTEMPTS_MAX + 1))
    due_at = selectors.live_row(table).due_at
    assert due_at is not None
    for minutes in (1, 2, 4):
        assert count_attempt(row) is None
        assert overdue(loading.RELATION, 10) == []
        update_live(row, {"due_at": due_at - timedelta(minutes=minutes)})
        assert overdue(loading.RELATION, 10) == [table]
        assert count_attempt(row) is not None


def test_a_table_whose_books_stand_waits_for_people_without_being_parked(
    table: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    parked = type("Cursor", (), {"parked_code": "unbalanced"})()
    monkeypatch.setattr("games.services.deals.cursor", lambda _: parked)
    for _ in range(ATTEMPTS_MAX + 1):
        attend(table)
    row = selectors.live_row(table)
    assert (row.parked_code, row.attempts, row.status) == (None, 0, "open")


def test_a_table_that_is_gone_is_no_fault(table: UUID) -> None:
    update_live(LiveRow(loading.RELATION, table), {"due": None, "due_at": None})
    attend(table)
    assert selectors.live_row(table).status == "open"


def test_an_early_or_stale_deal_is_refused(table: UUID) -> None:
    version = selectors.live_row(table).version
    with pytest.raises(Exception, match="stale_version"):
        deal_next(table, version - 1)
    deal_next(table, version)
    assert deal_next(table, version).replayed
