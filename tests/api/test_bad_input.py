"""What bad input gets: a problem document with a stable code, and nothing changed."""

import json
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest

from eventstore.api.requests import AMOUNT_MAX, BODY_BYTES_MAX, KEYS_MAX
from games import selectors
from tests.api.callers import Answer, Caller, account, caller, picture
from tests.api.play import play, play_out, turn_at, turn_of
from tests.api.routes import ROUTES
from tests.api.test_authz import FIXTURES, NEW_ACCOUNT, NEW_TABLE, World, address
from tests.factories import PASSWORD, a_table, a_tournament, receipt, sits_down
from tournaments.services import entries

pytestmark = pytest.mark.django_db

NOWHERE = "0198f0c2-a000-7d68-b5ee-4127775f9b84"
WRITES = [name for name, route in ROUTES.items() if route.method in {"POST", "DELETE"}]
KEYED = [name for name in WRITES if not name.startswith("auth.")]
WITH_BODY = [name for name in WRITES if name not in {"auth.logout", "seat.leave", "entry.create"}]
ACTOR = MappingProxyType({"auth.register": "anon", "auth.login": "anon"})


@pytest.fixture
def ona() -> Caller:
    return caller("ona")


@pytest.fixture
def table(ona: Caller) -> UUID:
    """A table with a running hand of Ona and Petras, Ona to act."""
    made = a_table(ona.who, seats=3)
    sits_down(made, ona.who)
    sits_down(made, caller("petras").who)
    turn_of(made, ona.who.id)
    return made


@pytest.fixture
def unchanged() -> Iterator[None]:
    """Nothing that the test does after its set-up changes a single row."""
    before = picture()
    yield
    assert picture() == before


def actor_of(world: World, name: str) -> Caller:
    """Whoever may call an endpoint."""
    role = "organiser_own" if name.startswith("tournament.") else "player_own"
    return world.callers[ACTOR.get(name, role)]


def refused(answer: Answer, status: int, code: str) -> Any:
    """The problem document of a refusal of this status and code."""
    assert (answer.status, answer.code) == (status, code), answer.document
    return answer.document


# --- Amounts --------------------------------------------------------------------------------------

NO_AMOUNTS = [
    "0",
    "-1",
    "-0",
    "1.5",
    "100.0",
    "1e3",
    "1E400",
    '"100"',
    "true",
    "[100]",
    "{}",
    str(AMOUNT_MAX + 1),
    "9" * 40,
]


@pytest.mark.parametrize("text", NO_AMOUNTS)
@pytest.mark.parametrize("field", ["stake", "buy_in_min", "buy_in_max", "cap", "buy_in"])
def test_what_is_no_amount(field: str, text: str, ona: Caller) -> None:
    body: dict[str, Any] = dict(NEW_TABLE)
    path, pointer = "/tables", f"/{field}"
    if field == "cap":
        body["rake"], pointer = {"bp": 10, "cap": "?"}, "/rake/cap"
    elif field == "buy_in":
        path, body = f"/tables/{a_table(ona.who)}/seat", {"version": 1, "buy_in": "?"}
    else:
        body[field] = "?"
    raw = json.dumps(body).replace('"?"', text).encode()
    before = picture()
    problem = refused(ona.call("POST", path, raw=raw), 400, "bad_amount")
    assert [(one["pointer"], one["code"]) for one in problem["errors"]] == [(pointer, "bad_amount")]
    assert picture() == before


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "0x10", "1_0", "01", "+1"])
def test_what_is_no_number_at_all(text: str, ona: Caller) -> None:
    raw = b'{"stake": %s, "currency": "XTK", "seats": 3}' % text.encode()
    refused(ona.call("POST", "/tables", raw=raw), 400, "malformed_json")


def test_an_amount_that_is_missing_or_null(ona: Caller) -> None:
    problem = refused(ona.post("/tables", {"stake": None, "seats": 3}), 400, "bad_amount")
    assert [one["pointer"] for one in problem["errors"]] == ["/stake", "/currency"]
    problem = refused(ona.post("/tables", {}), 400, "bad_amount")
    assert len(problem["errors"]) == 3


