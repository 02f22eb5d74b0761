"""The twin's option set: defaults, validation, the worst case (rules.md sections 4 and 5)."""

from collections.abc import Callable
from typing import Any

Options = dict[str, Any]

DEFAULTS: Options = {
    "max_players": 3,
    "hand_size": 5,
    "deck": 52,
    "face_values": [10, 10, 10],
    "jokers": 0,
    "joker_value": 0,
    "deuces_wild": False,
    "initial_tonk_counts": None,
    "initial_tonk_multiplier": 2,
    "initial_tie": "draw",
    "initial_low": [],
    "drop_low": [],
    "initial_spread": False,
    "hit_hold_first": 0,
    "hit_hold_extra": 0,
    "hit_hold_self": False,
    "spread_hold": 0,
    "knock_when": "turn_start",
    "knock_from_round": 1,
    "knock_max_count": None,
    "caught_rule": "seed",
    "caught_bonus_from": "all",
    "knock_tie": "caught",
    "count_method": "all_held",
    "must_use_discard": False,
    "allow_return_discard": False,
    "hits_per_turn": None,
    "hit_targets": "all",
    "ace_runs": "low",
    "stockout_tie": "each_paid",
    "on_empty_stock": "end",
    "settlement": "fixed",
    "difference_cap": None,
    "stake_mode": "pay_each",
    "slap": False,
    "redeal_dealer": "next",
    "seat_by_cut": False,
    "discard_turn_cap": None,
    "initial_upcard": True,
    "must_spread": False,
    "tonk_double_requires_new_spread": False,
}


def complete(options: Options) -> Options:
    """All keys, with the defaults for those not given."""
    return {**DEFAULTS, **options}


# Types and ranges. A bool is no int.

Test = Callable[[Any], bool]


def is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def between(low: int, high: int) -> Test:
    return lambda value: is_int(value) and low <= value <= high


def one_of(*values: int | str) -> Test:
    def test(value: Any) -> bool:
        return (is_int(value) or isinstance(value, str)) and value in values

    return test


def null_or(other: Test) -> Test:
    return lambda value: value is None or other(value)


def is_face_values(value: Any) -> bool:
    if not isinstance(value, list) or not all(is_int(number) for number in value):
        return False
    return tuple(value) in ((10, 10, 10), (11, 12, 13))


def is_counts(value: Any) -> bool:
    if not isinstance(value, list) or not all(between(1, 200)(number) for number in value):
        return False
    return len(set(value)) == len(value)


