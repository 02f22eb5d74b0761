"""Every format in matches inside one process: bots, from the draft to settled prizes."""

from typing import Any

import msgspec
import pytest

from eventstore import store
from eventstore.core.ids import tournament_stream
from ledger.selectors import escrow, sums
from tonk_site.proving.acting.drive import until_rest
from tonk_site.proving.acting.factories import PLAYED, a_player, a_tournament, with_bots
from tournaments.models import Tournament
from tournaments.replay import state_document
from tournaments.selectors import folded

pytestmark = pytest.mark.django_db

FORMATS: dict[str, dict[str, Any]] = {
    "single_elimination": {"seats": 2},
    "double_elimination": {"seats": 2},
    "round_robin": {"seats": 3, "rounds": 2},
    "swiss": {"seats": 2, "rounds": 3, "allow_rematches": True},
    "groups_finals": {"seats": 2, "groups": 2},
}
SHORT = {"match_hands": 2, "dispute_minutes": 0, "bots": "fill", "game_rules": PLAYED}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_bots_play_matches_to_settled_prizes(form: str) -> None:
    organiser = a_player("jonas", "organiser")
    options = SHORT | {"format": form, "start": "when_full", "entries_max": 5} | FORMATS[form]
    options["match_hands"] = options["seats"]
    tournament = a_tournament(organiser, None, **options)
    with_bots(tournament, organiser, 5, "random-0")
    until_rest(tournament)
    row = Tournament.objects.get(id=tournament)
    assert row.status == "settled"
    stored = store.load(tournament_stream(tournament)).events
    state = folded(stored)
    assert msgspec.json.encode(state_document(stored))
    assert sum(prize.amount for prize in state.prizes) == 5_000
    assert all(match.is_over for match in state.matches.values())
    assert set(escrow(tournament).values()) == {0}
    assert set(sums().values()) == {0}
