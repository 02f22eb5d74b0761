"""An option set made ready to play: pack, spreads and points, limits that depend on seats."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from eventstore.core.refusal import InvariantBroken
from games.rules import melds, scoring, wild
from games.rules.cards import ACES, DEUCES, JOKER_SET, LANE_BITS, LANES, SUIT_COUNT, Pack, pack_of
from games.rules.melds import Reading, Shape
from games.rules.options import RULES_VERSION, RULES_VERSIONS, SEATS_MIN, Options, fault

SEED_COUNTS = (49, 50)
"""Dealt totals of R10, which hold for five cards with tens for faces."""
TURNS_PER_SEAT = 3
"""Turns without a stock draw, per seat, after which the discard may not be taken (D17)."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of one hand."""

    options: Options
    version: int
    """Version of the rules: where two versions differ, the code asks this one."""
    seat_count: int
    pack: Pack
    shape: Shape
    table: scoring.Table
    discard_turn_cap: int
    initial_counts: tuple[int, ...]
    plain_spreads: bool
    """Whether no card is wild and no ace high: then spreads are of cards near each other."""

    def points(self, cards: int) -> int:
        """Points of a set of cards, spreads among them too."""
        if cards > LANES:
            jokers = cards >> LANE_BITS * SUIT_COUNT
            value = self.options.joker_value * jokers.bit_count()
            return value + scoring.points(cards & LANES, self.table)
        return scoring.points(cards, self.table)

    def count(self, cards: int) -> int:
        """Held total of a set of cards by `count_method`."""
        if self.options.count_method == "deadwood":
            return scoring.deadwood(cards, self.spreads(cards), self.points)
        return self.points(cards)

    def spreads(self, cards: int) -> list[int]:
        """Every set of these cards that is a spread, each once."""
        if cards & self.shape.wilds:
            return list(wild.spreads(cards, self.shape))
        return melds.spreads(cards, self.shape.top)

    def holds_spread(self, cards: int) -> bool:
        """Whether some of these cards are a spread."""
        if cards & self.shape.wilds:
            return any(wild.spreads(cards, self.shape))
        return melds.holds_spread(cards, self.shape.top)

    def must_lay(self, cards: int) -> bool:
        """Whether some of these cards are a spread other than three or four aces (D16)."""
        if cards & self.shape.wilds:
            return any(spread & ~ACES for spread in wild.spreads(cards, self.shape))
        return melds.must_lay(cards, self.shape.top)

    def readings(self, cards: int) -> tuple[Reading, ...]:
        """Everything that these cards can be as one spread, the highest low end first."""
        return wild.readings(cards, self.shape)

    def read(self, cards: Sequence[int]) -> Reading | None:
        """The spread that a list of card codes names, None if it is none."""
        bits = self.pack.bits
        return wild.read_listed([bits[card] for card in cards], self.shape)


@lru_cache(maxsize=64)
def rulebook(options: Options, seat_count: int, version: int = RULES_VERSION) -> Rulebook:
    """The rules of a hand of `seat_count` players under an option set.

    Raises: InvariantBroken for a version of the rules that this program does not know, and for a
    set that no table may have: whoever took it in has checked it, and here it is checked again.
    """
    if version not in RULES_VERSIONS:
        raise InvariantBroken(f"version {version} of the rules is unknown here")
    wrong = fault(options, SEATS_MIN)
    if wrong:
        raise InvariantBroken(f"rules that no table may have: {wrong}")
    pack = pack_of(options.deck, options.jokers)
    wilds = (JOKER_SET if options.jokers else 0) | (DEUCES if options.deuces_wild else 0)
    high_aces = options.ace_runs == "high_or_low"
    return Rulebook(
        options=options,
        version=version,
        seat_count=seat_count,
        pack=pack,
        shape=melds.shape_of(pack.rank_count, high_aces=high_aces, wilds=wilds),
        table=scoring.points_table(options.deck, options.face_values),
        discard_turn_cap=options.discard_turn_cap or TURNS_PER_SEAT * seat_count,
        initial_counts=_initial_counts(options),
        plain_spreads=not wilds and not high_aces,
    )


def _initial_counts(options: Options) -> tuple[int, ...]:
    if options.initial_tonk_counts is not None:
        return options.initial_tonk_counts
    tens = options.face_values == (10, 10, 10)
    return SEED_COUNTS if options.hand_size == 5 and tens else ()
