"""The cells of the matrix: who may do what, asked over HTTP."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ledger.receipts import booked, payouts
from tests.api.routes import ROUTES, ROWS
from tests.api.world import SEALED, Ready, World, address, ready, undone
from tests.sealing import log_id, seal_log
from tonk_site.proving.acting.factories import a_tournament, receipt
from tonk_site.proving.acting.play import play_tournament
from tournaments.services import entries

ROLES = [role for role in next(iter(ROWS.values())) if role not in {"name", "method", "path"}]
WAITING = [name for name in ROWS if name not in ROUTES]

# What can not hold yet: (endpoint, caller) -> the answer until then. An admin's act in another's
# event becomes a proposal; proposals and the second person come with the staff's endpoints.
POSTPONED = MappingProxyType(
    {
        ("tournament.publish", "admin"): 403,
        ("tournament.open_registration", "admin"): 403,
        ("tournament.start", "admin"): 403,
        # The fixture's hand is of a cash table, which has no director.
        ("hand.money", "organiser_own"): 403,
        # API bots are admitted to tournaments with the option `api_bots`, which is not built.
        ("entry.create", "bot"): 403,
        ("entry.withdraw", "bot"): 403,
    }
)
NOTHING = {(404, "not_found"), (405, "method_not_allowed")}
NEEDED = {"log.inclusion": "?index=0", "log.consistency": "?from=1"}  # parameters without a default


def expected(name: str) -> dict[str, int]:
    """The status that each caller must get."""
    return {role: POSTPONED.get((name, role), int(ROWS[name][role])) for role in ROLES}


OPEN = [name for name in ROWS if name in ROUTES and name not in SEALED]


def open_cells(world: World, names: Sequence[str]) -> Iterator[tuple[str, dict[str, int]]]:
    """Endpoints with what their callers get; none of those of a sealed log."""
    for name in names:
        with ready(world, name) as endpoint:
            yield name, answers(world, endpoint)


def sealed_cells(world: World) -> Iterator[tuple[str, dict[str, int]]]:
    """The same of endpoints that show what was committed and signed."""
    ids: dict[str, object] = {"entry_id": a_prize(world), "level": 0, "tile": "000.p/1"}
    ids["format"] = "csv"
    seal_log()
    ids |= {"category": "log", "stream_id": log_id()}
    for name in sorted(SEALED):
        path = address(ROUTES[name].path, ids) + NEEDED.get(name, "")
        yield name, {role: who.get(path).status for role, who in world.callers.items()}


def answers(world: World, endpoint: Ready) -> dict[str, int]:
    """What each caller gets for the good request."""
    found = {}
    for role in ROLES:
        with undone():
            answer = replace(endpoint, who=world.callers[role]).call(endpoint.body)
        found[role] = answer.status
        assert answer.status < 400 or answer.code
    return found


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


def places() -> tuple[Mapping[str, tuple[str, str]], Mapping[str, tuple[str, str]]]:
    """Method and path of each route, and those that the rows of the built routes state."""
    found = {name: (route.method, route.path) for name, route in ROUTES.items()}
    stated = {name: (row["method"], row["path"]) for name, row in ROWS.items() if name in ROUTES}
    return found, stated
