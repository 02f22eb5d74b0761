"""Who enters while play goes on: the money, the seat, the chips; and again after a bust."""

from uuid import UUID

import pytest

from eventstore import store
from eventstore.core.ids import tournament_stream
from eventstore.core.refusal import Refused
from games.selectors import see_now
from ledger.selectors import escrow
from tonk_site.proving.acting import drive
from tonk_site.proving.acting.factories import PLAYED, a_player, a_tournament, receipt, with_bots
from tournaments import selectors
from tournaments.core import events
from tournaments.services.entries import register
from tournaments.services.start import start

pytestmark = pytest.mark.django_db

LATE = {
    "late_until_level": 4,
    "dispute_minutes": 0,
    "bots": "fill",
    "entries_max": 20,
    "start": None,
    "game_rules": PLAYED,
}


def test_a_late_entrant_gets_a_seat_and_a_full_stack() -> None:
    organiser, ona = a_player("jonas", "organiser"), a_player("ona")
    tournament = a_tournament(organiser, None, bounty=200, **LATE)
    with_bots(tournament, organiser, 6, "random-0")
    start(tournament, organiser, selectors.see(tournament, None).state.version, receipt())
    drive.once(tournament)  # both tables are in a hand
    register(tournament, ona, receipt())
    state = selectors.see(tournament, None).state
    entry = state.entry_of(str(ona.id))
    assert entry is not None
    assert entry.table is not None
    place = see_now(UUID(entry.table)).table.place(entry.seat or 0)
    assert (place.player, place.stack) == (str(ona.id), state.settings.starting_chips)
    assert escrow(tournament)["bounty"] == 7 * 200
    with pytest.raises(Refused, match="already_registered"):
        register(tournament, ona, receipt())


def test_it_is_over_when_the_next_to_bust_has_no_prize() -> None:
    organiser, ona = a_player("jonas", "organiser"), a_player("ona")
    tournament = a_tournament(organiser, "sim-short", late_until_level=12)
    with_bots(tournament, organiser, 9, "random-0")
    drive.until_rest(tournament)
    log = [one.event for one in store.load(tournament_stream(tournament)).events]
    assert any(isinstance(one, events.RegistrationClosed) and one.by == "level" for one in log)
    with pytest.raises(Refused, match="registration_closed"):
        register(tournament, ona, receipt())


def test_the_entry_that_fills_a_field_that_runs_is_taken() -> None:
    organiser, ona = a_player("jonas", "organiser"), a_player("ona")
    options = LATE | {"start": "when_full", "entries_min": 2, "entries_max": 7}
    tournament = a_tournament(organiser, None, **options)
    with_bots(tournament, organiser, 6, "random-0")
    start(tournament, organiser, selectors.see(tournament, None).state.version, receipt())
    register(tournament, ona, receipt())
    assert selectors.see(tournament, None).state.entered == 7
