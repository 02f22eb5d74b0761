"""Every option of a tournament: its values, default and formats (`tournaments.md` section 16)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from games.rules import options as rules
from tournaments.core.kinds import FLAG, Kind, amount, one_of, whole

Format = Literal[
    "sit_and_go",
    "freezeout",
    "swiss",
    "round_robin",
    "groups_finals",
    "single_elimination",
    "double_elimination",
    "arena",
]
FORMATS: tuple[str, ...] = get_args(Format)
ELIMINATIONS = frozenset({"single_elimination", "double_elimination"})
"""Formats in which every match has one winner."""
ENTRIES_MAX: Mapping[str, int] = MappingProxyType(
    {
        "sit_and_go": 6,
        "freezeout": 10_000,
        "swiss": 2_000,
        "round_robin": 24,
        "groups_finals": 24 * 64,  # of one group: 24
        "single_elimination": 2_187,
        "double_elimination": 256,
        "arena": 2_000,
    }
)
SEATS_OF_FORMAT: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "single_elimination": (2, 3),
        "double_elimination": (2,),
        "round_robin": (2, 3),
        "groups_finals": (2, 3),
    }
)
GUARANTEE_MAX = 10**12
STAKE_MAX = 100_000
"""Keeps the chips of 10,000 full stacks of 500 stakes below the limit of a table, 10^12."""
BASIS_POINTS = 10_000

_knockout = frozenset({"sit_and_go", "freezeout"})
_freezeout = frozenset({"freezeout"})
_swiss = frozenset({"swiss"})
_groups = frozenset({"groups_finals"})
MATCHES = frozenset({"swiss", "round_robin"}) | ELIMINATIONS | _groups
"""Formats that are played in matches of so many hands, not until one has all chips."""
_all = frozenset(FORMATS)


@dataclass(frozen=True, slots=True)
class Option:
    """Values, default and formats of one option."""

    kind: Kind
    default: object
    formats: frozenset[str] = _all


OPTIONS: Mapping[str, Option] = MappingProxyType(
    {
        "format": Option(one_of(*FORMATS), "freezeout"),
        "seats": Option(whole(2, 6), 3),
        "game_rules": Option(Kind(tuple(rules.PRESETS), mapping=True), "gamerules"),
        "currency": Option(Kind(text=True), None),
        "entries_min": Option(whole(2, 10_000), 2),
        "entries_max": Option(whole(2, 10_000), None),
        "start": Option(Kind((None, "when_full"), text=True), None),
        "buy_in": Option(amount(), 1_000),
        "fee": Option(amount(), 0),
        "rake_bp": Option(whole(0, 3_000), 0),
        "guarantee": Option(amount(GUARANTEE_MAX), 0),
        "payout": Option(one_of("auto", "top", "bp"), "auto"),
        "payout_bp": Option(Kind((None,), 1, BASIS_POINTS, listed=True), None),
        "payout_top": Option(Kind((None,), 1, 1_500), None),
        "round_to": Option(whole(1, 10_000), 1),
        "bounty": Option(amount(), 0, _freezeout),
        "bounty_kind": Option(one_of("plain", "progressive"), "plain", _freezeout),
        "satellite_of": Option(Kind((None,), text=True), None, _freezeout),
        "stack_stakes": Option(whole(5, 500), 30, _knockout),
        "stakes": Option(Kind(("standard",), 1, STAKE_MAX, listed=True), "standard", _knockout),
        "level_by": Option(one_of("clock", "hands"), "clock", _knockout),
        "level_hands": Option(whole(2, 60), None, _knockout),
        "level_seconds": Option(whole(60, 3_600), 300, _knockout),
        "late_until_level": Option(whole(0, 12), 0, _freezeout),
        "late_until_round": Option(whole(0, 28), 0, _swiss),
        "reentries_max": Option(whole(0, 10), 0, _freezeout),
        "rebuys_max": Option(whole(0, 10), 0, _freezeout),
        "rebuy_until_level": Option(whole(0, 12), 0, _freezeout),
        "rebuy_price": Option(amount(), None, _freezeout),
        "addon_price": Option(amount(), 0, _freezeout),
        "addon_stakes": Option(whole(0, 500), 0, _freezeout),
        "addon_after_level": Option(whole(0, 12), 0, _freezeout),
        "hand_for_hand": Option(FLAG, default=True, formats=_knockout),
        "redraw_final": Option(FLAG, default=True, formats=_freezeout),
        "deals": Option(FLAG, default=True, formats=_knockout),
        "rounds": Option(Kind((None,), 1, 30), None, _swiss | {"round_robin"}),
        "match_hands": Option(whole(2, 60), None, MATCHES),
        "best_of": Option(one_of(1, 3, 5), 1, ELIMINATIONS),
        "third_place_match": Option(FLAG, default=True, formats=frozenset({"single_elimination"})),
        "groups": Option(whole(2, 64), 4, _groups),
        "advance": Option(whole(1, 4), 2, _groups),
        "wildcards": Option(whole(0, 8), 0, _groups),
        "finals": Option(
            one_of("single_elimination", "double_elimination", "freezeout"),
            "single_elimination",
            _groups,
        ),
        "allow_rematches": Option(FLAG, default=False, formats=_swiss),
        "seed_by": Option(one_of("lot", "rating", "director"), "lot"),
        "round_gap_seconds": Option(Kind(("manual",), 5, 604_800), 60, MATCHES),
        "clock": Option(one_of("normal", "turbo", "casual", "correspondence"), "normal"),
        "check_in_minutes": Option(whole(0, 60), 0),
        "dispute_minutes": Option(whole(0, 1_440), 15),
        "clone": Option(FLAG, default=False, formats=frozenset({"sit_and_go"})),
        "visibility": Option(one_of("public", "unlisted", "invite"), "public"),
        "api_bots": Option(FLAG, default=False),
        "bots": Option(Kind(("none", "fill"), 1, 10_000), "none"),
        "spectators": Option(whole(0, 3_600), 60),
        "rated": Option(FLAG, default=True),
    }
)
"""Every option in the order of section 16. A default of None depends on others: `_derived`."""

BUILT: Mapping[str, Kind] = MappingProxyType(
    {
        "format": one_of(*(name for name in FORMATS if name != "arena")),
        "start": one_of("when_full", None),
        "satellite_of": one_of(None),
        "rebuys_max": whole(0, 0),
        "rebuy_until_level": whole(0, 0),
        "addon_price": whole(0, 0),
        "addon_stakes": whole(0, 0),
        "addon_after_level": whole(0, 0),
        "finals": one_of("single_elimination", "double_elimination"),
        "round_gap_seconds": whole(5, 604_800),
        "seed_by": one_of("lot"),
        "check_in_minutes": whole(0, 0),
        "dispute_minutes": whole(0, 0),
        "visibility": one_of("public", "unlisted"),
        "api_bots": Kind((False,)),
    }
)
"""The one place that says what is not built: of these options only these values are carried out.

A draft with another value is refused with `out_of_range`, so no accepted option is ever ignored.
"""
