"""Who may do what: every cell of the matrix for the endpoints that exist."""

from types import MappingProxyType

import pytest

from tests.api.callers import Caller, caller, expired_token
from tests.api.routes import ROUTES, ROWS
from tests.api.world import FIXTURES, World, address, undone

pytestmark = pytest.mark.django_db

ROLES = [role for role in next(iter(ROWS.values())) if role not in {"name", "method", "path"}]
WAITING = [name for name in ROWS if name not in ROUTES]
WAITING_NUMBER = 173  # falls with each endpoint that is built

# What can not hold yet: (endpoint, caller) -> the answer until then. An admin's act in another's
# event becomes a proposal; proposals and the second person come with the staff's endpoints.
POSTPONED = MappingProxyType(
    {
        ("tournament.publish", "admin"): 403,
        ("tournament.open_registration", "admin"): 403,
        ("tournament.start", "admin"): 403,
        # API bots are admitted to tournaments with the option `api_bots`, which is not built.
        ("entry.create", "bot"): 403,
    }
)
# Health answers whoever asks and looks at no token.
TOKENLESS = frozenset({"system.live", "system.ready"})


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("name", ROUTES)
def test_every_cell(name: str, world: World) -> None:
    route, row = ROUTES[name], ROWS[name]
    body = FIXTURES.get(name, lambda _: {})(world)
    path = address(route.path, world.ids)
    found = {}
    for role in ROLES:
        with undone():
            answer = world.callers[role].call(
                route.method, path, None if route.method == "GET" else body
            )
        found[role] = answer.status
        assert answer.status < 400 or answer.code
    expected = {role: POSTPONED.get((name, role), int(row[role])) for role in ROLES}
    assert found == expected


@pytest.mark.parametrize("name", [name for name in ROUTES if name not in TOKENLESS])
def test_a_bad_token_is_never_taken_for_none(name: str) -> None:
    route = ROUTES[name]
    ona = caller("ona")
    path = address(route.path, {})
    secret, old = str(ona.token), expired_token(ona.who.id)
    assert ona.post("/auth/logout").status == 204
    headers = [
        f"Token {secret}",
        f"Token {old}",
        f"Token {secret[:-1]}",
        f"Bearer {secret}",
        "Token",
        "Token a b",
        "Token " + "a" * 200,
        "Token é",
    ]
    for header in headers:
        answer = Caller().call(route.method, path, Authorization=header)
        assert (answer.status, answer.code) == (401, "token_invalid")
        assert answer.headers["WWW-Authenticate"] == "Token"


def test_every_route_has_its_row() -> None:
    found = {name: (route.method, route.path) for name, route in ROUTES.items()}
    assert found == {
        name: (row["method"], row["path"]) for name, row in ROWS.items() if name in ROUTES
    }
    assert set(FIXTURES) <= set(ROUTES)
    assert {name for name, _ in POSTPONED} <= set(ROUTES)


def test_the_rows_that_wait_are_known() -> None:
    assert len(WAITING) == WAITING_NUMBER, WAITING


@pytest.mark.parametrize("name", WAITING)
def test_a_row_that_waits_answers_nothing(name: str) -> None:
    row = ROWS[name]
    if row["path"].startswith("/api/v1"):
        answer = Caller().call(row["method"], address(row["path"], {}))
        assert answer.status in {404, 405}
        assert answer.code in {"not_found", "method_not_allowed"}


def test_drafts_are_known_to_their_director_and_staff_alone(world: World) -> None:
    world.draft()
    path = f"/tournaments/{world.ids['tournament_id']}"
    found = {role: who.get(path).status for role, who in world.callers.items()}
    known = {"organiser_own", "auditor", "admin"}
    assert found == {role: 200 if role in known else 404 for role in ROLES}
    assert world.callers["organiser_own"].get("/tournaments").document["items"] == []