def test_amounts_that_the_game_does_not_bear(ona: Caller) -> None:
    refused(ona.post("/tables", NEW_TABLE | {"stake": AMOUNT_MAX}), 400, "bad_amount")
    bounds = {"buy_in_min": 900, "buy_in_max": 800}
    refused(ona.post("/tables", NEW_TABLE | bounds), 422, "buy_in_out_of_range")
    refused(ona.post("/tables", NEW_TABLE | {"rake": {"bp": 10}}), 403, "not_permitted")


# --- Bodies ---------------------------------------------------------------------------------------

DEEP = b'{"x": ' + b"[" * 60 + b"]" * 60 + b"}"
VERY_DEEP = b'{"x": ' + b"[" * 700 + b"]" * 700 + b"}"
ABYSS = b'{"x": ' + b"[" * 30_000 + b"]" * 30_000 + b"}"
MANY_KEYS = json.dumps({f"k{number}": 1 for number in range(KEYS_MAX + 1)}).encode()
BODIES: list[tuple[bytes, str, int, str]] = [
    (b"{", "application/json", 400, "malformed_json"),
    (b"[]", "application/json", 400, "malformed_json"),
    (b"null", "application/json", 400, "malformed_json"),
    (b'"text"', "application/json", 400, "malformed_json"),
    (b"\xff\xfe{}", "application/json", 400, "malformed_json"),
    (b"\xef\xbb\xbf{}", "application/json", 400, "malformed_json"),
    ("{}".encode("utf-16"), "application/json", 400, "malformed_json"),
    (b'{"x": "\xe9"}', "application/json", 400, "malformed_json"),
    (b'{"x": "\\ud800"}', "application/json", 400, "malformed_json"),
    (b'{"\\ud800": 1}', "application/json", 400, "malformed_json"),
    (b'{"x": {"y": ["\\u0000"]}}', "application/json", 400, "invalid_field"),
    (DEEP, "application/json", 400, "malformed_json"),
    (VERY_DEEP, "application/json", 400, "malformed_json"),
    (ABYSS, "application/json", 400, "malformed_json"),
    (MANY_KEYS, "application/json", 400, "malformed_json"),
    (b'{"x": ' + b"9" * 5_000 + b"}", "application/json", 400, "malformed_json"),
    (b'{"nonsense": 1}', "application/json", 400, "unknown_field"),
    (b'{"x": 1, "x": 1}', "application/json", 400, "unknown_field"),
    (b'{"x": [{"y": 1, "y": 2}]}', "application/json", 400, "unknown_field"),
    (b" " * (BODY_BYTES_MAX + 1), "application/json", 413, "body_too_large"),
    (b"{}", "text/plain", 415, "unsupported_media_type"),
    (b"a=1", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
    (b"--x--", "multipart/form-data; boundary=x", 415, "unsupported_media_type"),
    (b"{}", "", 415, "unsupported_media_type"),
]


@pytest.mark.parametrize("name", WRITES)
def test_bodies_that_nobody_can_read(name: str) -> None:
    world = World()
    FIXTURES.get(name, lambda _: {})(world)
    route = ROUTES[name]
    path, who = address(route.path, world.ids), actor_of(world, name)
    before = picture()
    for raw, media, status, code in BODIES:
        answer = who.call(route.method, path, raw=raw, Content_Type=media)
        assert (answer.status, answer.code) == (status, code), (raw[:40], answer.document)
    assert picture() == before


def test_size_and_media_are_judged_before_the_token() -> None:
    nobody = Caller("tonk_nonsense")
    large = b" " * (BODY_BYTES_MAX + 1)
    refused(nobody.call("POST", "/tables", raw=large), 413, "body_too_large")
    answer = nobody.call("POST", "/tables", raw=b"{}", Content_Type="text/plain")
    refused(answer, 415, "unsupported_media_type")


def test_all_faults_at_once_with_their_places(ona: Caller) -> None:
    body = NEW_TABLE | {
        "seats": 7,
        "clock": "slow",
        "x": 1,
        "bots": [{"level": "random-0"}, {"level": 1}],
        "rake": {"bp": 1, "zzz": 1},
    }
    problem = refused(ona.post("/tables", body), 400, "unknown_field")
    assert {(one["pointer"], one["code"]) for one in problem["errors"]} == {
        ("/x", "unknown_field"),
        ("/rake/zzz", "unknown_field"),
        ("/seats", "invalid_field"),
        ("/clock", "invalid_field"),
        ("/bots/1/level", "invalid_field"),
    }


FREE_MEMBERS: list[dict[str, Any]] = [
    {"hand_size": 1.5},
    {"Hand Size": 5},
    {"hand_size": 10**17},
    {"a" * 41: 1},
    {"hand_size": "x" * 2_000},
]


@pytest.mark.parametrize("free", FREE_MEMBERS)
def test_free_members_hold_what_a_hash_is_over(free: dict[str, Any]) -> None:
    jonas = caller("jonas", "organiser")
    before = picture()
    problem = refused(jonas.post("/tables", NEW_TABLE | {"options": free}), 400, "invalid_field")
    assert problem["errors"][0]["pointer"] == "/options"
    draft = {"template": "sim-short", "name": "Evening", "overrides": free}
    problem = refused(jonas.post("/tournaments", draft), 400, "invalid_field")
    assert problem["errors"][0]["pointer"] == "/overrides"
    assert picture() == before


@pytest.mark.parametrize(
    "value", [None, True, "", [], {}, [[]], -1, 10**15, {"a": [1]}, ["x"]], ids=str
)
@pytest.mark.parametrize("option", ["deck", "initial_low", "knock_max_count", "nonsense", "slap"])
def test_options_that_do_not_work(option: str, value: Any, ona: Caller) -> None:
    answer = ona.post("/tables", NEW_TABLE | {"options": {option: value}})
    if answer.status != 201:
        problem = refused(answer, 422, "bad_options")
        assert problem["problems"][0]["option"] == option


@pytest.mark.parametrize("value", [None, True, "", [], {}, [[]], -1, 10**15, ["x"]], ids=str)
@pytest.mark.parametrize(
    "option", ["seats", "payout_bp", "buy_in", "game_rules", "start", "levels", "nonsense"]
)
def test_structures_that_do_not_work(option: str, value: Any) -> None:
    jonas = caller("jonas", "organiser")
    draft = {"template": "sim-short", "name": "Evening", "overrides": {option: value}}
    answer = jonas.post("/tournaments", draft)
    if answer.status != 201:
        refused(answer, 422, "bad_structure")


# --- Parameters, paths, methods -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "code"),
    [
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
        ),  # no zone  # noqa: E501
    ],
)
@pytest.mark.parametrize("path", ["/tables", "/tournaments", "/me/tables", "/tournament-templates"])
def test_parameters_of_lists(path: str, query: str, code: str, ona: Caller) -> None:
    refused(ona.get(f"{path}?{query}"), 400, code)


