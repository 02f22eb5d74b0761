"""What the fast twin reads instead of computing: one option set at a number of seats, as tables.

Cards are numbers 0..51 in the order of discards, the highest rank first, of one rank the lowest
suit. A move is a number too:

| number | move |
|---|---|
| 0..51 | discard this card |
| `DRAW`, `TAKE`, `KNOCK` | as they say |
| `HIT` x m + card | hit the m-th spread, m = 1.. |
| `LAY` + set | lay this set of cards; with `ACE_LOW` a whole suit lies from the ace up |
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Literal

from games.rules import melds, moves
from games.rules.cards import ACES, LANE, LANES, RANKS, SUIT_COUNT, SUITS
from games.rules.melds import SUITS_BIT
from games.rules.moves import Move
from games.rules.options import Options
from games.rules.rulebook import Rulebook, rulebook

DRAW, TAKE, KNOCK = 52, 53, 54
HIT = 64
LAY = 1 << 64
ACE_LOW = 1 << 65
NO_CARD = -1
CARDS = len(RANKS) * SUIT_COUNT

POINTS_BITS = 10
"""Room for the points of any cards: a whole pack counts less than 400."""
POINTS_MASK = (1 << POINTS_BITS) - 1
NEIGHBOURS = 5
"""Places of a lane, a card's own in the middle, that say whether it lies in a run."""
_BARE = MappingProxyType({"S": DRAW, "T": TAKE, "K": KNOCK})
_UNPLAYED = (
    ("jokers", (1, 2)),
    ("deuces_wild", (True,)),
    ("slap", (True,)),
    ("on_empty_stock", ("reshuffle",)),
)
"""Option values that the twin does not play."""


def code_of(card: int) -> int:
    """Card code of a card's number, and the reverse of it is `number_of`.

    >>> code_of(0), number_of(12)
    (12, 0)
    """
    rank, suit = divmod(card, len(SUITS))
    return len(RANKS) * suit + len(RANKS) - 1 - rank


def number_of(code: int) -> int:
    """Number of a card by its code."""
    suit, rank = divmod(code, len(RANKS))
    return len(SUITS) * (len(RANKS) - 1 - rank) + suit


NUMBERS = tuple(number_of(code) for code in range(CARDS))
"""Number of each card by its code."""


