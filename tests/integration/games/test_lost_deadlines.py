"""A deadline lies in the table's row: whichever worker vanishes, another one keeps it."""

from uuid import UUID

import pytest

from eventstore import store, wake
from eventstore.core.ids import table_stream
from games import selectors
from games.services import bots
from games.services.sweep import attend, sweep
from tonk_site.celery import app
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, a_table, receipt, sits_down

pytestmark = pytest.mark.django_db
DEADLINE_SECONDS_MAX = 5


class Sent:
    """Messages that are kept, and delivered to nobody."""

    def __init__(self) -> None:
        self.tasks: list[tuple[str, tuple[str | int, ...], str]] = []

    def send(self, task: str, arguments: tuple[str | int, ...], queue: str) -> None:
        self.tasks.append((task, arguments, queue))

    def publish(self, channel: str, message: int) -> None:
        pass


def a_turn_of_the_person() -> UUID:
    """A table where a person is to act."""
    ona = a_player()
    table = a_table(ona, seats=2)
    sits_down(table, ona)
    bots.add_bot(table, "greedy-1", seat=None, creator=ona, receipt=receipt())
    while (row := selectors.live_row(table)).due != "move":
        if row.due == "bot":
            bots.bot_turn(table, row.version)
        else:
            hurry(table)
            attend(table)
    return table


def test_B3_a_deadline_is_kept_though_the_worker_that_began_it_has_vanished() -> None:
    with wake.messages(sent := Sent()):
        table = a_turn_of_the_person()
        sent.tasks.clear()  # all that was told to anybody is gone
        assert sweep() == 0
        hurry(table)  # the deadline has come
        assert sweep() == 1
        assert sent.tasks == [("games.attend", (str(table),), "bots")]
        attend(table)
    events = store.load(table_stream(table)).events
    assert [one.type for one in events].count("TurnTimedOut") == 1
    every = app.conf.beat_schedule["games.sweep"]["schedule"]
    assert every < DEADLINE_SECONDS_MAX - 2  # and some time for the work itself
    hurried = selectors.live_row(table)
    assert hurried.version == events[-1].version