@pytest.mark.parametrize(
    ("path", "query"),
    [
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
        ("/tables/{table}/state", "wait=１&after=99"),
        ("/tables/{table}/state", "after=x"),
    ],
)
def test_parameters_of_one_endpoint(path: str, query: str, ona: Caller) -> None:
    filled = path.format(table=a_table(ona.who))
    problem = refused(ona.get(f"{filled}?{query}"), 400, "invalid_field")
    assert problem["errors"]
    assert refused(ona.get(f"{filled}?zzz=1"), 400, "unknown_field")["errors"][0] == {
        "pointer": "/zzz",
        "code": "unknown_field",
        "detail": "no parameter here",
    }


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


@pytest.mark.parametrize(
    "path",
    [
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
    ],
)
def test_paths_that_lead_nowhere(path: str, ona: Caller) -> None:
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


# --- Keys and versions ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", KEYED)
def test_a_key_names_one_request(name: str) -> None:
    world = World()
    body = FIXTURES.get(name, lambda _: {})(world)
    route, who = ROUTES[name], actor_of(world, name)
    path = address(route.path, world.ids)
    before = picture()
    answer = who.call(route.method, path, body, Idempotency_Key=None)
    refused(answer, 400, "idempotency_key_missing")
    for key in ("", "short", "a" * 129, "a" * 15, "with spaces in it", "ąčęėįšųūž-ąčęėįšųūž"):
        answer = who.call(route.method, path, body, Idempotency_Key=key)
        assert refused(answer, 400, "invalid_field")["errors"]
    assert picture() == before
    key = "k" * 16
    first = who.call(route.method, path, body, Idempotency_Key=key)
    assert first.status < 300, first.document
    after = picture()
    again = who.call(route.method, path, body, Idempotency_Key=key)
    assert (again.status, again.content) == (first.status, first.content)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    if name in WITH_BODY:
        other = _other(name, body)
        answer = who.call(route.method, path, other, Idempotency_Key=key)
        refused(answer, 422, "idempotency_key_reused")
    assert picture() == after


