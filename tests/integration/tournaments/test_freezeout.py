"""The main job inside one process: nine bots, from the draft to settled prizes."""

import pytest

from eventstore import store
from eventstore.core.ids import tournament_stream
from ledger.selectors import escrow, sums
from tonk_site.proving.acting.drive import until_rest
from tonk_site.proving.acting.factories import a_player, a_tournament, with_bots
from tournaments.models import Tournament
from tournaments.selectors import folded

pytestmark = pytest.mark.django_db


@pytest.mark.slow
def test_nine_bots_play_a_freezeout_to_settled_prizes() -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser)
    with_bots(tournament, organiser, 2)
    with_bots(tournament, organiser, 7, "random-0")
    until_rest(tournament)
    row = Tournament.objects.get(id=tournament)
    assert row.status == "settled"
    state = folded(store.load(tournament_stream(tournament)).events)
    assert state.vector == (4500, 2700, 1800)
    # Whoever bust in one hand with equal chips share.
    assert sum(prize.amount for prize in state.prizes) == 9_000
    assert set(escrow(tournament).values()) == {0}
    assert set(sums().values()) == {0}
