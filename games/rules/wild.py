"""What wild cards make of a hand: jokers, and all deuces under `deuces_wild` (V4, `rules.md` 3).

A spread has at least two natural cards. A deuce in its own place is natural: its own rank and suit
in a run, any deuce in a book of deuces. These searches run only where a wild card is held.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from games.rules import melds
from games.rules.cards import ACES, DEUCES, LANE, LANE_BITS, LANES, SUIT_COUNT
from games.rules.melds import BOOK_MAX, SPREAD_MIN, SUITS_BIT, Reading, Shape, WildAt

NATURALS_MIN = 2


def readings(cards: int, shape: Shape) -> tuple[Reading, ...]:
    """Everything that a set can be as a spread, the highest low end first; empty if it is none.

    A deuce whose own place lies in the run takes it; the other wild cards fill the gaps in deck
    order: any other order of the same cards in the same places is the same spread.
    """
    if not cards & shape.wilds:
        natural = melds.read(cards, shape.top)
        return (natural,) if natural else ()
    book = _book(cards, shape)
    if book:
        return (book,)
    return tuple(_run_readings(cards, shape))


def read_listed(cards: Sequence[int], shape: Shape) -> Reading | None:
    """What a list of cards is, each a set of one; None if it is no spread.

    With a wild card in it the order is that of the run, low card first, and says what each wild
    card stands for.
    """
    laid = sum(cards)
    if not laid & shape.wilds:
        return melds.read(laid, shape.top)
    return _book(laid, shape) or _run_in_order(cards, laid, shape)


def spreads(cards: int, shape: Shape) -> Iterator[int]:
    """Every set of held cards that is a spread, each once; those without wild cards first."""
    wilds = cards & shape.wilds
    seen: set[int] = set()
    for found in _candidates(cards, wilds, shape):
        if found not in seen:
            seen.add(found)
            if readings(found, shape):
                yield found


def _book(cards: int, shape: Shape) -> Reading | None:
    """The book that a set is: two natural cards of one rank or more, wild cards up to four."""
    if not SPREAD_MIN <= cards.bit_count() <= BOOK_MAX:
        return None
    naturals = cards & ~shape.wilds or cards & DEUCES
    rank = melds.ranks_in(naturals)
    single = rank and not rank & rank - 1
    if single and naturals.bit_count() >= NATURALS_MIN:
        return Reading("book", naturals)
    return None


def _run_readings(cards: int, shape: Shape) -> Iterator[Reading]:
    """Readings as runs, from the highest low end down."""
    length, naturals = cards.bit_count(), cards & ~shape.wilds
    suit = _suit_of(naturals)
    if suit is None or not SPREAD_MIN <= length <= shape.ranks:
        return
    lane = shape.places >> LANE_BITS * suit & LANE
    for start in range(lane.bit_length() - length, 0, -1):
        window = (1 << length) - 1 << start
        reading = _run_at(cards, window << LANE_BITS * suit, shape)
        if window & lane == window and reading:
            yield reading


def _run_at(cards: int, span: int, shape: Shape) -> Reading | None:
    """The run that a set is at these places, None if it is none there."""
    naturals = cards & ~shape.wilds
    placed = melds.with_high_aces(naturals, shape.top) & span
    own = cards & shape.wilds & span & ~placed
    if placed.bit_count() != naturals.bit_count() or (placed | own).bit_count() < NATURALS_MIN:
        return None
    fillers = melds.members(cards & shape.wilds & ~own)
    gaps = melds.members(span & ~placed & ~own)
    return Reading("run", span, tuple(zip(fillers, gaps, strict=True)))


def _run_in_order(cards: Sequence[int], laid: int, shape: Shape) -> Reading | None:
    """The run that a list is in its own order."""
    suit = _suit_of(laid & ~shape.wilds)
    if suit is None or not SPREAD_MIN <= len(cards) <= shape.ranks:
        return None
    for start in range(1, (shape.places >> LANE_BITS * suit & LANE).bit_length() - len(cards) + 1):
        places = [1 << LANE_BITS * suit + start + index for index in range(len(cards))]
        wild = _wild_in_order(cards, places, shape)
        if wild is not None and len(cards) - len(wild) >= NATURALS_MIN:
            return Reading("run", sum(places), wild)
    return None


def _wild_in_order(
    cards: Sequence[int], places: Sequence[int], shape: Shape
) -> tuple[WildAt, ...] | None:
    """Wild cards that stand for others, None where a natural card is out of its place."""
    strangers = [
        (card, place)
        for card, place in zip(cards, places, strict=True)
        if not melds.with_high_aces(card, shape.top) & place
    ]
    if any(not card & shape.wilds for card, _ in strangers):
        return None
    return tuple(strangers)


def _suit_of(naturals: int) -> int | None:
    """The one suit of natural cards, None for none or several."""
    suits = [suit for suit in range(SUIT_COUNT) if naturals >> LANE_BITS * suit & LANE]
    return suits[0] if len(suits) == 1 else None


def _candidates(cards: int, wilds: int, shape: Shape) -> Iterator[int]:
    """Sets that may be spreads: those of natural cards, then naturals with wild cards added."""
    naturals = cards & ~shape.wilds
    yield from melds.spreads(cards & LANES, shape.top)
    added = [sum(some) for size in range(1, 7) for some in combinations(melds.members(wilds), size)]
    for rank in melds.members(melds.ranks_in(cards & LANES)):
        same = tuple(melds.members(cards & rank * SUITS_BIT))
        for size in (2, 3):
            for some in combinations(same, size):
                yield from (sum(some) | more for more in added if not sum(some) & more)
    for suit in range(SUIT_COUNT):
        yield from _runs_with(naturals & LANE << LANE_BITS * suit, added, shape)


def _runs_with(lane: int, added: Sequence[int], shape: Shape) -> Iterator[int]:
    """Natural cards of one suit with wild cards that may close their gaps."""
    held = tuple(melds.members(lane))
    for size in range(1, len(held) + 1):
        for some in combinations(held, size):
            chosen = sum(some)
            # An ace may stand at either end; then the gaps are counted by `readings`.
            gaps = 0 if chosen & ACES and shape.top else _gaps(some)
            yield from (chosen | more for more in added if more.bit_count() >= gaps)


def _gaps(some: Sequence[int]) -> int:
    return some[-1].bit_length() - some[0].bit_length() + 1 - len(some)
