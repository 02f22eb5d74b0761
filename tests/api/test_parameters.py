"""Parameters, paths and methods that an endpoint does not know."""

from uuid import UUID

import pytest

from tests.api.callers import NOWHERE, Caller, picture, refused
from tests.api.routes import ROUTES
from tests.api.world import FIXTURES, KEYED, WRITES, World, actor_of, address
from tests.factories import a_table

pytestmark = pytest.mark.django_db


QUERIES = [
    ("nonsense=1", "unknown_field"),
    ("limit=0", "invalid_field"),
    ("limit=101", "invalid_field"),
    ("limit=1.5", "invalid_field"),
    ("limit=", "invalid_field"),
    ("limit=x", "invalid_field"),
    ("limit=" + "9" * 5_000, "invalid_field"),
    ("limit=1&limit=1", "invalid_field"),
    ("cursor=xyz", "bad_cursor"),
    ("cursor=%00", "invalid_field"),
    ("cursor=ąč", "bad_cursor"),
    ("cursor=" + "A" * 3_000, "bad_cursor"),
    (
        "cursor=WyIyMDI2LTAxLTAxVDAwOjAwOjAwIiwiMDE5OGYwYzItYTAwMC03ZDY4LWI1ZWUtNDEyNzc3NWY5Yjg0Il0",
        "bad_cursor",
    ),  # no zone
]


@pytest.mark.parametrize("path", ["/tables", "/tournaments", "/me/tables", "/tournament-templates"])
def test_parameters_of_lists(path: str, ona: Caller) -> None:
    for query, code in QUERIES:
        refused(ona.get(f"{path}?{query}"), 400, code)


OF_ONE = [
    ("/tables", "preset=%00"),
    ("/tables", "seats=9"),
    ("/tables", "stake_min=-1"),
    ("/tables", "tournament=x"),
    ("/tables", "status=asleep"),
    ("/tournaments", "organiser=x"),
    ("/tournaments", "currency=%00"),
    ("/ledger/me", "as_of=2026"),
    ("/ledger/me/statement", "from=2026-01-01"),
    ("/refusals", "lang=de"),
    ("/tables/{table}/events", "after=-1"),
    ("/tables/{table}/events", "after=" + "9" * 20),
    ("/tables/{table}/events", "limit=501"),
    ("/tables/{table}/state", "wait=26"),
    ("/tables/{table}/state", "wait=-1&after=0"),
    ("/tables/{table}/state", "wait=" + "9" * 5_000),
    ("/tables/{table}/state", "wait=\uff11&after=99"),
    ("/tables/{table}/state", "after=x"),
]


def test_parameters_of_one_endpoint(ona: Caller) -> None:
    table = a_table(ona.who)
    for path, query in OF_ONE:
        filled = path.format(table=table)
        assert refused(ona.get(f"{filled}?{query}"), 400, "invalid_field")["errors"], query
        assert refused(ona.get(f"{filled}?zzz=1"), 400, "unknown_field")["errors"] == [
            {"pointer": "/zzz", "code": "unknown_field", "detail": "no parameter here"}
        ]


@pytest.mark.parametrize("name", WRITES)
def test_writes_know_no_parameters(name: str) -> None:
    world = World()
    body = FIXTURES.get(name, lambda _: {})(world)
    path = address(ROUTES[name].path, world.ids)
    answer = actor_of(world, name).call(ROUTES[name].method, f"{path}?player=x", body)
    refused(answer, 400, "unknown_field")


@pytest.mark.parametrize("path", sorted({route.path for route in ROUTES.values()}))
def test_methods_that_a_path_does_not_know(path: str, ona: Caller) -> None:
    known = {route.method for route in ROUTES.values() if route.path == path}
    known |= {"HEAD"} if "GET" in known else set()
    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - known:
        answer = ona.call(method, address(path, {}))
        assert answer.status == 405
        assert set(answer.headers["Allow"].split(", ")) == known
        assert method == "HEAD" or answer.code == "method_not_allowed"


def test_head_is_get_without_a_body(ona: Caller) -> None:
    for path in ("/tables", "/me", "/healthz", "/readyz", f"/tables/{a_table(ona.who)}/state"):
        answer = ona.call("HEAD", path)
        assert (answer.status, answer.content) == (200, b"")


NOWHERE_PATHS = [
    "",
    "/",
    "/nonsense",
    "/tables/",
    "/tables//",
    "/tables/1",
    "/tables/%00",
    "/tables/..%2f..%2fetc",
    f"/tables/{NOWHERE.upper()}",
    "/tables/" + NOWHERE.replace("-", ""),
    "/tables/{" + NOWHERE + "}/state",
    f"/tables/{NOWHERE}",
    f"/tables/{NOWHERE}/state",
    f"/tables/{NOWHERE}/state?wait=25&after=0",
    f"/tables/{NOWHERE}/events",
    f"/tables/{NOWHERE}/state/",
    f"/tournaments/{NOWHERE}",
    "/tournaments/'%20OR%201=1",
    "/" + "a" * 5_000,
]


def test_paths_that_lead_nowhere(ona: Caller) -> None:
    for path in NOWHERE_PATHS:
        refused(ona.get(path), 404, "not_found")


@pytest.mark.parametrize("name", [name for name in KEYED if "{" in ROUTES[name].path])
def test_objects_that_do_not_exist(name: str) -> None:
    world = World()
    body = FIXTURES[name](world) | ({"version": 1} if "version" in FIXTURES[name](world) else {})
    ids = dict.fromkeys(world.ids, UUID(NOWHERE))
    before = picture()
    answer = actor_of(world, name).call(ROUTES[name].method, address(ROUTES[name].path, ids), body)
    refused(answer, 404, "not_found")
    assert picture() == before


def test_a_form_that_does_not_exist(ona: Caller) -> None:
    refused(ona.get("/tables", Accept="text/html"), 406, "not_acceptable")
    assert ona.get("/tables", Accept="*/*").status == 200
    assert ona.get("/tournaments?format=freezeout").status == 200
