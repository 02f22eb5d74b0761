"""Who deals: the cut before the first hand, and how the deal passes (`rules.md` section 7)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.rules.cards import RANKS
from games.rules.events import End
from games.rules.options import Options

UNCOUNTED: frozenset[End] = frozenset({"initial_draw", "void"})
"""Ends of hands that do not count towards a quota (D2)."""


@dataclass(frozen=True, slots=True)
class CutCard:
    """One card of the cut; round 1 is everybody's first."""

    round: int
    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The outcome of a cut."""

    draws: tuple[CutCard, ...]
    """In the order drawn."""
    dealer: int
    """Seat that drew the highest card."""
    order: tuple[int, ...]
    """Seats, clockwise, in whose places the players now sit: unchanged without `seat_by_cut`."""


class _Drawing:
    """Cards of one pack, drawn in rounds by those who are tied."""

    def __init__(self, cards: Sequence[int]) -> None:
        self._cards: Iterator[int] = iter(cards)
        self._round = 0
        self.draws: list[CutCard] = []

    def ranked(self, seats: Sequence[int]) -> list[list[int]]:
        """The seats in groups of equal cards, highest first, after each drew one card."""
        self._round += 1
        drawn = [CutCard(self._round, seat, next(self._cards)) for seat in seats]
        self.draws += drawn
        ranks = sorted({_rank(one) for one in drawn}, reverse=True)
        return [[one.seat for one in drawn if _rank(one) == rank] for rank in ranks]

    def highest(self, seats: Sequence[int]) -> int:
        """The one seat that draws highest; those tied for it draw again."""
        while len(seats) > 1:
            seats = self.ranked(seats)[0]
        return seats[0]

    def ordered(self, seats: Sequence[int]) -> list[int]:
        """All seats from the highest down; every tie is drawn again, the highest group first."""
        if len(seats) == 1:
            return list(seats)
        return [seat for group in self.ranked(seats) for seat in self.ordered(group)]


def _rank(drawn: CutCard) -> int:
    return drawn.card % len(RANKS)


def cut(options: Options, seats: Sequence[int], cards: Sequence[int]) -> Cut:
    """The cut for the deal (D1) by `seats` in seat order, from a shuffled pack without jokers.

    Raises: StopIteration is never seen: a pack outlasts any ties, `ValueError` says it did not.

    >>> from games.rules.cards import codes_of
    >>> from games.rules.options import DEFAULTS
    >>> cut(DEFAULTS, [1, 2, 3], codes_of(["KH", "9S", "KD", "4C", "JH"])).dealer
    3
    """
    drawing = _Drawing(cards)
    try:
        order = drawing.ordered(seats) if options.seat_by_cut else list(seats)
        dealer = order[0] if options.seat_by_cut else drawing.highest(seats)
    except StopIteration:
        raise ValueError("the cards ran out before the cut was decided") from None
    return Cut(tuple(drawing.draws), dealer, tuple(order))


def next_dealer(options: Options, seats: Sequence[int], dealer: int, end: End | None) -> int:
    """Seat that deals after `dealer` among `seats` still seated (R7, D2).

    `end` is how the hand ended, None for one that was not dealt to its end.

    >>> from games.rules.options import DEFAULTS
    >>> next_dealer(DEFAULTS, [1, 3, 4], 2, "caught"), next_dealer(DEFAULTS, [1, 3], 3, "void")
    (3, 1)
    """
    again = options.redeal_dealer == "same" and end in UNCOUNTED
    if again and dealer in seats:
        return dealer
    left = [seat for seat in seats if seat > dealer]
    return min(left or seats)


def counted(end: End) -> bool:
    """Whether a hand that ended so counts towards a quota of hands (D2)."""
    return end not in UNCOUNTED
