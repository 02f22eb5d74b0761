"""Hands for tests: as the trials play them."""

from tonk_site.proving.play import (
    STEPS_MAX,
    Turn,
    play,
    play_out,
    play_tournament,
    turn_at,
    turn_of,
)

__all__ = [
    "STEPS_MAX",
    "Turn",
    "play",
    "play_out",
    "play_tournament",
    "turn_at",
    "turn_of",
]
