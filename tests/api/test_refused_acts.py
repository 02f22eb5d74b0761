"""Acts that the game, the books or the event refuse: a code, facts, and nothing changed."""

from typing import Any
from uuid import UUID

import pytest

from games import selectors
from tests.api.callers import Caller, caller, picture, refused
from tests.api.world import NEW_ACCOUNT, NEW_TABLE
from tests.corpus import BEYOND, MOVES
from tonk_site.proving.acting.factories import WORDS as PASSWORD
from tonk_site.proving.acting.factories import a_table, a_tournament, receipt, sits_down
from tonk_site.proving.acting.play import play, play_out, turn_at
from tournaments.services import entries

pytestmark = pytest.mark.django_db


def test_moves_that_nobody_can_read(table: UUID, ona: Caller, unchanged: None) -> None:
    version = selectors.live_row(table).version
    for move in MOVES:
        answer = ona.post(f"/tables/{table}/moves", {"move": move, "version": version})
        # One card laid alone can be read, and is no spread.
        known = {(400, "bad_card"), (422, "must_draw_first")}
        assert (answer.status, answer.code) in known, move
    for wrong in (*BEYOND, None, 5, ["S"], {"draw": True}):
        answer = ona.post(f"/tables/{table}/moves", {"move": wrong, "version": version})
        refused(answer, 400, "invalid_field")


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
    assert problem["code"] == "must_draw_first"
    assert try_(f"L {' '.join(held[:3])}")["code"] == "must_draw_first"
    assert picture() == before
    play(table, turn, "S")
    turn = turn_at(table)
    before = picture()
    assert try_("S")["code"] == "already_drawn"
    assert try_("T")["code"] == "already_drawn"
    assert try_("K")["code"] == "knock_only_at_turn_start"
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


def test_E10_moves_out_of_turn_and_without_a_seat(ona: Caller, petras: Caller, table: UUID) -> None:
    stranger = caller("zigmas")
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


def test_registering(ona: Caller) -> None:
    nobody = Caller()
    before = picture()
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({"username": "ona"}, 409, "name_taken"),
        ({"username": "ONA"}, 409, "name_taken"),
        ({"display_name": "oNA"}, 409, "name_taken"),
        ({"username": "o"}, 400, "invalid_field"),
        ({"username": "o n a"}, 400, "invalid_field"),
        ({"username": "\u043e" * 5}, 400, "invalid_field"),  # Cyrillic
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
    taken = refused(nobody.post("/auth/register", dict(NEW_ACCOUNT)), 409, "name_taken")
    assert taken["facts"] == {"field": "username"}


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
    for wrong_scopes in ([], "read", [1], ["read"] * 7):
        answer = nobody.post("/auth/login", right | {"scopes": wrong_scopes})
        refused(answer, 400, "invalid_field")
    assert picture() == before


def test_sitting_down(ona: Caller, petras: Caller) -> None:
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


def test_no_bot_is_made_for_a_wish_in_vain(ona: Caller) -> None:
    jonas = caller("jonas", "organiser")
    table = a_table(ona.who)
    seat = sits_down(table, ona.who)
    tournament = a_tournament(jonas.who)
    bots = f"/tournaments/{tournament}/bots"
    before = picture()
    level = {"level": "random-0"}
    refused(ona.post(f"/tables/{table}/bots", level | {"seat": seat}), 409, "seat_taken")
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


def test_too_little_money(ona: Caller) -> None:
    table = a_table(ona.who, stake=1_000, buy_in_max=10**6)
    path = f"/tables/{table}/seat"
    before = picture()
    problem = refused(ona.post(path, {"buy_in": 20_000, "version": 1}), 409, "insufficient_funds")
    assert problem["facts"]["available_minor"] == 10_000
    tournament = a_tournament(caller("jonas", "organiser").who, buy_in=50_000)
    before = picture()
    refused(ona.post(f"/tournaments/{tournament}/entries", {}), 409, "insufficient_funds")
    assert picture() == before


def test_entering(ona: Caller) -> None:
    jonas = caller("jonas", "organiser")
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


def test_seats_of_a_tournament_are_not_taken_or_left(ona: Caller, petras: Caller) -> None:
    late, jonas = caller("zigmas"), caller("jonas", "organiser")
    tournament = a_tournament(jonas.who, entries_min=2, start=None)
    entries.register(tournament, ona.who, receipt())
    entries.register(tournament, petras.who, receipt())
    assert jonas.post(f"/tournaments/{tournament}/start", {"version": 5}).status == 200
    (table,) = selectors.tables_of_tournament(tournament)
    path = f"/tables/{table.id}/seat"
    before = picture()
    refused(ona.call("DELETE", path), 409, "tournament_table")
    body = {"buy_in": 500, "version": table.version}
    refused(jonas.post(path, body), 409, "tournament_table")
    refused(jonas.post(f"/tables/{table.id}/bots", {"level": "random-0"}), 409, "tournament_table")
    refused(jonas.post(f"/tournaments/{tournament}/entries", {}), 403, "conflict_of_interest")
    refused(late.post(f"/tournaments/{tournament}/entries", {}), 409, "registration_closed")
    assert picture() == before


def test_a_limit_of_open_tables(ona: Caller) -> None:
    for _ in range(20):
        a_table(ona.who)
    problem = refused(ona.post("/tables", dict(NEW_TABLE)), 409, "limit_reached")
    assert problem["facts"] == {"limit": 20}
