"""Time that runs out, over several hands: banks, autopilot, sitting out; replayed at every step."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.services import Transaction
from games import selectors
from games.models import Table
from games.services import bots
from games.services.deals import deal_next
from games.services.moves import play_for
from players.selectors import Person
from tests.replay import check, settle_everything
from tonk_site.proof import prove_log
from tonk_site.proving.acting.factories import a_player, a_table, receipt, sits_down
from tonk_site.proving.acting.play import play, turn_at

pytestmark = pytest.mark.django_db

Wait = Callable[[timedelta], None]


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Wait:
    """Let time pass for the transactions that follow."""
    passed = timedelta()

    def begin(self: Transaction) -> None:
        self._now = datetime.now(UTC) + passed

    def wait(more: timedelta) -> None:
        nonlocal passed
        passed += more

    monkeypatch.setattr(Transaction, "__init__", begin)
    return wait


def replayed() -> None:
    settle_everything()
    check(prove_log())


def play_on(table: UUID, awake: Person, think: timedelta, wait: Wait) -> None:
    """Play until nobody is to act: one person moves after a while, all others sleep."""
    while (row := Table.objects.get(id=table)).status == "playing":
        acting = selectors.see_now(table).table.place(row.to_act or 0)
        if acting.bot is not None:
            bots.bot_turn(table, row.version)
        elif acting.player == str(awake.id):
            wait(think)
            play(table, turn_at(table))
        else:
            wait(timedelta(seconds=90))
            play_for(table, row.version)
        replayed()


@pytest.mark.slow
def test_I1_who_sleeps_is_played_for_then_sits_out(wait: Wait) -> None:
    ona, jonas = a_player("ona"), a_player("jonas")
    table = a_table(ona)
    for who in (ona, jonas):
        sits_down(table, who, 1000)
    bots.add_bot(table, "random-0", seat=None, creator=ona, receipt=receipt())
    for _ in range(6):
        wait(timedelta(seconds=5))
        row = Table.objects.get(id=table)
        assert row.due == "deal"
        deal_next(table, row.version)
        play_on(table, ona, timedelta(seconds=3), wait)
    types = [one.type for one in store.load(table_stream(table)).events]
    assert types.count("AutopilotSet") >= 1
    place = selectors.see_now(table).table.seat_of(str(jonas.id))
    assert place is not None
    assert place.sat_out == "timeouts"
    assert types.count("SatOut") == 1
