"""The options of a tournament: defaults, checks of a draft, hash (`tournaments.md` 16).

A complete set has every option of the table; one that does not apply to the format is null.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Literal

import msgspec
from typing_extensions import override

from eventstore.core import canonical
from eventstore.core.refusal import Refusal
from games.rules import options as rules
from games.rules.odds import claim_odds
from tournaments.core.option_table import (
    BASIS_POINTS,
    BUILT,
    ENTRIES_MAX,
    FORMATS,
    MATCHES,
    OPTIONS,
    SEATS_OF_FORMAT,
)
from tournaments.core.prizes import Payout
from tournaments.core.swiss.rounds import match_hands, rounds_cap, suggested_rounds
from tournaments.core.templates import TEMPLATES

CLAIM_ODDS_MAX = Fraction(1, 2)
"""Dealt hands that may win before play; with more, nearly every hand of a table is a draw."""

ENTRIES_MAX_DEFAULT = 1_000
BRACKET_MAX = 1_024

Problem = dict[str, object]
Values = dict[str, object]


@dataclass(frozen=True, slots=True)
class Site:
    """What the place offers: its currencies and the one that a draft gets by default."""

    currencies: Collection[str]
    currency: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """A complete set of options and all that is wrong with it, in the order of section 16."""

    options: Values
    problems: tuple[Problem, ...]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The options that every tournament is run by, typed."""

    format: str
    seats: int
    currency: str
    entries_min: int
    entries_max: int
    start: str | None
    buy_in: int
    fee: int
    bounty: int | None
    rake_bp: int
    guarantee: int
    payout: str
    payout_bp: tuple[int, ...] | None
    payout_top: int | None
    round_to: int
    seed_by: Literal["lot", "rating", "director"]
    clock: str
    check_in_minutes: int
    dispute_minutes: int
    visibility: str
    api_bots: bool
    bots: str | int

    @property
    def first_stake(self) -> int:
        """Stake of the first hands, in chips."""
        return 1

    @property
    def starting_chips(self) -> int:
        """Chips that one sits down with."""
        return 0

    @property
    def price(self) -> int:
        """What an entry is measured by in the paid places: buy-in and fee."""
        return self.buy_in + self.fee

    @property
    def division(self) -> Payout:
        """How the pool is divided."""
        return Payout(self.payout, self.payout_bp, self.payout_top, self.round_to)


class Freezeout(Settings, frozen=True, kw_only=True):
    """Those of a tournament that is played until one player has all chips."""

    bounty_kind: Literal["plain", "progressive"] | None
    satellite_of: str | None
    stack_stakes: int
    stakes: tuple[int, ...] | Literal["standard"]
    level_by: Literal["hands", "clock"]
    level_hands: int
    level_seconds: int
    late_until_level: int | None
    reentries_max: int | None
    rebuys_max: int | None
    rebuy_until_level: int | None
    rebuy_price: int | None
    addon_price: int | None
    addon_stakes: int | None
    addon_after_level: int | None
    hand_for_hand: bool
    redraw_final: bool | None
    deals: bool

    @property
    @override
    def first_stake(self) -> int:
        """Stake of level 1."""
        return 10 if self.stakes == "standard" else int(self.stakes[0])

    @property
    @override
    def starting_chips(self) -> int:
        """Chips of a full stack."""
        return self.stack_stakes * self.first_stake


class Matches(Settings, frozen=True, kw_only=True):
    """Those of a tournament that is played in matches."""

    rounds: int | None
    match_hands: int
    late_until_round: int | None
    best_of: int | None
    third_place_match: bool | None
    groups: int | None
    advance: int | None
    wildcards: int | None
    finals: Literal["single_elimination", "double_elimination", "freezeout"] | None
    allow_rematches: bool | None
    round_gap_seconds: int | Literal["manual"]


def settings_of(options: Mapping[str, object]) -> Settings:
    """The typed options of a complete set, of the kind that its format has."""
    kind = Matches if options["format"] in MATCHES else Freezeout
    return msgspec.convert(options, kind)


def structure_hash(options: Mapping[str, object]) -> str:
    """Fingerprint of all options, complete game rules among them, hex."""
    return sha256(canonical.encode(dict(options))).hexdigest()


def game_rules(options: Mapping[str, object]) -> Values | Refusal:
    """The complete rules of a hand, `{preset, version, hash, options}`.

    The table's size is `max_players` where the rules do not say otherwise. Refuses with
    `bad_options`.
    """
    chosen, seats = options["game_rules"], options["seats"]
    if not isinstance(seats, int):
        raise TypeError("seats of a resolved set are a number")
    preset = chosen if isinstance(chosen, str) else None
    overrides = chosen if isinstance(chosen, Mapping) else rules.PRESETS[str(preset)]
    complete = rules.complete({"max_players": seats, **overrides}, seats)
    if isinstance(complete, Refusal):
        return complete
    refused = rules.slap_conflict(complete, move_ms=None)
    if refused:
        return refused
    return {
        "preset": preset,
        "version": rules.RULES_VERSION,
        "hash": rules.rules_hash(complete),
        "options": rules.as_dict(complete),
    }


