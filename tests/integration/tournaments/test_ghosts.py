"""Whoever enters and never acts: he is played for, ranked, and holds nobody up."""

from collections import Counter

import pytest

from eventstore import store
from eventstore.core.ids import table_stream, tournament_stream
from games.models import Table
from games.services.moves import play_for
from tonk_site.proving.acting.drive import hurry, once
from tonk_site.proving.acting.factories import a_player, a_tournament, receipt, with_bots
from tournaments.models import Tournament
from tournaments.selectors import folded
from tournaments.services import entries

pytestmark = pytest.mark.django_db
ROUNDS_MAX = 3_000


def test_I1_a_ghost_is_ranked_as_his_chips_say_and_the_event_ends() -> None:
    organiser, ghost = a_player("jonas", "organiser"), a_player()
    tournament = a_tournament(organiser, entries_min=3, entries_max=3, stack_stakes=5)
    with_bots(tournament, organiser, 2, "random-0")
    entries.register(tournament, ghost, receipt())
    for _ in range(ROUNDS_MAX):
        if Tournament.objects.get(id=tournament).status == "settled":
            break
        for row in Table.objects.filter(tournament=tournament, due="move"):
            hurry(row.id)
            play_for(row.id, row.version)
        once(tournament)
    state = folded(store.load(tournament_stream(tournament)).events)
    assert state.status is not None
    assert state.status.value == "settled"
    places = [entry.place for entry in state.entries.values()]
    taken = Counter(places)
    assert sum(taken.values()) == 3
    for place, tied in taken.items():
        assert place is not None
        assert place[1] - place[0] + 1 == tied
    tables = Table.objects.filter(tournament=tournament).values_list("id", flat=True)
    acted = {
        record.facts["actor"]
        for table in tables
        for record in store.load(table_stream(table)).events
    }
    assert f"player:{ghost.id}" not in acted
