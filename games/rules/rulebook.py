"""An option set made ready to play: the pack, the points of cards, limits that depend on seats."""

from dataclasses import dataclass
from functools import lru_cache

from games.rules import scoring
from games.rules.cards import Pack, pack_of
from games.rules.options import Options

SEED_COUNTS = (49, 50)
"""Dealt totals of R10, which hold for five cards with tens for faces."""
TURNS_PER_SEAT = 3
"""Turns without a stock draw, per seat, after which the discard may not be taken (D17)."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of one hand."""

    options: Options
    seat_count: int
    pack: Pack
    top: int
    """Place of a high ace in a lane, 0 where the ace is low only (`melds.py`)."""
    table: scoring.Table
    discard_turn_cap: int
    initial_counts: tuple[int, ...]

    def points(self, cards: int) -> int:
        """Points of a set of cards, spreads among them too."""
        return scoring.points(cards, self.table)

    def count(self, cards: int) -> int:
        """Held total of a set of cards by `count_method`."""
        if self.options.count_method == "deadwood":
            return scoring.deadwood(cards, self.table, self.top)
        return scoring.points(cards, self.table)


@lru_cache(maxsize=64)
def rulebook(options: Options, seat_count: int) -> Rulebook:
    """The rules of a hand of `seat_count` players under an option set."""
    pack = pack_of(options.deck)
    return Rulebook(
        options=options,
        seat_count=seat_count,
        pack=pack,
        top=pack.rank_count + 1 if options.ace_runs == "high_or_low" else 0,
        table=scoring.points_table(options.deck, options.face_values),
        discard_turn_cap=options.discard_turn_cap or TURNS_PER_SEAT * seat_count,
        initial_counts=_initial_counts(options),
    )


def _initial_counts(options: Options) -> tuple[int, ...]:
    if options.initial_tonk_counts is not None:
        return options.initial_tonk_counts
    tens = options.face_values == (10, 10, 10)
    return SEED_COUNTS if options.hand_size == 5 and tens else ()