def from_template(template: str | None, overrides: Mapping[str, object], site: Site) -> Resolved:
    """Options of a new draft. An unknown template is a problem of the option `template`."""
    if template is not None and template not in TEMPLATES:
        fault = _problem("template", "unknown_option", template, sorted(TEMPLATES))
        return Resolved({}, (fault,))
    return resolve(TEMPLATES[template] if template else {}, overrides, site)


def resolve(base: Mapping[str, object], overrides: Mapping[str, object], site: Site) -> Resolved:
    """The complete set of `base` (a template, or the options of a draft) with `overrides`.

    >>> site = Site(("XTK",), "XTK")
    >>> [fault["code"] for fault in resolve(TEMPLATES["sim-short"], {"fee": -1}, site).problems]
    ['bad_amount']
    """
    faulty = list(_faults_of_values(base, overrides))
    unusable = {fault["option"] for fault in faulty}
    usable = {name: value for name, value in overrides.items() if name not in unusable}
    if usable.get("format", FORMATS[0]) not in FORMATS:
        # Nothing else can be judged before the format is known.
        unknown = _problem("format", "out_of_range", usable["format"], list(FORMATS))
        return Resolved({}, (*faulty, unknown))
    options = _complete(base, usable, site)
    problems = [
        *faulty,
        *_faults_of_format(options, usable),
        *_faults_of_range(options, site),
        *_faults_of_vectors(options),
        *_faults_of_rounds(options),
    ]
    named = {problem["option"] for problem in problems}
    problems += [fault for fault in _not_built(options) if fault["option"] not in named]
    return Resolved(options, tuple(problems))


def _problem(option: str, code: str, value: object, allowed: object) -> Problem:
    return {"option": option, "code": code, "value": value, "allowed": allowed}


def _complete(base: Mapping[str, object], given: Mapping[str, object], site: Site) -> Values:
    chosen = {name: value for name, value in base.items() if value is not None} | dict(given)
    if "payout" not in given:
        for name in ("bp", "top"):
            if given.get(f"payout_{name}") is not None:
                chosen["payout"] = name
    for name in ("bp", "top"):
        if chosen.get("payout") != name and f"payout_{name}" not in given:
            chosen.pop(f"payout_{name}", None)
    options: Values = {}
    for name, option in OPTIONS.items():
        applies = chosen.get("format", "freezeout") in option.formats
        options[name] = chosen.get(name, option.default) if applies else None
    return _derived(options, site)


