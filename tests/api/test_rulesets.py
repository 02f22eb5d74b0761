"""Rules over HTTP: presets and options, sets by their hash, sheets in two languages, validation."""

import json
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.db.utils import DatabaseError
from msgspec.structs import replace

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.refusal import InvariantBroken
from games import selectors
from games.models import RuleSet
from games.replay import differences
from games.rules.liability import liability
from games.rules.options import DEFAULTS, DOMAINS, PRESETS, as_dict, complete, rules_hash
from games.rules.presets import PRESET_OPTIONS, preset_rules, reference
from games.rules.words.option_texts import PRESET_TEXTS
from games.rules.words.sheet import as_data, as_html, as_markdown, sheet
from games.rules.words.sheet_texts import CHANGED
from tests.api.callers import Caller, account, picture, refused
from tests.api.world import NEW_TABLE
from tests.databases import connected
from tests.replay import settle_everything
from tonk_site.proving.acting.factories import a_player, a_table

pytestmark = pytest.mark.django_db

OWN: dict[str, Any] = {"jokers": 2, "joker_value": 15, "hand_size": 7}
VALIDATE = "/rulesets/validate"


@pytest.fixture
def own(ona: Caller) -> UUID:
    """A table with rules of its own."""
    return a_table(ona.who, options=OWN, seats=3)


def hash_at(table: UUID) -> str:
    return selectors.see(table, None).table.rules.hash


# --- list -----------------------------------------------------------------------------------------


def test_the_list_names_every_preset() -> None:
    listed = Caller().get("/rulesets").document["presets"]
    assert [one["preset"] for one in listed] == list(PRESETS)
    for one in listed:
        options = complete(one["options"], 3)
        assert options == PRESET_OPTIONS[one["preset"]]
        assert one["rules_hash"] == rules_hash(PRESET_OPTIONS[one["preset"]])
        for words in (one["title"], one["text"]):
            assert words["en"] != words["lt"]
    assert listed[0]["options"] == {}


def test_the_list_explains_every_option() -> None:
    listed = Caller().get("/rulesets").document["options"]
    assert [one["option"] for one in listed] == list(DOMAINS)
    defaults = as_dict(DEFAULTS)
    for one in listed:
        assert one["default"] == defaults[one["option"]]
        assert one["rule"][0] in "VR"
        assert one["rule"][1:].isdigit()
        for text in one["text"].values():
            assert text[0].isupper()
            assert text.endswith(".")
        assert one["text"]["en"] != one["text"]["lt"]
    found = {one["option"]: one for one in listed}
    assert found["jokers"] | {"text": None} == {
        "option": "jokers",
        "rule": "V4",
        "type": "integer",
        "range": {"min": 0, "max": 2, "null": False},
        "default": 0,
        "text": None,
    }
    types = {one["type"] for one in listed}
    assert types == {"integer", "boolean", "choice", "list", "tiers"}


# --- show -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_shown_by_name_and_by_hash(name: str) -> None:
    shown = Caller().get(f"/rulesets/{name}").document
    options = PRESET_OPTIONS[name]
    assert shown["preset"] == name
    assert shown["options"] == as_dict(options)
    assert shown["rules_hash"] == rules_hash(options)
    assert shown["worst_loss"] == [
        {"seats": seats, "stakes": liability(options, seats, 1)} for seats in (2, 3)
    ]
    assert Caller().get(f"/rulesets/{shown['rules_hash']}").document == shown


def test_the_rules_of_a_table_are_found_by_their_hash(own: UUID) -> None:
    shown = Caller().get(f"/rulesets/{hash_at(own)}").document
    expected = complete(OWN, 3)
    assert shown["options"] == as_dict(selectors.see(own, None).table.rules.options)
    assert "preset" not in shown
    assert expected == selectors.rules_by(hash_at(own)).options


def test_a_preset_for_more_seats_is_a_set_of_its_own(ona: Caller) -> None:
    table = a_table(ona.who, seats=5)
    shown = Caller().get(f"/rulesets/{hash_at(table)}").document
    assert "preset" not in shown
    assert shown["worst_loss"][-1] == {"seats": 5, "stakes": 12}


@pytest.mark.parametrize("ref", ["bridge", "0" * 64, "GAMERULES", "g" * 64, "a" * 3_000])
def test_what_is_no_set_is_not_found(ref: str) -> None:
    refused(Caller().get(f"/rulesets/{ref}"), 404, "not_found")
    refused(Caller().get(f"/rulesets/{ref}/sheet?format=html"), 404, "not_found")