def _other(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """Another well-formed request of the same endpoint."""
    changes: dict[str, dict[str, Any]] = {
        "table.create": {"stake": 20},
        "table.close": {"reason": "other"},
        "table.bot_add": {"level": "greedy-1"},
        "tournament.create": {"name": "Morning"},
        "tournament.bots_add": {"count": 1},
    }
    return body | changes.get(name, {"version": body.get("version", 0) + 7})


def test_a_repeated_opening_says_what_the_first_said(ona: Caller) -> None:
    first = ona.post("/tables", NEW_TABLE, Idempotency_Key="k" * 16)
    sits_down(UUID(first.document["table_id"]), ona.who)
    again = ona.post("/tables", NEW_TABLE, Idempotency_Key="k" * 16)
    assert again.content == first.content
    assert again.headers["Location"] == first.headers["Location"]


def test_keys_belong_to_their_account_and_path(ona: Caller) -> None:
    key = "k" * 16
    assert ona.post("/tables", NEW_TABLE, Idempotency_Key=key).status == 201
    petras = caller("petras")
    made = petras.post("/tables", NEW_TABLE, Idempotency_Key=key)
    assert (made.status, made.headers.get("Idempotency-Replayed")) == (201, None)
    path = f"/tables/{made.document['table_id']}/close"
    refused(ona.post(path, {}, Idempotency_Key=key), 422, "idempotency_key_reused")


def test_the_version_is_part_of_the_request(ona: Caller, table: UUID) -> None:
    """Whether it stands in the body or in If-Match."""
    turn, key = turn_at(table), "k" * 16
    path, body = f"/tables/{table}/moves", {"move": turn.legal[0]["move"]}
    first = ona.post(path, body, Idempotency_Key=key, If_Match=f'"v{turn.version}.s1"')
    assert first.status == 200
    again = ona.post(path, body | {"version": turn.version}, Idempotency_Key=key)
    assert (again.content, again.headers["Idempotency-Replayed"]) == (first.content, "true")
    answer = ona.post(path, body, Idempotency_Key=key, If_Match=f'"v{turn.version + 1}.s1"')
    refused(answer, 422, "idempotency_key_reused")


VERSIONED = ["seat.take", "table.move", "tournament.publish", "tournament.start"]
VERSIONED += ["tournament.open_registration", "tournament.bots_add"]


@pytest.mark.parametrize("name", VERSIONED)
def test_the_version_that_the_client_saw(name: str) -> None:
    world = World()
    body = FIXTURES[name](world)
    version = body.pop("version")
    path, who = address(ROUTES[name].path, world.ids), actor_of(world, name)
    before = picture()
    refused(who.post(path, body), 428, "version_missing")
    for stale in (0, version - 1, version + 1, 2**31 - 1):
        problem = refused(who.post(path, body | {"version": stale}), 409, "stale_version")
        assert problem["current_version"] == version
        if "table_id" in world.ids:
            seen = who.get(f"/tables/{world.ids['table_id']}/state").document
            assert problem["state"] == seen
    for wrong in (-1, 1.0, "1", True, 2**31):
        refused(who.post(path, body | {"version": wrong}), 400, "invalid_field")
    forms = ["1", '"1"', "*", 'W/"v1.p"', '"v1"', '"v1.s7"', '"v1.x"', '"v-1.p"', '"v1.p", "v2.p"']
    for form in [*forms, '"v' + "9" * 30 + '.p"', "", '"v１.p"']:
        problem = refused(who.post(path, body, If_Match=form), 400, "invalid_field")
        assert problem["errors"][0]["pointer"] == "/If-Match"
    both = who.post(path, body | {"version": version}, If_Match=f'"v{version + 1}.p"')
    refused(both, 400, "invalid_field")
    assert picture() == before
    assert who.post(path, body, If_Match=f'"v{version}.p"').status < 300


# --- Play -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "move",
    [
        "X", "s", "S S", "S 5H", "D", "D 5h", "D 1H", "D 5H 6H", "L", "L 5H", "L 5H 5H 5H", "H 5H",
        "H 5H 1", "H 5H m0", "H 5H m1 up", "K K", " S", "S ", "D  5H", "D\t5H", "D ５H", "\u0661",
        "D XX", "P 5H 6H", "x" * 64,
    ],
)  # fmt: skip
def test_moves_that_nobody_can_read(move: str, ona: Caller, table: UUID, unchanged: None) -> None:
    body = {"move": move, "version": selectors.live_row(table).version}
    answer = ona.post(f"/tables/{table}/moves", body)
    assert (answer.status, answer.code) in {(400, "bad_card"), (422, "card_not_in_hand")}, move


