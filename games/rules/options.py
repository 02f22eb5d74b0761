"""The option set of the rules: every key, its range and default, validation, presets, the hash.

The specification is `rules.md` section 4. A set is always complete: nothing reads a default later.
"""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import Literal

import msgspec

from eventstore.core import canonical
from eventstore.core.refusal import Refusal
from games.rules.domains import Choice, Counts, Domain, Flag, Range, Tiers

RULES_VERSIONS = (1,)
"""Every version of the rules that a stored hand may name. A new one is added when the same options
would play otherwise; each keeps its golden hands for ever (`tests/golden/rules`)."""
RULES_VERSION = RULES_VERSIONS[-1]
"""The version of new hands."""
SLAP_MOVE_MS_MAX = 30_000
"""Longest time of a move at a table with `slap` (`rules.md` section 4)."""
SEATS_MIN = 2
SEATS_MAX = 6

Tier = tuple[int, int]
"""A greatest total and the multiplier that it earns."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One complete option set; the meaning of each is the row of its name in `rules.md` 4."""

    max_players: int
    hand_size: int
    deck: Literal[52, 40]
    face_values: tuple[int, int, int]
    jokers: int
    joker_value: int
    deuces_wild: bool
    initial_tonk_counts: tuple[int, ...] | None
    initial_tonk_multiplier: int
    initial_tie: Literal["draw", "higher_wins"]
    initial_low: tuple[Tier, ...]
    drop_low: tuple[Tier, ...]
    initial_spread: bool
    hit_hold_first: int
    hit_hold_extra: int
    hit_hold_self: bool
    spread_hold: int
    knock_when: Literal["turn_start", "own_turn"]
    knock_from_round: int
    knock_max_count: int | None
    caught_rule: Literal["seed", "low_only", "knocker_pays_table", "single_each"]
    caught_bonus_from: Literal["all", "others_only"]
    knock_tie: Literal["caught", "knocker_wins"]
    count_method: Literal["all_held", "deadwood"]
    must_use_discard: bool
    allow_return_discard: bool
    hits_per_turn: int | None
    hit_targets: Literal["all", "runs_only"]
    ace_runs: Literal["low", "high_or_low"]
    stockout_tie: Literal["each_paid", "split", "no_payment"]
    on_empty_stock: Literal["end", "void", "reshuffle"]
    settlement: Literal["fixed", "difference"]
    difference_cap: int | None
    stake_mode: Literal["pay_each", "pot"]
    slap: bool
    redeal_dealer: Literal["next", "same"]
    seat_by_cut: bool
    discard_turn_cap: int | None
    initial_upcard: bool
    must_spread: bool
    tonk_double_requires_new_spread: bool


DOMAINS: Mapping[str, Domain] = MappingProxyType(
    {
        "max_players": Range(SEATS_MIN, SEATS_MAX, default=3),
        "hand_size": Choice(3, 5, 7, 9, 12, default=5),
        "deck": Choice(52, 40),
        "face_values": Choice((10, 10, 10), (11, 12, 13)),
        "jokers": Range(0, 2, default=0),
        "joker_value": Range(0, 25, default=0),
        "deuces_wild": Flag(default=False),
        "initial_tonk_counts": Counts(1, 200),
        "initial_tonk_multiplier": Range(1, 4, default=2),
        "initial_tie": Choice("draw", "higher_wins"),
        "initial_low": Tiers(60, 4),
        "drop_low": Tiers(60, 4),
        "initial_spread": Flag(default=False),
        "hit_hold_first": Range(0, 3, default=0),
        "hit_hold_extra": Range(0, 3, default=0),
        "hit_hold_self": Flag(default=False),
        "spread_hold": Range(0, 3, default=0),
        "knock_when": Choice("turn_start", "own_turn"),
        "knock_from_round": Range(1, 10, default=1),
        "knock_max_count": Range(1, 50, default=None),
        "caught_rule": Choice("seed", "low_only", "knocker_pays_table", "single_each"),
        "caught_bonus_from": Choice("all", "others_only"),
        "knock_tie": Choice("caught", "knocker_wins"),
        "count_method": Choice("all_held", "deadwood"),
        "must_use_discard": Flag(default=False),
        "allow_return_discard": Flag(default=False),
        "hits_per_turn": Range(1, 12, default=None),
        "hit_targets": Choice("all", "runs_only"),
        "ace_runs": Choice("low", "high_or_low"),
        "stockout_tie": Choice("each_paid", "split", "no_payment"),
        "on_empty_stock": Choice("end", "void", "reshuffle"),
        "settlement": Choice("fixed", "difference"),
        "difference_cap": Range(1, 100, default=None),
        "stake_mode": Choice("pay_each", "pot"),
        "slap": Flag(default=False),
        "redeal_dealer": Choice("next", "same"),
        "seat_by_cut": Flag(default=False),
        "discard_turn_cap": Range(1, 60, default=None),
        "initial_upcard": Flag(default=True),
        "must_spread": Flag(default=False),
        "tonk_double_requires_new_spread": Flag(default=False),
    }
)
"""Range and default of each option, in the order of `rules.md` section 4."""

PRESETS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "gamerules": MappingProxyType({}),
        "gamerules_strict": MappingProxyType(
            {
                "initial_upcard": False,
                "must_spread": True,
                "tonk_double_requires_new_spread": True,
            }
        ),
        "classic_app": MappingProxyType(
            {"caught_bonus_from": "others_only", "initial_tonk_counts": (50,)}
        ),
        "hit_and_hold": MappingProxyType({"hit_hold_first": 1, "hit_hold_extra": 1}),
        "house_low": MappingProxyType(
            {"initial_low": ((13, 2),), "hit_hold_first": 1, "hit_hold_extra": 1}
        ),
        "deadwood_guide": MappingProxyType({"count_method": "deadwood"}),
    }
)
"""What each named set changes of the defaults; the stored options decide, a name is a name."""