# --- sheet ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "lt"])
def test_the_sheet_is_that_of_the_rules(language: Any, own: UUID) -> None:
    for ref in ("house_low", hash_at(own)):
        rules = selectors.rules_by(ref)
        preset, name = (
            ("house_low", PRESET_TEXTS["house_low"].title)
            if ref == "house_low"
            else (None, CHANGED)
        )
        expected = sheet(rules.options, language=language, name=name)
        path = f"/rulesets/{ref}/sheet?lang={language}"
        answer = Caller().get(path)
        assert answer.document == {
            "preset": preset,
            "rules_hash": rules.hash,
            **json.loads(json.dumps(as_data(expected))),
        }
        assert answer.headers["Content-Language"] == language
        assert Caller().get(f"{path}&format=json").document == answer.document
        html = Caller().get(f"{path}&format=html")
        assert html.content.decode() == as_html(expected)
        assert html.headers["Content-Type"] == "text/html; charset=utf-8"
        markdown = Caller().get(f"{path}&format=md")
        assert markdown.content.decode() == as_markdown(expected)
        assert markdown.headers["Content-Type"] == "text/markdown; charset=utf-8"


def test_the_language_of_a_sheet(ona: Caller) -> None:
    path = "/rulesets/gamerules/sheet"
    assert Caller().get(path).document["language"] == "en"
    assert Caller().get(path, Accept_Language="lt, en;q=0.5").document["language"] == "lt"
    assert Caller().get(f"{path}?lang=en", Accept_Language="lt").document["language"] == "en"
    who = account(ona.who.id)
    who.language = "lt"
    who.save(update_fields=["language"])
    assert ona.get(path).document["language"] == "lt"
    assert ona.get(path, Accept_Language="en").document["language"] == "en"


def test_a_form_is_asked_for_by_its_parameter() -> None:
    path = "/rulesets/gamerules/sheet"
    assert Caller().get(f"{path}?format=html", Accept="text/html").status == 200
    assert Caller().get(f"{path}?format=md", Accept="text/markdown").status == 200
    refused(Caller().get(f"{path}?format=pdf", Accept="text/html"), 400, "invalid_field")
    refused(Caller().get(f"{path}?lang=de"), 400, "invalid_field")


# --- validate -------------------------------------------------------------------------------------


def test_options_are_completed_and_priced() -> None:
    before = picture()
    found = Caller().post(VALIDATE, {"options": OWN, "seats": 3}).document
    options = complete(OWN, 3)
    assert found["options"] == as_dict(options)  # type: ignore[arg-type]  # it is a complete set
    assert found["worst_loss"] == [{"seats": 2, "stakes": 3}, {"seats": 3, "stakes": 6}]
    assert found["knock_table"] is False
    assert "preset" not in found
    assert picture() == before
    # Nothing was kept: a set has an address once a table plays by it, and is read here until then.
    assert "links" not in found
    own_sheet = as_data(sheet(options, language="en", name=CHANGED))  # type: ignore[arg-type]  # complete
    assert found["sheet"] == json.loads(json.dumps(own_sheet)) | {
        "preset": None,
        "rules_hash": found["rules_hash"],
    }
    in_lithuanian = Caller().post(VALIDATE, {"options": OWN, "seats": 3}, Accept_Language="lt")
    assert in_lithuanian.document["sheet"]["title"] == "Taisyklių lapas: pakeistos taisyklės"
    refused(Caller().get(f"/rulesets/{found['rules_hash']}"), 404, "not_found")


def test_what_is_validated_is_what_a_table_gets(ona: Caller) -> None:
    body = {"preset": "hit_and_hold", "options": {"knock_from_round": 2}, "seats": 4}
    found = ona.post(VALIDATE, body).document
    table = ona.post("/tables", dict(NEW_TABLE) | body).document
    assert table["rules"]["hash"] == found["rules_hash"]
    shown = ona.get(f"/rulesets/{found['rules_hash']}").document
    links = {"sheet": f"/api/v1/rulesets/{found['rules_hash']}/sheet"}
    own = {name: found[name] for name in found if name not in ("knock_table", "sheet")}
    assert shown == own | {"links": links}
    assert ona.post(VALIDATE, body).document["links"] == links
    assert Caller().get(links["sheet"].removeprefix("/api/v1")).document == found["sheet"]


def test_a_set_that_is_a_preset_is_called_so() -> None:
    body = {"options": {"hit_hold_first": 1, "hit_hold_extra": 1}, "seats": 2}
    found = Caller().post(VALIDATE, body).document
    assert found["preset"] == found["sheet"]["preset"] == "hit_and_hold"
    assert found["sheet"]["title"] == "Rule sheet: Hit and hold"
    assert found["links"] == {"sheet": "/api/v1/rulesets/hit_and_hold/sheet"}


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"nonsense": 1}, "nonsense", "unknown_option"),
    ({"hand_size": 4}, "hand_size", "out_of_range"),
    ({"jokers": True}, "jokers", "out_of_range"),
    ({"max_players": 2}, "max_players", "too_many_players"),
    ({"hand_size": 12, "max_players": 5}, "hand_size", "deck_too_small"),
    ({"settlement": "difference"}, "difference_cap", "conflict"),
    ({"joker_value": 10}, "joker_value", "no_effect"),
]


