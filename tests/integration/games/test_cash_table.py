"""A cash table from opening to the last cash-out."""

from collections.abc import Sequence
from uuid import UUID

import pytest

from games import selectors
from games.models import Table
from games.services import bots
from games.services.deals import deal_next
from games.services.seats import leave_seat
from games.services.tables import close_table
from ledger.selectors import balances
from ledger.services import settle_due
from players.selectors import Person
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, a_table, receipt, sits_down
from tonk_site.proving.acting.play import play, turn_at

pytestmark = pytest.mark.django_db


def play_a_hand(table: UUID, *people: Person) -> None:
    """Deal and play until the hand ends, people by the first legal move."""
    hurry(table)
    deal_next(table, selectors.live_row(table).version)
    while (row := selectors.live_row(table)).status == "playing":
        play_one_move(table, row, people)


def play_one_move(table: UUID, row: Table, people: Sequence[Person]) -> None:
    """Let whoever is to act make the first legal move."""
    if row.due == "bot":
        bots.bot_turn(table, row.version)
        return
    turn = turn_at(table)
    assert turn.player in {person.id for person in people}
    play(table, turn)


def test_a_person_and_two_bots_play_and_everybody_gets_his_stack_back() -> None:
    ona = a_player()
    table = a_table(ona)
    sits_down(table, ona)
    for level in ("random-0", "greedy-1"):
        bots.add_bot(table, level, seat=None, creator=ona, receipt=receipt())
    for _ in range(5):
        play_a_hand(table, ona)
    close_table(table, ona, receipt())
    assert selectors.live_row(table).status == "closed"
    settle_due()
    (balance,) = [one for one in balances(ona.id) if one.currency == "XTK"]
    assert balance.in_play == 0
    with pytest.raises(Exception, match="not_seated"):
        leave_seat(table, ona.id, receipt())


def test_v17_the_cut_seats_the_players_where_the_rules_say_so() -> None:
    ona = a_player()
    table = a_table(ona, options={"seat_by_cut": True})
    people = [ona, a_player("petras"), a_player("rasa")]
    for person in people:
        sits_down(table, person)
    for _ in range(2):
        play_a_hand(table, *people)
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    assert {one.player for one in dealt.players} == {str(person.id) for person in people}


def test_a_table_closes_after_the_hand_though_everybody_was_leaving_anyhow() -> None:
    ona, petras = a_player(), a_player("petras")
    table = a_table(ona, seats=2)
    for person in (ona, petras):
        sits_down(table, person)
    hurry(table)
    deal_next(table, selectors.live_row(table).version)
    if selectors.live_row(table).status == "playing":  # no dealt hand has won by itself
        for person in (ona, petras):
            leave_seat(table, person.id, receipt())
        close_table(table, ona, receipt())
        while (row := selectors.live_row(table)).status == "playing":
            play_one_move(table, row, (ona, petras))
        assert row.status == "closed"
    settle_due()
    assert all(one.in_play == 0 for who in (ona, petras) for one in balances(who.id))