@pytest.mark.parametrize("move", ["", "x" * 65, None, 5, ["S"], {"draw": True}])
def test_moves_of_the_wrong_type(move: Any, ona: Caller, table: UUID, unchanged: None) -> None:
    body = {"move": move, "version": selectors.live_row(table).version}
    refused(ona.post(f"/tables/{table}/moves", body), 400, "invalid_field")


def test_illegal_moves_name_the_rule_the_facts_and_what_is_legal(ona: Caller, table: UUID) -> None:
    path = f"/tables/{table}/moves"
    turn = turn_at(table)
    held = turn.state["cards"]
    before = picture()

    def try_(move: str) -> Any:
        answer = ona.post(path, {"move": move, "version": turn.version})
        seen = ona.get(f"/tables/{table}/state").document
        assert answer.document["legal"] == seen["legal"]
        assert answer.document["rule"]
        return refused(answer, 422, answer.code)

    problem = try_(f"D {held[0]}")
    assert (problem["code"], problem["rule"]) == ("must_draw_first", "R14")
    assert try_(f"L {' '.join(held[:3])}")["code"] == "must_draw_first"
    assert picture() == before
    play(table, turn, "S")
    turn = turn_at(table)
    before = picture()
    assert try_("S")["code"] == "already_drawn"
    assert try_("T")["code"] == "already_drawn"
    assert try_("K")["code"] == "knock_only_at_turn_start"
    other = next(card for card in ("2C", "9H", "KD", "5S", "7D", "AC") if card not in held)
    other = next(
        f"{rank}{suit}"
        for rank in "A23456789TJQK"
        for suit in "CDHS"
        if f"{rank}{suit}" not in turn.state["cards"]
    )
    problem = try_(f"D {other}")
    assert (problem["code"], problem["facts"]) == ("card_not_in_hand", {"card": other})
    assert try_(f"H {turn.state['cards'][0]} m9")["code"] == "bad_hit"
    assert picture() == before


