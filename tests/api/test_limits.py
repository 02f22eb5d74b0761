"""Limits and exclusion over HTTP: what is set, what waits, what is refused."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from eventstore.core.record import time_of, time_text
from eventstore.services import in_transaction
from tests.api.callers import Answer, Caller, caller, picture, refused
from tests.api.world import NEW_TABLE
from tests.corpus import NO_AMOUNTS
from tonk_site.proving.acting.factories import a_table

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
OF_MONEY = ["stake_max", "loss_day", "loss_week", "loss_month"]
OF_MONEY += ["deposit_day", "deposit_week", "deposit_month"]


def put(who: Caller, body: Any, **sent: Any) -> Answer:
    return who.call("PUT", "/me/limits", body, **sent)


def clock() -> datetime:
    return in_transaction(lambda tx: tx.now)


def test_nothing_is_set_at_first(ona: Caller) -> None:
    assert ona.get("/me/limits").document == {"limits": {}, "pending": []}
    assert ona.get("/me").document["limits"] == {}


def test_every_limit_can_be_set_and_is_shown(ona: Caller) -> None:
    limits: dict[str, Any] = {name: {"EUR": 5_000, "XTK": 900} for name in OF_MONEY}
    limits["play_minutes_day"] = 90
    answer = put(ona, limits)
    assert (answer.status, answer.document) == (200, {"limits": limits, "pending": []})
    assert ona.get("/me/limits").document == answer.document
    assert ona.get("/me").document["limits"] == limits


def test_a_looser_limit_waits_and_says_how_long(ona: Caller) -> None:
    put(ona, {"loss_day": {"EUR": 500, "XTK": 60}, "play_minutes_day": 90})
    before = clock()
    answer = put(ona, {"loss_day": {"EUR": 600, "XTK": 50}, "play_minutes_day": None})
    assert answer.document["limits"] == {
        "loss_day": {"EUR": 500, "XTK": 50},
        "play_minutes_day": 90,
    }
    waiting = answer.document["pending"]
    assert [(one["limit"], one.get("currency"), one["amount"]) for one in waiting] == [
        ("loss_day", "EUR", 600),
        ("play_minutes_day", None, None),
    ]
    for one in waiting:
        assert before + DAY <= time_of(one["effective_at"]) <= clock() + DAY


def test_what_is_left_out_stays(ona: Caller) -> None:
    put(ona, {"loss_day": {"EUR": 500}, "stake_max": {"XTK": 10}})
    bodies: list[dict[str, Any]] = [{}, {"loss_day": {}}, {"loss_day": {"XTK": 70}}]
    for body in bodies:
        found = put(ona, body).document
        assert found["limits"]["loss_day"]["EUR"] == 500
        assert found["limits"]["stake_max"] == {"XTK": 10}
        assert found["pending"] == []


def test_null_for_all_currencies_is_none_in_any(ona: Caller) -> None:
    put(ona, {"loss_day": {"EUR": 500, "XTK": 60}})
    waiting = put(ona, {"loss_day": None}).document["pending"]
    assert [(one["currency"], one["amount"]) for one in waiting] == [("EUR", None), ("XTK", None)]


def test_the_same_request_again_changes_nothing(ona: Caller) -> None:
    put(ona, {"loss_day": {"EUR": 500}})
    first = put(ona, {"loss_day": {"EUR": 900}})
    before = picture()
    assert put(ona, {"loss_day": {"EUR": 900}}).document == first.document
    assert picture() == before


@pytest.mark.parametrize("name", OF_MONEY)
def test_what_is_no_amount(name: str, ona: Caller) -> None:
    before = picture()
    for text in NO_AMOUNTS:
        raw = f'{{"{name}": {{"EUR": {text}}}}}'.encode()
        problem = refused(ona.call("PUT", "/me/limits", raw=raw), 400, "bad_amount")
        assert problem["errors"][0]["pointer"] == f"/{name}"
    refused(put(ona, {name: 500}), 400, "bad_amount")
    problem = refused(put(ona, {name: {"JPY": 5}}), 400, "unknown_currency")
    assert problem["facts"]["known"] == ["EUR", "XTK"]
    assert picture() == before


def test_what_are_no_minutes(ona: Caller) -> None:
    before = picture()
    for minutes in (0, -1, 1_441, 1.5, "90", True, {"EUR": 5}):
        refused(put(ona, {"play_minutes_day": minutes}), 400, "invalid_field")
    refused(put(ona, {"sleep": 8}), 400, "unknown_field")
    assert picture() == before


def test_limits_are_a_matter_of_money(ona: Caller) -> None:
    del ona
    reader = caller("petras", scopes=["read", "play"])
    assert reader.get("/me/limits").status == 200
    refused(put(reader, {"play_minutes_day": 90}), 403, "insufficient_scope")
    refused(reader.post("/me/exclusion", {"permanent": True}), 403, "insufficient_scope")


# --- exclusion ------------------------------------------------------------------------------------


def test_an_exclusion_with_an_end(ona: Caller) -> None:
    until = time_text(clock() + 2 * DAY)
    answer = ona.post("/me/exclusion", {"until": until})
    said = {"kind": "self", "until": until}
    assert (answer.status, answer.document) == (201, said)
    assert ona.get("/me/limits").document["exclusion"] == said


def test_an_exclusion_for_good(ona: Caller) -> None:
    answer = ona.post("/me/exclusion", {"permanent": True})
    said = {"kind": "self", "permanent": True}
    assert (answer.status, answer.document) == (201, said)
    assert ona.get("/me/limits").document["exclusion"] == said
    assert ona.post("/me/exclusion", {"permanent": True}).status == 201


def test_an_exclusion_is_never_shortened(ona: Caller) -> None:
    now = clock()
    ona.post("/me/exclusion", {"until": time_text(now + 3 * DAY)})
    problem = refused(
        ona.post("/me/exclusion", {"until": time_text(now + 2 * DAY)}), 400, "invalid_field"
    )
    assert problem["facts"]["least"] == time_text(now + 3 * DAY)
    ona.post("/me/exclusion", {"permanent": True})
    refused(ona.post("/me/exclusion", {"until": time_text(now + 9 * DAY)}), 400, "invalid_field")


def test_what_is_no_end(ona: Caller) -> None:
    before = picture()
    good = time_text(clock() + 2 * DAY)
    bodies: list[Any] = [
        {},
        {"permanent": False},
        {"until": None},
        {"until": good, "permanent": True},
        {"until": time_text(clock() + DAY - timedelta(minutes=1))},
        {"until": "2020-01-01T00:00:00Z"},
        {"until": "9999-12-31T23:59:59-23:00"},
        {"until": "0001-01-01T00:00:00+23:00"},
        {"until": good.removesuffix("Z")},
        {"until": good[:10]},
        {"until": 1_900_000_000},
        {"until": good, "permanent": "yes"},
    ]
    for body in bodies:
        assert refused(ona.post("/me/exclusion", body), 400, "invalid_field"), body
    assert picture() == before


def test_somebody_excluded_is_told_so_at_the_table(ona: Caller) -> None:
    table = a_table(ona.who)
    until = time_text(clock() + 2 * DAY)
    ona.post("/me/exclusion", {"until": until})
    problem = refused(
        ona.post(f"/tables/{table}/seat", {"buy_in": 500, "version": 1}), 403, "excluded"
    )
    assert problem["facts"]["until"] == until
    answer = ona.post("/me/exclusion", {"permanent": True}, Accept_Language="lt")
    assert answer.status == 201
    problem = refused(
        ona.post(f"/tables/{table}/seat", {"buy_in": 500, "version": 1}, Accept_Language="lt"),
        403,
        "excluded",
    )
    assert problem["facts"] == {}
    assert problem["title"].startswith("Jums")


def test_a_limit_is_told_with_its_figures(ona: Caller) -> None:
    table = a_table(ona.who)
    put(ona, {"loss_day": {"XTK": 499}})
    problem = refused(
        ona.post(f"/tables/{table}/seat", {"buy_in": 500, "version": 1}), 409, "limit_reached"
    )
    figures = {"limit": "loss_day", "amount": 499, "used": 0, "asked": 500, "currency": "XTK"}
    assert {name: problem["facts"][name] for name in figures} == figures
    assert ona.post(f"/tables/{table}/seat", {"buy_in": 499, "version": 1}).status == 201


def test_tables_of_others_may_still_be_opened_and_watched(ona: Caller) -> None:
    ona.post("/me/exclusion", {"permanent": True})
    assert ona.post("/tables", dict(NEW_TABLE)).status == 201
    assert ona.get("/ledger/me").status == 200