@pytest.mark.parametrize(("options", "option", "code"), BAD, ids=[code for *_, code in BAD])
def test_options_that_do_not_go_together(options: Any, option: str, code: str) -> None:
    answer = Caller().post(VALIDATE, {"options": options, "seats": 3})
    (problem,) = refused(answer, 422, "bad_options")["problems"]
    assert (problem["option"], problem["code"]) == (option, code)
    assert "allowed" in problem


def test_a_preset_that_does_not_exist() -> None:
    answer = Caller().post(VALIDATE, {"preset": "bridge", "options": {}, "seats": 3})
    (problem,) = refused(answer, 422, "bad_options")["problems"]
    assert (problem["option"], problem["allowed"]) == ("preset", sorted(PRESETS))


def test_bodies_of_validation() -> None:
    problem = refused(Caller().post(VALIDATE, {}), 400, "invalid_field")
    assert [one["pointer"] for one in problem["errors"]] == ["/options", "/seats"]
    refused(Caller().post(VALIDATE, {"options": {}, "seats": 7}), 400, "invalid_field")
    for free in ({"hand_size": 1.5}, {"hand_size": 10**30}, {"Hand Size": 5}):
        answer = Caller().post(VALIDATE, {"options": free, "seats": 3})
        assert refused(answer, 400, "invalid_field")["errors"][0]["pointer"] == "/options"


# --- links ----------------------------------------------------------------------------------------


def test_a_state_leads_to_its_rules(ona: Caller, table: UUID, own: UUID) -> None:
    usual = ona.get(f"/tables/{table}/state").document["links"]["rules"]
    assert usual == "/api/v1/rulesets/gamerules/sheet"
    other = Caller().get(f"/tables/{own}/state").document["links"]["rules"]
    assert other == f"/api/v1/rulesets/{hash_at(own)}/sheet"
    for path in (usual, other):
        assert Caller().get(path.removeprefix("/api/v1")).status == 200
    assert ona.post(f"/tables/{own}/close", {}).status == 200
    assert Caller().get(f"/tables/{own}/state").document["links"]["rules"] == other


def test_a_name_belongs_to_the_newest_rules() -> None:
    for name in PRESETS:
        rules = preset_rules(name)
        assert rules is not None
        assert reference(rules.hash) == name
    assert reference("f" * 64) == "f" * 64


# --- the relation ---------------------------------------------------------------------------------


def test_rules_are_kept_once(ona: Caller) -> None:
    for _ in range(2):
        a_table(ona.who, options=OWN)
    rows = RuleSet.objects.values_list("hash", "version")
    assert list(rows) == [(rules_hash(complete(OWN, 3)), 1)]  # type: ignore[arg-type]  # complete


def test_the_application_adds_rules_and_changes_none() -> None:
    with connected("tonk_app") as twin:
        found = twin.execute(
            """SELECT privilege_type FROM information_schema.role_table_grants
            WHERE grantee = 'tonk_app' AND table_name = 'games_ruleset' ORDER BY 1"""
        )
        assert found.fetchall() == [("INSERT",), ("SELECT",)]


@pytest.mark.parametrize("row", [("short", 1), ("0" * 64, 0)])
def test_a_row_has_a_hash_and_a_version(row: tuple[str, int]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        RuleSet.objects.create(hash=row[0], version=row[1], options={})


def test_options_under_a_foreign_hash_are_never_served() -> None:
    with transaction.atomic():
        RuleSet.objects.create(hash="0" * 64, version=1, options=as_dict(DEFAULTS))
        with pytest.raises(InvariantBroken):
            selectors.rules_by("0" * 64)
        transaction.set_rollback(True)


def test_replay_compares_the_rules_with_the_log() -> None:
    table = a_table(a_player(), options=OWN)
    settle_everything()
    stored = store.load(table_stream(table)).events
    assert list(differences(stored)) == []
    text = stored[0].data.replace(hash_at(table), "0" * 64)
    found = next(differences((replace(stored[0], data=text), *stored[1:])))
    assert (found.version, found.field) == (1, f"games_ruleset {'0' * 64}")
    own = selectors.see(table, None).table.rules.options
    assert (found.live, found.log) == (None, {"version": 1, "options": as_dict(own)})