def test_moves_out_of_turn_and_without_a_seat(ona: Caller, table: UUID) -> None:
    petras, stranger = account_of("petras"), caller("zigmas")
    turn = turn_at(table)
    body = {"move": "S", "version": turn.version}
    path = f"/tables/{table}/moves"
    before = picture()
    problem = refused(petras.post(path, body), 409, "not_your_turn")
    assert problem["facts"] == {"to_act": turn.seat}
    assert "legal" not in problem
    refused(stranger.post(path, body), 403, "not_seated")
    refused(Caller().post(path, body), 401, "not_authenticated")
    stale = refused(petras.post(path, body | {"version": 1}), 409, "stale_version")
    assert stale["state"]["viewer"]["seat"] != turn.seat
    assert picture() == before
    play_out(table)
    body["version"] = selectors.live_row(table).version
    refused(ona.post(path, body), 409, "no_hand")


def account_of(name: str) -> Caller:
    """The signed-in caller of an account that is there."""
    answer = Caller().post("/auth/login", {"username": name, "password": PASSWORD})
    return Caller(answer.document["token"])


# --- People, seats, entries, money ----------------------------------------------------------------


def test_registering(ona: Caller) -> None:
    nobody = Caller()
    before = picture()
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({"username": "ona"}, 409, "name_taken"),
        ({"username": "ONA"}, 409, "name_taken"),
        ({"display_name": "oNA"}, 409, "name_taken"),
        ({"username": "o"}, 400, "invalid_field"),
        ({"username": "o n a"}, 400, "invalid_field"),
        ({"username": "о" * 5}, 400, "invalid_field"),  # noqa: RUF001  # Cyrillic on purpose
        ({"display_name": ""}, 422, "name_confusable"),
        ({"display_name": "a\u202eb"}, 422, "name_confusable"),
        ({"display_name": "x" * 41}, 422, "name_confusable"),
        ({"password": "short"}, 422, "weak_password"),
        ({"password": "password1234"}, 422, "weak_password"),
        ({"password": "1" * 2_000}, 400, "invalid_field"),
        ({"email": "nobody"}, 400, "invalid_field"),
        ({"email": "a@" + "b" * 300}, 400, "invalid_field"),
        ({"of_age": False}, 400, "invalid_field"),
        ({"of_age": 1}, 400, "invalid_field"),
        ({"language": "de"}, 400, "invalid_field"),
        ({"roles": ["admin"]}, 400, "unknown_field"),
        ({"kind": "bot"}, 400, "unknown_field"),
    ]
    for change, status, code in cases:
        answer = nobody.post("/auth/register", NEW_ACCOUNT | change)
        problem = refused(answer, status, code)
        assert status != 400 or problem["errors"]
    refused(ona.post("/auth/register", dict(NEW_ACCOUNT)), 403, "signed_in_already")
    assert picture() == before
    assert nobody.post("/auth/register", dict(NEW_ACCOUNT)).status == 201
    refused(nobody.post("/auth/register", dict(NEW_ACCOUNT)), 409, "name_taken")


def test_logging_in(ona: Caller) -> None:
    nobody = Caller()
    before = picture()
    right = {"username": "ona", "password": PASSWORD}
    wrong = refused(nobody.post("/auth/login", right | {"password": "x"}), 401, "bad_credentials")
    unknown = refused(nobody.post("/auth/login", right | {"username": "z"}), 401, "bad_credentials")
    for member in ("request_id",):
        del wrong[member], unknown[member]
    assert wrong == unknown
    for scopes in (["admin"], ["nonsense"], ["read", "organise"]):
        answer = nobody.post("/auth/login", right | {"scopes": scopes})
        refused(answer, 403, "scope_too_wide")
    for scopes in ([], "read", [1], ["read"] * 7):
        refused(nobody.post("/auth/login", right | {"scopes": scopes}), 400, "invalid_field")
    assert picture() == before