def _derived(options: Values, site: Site) -> Values:
    """Fill defaults that depend on other options."""
    if options["currency"] is None:
        options["currency"] = site.currency
    if options["entries_max"] is None:
        options["entries_max"] = min(ENTRIES_MAX_DEFAULT, _field_limit(options))
    seats = _seats(options) or 3
    price = options["buy_in"]
    defaults = {
        "level_hands": seats * -(-9 // seats),
        "match_hands": match_hands(seats),
        "rounds": _suggested_rounds(options, seats),
        "rebuy_price": price if OPTIONS["rebuy_price"].kind.holds(price) else 0,
    }
    if options["format"] == "round_robin" and seats == 2:
        del defaults["rounds"]
    for name, value in defaults.items():
        if options[name] is None and options["format"] in OPTIONS[name].formats:
            options[name] = value
    return options


def _field_limit(options: Values) -> int:
    """Entries that the format takes at most."""
    form, seats, groups = options["format"], _seats(options), options["groups"]
    limit = ENTRIES_MAX.get(str(form), 0)
    if form == "sit_and_go":
        return seats or limit
    if form == "single_elimination" and seats == 2:
        return BRACKET_MAX
    if form == "groups_finals" and isinstance(groups, int):
        return min(limit, ENTRIES_MAX["round_robin"] * groups)
    return limit


def _seats(options: Values) -> int | None:
    """Seats of a full table, or None where the draft names no possible number."""
    seats = options["seats"]
    return seats if isinstance(seats, int) and OPTIONS["seats"].kind.holds(seats) else None


def _suggested_rounds(options: Values, seats: int) -> int:
    players = options["entries_max"]
    return suggested_rounds(players if isinstance(players, int) else 0, seats)


def _faults_of_values(
    base: Mapping[str, object], overrides: Mapping[str, object]
) -> Iterator[Problem]:
    given_format = overrides.get("format", base.get("format", "freezeout"))
    chosen_format = given_format if isinstance(given_format, str) else "freezeout"
    for name, value in overrides.items():
        if name not in OPTIONS:
            yield _problem(name, "unknown_option", value, sorted(OPTIONS))
    for code in ("bad_type", "bad_amount"):
        for name, option in OPTIONS.items():
            value = overrides.get(name)
            left_out = value is None and chosen_format not in option.formats
            if name in overrides and not left_out and option.kind.fault(value) == code:
                yield _problem(name, code, value, option.kind.allowed)


def _faults_of_format(options: Values, given: Mapping[str, object]) -> Iterator[Problem]:
    chosen = str(options["format"])
    seats = SEATS_OF_FORMAT.get(chosen)
    if seats and options["seats"] not in seats:
        yield _problem("seats", "seats_not_allowed", options["seats"], list(seats))
    if options["finals"] == "double_elimination" and options["seats"] == 3:
        yield _problem("seats", "seats_not_allowed", 3, [2])
    for name, option in OPTIONS.items():
        if given.get(name) is not None and chosen in FORMATS and chosen not in option.formats:
            yield _problem(name, "option_not_for_format", given[name], sorted(option.formats))


def _faults_of_range(options: Values, site: Site) -> Iterator[Problem]:
    for name, option in OPTIONS.items():
        value = options[name]
        if options["format"] in option.formats and not option.kind.holds(value):
            yield _problem(name, "out_of_range", value, option.kind.allowed)
        elif name == "currency" and value not in site.currencies:
            yield _problem(name, "out_of_range", value, sorted(site.currencies))
    yield from _faults_of_field(options)
    for name in ("bp", "top"):
        vector = f"payout_{name}"
        if (options["payout"] == name) is (options[vector] is None):
            allowed = [None] if options[vector] is not None else OPTIONS[vector].kind.allowed
            yield _problem(vector, "out_of_range", options[vector], allowed)
    if _seats(options) and OPTIONS["game_rules"].kind.holds(options["game_rules"]):
        complete = game_rules(options)
        if isinstance(complete, Refusal):
            allowed = complete.facts["problems"]
            yield _problem("game_rules", "out_of_range", options["game_rules"], allowed)
        elif claim_odds(_rules_of(complete), _seats(options) or rules.SEATS_MIN) > CLAIM_ODDS_MAX:
            # Hands that are drawn by the deal raise no level: such a field would never end.
            allowed = {"claims_before_play_at_most": str(CLAIM_ODDS_MAX)}
            yield _problem("game_rules", "out_of_range", options["game_rules"], allowed)


def _rules_of(complete: Values) -> rules.Options:
    return msgspec.convert(complete["options"], rules.Options)


def _faults_of_field(options: Values) -> Iterator[Problem]:
    least, most = options["entries_min"], options["entries_max"]
    limit = _field_limit(options)
    if isinstance(least, int) and isinstance(most, int) and not least <= most <= limit:
        yield _problem("entries_max", "out_of_range", most, {"min": least, "max": limit})
    late, rounds = options["late_until_round"], options["rounds"]
    if isinstance(late, int) and isinstance(rounds, int) and late > max(0, rounds - 2):
        yield _problem("late_until_round", "out_of_range", late, {"min": 0, "max": rounds - 2})


def _faults_of_vectors(options: Values) -> Iterator[Problem]:
    seats = _seats(options)
    for name in ("level_hands", "match_hands"):
        hands = options[name]
        if seats and isinstance(hands, int) and hands % seats:
            yield _problem(name, "level_not_multiple_of_seats", hands, {"multiple_of": seats})
    shares, stakes = options["payout_bp"], options["stakes"]
    if isinstance(shares, list) and sum(shares) != BASIS_POINTS:
        yield _problem("payout_bp", "payout_not_10000", shares, {"sum": BASIS_POINTS})
    if isinstance(shares, list) and shares != sorted(shares, reverse=True):
        yield _problem("payout_bp", "payout_not_falling", shares, {"order": "falling"})
    if isinstance(stakes, list) and stakes != sorted(set(stakes)):
        yield _problem("stakes", "stakes_not_rising", stakes, {"order": "rising"})


def _faults_of_rounds(options: Values) -> Iterator[Problem]:
    rounds, most, seats = options["rounds"], options["entries_max"], _seats(options)
    if options["format"] == "round_robin" and seats == 2 and rounds is not None:
        yield _problem("rounds", "out_of_range", rounds, [None])  # each meets each
    if options["format"] != "swiss" or options["allow_rematches"]:
        return
    if seats and isinstance(rounds, int) and isinstance(most, int):
        limit = rounds_cap(most, seats)
        if rounds > limit:
            yield _problem("rounds", "rounds_exceed_field", rounds, {"min": 1, "max": limit})


def _not_built(options: Values) -> Iterator[Problem]:
    for name, kind in BUILT.items():
        value = options[name]
        if options["format"] in OPTIONS[name].formats and not kind.holds(value):
            yield _problem(name, "out_of_range", value, kind.allowed)