def is_tier(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return between(0, 60)(value[0]) and between(1, 4)(value[1])


def is_tiers(value: Any) -> bool:
    if not isinstance(value, list) or not all(is_tier(tier) for tier in value):
        return False
    limits = [tier[0] for tier in value]
    return all(limits[i] < limits[i + 1] for i in range(len(limits) - 1))


RANGES: dict[str, Test] = {
    "max_players": between(2, 6),
    "hand_size": one_of(3, 5, 7, 9, 12),
    "deck": one_of(52, 40),
    "face_values": is_face_values,
    "jokers": between(0, 2),
    "joker_value": between(0, 25),
    "deuces_wild": is_bool,
    "initial_tonk_counts": null_or(is_counts),
    "initial_tonk_multiplier": between(1, 4),
    "initial_tie": one_of("draw", "higher_wins"),
    "initial_low": is_tiers,
    "drop_low": is_tiers,
    "initial_spread": is_bool,
    "hit_hold_first": between(0, 3),
    "hit_hold_extra": between(0, 3),
    "hit_hold_self": is_bool,
    "spread_hold": between(0, 3),
    "knock_when": one_of("turn_start", "own_turn"),
    "knock_from_round": between(1, 10),
    "knock_max_count": null_or(between(1, 50)),
    "caught_rule": one_of("seed", "low_only", "knocker_pays_table", "single_each"),
    "caught_bonus_from": one_of("all", "others_only"),
    "knock_tie": one_of("caught", "knocker_wins"),
    "count_method": one_of("all_held", "deadwood"),
    "must_use_discard": is_bool,
    "allow_return_discard": is_bool,
    "hits_per_turn": null_or(between(1, 12)),
    "hit_targets": one_of("all", "runs_only"),
    "ace_runs": one_of("low", "high_or_low"),
    "stockout_tie": one_of("each_paid", "split", "no_payment"),
    "on_empty_stock": one_of("end", "void", "reshuffle"),
    "settlement": one_of("fixed", "difference"),
    "difference_cap": null_or(between(1, 100)),
    "stake_mode": one_of("pay_each", "pot"),
    "slap": is_bool,
    "redeal_dealer": one_of("next", "same"),
    "seat_by_cut": is_bool,
    "discard_turn_cap": null_or(between(1, 60)),
    "initial_upcard": is_bool,
    "must_spread": is_bool,
    "tonk_double_requires_new_spread": is_bool,
}


def validate(options: Options, seats: int) -> str | None:
    """The inner code of the first failure, None for a valid set."""
    if any(key not in DEFAULTS for key in options):
        return "unknown_option"
    full = complete(options)
    if not all(RANGES[key](value) for key, value in full.items()):
        return "out_of_range"
    if seats < 2 or seats > full["max_players"]:
        return "too_many_players"
    if too_many_cards(full):
        return "deck_too_small"
    if has_conflict(full):
        return "conflict"
    if has_no_effect(full):
        return "no_effect"
    return None


def too_many_cards(full: Options) -> bool:
    seats: int = full["max_players"]
    upcard = 1 if full["initial_upcard"] else 0
    needed: int = seats * full["hand_size"] + upcard + seats
    there: int = full["deck"] + full["jokers"]
    return needed > there


def has_conflict(full: Options) -> bool:
    difference = full["settlement"] == "difference"
    capped = full["difference_cap"] is not None
    if full["must_use_discard"] and full["allow_return_discard"]:
        return True
    if difference != capped:
        return True
    return bool(difference and full["stake_mode"] == "pot")


def has_no_effect(full: Options) -> bool:
    seed = full["caught_rule"] == "seed"
    others_only = full["caught_bonus_from"] == "others_only"
    extra_holds = full["hit_hold_extra"] > 0 or full["hit_hold_self"]
    tie = full["stockout_tie"] != "each_paid"
    return any(
        [
            others_only and not seed,
            full["settlement"] == "difference" and (others_only or not seed),
            extra_holds and full["hit_hold_first"] == 0,
            tie and full["on_empty_stock"] == "void",
            full["joker_value"] > 0 and full["jokers"] == 0,
        ]
    )


def initial_counts(full: Options) -> list[int]:
    """V5: the dealt totals that claim, the null resolved."""
    counts: list[int] | None = full["initial_tonk_counts"]
    if counts is not None:
        return counts
    if full["hand_size"] == 5 and full["face_values"] == [10, 10, 10]:
        return [49, 50]
    return []


def liability(options: Options, seats: int, stake: int) -> int:
    """The table "Worst case" of section 5: the most that one seat can lose in one hand."""
    full = complete(options)
    difference = full["settlement"] == "difference"
    points = full["difference_cap"] if difference else 1
    paths = [2]  # tonk out
    if initial_counts(full) or full["initial_spread"]:
        paths.append(full["initial_tonk_multiplier"])
    paths += [multiplier for _, multiplier in full["initial_low"] + full["drop_low"]]
    if full["on_empty_stock"] != "void":
        paths.append(seats - 1 if full["stockout_tie"] == "each_paid" else 1)
    paths.append(seats - 1 if difference else caught_path(full, seats))
    worst: int = max(paths) * points * stake
    return worst


def caught_path(full: Options, seats: int) -> int:
    """The last line of the table, fixed settlement."""
    if full["caught_rule"] == "seed" and full["caught_bonus_from"] == "all":
        return 3 * (seats - 1)
    if full["caught_rule"] in ("seed", "low_only"):
        return 2 * (seats - 1)
    return seats - 1