@dataclass(frozen=True, slots=True)
class Tables:
    """The rules of one hand, ready for the twin."""

    options: Options
    book: Rulebook
    seats: int
    after: tuple[int, ...]
    """The player after each."""
    deck: list[int]
    """All cards of the pack; a list, because it is copied for each hand."""
    dealt: int
    """Cards dealt to all players together."""
    parts: tuple[tuple[slice, ...], ...]
    """By dealer: each player's part of the cards dealt."""
    draws: tuple[float, ...]
    """The cards that are left at each card of the deal, the upcard among them."""
    bit: tuple[int, ...]
    """Set of each card, 0 for one that the pack does not have."""
    at: tuple[int, ...]
    """The card that a set of one is, by its bit length."""
    points: tuple[int, ...]
    """Points of each card."""
    weights: tuple[int, ...]
    """Set and points of each card in one number: the set above `POINTS_BITS` bits."""
    equals: tuple[int, ...]
    """The other cards of its rank, as a set."""
    near: tuple[int, ...]
    """Its partners: cards of its suit within two ranks, and those of its rank."""
    shift: tuple[int, ...]
    """A set moved right by this many bits shows the neighbours of a card in its lowest bits."""
    in_run: tuple[tuple[bool, ...], ...]
    """Whether a card lies in a run, by those neighbours."""
    ranks: int
    """Ranks of the pack."""
    top: int
    """Place of a high ace in a lane, 0 where the ace is low only."""
    holds_spread: Callable[[int], bool]
    """Whether a set of cards holds a spread."""
    places: int
    """Places that runs may reach, as a set."""
    hits_max: int
    """Hits of one turn."""
    take_max: int
    """Turns in a row with the discard after which it may not be taken."""
    stock_end: Literal["stock", "void"]
    """How a hand ends when the empty stock is asked for."""
    claim_totals: frozenset[int]
    """Points of the dealt hands that may win by themselves."""
    holds: bool
    """Whether any act brings a hold."""
    free_start: bool
    """Nothing but the cap on takes restricts the start of a turn."""
    free_play: bool
    """Nothing but D6 restricts discards, and nobody knocks after the draw."""
    fixed_seed: bool
    """Payments are those of the source: fixed stakes, caught by the seed rule, ties each paid."""
    strict: int
    """1 where a tie is the knocker's, else 0."""
    knocker_single: int
    """1 where a caught knocker pays the single stake of R32 too, else 0."""

    def move_of(self, move: int) -> Move:
        """The move of the rules that a number means; cards of a run in its order."""
        if move < CARDS:
            return moves.DISCARDS[code_of(move)]
        if move < HIT:
            return (moves.DRAW, moves.TAKE, moves.KNOCK)[move - DRAW]
        if move < LAY:
            return moves.hit(code_of(move % HIT), move // HIT)
        cards = self.book.pack.cards_in(move & LANES)
        if self.top and not move & ACE_LOW and self.ace_follows_king(move & LANES):
            cards = (*cards[1:], cards[0])
        return moves.lay(*cards)

    def number_of(self, move: Move) -> int:
        """The number of a legal move. Raises: ValueError for a move that the twin does not know."""
        match move.verb:
            case "D":
                return NUMBERS[move.cards[0]]
            case "H":
                return HIT * move.meld + NUMBERS[move.cards[0]]
            case "L":
                laid = LAY | self.book.pack.set_of(move.cards)
                low = self.top and len(move.cards) == self.book.pack.rank_count
                return laid | ACE_LOW if low and not move.cards[0] % len(RANKS) else laid
            case "S" | "T" | "K":
                return _BARE[move.verb]
            case _:
                raise ValueError("the twin plays without slaps")

    def ace_follows_king(self, cards: int) -> bool:
        """Whether a spread is a run in which the ace can be the high end."""
        ranks = (cards | cards >> 16 | cards >> 32 | cards >> 48) & LANE
        return bool(cards & ACES) and bool(ranks >> self.top - 1) and bool(ranks & ranks - 1)


@lru_cache(maxsize=64)
def tables_of(options: Options, seats: int) -> Tables:
    """The tables of an option set for this many seats.

    Raises: ValueError for jokers, wild deuces, slaps and reshuffles, which the twin does not play.
    """
    for name, values in _UNPLAYED:
        if getattr(options, name) in values:
            raise ValueError(f"the twin does not play {name} = {getattr(options, name)}")
    book = rulebook(options, seats)
    pack = book.pack
    bit = tuple(pack.bits[code_of(card)] for card in range(CARDS))
    top = pack.rank_count + 1 if options.ace_runs == "high_or_low" else 0
    holds = bool(options.hit_hold_first or options.spread_hold)
    knock_free = options.knock_from_round == 1 and options.knock_max_count is None and not holds
    dealt = seats * options.hand_size
    opened = dealt + options.initial_upcard
    lows = range(max((total for total, _ in options.initial_low), default=-1) + 1)
    any_total = range(POINTS_MASK if options.initial_spread else 0)
    throw_free = not options.must_spread and not options.allow_return_discard
    return Tables(
        options=options,
        book=book,
        seats=seats,
        after=(*range(1, seats), 0),
        deck=[NUMBERS[code] for code in pack.codes],
        dealt=dealt,
        parts=tuple(
            tuple(slice((player - dealer - 1) % seats, dealt, seats) for player in range(seats))
            for dealer in range(seats)
        ),
        draws=tuple(float(len(pack.codes) - place) for place in range(opened)),
        bit=bit,
        at=(NO_CARD, *(NO_CARD if code < 0 else NUMBERS[code] for code in pack.code_at)),
        points=tuple(book.points(one) for one in bit),
        weights=tuple(one << POINTS_BITS | book.points(one) for one in bit),
        equals=tuple(_rank_of(one) & ~one for one in bit),
        near=tuple(one << 1 | one >> 1 | one << 2 | one >> 2 | _rank_of(one) & ~one for one in bit),
        shift=tuple(max(one.bit_length() - 3, 0) for one in bit),
        in_run=tuple(_FROM_EDGE if one == 2 else _IN_RUN for one in bit),
        ranks=pack.rank_count,
        top=top,
        holds_spread=partial(melds.holds_spread, top=top) if top else melds.has_spread,
        places=SUITS_BIT * ((2 << pack.rank_count) - 2 | (1 << top if top else 0)),
        hits_max=CARDS if options.hits_per_turn is None else options.hits_per_turn,
        take_max=book.discard_turn_cap,
        stock_end="void" if options.on_empty_stock == "void" else "stock",
        claim_totals=frozenset([*book.initial_counts, *lows, *any_total]),
        holds=holds,
        free_start=knock_free and not options.must_use_discard,
        free_play=(
            throw_free and not options.must_use_discard and options.knock_when == "turn_start"
        ),
        fixed_seed=(
            options.settlement == "fixed"
            and options.caught_rule == "seed"
            and options.stockout_tie == "each_paid"
        ),
        strict=int(options.knock_tie == "knocker_wins"),
        knocker_single=int(options.caught_bonus_from == "all"),
    )


def _rank_of(card: int) -> int:
    """All four cards of a card's rank, as a set."""
    lane = (card | card >> 16 | card >> 32 | card >> 48) & LANE
    return lane * SUITS_BIT


def _runs_around(place: int) -> tuple[bool, ...]:
    """By the bits of a window: whether three in a row cover the place."""
    threes = [7 << low for low in range(NEIGHBOURS - 2) if low <= place <= low + 2]
    return tuple(
        any(window & three == three for three in threes) for window in range(1 << NEIGHBOURS)
    )


_IN_RUN = _runs_around(2)
_FROM_EDGE = _runs_around(1)
"""For the ace of the first lane, left of which there is one place alone."""
