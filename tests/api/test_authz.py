"""Who may do what: every cell of the matrix for the endpoints that exist."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from eventstore.ports import new_id
from games import selectors
from tests.api.callers import Caller, api_bot, caller, expired_token
from tests.api.play import turn_of
from tests.api.routes import ROUTES, ROWS
from tests.factories import PASSWORD, a_table, a_tournament, receipt, sits_down
from tournaments import selectors as tournaments
from tournaments.services import drafting, entries

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
FREEZEOUT = MappingProxyType({"entries_min": 2, "start": None})


class World:
    """Every kind of caller, and the objects of the fixtures."""

    def __init__(self) -> None:
        self.callers = {
            "anon": Caller(),
            "player_own": caller("ona"),
            "player_other": caller("petras"),
            "opponent": caller("birute"),
            "spectator": caller("zigmas", scopes=["read"]),
            "organiser_own": caller("jonas", "organiser"),
            "organiser_other": caller("daiva", "organiser"),
            "auditor": caller("auste", "auditor"),
            "admin": caller("algis", "admin"),
            "bot": api_bot(),
        }
        self.ids: dict[str, UUID] = {}

    def who(self, role: str) -> Any:
        return self.callers[role].who

    def table(self, *seated: str) -> dict[str, Any]:
        """A table of `player_own`, who named the ones to sit; the version to send."""
        table = a_table(self.who("player_own"), seats=4, api_bots=True)
        for role in seated:
            sits_down(table, self.who(role))
        self.ids["table_id"] = table
        return {"version": selectors.live_row(table).version}

    def hand(self) -> dict[str, Any]:
        """A running hand with `player_own` to act, and his first legal move."""
        self.table("player_own", "opponent", "bot")
        turn = turn_of(self.ids["table_id"], self.who("player_own").id)
        return {"move": turn.legal[0]["move"], "version": turn.version}

    def draft(self) -> dict[str, Any]:
        wish = drafting.Draft(template="sim-short", name="Evening", overrides=FREEZEOUT)
        outcome = drafting.create(wish, self.who("organiser_own"), receipt())
        self.ids["tournament_id"] = UUID(str(outcome.result["tournament_id"]))
        return {"version": 1}

    def announced(self) -> dict[str, Any]:
        self.draft()
        drafting.publish(self.ids["tournament_id"], self.who("organiser_own"), 1, receipt())
        return {"version": 2}

    def registration(self, *entered: str) -> dict[str, Any]:
        tournament = a_tournament(self.who("organiser_own"), **FREEZEOUT)
        for role in entered:
            entries.register(tournament, self.who(role), receipt())
        self.ids["tournament_id"] = tournament
        return {"version": tournaments.see(tournament, None).state.version}

    def full(self) -> dict[str, Any]:
        return self.registration("player_own", "opponent")


NEW_TABLE = MappingProxyType({"stake": 10, "currency": "XTK", "seats": 3})
NEW_ACCOUNT = MappingProxyType(
    {
        "username": "gabija",
        "email": "gabija@example.org",
        "password": PASSWORD,
        "display_name": "Gabija",
        "of_age": True,
    }
)
# The fixture of each endpoint: makes the object and gives the body to send.
FIXTURES: dict[str, Callable[[World], dict[str, Any]]] = {
    "auth.register": lambda _: dict(NEW_ACCOUNT),
    "auth.login": lambda _: {"username": "ona", "password": PASSWORD},
    "table.create": lambda _: dict(NEW_TABLE),
    "table.show": World.hand,
    "table.state": World.hand,
    "table.events": World.hand,
    "table.move": World.hand,
    "table.close": lambda world: world.table("opponent") and {"reason": "late"},
    "table.bot_add": lambda world: world.table("opponent") and {"level": "random-0"},
    "seat.take": lambda world: world.table("opponent") | {"buy_in": 500},
    "seat.leave": lambda world: world.table("player_own", "opponent", "bot") and {},
    "tournament.create": lambda _: {"template": "sim-short", "name": "Evening"},
    "tournament.show": World.announced,
    "tournament.publish": World.draft,
    "tournament.open_registration": World.announced,
    "tournament.start": World.full,
    "tournament.bots_add": lambda world: world.full() | {"level": "random-0", "count": 2},
    "entry.create": lambda world: world.registration("opponent") and {},
}


@contextmanager
def undone() -> Iterator[None]:
    """What happens here is taken back at the end; commands may still open their transactions."""
    block = transaction.atomic()
    block._from_testcase = True  # type: ignore[attr-defined]  # as Django's own test cases do
    with block:
        yield
        transaction.set_rollback(True)


@pytest.fixture
def world() -> World:
    return World()


def address(path: str, ids: dict[str, UUID]) -> str:
    """The path of a row with the fixture's ids in it."""
    filled = re.sub(r"{(\w+)}", lambda match: str(ids.get(match[1], new_id())), path)
    return filled.removeprefix("/api/v1")


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
