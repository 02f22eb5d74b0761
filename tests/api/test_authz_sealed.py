"""Who may do what at endpoints that show what was committed and signed."""

from typing import Any

import pytest

from ledger.receipts import booked, payouts
from tests.api.play import play_tournament
from tests.api.routes import ROUTES, ROWS
from tests.api.world import SEALED, World, address
from tests.factories import a_tournament, receipt
from tests.sealing import log_id, seal_log
from tournaments.services import entries

pytestmark = pytest.mark.usefixtures("committed")
NEEDED = {"log.inclusion": "?index=0", "log.consistency": "?from=1"}  # parameters without a default


def a_prize(world: World) -> int:
    """The entry of a prize that `player_own` won, in the event of `organiser_own`.

    Who of the two wins is up to the cards: the winner is called `player_own`.
    """
    tournament = a_tournament(
        world.who("organiser_own"), entries_min=2, entries_max=2, stack_stakes=5
    )
    for role in ("player_own", "opponent"):
        entries.register(tournament, world.who(role), receipt())
    play_tournament(tournament)
    (entry,) = payouts(f"tournament/{tournament}")
    if str(world.who("player_own").id) not in booked(entry).parties:
        callers: dict[str, Any] = world.callers
        callers["player_own"], callers["opponent"] = callers["opponent"], callers["player_own"]
    return entry


def test_every_cell_of_a_sealed_log(subtests: pytest.Subtests) -> None:
    world = World()
    ids: dict[str, object] = {"entry_id": a_prize(world), "level": 0, "tile": "000.p/1"}
    ids["format"] = "csv"
    seal_log()
    ids |= {"category": "log", "stream_id": log_id()}
    for name in sorted(SEALED):
        with subtests.test(name):
            path, row = address(ROUTES[name].path, ids) + NEEDED.get(name, ""), ROWS[name]
            found = {role: who.get(path).status for role, who in world.callers.items()}
            assert found == {role: int(row[role]) for role in world.callers}
