"""What conducting the tables needs of the world: the clock, and few questions."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from eventstore import store
from eventstore.core.ids import tournament_stream
from eventstore.services import Transaction
from games.models import Table
from games.services.bots import BotsWanted, free_bots
from players.models import User
from players.selectors import Person, house_bots
from players.services import register_bot
from tonk_site.proving.acting.drive import hurry, once
from tonk_site.proving.acting.factories import a_player, a_tournament, with_bots
from tournaments.services.conduct import conduct

pytestmark = pytest.mark.django_db


def test_the_clock_alone_raises_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(
        organiser,
        entries_min=3,
        entries_max=3,
        level_by="clock",
        level_seconds=60,
        stack_stakes=500,
    )
    with_bots(tournament, organiser, 3, "random-0")
    table = Table.objects.get(tournament=tournament)
    while Table.objects.get(id=table.id).hands_counted < 1:
        once(tournament)
    moved_on = property(lambda self: store.load("table/none").now + timedelta(seconds=130))
    monkeypatch.setattr(Transaction, "now", moved_on)
    while Table.objects.get(id=table.id).due != "held":
        once(tournament)
    hurry(table.id)
    conduct(table.id)
    raised = store.events_after(tournament_stream(tournament), 0, types=["LevelRaised"])
    levels: list[dict[str, Any]] = [one.payload for one in raised]
    assert levels[-1] == {"level": 3, "stake": 20, "by": "clock"}


def test_many_bots_cost_as_many_questions_as_one() -> None:
    for count in (1, 12):  # accounts that are there already
        free_bots(BotsWanted(level="greedy-1", count=count, currency="XTK", amount=100))
    costs = []
    for count in (1, 12):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            free_bots(BotsWanted(level="greedy-1", count=count, currency="XTK", amount=100))
        costs.append(len(asked))
    assert costs[0] == costs[1] <= 5


def test_a_hundred_bots_enter_at_once() -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_max=200, start=None)
    with_bots(tournament, organiser, 100, "random-0")
    paid = store.events_after(tournament_stream(tournament), 0, types=["EntryPaid"])
    assert len(paid) == 100


def test_a_bot_that_another_request_has_just_opened_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = BotsWanted(level="greedy-1", count=1, currency="XTK", amount=100)
    opened = list[Person]()

    def beaten(level: str, name: str) -> User:
        monkeypatch.setattr("games.services.bots.register_bot", register_bot)
        opened.extend(free_bots(wanted))  # the other request is faster
        return register_bot(level, name)

    monkeypatch.setattr("games.services.bots.register_bot", beaten)
    assert free_bots(wanted) == opened
    assert len(house_bots("greedy-1")) == 1
