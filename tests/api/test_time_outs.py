"""Time that has run out costs a turn, neither the seat nor the stake."""

from uuid import UUID

import pytest

from eventstore import store
from eventstore.core.ids import table_stream
from games import selectors
from games.rules import events
from games.rules.table import AUTOPILOT_AFTER, Place
from games.services.moves import play_for
from tests.api.callers import Caller, caller
from tonk_site.proving.acting.drive import hurry, once
from tonk_site.proving.acting.factories import PLAYED, a_table, a_tournament, receipt, sits_down
from tonk_site.proving.acting.play import Turn, play, turn_at, turn_of
from tournaments import selectors as tournaments
from tournaments.services import entries, start

pytestmark = pytest.mark.django_db
BUY_IN = 500


def time_runs_out(table: UUID) -> None:
    """Whoever is to act does nothing until he is played for."""
    version = turn_at(table).version
    hurry(table)
    play_for(table, version)


def until_turn_of(who: Caller, table: UUID, tournament: UUID) -> Turn:
    """The next turn of a player, hands and moves before it made."""
    while True:
        if selectors.live_row(table).due != "move":
            once(tournament)
        elif (turn := turn_at(table)).player == who.who.id:
            return turn
        else:
            play(table, turn)


def place_of(table: UUID, who: Caller) -> Place:
    found = selectors.see_now(table).table.seat_of(str(who.who.id))
    assert found is not None
    return found


def test_I2_who_timed_out_plays_on_with_the_same_token() -> None:
    """In a tournament he is played for, hand after hand, and takes over whenever he is back."""
    jonas, ona, petras = caller("jonas", "organiser"), caller("ona"), caller("petras")
    tournament = a_tournament(jonas.who, entries_min=2, start=None, stack_stakes=200)
    for one in (ona, petras):
        entries.register(tournament, one.who, receipt())
    start.start(tournament, jonas.who, tournaments.see(tournament, None).state.version, receipt())
    (table,) = (row.id for row in selectors.tables_of_tournament(tournament))
    while not place_of(table, ona).autopilot:
        until_turn_of(ona, table, tournament)
        time_runs_out(table)
    assert place_of(table, ona).timeouts == AUTOPILOT_AFTER
    turn = until_turn_of(ona, table, tournament)
    move = {"move": turn.legal[0]["move"], "version": turn.version}
    answer = ona.post(f"/tables/{table}/moves", move)
    assert answer.status == 200, answer.document
    assert (place_of(table, ona).autopilot, place_of(table, ona).timeouts) == (False, 0)


@pytest.mark.slow
def test_I5_who_pulls_the_plug_is_played_for_and_pays_what_the_hand_costs() -> None:
    ona, petras = caller("ona"), caller("petras")
    table = a_table(ona.who, seats=2, options=PLAYED)
    for one in (ona, petras):
        sits_down(table, one.who, BUY_IN)
    seat = turn_of(table, ona.who.id).seat
    leaves = ona.call("DELETE", f"/tables/{table}/seat").document
    assert leaves["status"] == "leaving"
    while selectors.see_now(table).table.to_act is not None:
        turn = turn_at(table)
        if turn.seat == seat:
            time_runs_out(table)
        else:
            play(table, turn)
    facts = [record.event for record in store.load(table_stream(table)).events]
    timed_out = [one.seat for one in facts if isinstance(one, events.TurnTimedOut)]
    assert set(timed_out) == {seat}
    (ended,) = (one for one in facts if isinstance(one, events.HandEnded))
    (net,) = (one.amount for one in ended.net if one.seat == seat)
    (cashed,) = (one.amount for one in facts if isinstance(one, events.SeatCashedOut))
    assert cashed == BUY_IN + net