def test_sitting_down() -> None:
    ona, petras = caller("ona"), caller("petras")
    table = a_table(ona.who, seats=2)
    path = f"/tables/{table}/seat"
    before = picture()
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({"buy_in": 1}, 422, "buy_in_out_of_range"),
        ({"buy_in": 10**9}, 422, "buy_in_out_of_range"),
        ({"seat": 3}, 400, "invalid_field"),
        ({"seat": 7}, 400, "invalid_field"),
        ({"seat": 0}, 400, "invalid_field"),
        ({"player": str(petras.who.id)}, 400, "unknown_field"),
    ]
    for change, status, code in cases:
        refused(ona.post(path, {"buy_in": 500, "version": 1} | change), status, code)
    assert picture() == before
    assert ona.post(path, {"buy_in": 500, "version": 1, "seat": 2}).status == 201
    before = picture()
    refused(ona.post(path, {"buy_in": 500, "version": 2}), 409, "already_seated")
    answer = petras.post(path, {"buy_in": 500, "version": 2, "seat": 2})
    refused(answer, 409, "seat_taken")
    refused(petras.call("DELETE", path), 403, "not_seated")
    refused(petras.post(f"/tables/{table}/close", {}), 403, "not_permitted")
    refused(petras.post(f"/tables/{table}/bots", {"level": "random-0"}), 403, "not_permitted")
    assert picture() == before
    sits_down(table, petras.who)
    before = picture()
    answer = caller("zigmas").post(path, {"buy_in": 500, "version": 3})
    refused(answer, 409, "table_full")
    refused(ona.post(f"/tables/{table}/bots", {"level": "random-0"}), 409, "table_full")


def test_no_bot_is_made_for_a_wish_in_vain() -> None:
    ona, jonas = caller("ona"), caller("jonas", "organiser")
    table = a_table(ona.who)
    sits_down(table, ona.who)
    tournament = a_tournament(jonas.who)
    bots = f"/tournaments/{tournament}/bots"
    before = picture()
    level = {"level": "random-0"}
    refused(ona.post(f"/tables/{table}/bots", level | {"seat": 2}), 409, "seat_taken")
    refused(ona.post(f"/tables/{table}/bots", level | {"seat": 4}), 400, "invalid_field")
    refused(ona.post(f"/tables/{table}/bots", {"level": "genius-9"}), 404, "not_found")
    refused(ona.post("/tables", NEW_TABLE | {"bots": [level] * 4}), 409, "table_full")
    twice = [level | {"seat": 1}, level | {"seat": 1}]
    refused(ona.post("/tables", NEW_TABLE | {"bots": twice}), 409, "seat_taken")
    away = NEW_TABLE | {"bots": [level | {"seat": 5}]}
    refused(ona.post("/tables", away), 400, "invalid_field")
    foreign = NEW_TABLE | {"bots": [level], "currency": "EUR"}
    refused(ona.post("/tables", foreign), 403, "bots_not_admitted")
    nowhere = NEW_TABLE | {"bots": [level], "currency": "ABC"}
    refused(ona.post("/tables", nowhere), 400, "unknown_currency")
    refused(jonas.post(bots, level | {"count": 1, "version": 1}), 409, "stale_version")
    refused(jonas.post(bots, level | {"count": 10, "version": 3}), 409, "field_full")
    for count in (0, 101, "1", 1.0, True):
        refused(jonas.post(bots, level | {"count": count, "version": 3}), 400, "invalid_field")
    assert picture() == before


def test_too_little_money() -> None:
    ona = caller("ona")
    table = a_table(ona.who, stake=1_000, buy_in_max=10**6)
    path = f"/tables/{table}/seat"
    before = picture()
    problem = refused(ona.post(path, {"buy_in": 20_000, "version": 1}), 409, "insufficient_funds")
    assert problem["facts"]["available"] == 10_000
    tournament = a_tournament(caller("jonas", "organiser").who, buy_in=50_000)
    before = picture()
    refused(ona.post(f"/tournaments/{tournament}/entries", {}), 409, "insufficient_funds")
    assert picture() == before


