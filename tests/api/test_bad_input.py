"""What bad input gets: a problem document with a stable code, and nothing changed."""

import json
from typing import Any

import pytest
from django.db import connection

from eventstore.api.requests import AMOUNT_MAX, BODY_BYTES_MAX
from tests.api.callers import Caller, caller, picture, refused
from tests.api.world import NEW_TABLE, WRITES, World, ready, undone
from tests.corpus import BODIES, NO_AMOUNTS, NO_JSON
from tonk_site.proving.acting.factories import a_table

pytestmark = pytest.mark.django_db


# --- Amounts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["stake", "buy_in_min", "buy_in_max", "cap", "buy_in"])
def test_D8_what_is_no_amount(field: str, ona: Caller) -> None:
    body: dict[str, Any] = dict(NEW_TABLE)
    path, pointer = "/tables", f"/{field}"
    if field == "cap":
        body["rake"], pointer = {"bp": 10, "cap": "?"}, "/rake/cap"
    elif field == "buy_in":
        path, body = f"/tables/{a_table(ona.who)}/seat", {"version": 1, "buy_in": "?"}
    else:
        body[field] = "?"
    before = picture()
    for text in NO_AMOUNTS:
        raw = json.dumps(body).replace('"?"', text).encode()
        problem = refused(ona.call("POST", path, raw=raw), 400, "bad_amount")
        found = [(one["pointer"], one["code"]) for one in problem["errors"]]
        assert found == [(pointer, "bad_amount")], text
    assert picture() == before


def test_D13_what_is_no_number_at_all(ona: Caller) -> None:
    for text in NO_JSON:
        raw = f'{{"stake": {text}, "currency": "XTK", "seats": 3}}'.encode()
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


@pytest.mark.slow
def test_bodies_that_nobody_can_read(world: World, subtests: pytest.Subtests) -> None:
    for name in WRITES:
        with subtests.test(name), ready(world, name) as endpoint:
            before = picture()
            for raw, media, status, code in BODIES:
                answer = endpoint.call(raw=raw, Content_Type=media)
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


DRAFT = {"template": "sim-short", "name": "Evening"}
FREE_MEMBERS: list[dict[str, Any]] = [
    {"hand_size": 1.5},
    {"Hand Size": 5},
    {"hand_size": 10**17},
    {"a" * 41: 1},
    {"hand_size": "x" * 2_000},
]


def test_free_members_hold_what_a_hash_is_over() -> None:
    jonas = caller("jonas", "organiser")
    before = picture()
    for free in FREE_MEMBERS:
        answer = jonas.post("/tables", NEW_TABLE | {"options": free})
        assert refused(answer, 400, "invalid_field")["errors"][0]["pointer"] == "/options"
        answer = jonas.post("/tournaments", DRAFT | {"overrides": free})
        assert refused(answer, 400, "invalid_field")["errors"][0]["pointer"] == "/overrides"
    assert picture() == before


NONSENSE: list[Any] = [None, True, "", "x", [], {}, [[]], -1, 10**15, {"a": [1]}, ["x"], [None]]
OPTIONS = ["deck", "initial_low", "knock_max_count", "max_players", "slap", "nonsense"]
STRUCTURE = ["seats", "payout_bp", "buy_in", "game_rules", "start", "level_by", "nonsense"]


@pytest.mark.parametrize("option", OPTIONS)
def test_options_that_do_not_work(option: str, ona: Caller) -> None:
    for value in NONSENSE:
        with undone():
            answer = ona.post("/tables", NEW_TABLE | {"options": {option: value}})
        if answer.status != 201:
            assert refused(answer, 422, "bad_options")["problems"][0]["option"] == option


@pytest.mark.parametrize("option", STRUCTURE)
def test_structures_that_do_not_work(option: str) -> None:
    jonas = caller("jonas", "organiser")
    for value in NONSENSE:
        with undone():
            answer = jonas.post("/tournaments", DRAFT | {"overrides": {option: value}})
        if answer.status != 201:
            assert refused(answer, 422, "bad_structure")["problems"]
    refused(jonas.post("/tournaments", DRAFT | {"template": "nonsense"}), 422, "bad_structure")


# --- Fractions ------------------------------------------------------------------------------------

FRACTIONS = """SELECT format('%s.%s', table_name, column_name) FROM information_schema.columns
    WHERE table_schema IN ('public', 'ledger')
        AND data_type IN ('real', 'double precision', 'numeric')"""


@pytest.mark.slow
def test_D7_amounts_are_whole_numbers_from_end_to_end(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute(FRACTIONS)
        assert cursor.fetchall() == []
    world.money()
    world.ended_hand()
    ona, auditor = world.callers["player_own"], world.callers["auditor"]
    answers = [ona.get(path) for path in ("/ledger/me", f"/tables/{world.ids['table_id']}/events")]
    answers += [auditor.get(f"/ledger/{name}") for name in ("entries", "accounts")]
    for answer in answers:
        assert answer.status == 200
        json.loads(answer.content, parse_float=fraction)


def fraction(text: str) -> None:
    raise AssertionError(f"a fraction: {text}")
