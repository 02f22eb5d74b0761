"""Tournaments that are often held, under a name (`tournaments.md` section 16)."""

from collections.abc import Mapping
from types import MappingProxyType

TEMPLATES: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "sit_and_go_3": MappingProxyType(
            {
                "format": "sit_and_go",
                "entries_min": 3,
                "entries_max": 3,
                "start": "when_full",
                "fee": 50,
                "payout": "bp",
                "payout_bp": [10_000],
                "level_by": "hands",
                "level_hands": 9,
                "hand_for_hand": False,
                "deals": False,
                "clock": "turbo",
                "dispute_minutes": 0,
                "clone": True,
                "bots": "fill",
                "rated": False,
            }
        ),
        "evening_freezeout": MappingProxyType(
            {
                "entries_min": 6,
                "entries_max": 120,
                "buy_in": 2_000,
                "fee": 200,
                "guarantee": 20_000,
                "round_to": 100,
                "stack_stakes": 40,
                "late_until_level": 4,
                "reentries_max": 1,
                "check_in_minutes": 15,
            }
        ),
        "swiss_night": MappingProxyType(
            {
                "format": "swiss",
                "entries_min": 6,
                "entries_max": 60,
                "fee": 100,
                "late_until_round": 2,
                "rounds": 5,
                "match_hands": 9,
                "seed_by": "rating",
                "round_gap_seconds": 120,
                "check_in_minutes": 15,
                "bots": "fill",
            }
        ),
        "heads_up_bracket": MappingProxyType(
            {
                "format": "single_elimination",
                "seats": 2,
                "entries_min": 4,
                "entries_max": 32,
                "fee": 100,
                "payout": "bp",
                "payout_bp": [6_000, 2_500, 1_500],
                "match_hands": 8,
                "best_of": 3,
                "seed_by": "rating",
                "round_gap_seconds": 120,
                "check_in_minutes": 15,
            }
        ),
        "league": MappingProxyType(
            {
                "format": "round_robin",
                "entries_min": 9,
                "entries_max": 15,
                "buy_in": 5_000,
                "fee": 500,
                "rounds": 7,
                "match_hands": 9,
                "round_gap_seconds": 604_800,
                "clock": "casual",
                "dispute_minutes": 60,
                "visibility": "invite",
            }
        ),
        "sim-short": MappingProxyType(
            {
                "currency": "XTK",
                "entries_min": 9,
                "entries_max": 9,
                "start": "when_full",
                "fee": 100,
                "stack_stakes": 8,
                "level_by": "hands",
                "level_hands": 6,
                "clock": "turbo",
                "dispute_minutes": 0,
                "bots": "fill",
            }
        ),
    }
)
"""What each template sets; an instant of start comes with the draft."""