def test_entering() -> None:
    ona, jonas = caller("ona"), caller("jonas", "organiser")
    tournament = a_tournament(jonas.who)
    path = f"/tournaments/{tournament}"
    entries.register(tournament, ona.who, receipt())
    before = picture()
    refused(ona.post(f"{path}/entries", {}), 409, "already_registered")
    refused(ona.post(f"{path}/entries", {"player": "x"}), 400, "unknown_field")
    refused(jonas.post(f"{path}/entries", {}), 403, "conflict_of_interest")
    problem = refused(jonas.post(f"{path}/start", {"version": 4}), 409, "too_few_players")
    assert problem["facts"] == {"entries": 1, "entries_min": 9}
    assert problem["title"] == "There are 1 entries; 9 are needed."
    problem = refused(jonas.post(f"{path}/publish", {"version": 4}), 409, "wrong_state")
    assert problem["facts"]["status"] == "registration"
    refused(ona.post(f"{path}/start", {"version": 4}), 403, "insufficient_scope")
    assert picture() == before


def test_seats_of_a_tournament_are_not_taken_or_left() -> None:
    ona, jonas = caller("ona"), caller("jonas", "organiser")
    tournament = a_tournament(jonas.who, entries_min=2, start=None)
    entries.register(tournament, ona.who, receipt())
    entries.register(tournament, caller("petras").who, receipt())
    assert jonas.post(f"/tournaments/{tournament}/start", {"version": 5}).status == 200
    (table,) = selectors.tables_of_tournament(tournament)
    path = f"/tables/{table.id}/seat"
    before = picture()
    refused(ona.call("DELETE", path), 409, "tournament_table")
    body = {"buy_in": 500, "version": table.version}
    refused(jonas.post(path, body), 409, "tournament_table")
    refused(jonas.post(f"/tables/{table.id}/bots", {"level": "random-0"}), 409, "tournament_table")
    refused(jonas.post(f"/tournaments/{tournament}/entries", {}), 403, "conflict_of_interest")
    late = caller("zigmas").post(f"/tournaments/{tournament}/entries", {})
    refused(late, 409, "registration_closed")
    assert picture() == before


def test_a_limit_of_open_tables(ona: Caller) -> None:
    for _ in range(20):
        a_table(ona.who)
    problem = refused(ona.post("/tables", dict(NEW_TABLE)), 409, "limit_reached")
    assert problem["facts"] == {"limit": 20}


# --- What a problem document looks like -----------------------------------------------------------


def test_the_words_follow_the_language(ona: Caller) -> None:
    english = ona.get("/tables/x").document
    assert english["title"] == "There is no such thing, or none that you may know of."
    lithuanian = "Tokio dalyko nėra arba jis jums nematomas."
    assert ona.get("/tables/x", Accept_Language="lt").document["title"] == lithuanian
    for path in (f"/tables/{NOWHERE}", f"/tables/{NOWHERE}/state"):
        answer = ona.get(path, Accept_Language="lt-LT, en;q=0.5")
        assert answer.document["title"] == answer.document["detail"] == lithuanian
        assert answer.headers["Content-Language"] == "lt"
        assert ona.get(path, Accept_Language="de").document["title"] == english["title"]


def test_the_account_has_a_language_of_its_own(ona: Caller) -> None:
    who = account(ona.who.id)
    who.language = "lt"
    who.save(update_fields=["language"])
    path = f"/tables/{NOWHERE}"
    assert ona.get(path).document["title"].startswith("Tokio")
    assert ona.get(path, Accept_Language="en").document["title"].startswith("There is")
    assert Caller().get(path).document["title"].startswith("There is")


def test_the_members_of_a_problem(ona: Caller) -> None:
    answer = ona.get(f"/tables/{NOWHERE}", X_Request_Id="my-own-request-id")
    assert answer.document == {
        "type": "/problems/not_found",
        "title": "There is no such thing, or none that you may know of.",
        "status": 404,
        "detail": "There is no such thing, or none that you may know of.",
        "instance": f"/api/v1/tables/{NOWHERE}",
        "code": "not_found",
        "retryable": False,
        "request_id": "my-own-request-id",
        "facts": {},
    }
    assert answer.headers["X-Request-Id"] == "my-own-request-id"
    assert answer.headers["Server-Time"].endswith("Z")
    assert ona.get("/me", X_Request_Id="short").headers["X-Request-Id"] != "short"
