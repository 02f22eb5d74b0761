"""A sit-and-go: it starts when it is full, and the next one is there at once."""

import pytest

from ledger.selectors import escrow
from tonk_site.proving.acting import drive
from tonk_site.proving.acting.factories import PLAYED, a_player, a_tournament, with_bots
from tournaments import selectors
from tournaments.core.lifecycle import Status
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db


def test_the_next_one_opens_when_it_starts() -> None:
    organiser = a_player("jonas", "organiser")
    first = a_tournament(organiser, "sit_and_go_3", game_rules=PLAYED)
    with_bots(first, organiser, 3, "random-0")
    (clone,) = Tournament.objects.exclude(id=first)
    begun, following = (selectors.see(one, None).state for one in (first, clone.id))
    assert (begun.status, following.status) == (Status.RUNNING, Status.REGISTRATION)
    assert following.structure_hash == begun.structure_hash
    assert following.seed_commit != begun.seed_commit
    assert (following.entered, following.organiser) == (0, begun.organiser)
    other = a_tournament(organiser, "sit_and_go_3", game_rules=PLAYED)
    with_bots(other, organiser, 3, "random-0")
    assert Tournament.objects.count() == 3  # one of these rules is open: no second one comes
    with_bots(clone.id, organiser, 3, "random-0")
    assert Tournament.objects.count() == 4


@pytest.mark.slow
def test_the_winner_takes_all() -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, "sit_and_go_3", game_rules=PLAYED, clone=False)
    with_bots(tournament, organiser, 3, "random-0")
    drive.until_rest(tournament)
    state = selectors.see(tournament, None).state
    assert state.status is Status.SETTLED
    assert [prize.amount for prize in state.prizes] == [3_000]
    assert set(escrow(tournament).values()) == {0}
