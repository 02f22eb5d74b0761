"""The option set: ranges, order of refusals, presets, hash, worst cases (`rules.md` section 4)."""

from typing import Any

import pytest

from eventstore.core.refusal import Refusal
from games.rules.liability import liability
from games.rules.options import (
    DEFAULTS,
    DOMAINS,
    PRESETS,
    Options,
    as_dict,
    complete,
    differences,
    rules_hash,
    slap_conflict,
)
from tests.unit.games.rules_tables import options_of


def problem(overrides: dict[str, Any], seats: int = 2) -> tuple[object, object]:
    """Option and inner code of the first failure."""
    refused = complete(overrides, seats)
    assert isinstance(refused, Refusal)
    assert refused.code == "bad_options"
    problems = refused.facts["problems"]
    assert isinstance(problems, list)
    (first,) = problems
    assert set(first) == {"option", "code", "value", "allowed"}
    return first["option"], first["code"]


def test_the_hash_of_the_source_rules_is_the_published_one() -> None:
    published = "5a16301fe30f8bbf3d892f99a140a6d740dbce596438696da165f6d431d5830f"
    assert rules_hash(DEFAULTS) == published
    assert rules_hash(options_of()) != published


def test_every_option_has_a_range_and_every_range_an_option() -> None:
    assert tuple(DOMAINS) == Options.__struct_fields__
    assert differences(DEFAULTS) == {}
    assert differences(options_of(hand_size=7)) == {"max_players": 6, "hand_size": 7}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_complete_and_differ(name: str) -> None:
    options = complete(PRESETS[name], 3)
    assert isinstance(options, Options)
    assert (options == DEFAULTS) == (name == "gamerules")
    assert complete(as_dict(options), 3) == options


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("max_players", value) for value in (1, 7, True, 2.0, "3", None)],
        *[("hand_size", value) for value in (4, 5.0, "5", None)],
        ("deck", 51),
        ("deck", "52"),
        ("face_values", [10, 10, 11]),
        ("face_values", [10, 10]),
        ("face_values", [10.0, 10, 10]),
        ("face_values", 10),
        ("jokers", 3),
        ("joker_value", 26),
        ("deuces_wild", 1),
        ("deuces_wild", "yes"),
        ("initial_tonk_counts", 50),
        ("initial_tonk_counts", [0]),
        ("initial_tonk_counts", [201]),
        ("initial_tonk_counts", [50, 50]),
        ("initial_tonk_counts", [True]),
        ("initial_tonk_counts", ["50"]),
        ("initial_tonk_multiplier", 0),
        ("initial_tie", "split"),
        ("initial_low", None),
        ("initial_low", [13, 2]),
        ("initial_low", [[61, 2]]),
        ("initial_low", [[13, 5]]),
        ("initial_low", [[13, 0]]),
        ("initial_low", [[13, 2], [9, 3]]),
        ("drop_low", [[9, 2], [9, 3]]),
        ("drop_low", [[9]]),
        ("hit_hold_first", 4),
        ("knock_from_round", 11),
        ("knock_max_count", 0),
        ("hits_per_turn", 13),
        ("difference_cap", 101),
        ("discard_turn_cap", 61),
        ("initial_upcard", None),
    ],
)
def test_wrong_types_and_ranges_are_out_of_range(option: str, value: object) -> None:
    assert problem({option: value}) == (option, "out_of_range")


@pytest.mark.parametrize(("move_ms", "allowed"), [(10_000, True), (30_000, True), (30_001, False)])
def test_v16_a_slap_needs_a_quick_table_and_no_tournament(move_ms: int, *, allowed: bool) -> None:
    assert (slap_conflict(options_of(slap=True), move_ms=move_ms) is None) == allowed
    refused = slap_conflict(options_of(slap=True), move_ms=None)
    assert refused is not None
    assert (refused.code, refused.rule) == ("bad_options", "V16")
    assert slap_conflict(DEFAULTS, move_ms=None) is None


@pytest.mark.parametrize(
    ("overrides", "seats", "option", "code"),
    [
        ({"knock_bonus": 2, "deck": 1}, 9, "knock_bonus", "unknown_option"),
        ({"deck": 1}, 9, "deck", "out_of_range"),
        ({}, 1, "max_players", "too_many_players"),
        ({"max_players": 2}, 3, "max_players", "too_many_players"),
        ({"max_players": 6, "hand_size": 9}, 2, "hand_size", "deck_too_small"),
        ({"max_players": 5, "hand_size": 7, "deck": 40}, 2, "hand_size", "deck_too_small"),
        (
            {"must_use_discard": True, "allow_return_discard": True},
            2,
            "allow_return_discard",
            "conflict",
        ),
        ({"settlement": "difference"}, 2, "difference_cap", "conflict"),
        ({"difference_cap": 20}, 2, "difference_cap", "conflict"),
        (
            {"settlement": "difference", "difference_cap": 20, "stake_mode": "pot"},
            2,
            "stake_mode",
            "conflict",
        ),
        (
            {"caught_rule": "low_only", "caught_bonus_from": "others_only"},
            2,
            "caught_bonus_from",
            "no_effect",
        ),
        (
            {
                "settlement": "difference",
                "difference_cap": 20,
                "caught_bonus_from": "others_only",
            },
            2,
            "caught_bonus_from",
            "no_effect",
        ),
        (
            {"settlement": "difference", "difference_cap": 20, "caught_rule": "low_only"},
            2,
            "caught_rule",
            "no_effect",
        ),
        ({"hit_hold_extra": 1}, 2, "hit_hold_extra", "no_effect"),
        ({"hit_hold_self": True}, 2, "hit_hold_self", "no_effect"),
        ({"on_empty_stock": "void", "stockout_tie": "split"}, 2, "stockout_tie", "no_effect"),
        ({"joker_value": 5}, 2, "joker_value", "no_effect"),
    ],
)
def test_the_first_failure_is_told_in_order(
    overrides: dict[str, Any], seats: int, option: str, code: str
) -> None:
    assert problem(overrides, seats) == (option, code)


@pytest.mark.parametrize(
    ("overrides", "seats", "stakes"),
    [
        ({}, 2, 3),
        ({"caught_bonus_from": "others_only"}, 4, 6),
        ({"caught_rule": "low_only"}, 4, 6),
        ({"caught_rule": "knocker_pays_table"}, 6, 5),
        ({"caught_rule": "single_each"}, 2, 2),
        ({"caught_rule": "single_each", "stockout_tie": "split"}, 4, 3),
        ({"caught_rule": "single_each", "initial_tonk_multiplier": 4}, 2, 4),
        (
            {
                "caught_rule": "single_each",
                "initial_tonk_multiplier": 4,
                "initial_tonk_counts": [],
            },
            2,
            2,
        ),
        ({"caught_rule": "single_each", "drop_low": [[5, 4]]}, 2, 4),
        ({"settlement": "difference", "difference_cap": 20}, 2, 40),
        ({"settlement": "difference", "difference_cap": 10, "initial_low": [[5, 4]]}, 6, 50),
        ({"on_empty_stock": "void", "caught_rule": "single_each"}, 3, 2),
    ],
)
def test_the_worst_case_of_each_path(overrides: dict[str, Any], seats: int, stakes: int) -> None:
    assert liability(options_of(seats, **overrides), seats, 5) == 5 * stakes
