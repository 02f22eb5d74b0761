"""Who may do what: every cell of the matrix for the endpoints that exist."""

import pytest

from tests.api import matrix
from tests.api.callers import Caller, expired_token, refused
from tests.api.matrix import NOTHING, POSTPONED, ROLES, WAITING, places
from tests.api.routes import ROUTES, ROWS
from tests.api.world import FIXTURES, World, address
from tonk_site.proving.silence import authz_world

pytestmark = pytest.mark.django_db

WAITING_NUMBER = 112  # falls with each endpoint that is built
# Health answers whoever asks, a provider signs what it says: neither is asked for a token.
TOKENLESS = frozenset({"ledger.provider_callback", "system.live", "system.ready"})


def test_cells_that_are_wrong_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """`prove authz` asks every cell; here its comparison is seen to find what it must."""
    names = ["table.list", "withdrawal.approve", "hand.money"]  # the last is no part of these
    monkeypatch.setattr(matrix, "OPEN", names)
    for name in names:
        monkeypatch.setitem(ROWS, name, ROWS[name] | {"spectator": "499"})
    found = authz_world.run("", [0, 1])
    assert found.done == {"cells": 20, "routes": 2}
    assert [(one.where, one.expected) for one in found.breaches] == [
        ("table.list by spectator", "499"),
        ("withdrawal.approve by spectator", "499"),
    ]


@pytest.mark.slow
def test_K3_a_bad_token_is_never_taken_for_none(ona: Caller, subtests: pytest.Subtests) -> None:
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
    found, stated = places()
    assert found == stated
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