DEFAULTS = msgspec.convert({name: domain.default for name, domain in DOMAINS.items()}, Options)
"""The rules of the source."""


def complete(overrides: Mapping[str, object], seats: int) -> Options | Refusal:
    """The complete set in which `overrides` replace defaults, for a hand of `seats` players.

    Refuses with `bad_options`; its fact `problems` holds the first failure, in the order of
    `rules.md` section 4, as `{option, code, value, allowed}`.

    >>> complete({"hand_size": 4}, 2).facts["problems"][0]["allowed"]
    [3, 5, 7, 9, 12]
    >>> complete({}, 3) == DEFAULTS
    True
    """
    problem = next(_faults_of_values(overrides), None)
    if problem is None:
        chosen = {name: DOMAINS[name].stored(value) for name, value in overrides.items()}
        options = msgspec.structs.replace(DEFAULTS, **chosen)
        problem = next(_faults_of_set(options, seats), None)
        if problem is None:
            return options
    return Refusal("bad_options", facts={"problems": [problem]})


def fault(options: Options, seats: int) -> Mapping[str, object] | None:
    """What is wrong with a complete set for so many players, None if nothing is."""
    found = chain(_faults_of_values(as_dict(options)), _faults_of_set(options, seats))
    return next(found, None)


def slap_conflict(options: Options, *, move_ms: int | None) -> Refusal | None:
    """Why a table may not have `slap`, None if it may: a race is no game where moves take long.

    `move_ms` is the time of a move at a cash table, None at a tournament's.
    """
    if not options.slap or (move_ms is not None and move_ms <= SLAP_MOVE_MS_MAX):
        return None
    return Refusal(
        "bad_options", "V16", {"problems": [_problem("slap", "conflict", options.slap, [False])]}
    )


def as_dict(options: Options) -> dict[str, object]:
    """All options as JSON values, lists for sequences.

    >>> as_dict(DEFAULTS)["face_values"]
    [10, 10, 10]
    """
    plain: dict[str, object] = msgspec.json.decode(msgspec.json.encode(options))
    return plain


def differences(options: Options) -> dict[str, object]:
    """The options that differ from the defaults, as JSON values."""
    defaults = as_dict(DEFAULTS)
    return {name: value for name, value in as_dict(options).items() if value != defaults[name]}


def rules_hash(options: Options, version: int = RULES_VERSION) -> str:
    """Fingerprint of an option set under a version of the rules, 64 hex.

    >>> rules_hash(DEFAULTS)[:16]
    '5a16301fe30f8bbf'
    """
    text = canonical.encode({"options": as_dict(options), "version": version})
    return sha256(text).hexdigest()


def _problem(option: str, code: str, value: object, allowed: object = None) -> dict[str, object]:
    return {"option": option, "code": code, "value": value, "allowed": allowed}


def _faults_of_values(overrides: Mapping[str, object]) -> Iterator[dict[str, object]]:
    for name, value in overrides.items():
        if name not in DOMAINS:
            yield _problem(name, "unknown_option", value)
    for name, domain in DOMAINS.items():
        if name not in overrides:
            continue
        value = overrides[name]
        if not domain.accepts(value):
            yield _problem(name, "out_of_range", value, domain.allowed)


def _faults_of_set(options: Options, seats: int) -> Iterator[dict[str, object]]:
    if not SEATS_MIN <= seats <= options.max_players:
        allowed = {"min": SEATS_MIN, "max": options.max_players}
        yield _problem("max_players", "too_many_players", seats, allowed)
    pack = options.deck + options.jokers
    dealt = options.max_players * options.hand_size + options.initial_upcard
    # One more card for each player: everybody's first draw must be there.
    if dealt + options.max_players > pack:
        needed = dealt + options.max_players
        allowed = {"cards": pack, "needed": needed}
        yield _problem("hand_size", "deck_too_small", options.hand_size, allowed)
    yield from _conflicts(options)
    yield from _without_effect(options)


def _conflicts(o: Options) -> Iterator[dict[str, object]]:
    difference = o.settlement == "difference"
    if o.must_use_discard and o.allow_return_discard:
        yield _problem("allow_return_discard", "conflict", o.allow_return_discard, [False])
    if difference and o.difference_cap is None:
        yield _problem("difference_cap", "conflict", None, {"min": 1, "max": 100, "null": False})
    if not difference and o.difference_cap is not None:
        yield _problem("difference_cap", "conflict", o.difference_cap, [None])
    if difference and o.stake_mode == "pot":
        yield _problem("stake_mode", "conflict", o.stake_mode, ["pay_each"])


def _without_effect(o: Options) -> Iterator[dict[str, object]]:
    others_only = o.caught_bonus_from == "others_only"
    difference = o.settlement == "difference"
    if others_only and (o.caught_rule != "seed" or difference):
        yield _problem("caught_bonus_from", "no_effect", o.caught_bonus_from, ["all"])
    if difference and o.caught_rule != "seed":
        yield _problem("caught_rule", "no_effect", o.caught_rule, ["seed"])
    if not o.hit_hold_first and o.hit_hold_extra:
        yield _problem("hit_hold_extra", "no_effect", o.hit_hold_extra, [0])
    if not o.hit_hold_first and o.hit_hold_self:
        yield _problem("hit_hold_self", "no_effect", o.hit_hold_self, [False])
    if o.on_empty_stock == "void" and o.stockout_tie != "each_paid":
        yield _problem("stockout_tie", "no_effect", o.stockout_tie, ["each_paid"])
    if not o.jokers and o.joker_value:
        yield _problem("joker_value", "no_effect", o.joker_value, [0])
