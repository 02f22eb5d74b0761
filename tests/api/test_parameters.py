"""Parameters, paths and methods that an endpoint does not know."""

from dataclasses import replace

import pytest

from tests.api.callers import NOWHERE, Caller, picture, refused
from tests.api.routes import ROUTES
from tests.api.world import KEYED, WRITES, World, address, ready
from tonk_site.proving.acting.factories import a_table

pytestmark = pytest.mark.django_db


METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}
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
    (
        "cursor=WyIyMDI2LTAxLTAxVDAwOjAwOjAwWiIsICIwMTk4ZjBjMi1hMDAwLTdkNjgtYjVlZS00MTI3Nzc1ZjliODQiXQ",
        "bad_cursor",
    ),  # a mark, but not in the form that is given out
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
    ("/ledger/me", "as_of=0001-01-01T00:00:00%2B23:59"),
    ("/ledger/deposits", "to=9999-12-31T23:59:59-23:59"),
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


def test_writes_know_no_parameters(world: World, subtests: pytest.Subtests) -> None:
    for name in WRITES:
        with subtests.test(name), ready(world, name) as endpoint:
            asked = replace(endpoint, path=f"{endpoint.path}?player=x")
            refused(asked.call(endpoint.body), 400, "unknown_field")


@pytest.mark.slow
def test_methods_that_a_path_does_not_know(ona: Caller, subtests: pytest.Subtests) -> None:
    for path in sorted({route.path for route in ROUTES.values()}):
        known = {route.method for route in ROUTES.values() if route.path == path}
        known |= {"HEAD"} if "GET" in known else set()
        for method in METHODS - known:
            with subtests.test(f"{method} {path}"):
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


@pytest.mark.slow
def test_objects_that_do_not_exist(world: World, subtests: pytest.Subtests) -> None:
    for name in KEYED:
        if "{" in ROUTES[name].path:
            with subtests.test(name), ready(world, name) as endpoint:
                before = picture()
                lost = replace(endpoint, path=address(ROUTES[name].path, {}))
                refused(lost.call(endpoint.body), 404, "not_found")
                assert picture() == before


def test_a_form_that_does_not_exist(ona: Caller) -> None:
    refused(ona.get("/tables", Accept="text/html"), 406, "not_acceptable")
    assert ona.get("/tables", Accept="*/*").status == 200
    assert ona.get("/tournaments?format=freezeout").status == 200
