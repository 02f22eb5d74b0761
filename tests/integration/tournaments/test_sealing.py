"""Seeds of seats at the tables of a tournament: the window is part of the hand."""

from collections import Counter
from uuid import UUID

import pytest

from eventstore import store
from eventstore.core.ids import table_stream, tournament_stream
from eventstore.core.refusal import Refused
from games import selectors
from games.models import DealerSecret, Seat, Table
from games.rules import events
from games.services.moves import play_for
from players.selectors import Person
from tonk_site.proving.acting.drive import hurry, once
from tonk_site.proving.acting.factories import a_player, a_tournament, receipt, with_bots
from tonk_site.proving.acting.fair_seats import Links, anchors, gives
from tournaments.models import Tournament
from tournaments.services import entries
from tournaments.services.conduct import conduct

pytestmark = pytest.mark.django_db
ROUNDS_MAX = 3_000


Sittings = dict[tuple[UUID, int], Links]
"""Chains by table and sitting: whoever comes back to a table has no anchor there any more."""


def step(tournament: UUID, who: Person, chains: Sittings, given: Counter[int]) -> None:
    """One step of everything: the person anchors where he sits, and gives every second seed."""
    places = Seat.objects.filter(player_id=who.id).values_list("table_id", "id")
    for table, sitting in places:
        if (table, sitting) not in chains:
            chains[table, sitting] = Links(f"{table} {sitting}", 400)
            anchors(table, who, chains[table, sitting])
        row = selectors.live_row(table)
        if row.due == "seal" and row.version % 2:
            given[sitting] += 1
            gives(table, who, chains[table, sitting].seed(given[sitting]))
    for row in Table.objects.filter(tournament=tournament, due="move"):
        hurry(row.id)
        play_for(row.id, row.version)
    once(tournament)


@pytest.mark.slow
def test_an_anchored_player_is_waited_for_at_every_table_and_the_event_ends() -> None:
    organiser, ona = a_player("jonas", "organiser"), a_player()
    tournament = a_tournament(organiser, entries_min=4, entries_max=4, seats=2, stack_stakes=5)
    with_bots(tournament, organiser, 3, "random-0")
    entries.register(tournament, ona, receipt())
    chains: Sittings = {}
    given: Counter[int] = Counter()
    for _ in range(ROUNDS_MAX):
        if Tournament.objects.get(id=tournament).status == "settled":
            break
        step(tournament, ona, chains, given)
    assert Tournament.objects.get(id=tournament).status == "settled"
    assert DealerSecret.objects.count() == 0
    tables = {table for table, _ in chains}
    states = [
        one.seed
        for table in tables
        for record in store.events_after(table_stream(table), 0, types=["HandDealt"])
        if isinstance(record.event, events.HandDealt)
        for one in record.event.players
        if one.player == str(ona.id)
    ]
    assert {"revealed", "missing"} >= set(states) - {"none"}
    assert set(states) - {"none"}
    assert sum(state == "none" for state in states) <= len(chains)  # the hand he came to
    raised = store.events_after(tournament_stream(tournament), 0, types=["LevelRaised"])
    stakes = {
        record.event.stake
        for table in tables
        for record in store.events_after(table_stream(table), 0, types=["HandDealt"])
        if isinstance(record.event, events.HandDealt)
    }
    assert {one.payload["stake"] for one in raised} >= stakes - {min(stakes)}


def test_a_sealing_table_is_not_conducted_or_dealt_again() -> None:
    organiser, ona = a_player("jonas", "organiser"), a_player()
    tournament = a_tournament(organiser, entries_min=3, entries_max=3)
    with_bots(tournament, organiser, 2, "random-0")
    entries.register(tournament, ona, receipt())
    (table,) = Table.objects.filter(tournament=tournament).values_list("id", flat=True)
    anchors(table, ona, Links())
    hurry(table)
    conduct(table)
    row = selectors.live_row(table)
    assert (row.status, row.due, row.hand_version) == ("sealing", "seal", None)
    hurry(table)
    with pytest.raises(Refused, match="wrong_state"):
        conduct(table)
    assert selectors.live_row(table).version == row.version
    gives(table, ona, Links().seed(1))
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    terms = (dealt.stake, dealt.clock.profile, dealt.payment, dealt.currency)
    opened = selectors.see_now(table).table.opened
    assert opened is not None
    assert terms == (opened.stake, opened.clock.profile, "table_stakes", "CHIPS")
