"""Who may do what: every cell of the matrix for the endpoints that exist."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from tests.api.callers import Caller, expired_token, refused
from tests.api.routes import ROUTES, ROWS
from tests.api.world import FIXTURES, SEALED, Ready, World, address, ready, undone

pytestmark = pytest.mark.django_db

ROLES = [role for role in next(iter(ROWS.values())) if role not in {"name", "method", "path"}]
WAITING = [name for name in ROWS if name not in ROUTES]
WAITING_NUMBER = 113  # falls with each endpoint that is built

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
    }
)
NOTHING = {(404, "not_found"), (405, "method_not_allowed")}
# Health answers whoever asks, a provider signs what it says: neither is asked for a token.
TOKENLESS = frozenset({"ledger.provider_callback", "system.live", "system.ready"})


def test_every_cell(world: World, subtests: pytest.Subtests) -> None:
    for name, row in ROWS.items():
        if name in ROUTES and name not in SEALED:
            with subtests.test(name), ready(world, name) as endpoint:
                expected = {role: POSTPONED.get((name, role), int(row[role])) for role in ROLES}
                assert answers(world, endpoint) == expected


def answers(world: World, endpoint: Ready) -> dict[str, int]:
    """What each caller gets for the good request."""
    found = {}
    for role in ROLES:
        with undone():
            answer = replace(endpoint, who=world.callers[role]).call(endpoint.body)
        found[role] = answer.status
        assert answer.status < 400 or answer.code
    return found


def test_a_bad_token_is_never_taken_for_none(ona: Caller, subtests: pytest.Subtests) -> None:
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
    for name, route in ROUTES.items():
        if name not in TOKENLESS:
            with subtests.test(name):
                for header in headers:
                    answer = Caller().call(
                        route.method, address(route.path, {}), Authorization=header
                    )
                    refused(answer, 401, "token_invalid")
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


def test_the_rows_that_wait_answer_nothing(subtests: pytest.Subtests) -> None:
    for name in WAITING:
        row = ROWS[name]
        if row["path"].startswith("/api/v1"):
            with subtests.test(name):
                answer = Caller().call(row["method"], address(row["path"], {}))
                assert (answer.status, answer.code) in NOTHING


def test_drafts_are_known_to_their_director_and_staff_alone(world: World) -> None:
    world.draft()
    path = f"/tournaments/{world.ids['tournament_id']}"
    found = {role: who.get(path).status for role, who in world.callers.items()}
    known = {"organiser_own", "auditor", "admin"}
    assert found == {role: 200 if role in known else 404 for role in ROLES}
    lists = {role: who.get("/tournaments").document["items"] for role, who in world.callers.items()}
    assert {role for role, listed in lists.items() if listed} == known
