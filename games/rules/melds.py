"""Books and runs in sets of cards: which spreads a hand holds and what fits a meld (`rules.md` 3).

All functions take sets (`cards.py`). `top` is the bit, within a lane, where an ace that follows the
king lies, or 0 where the ace is low only: the 14th rank of a full pack, the 11th of a short one.
What wild cards add is in `wild.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec

from games.rules.cards import ACES, LANE, LANE_BITS, SUIT_COUNT
from games.rules.moves import RunEnd

Kind = Literal["book", "run"]

SPREAD_MIN = 3
BOOK_MAX = 4
SUITS_BIT = sum(1 << LANE_BITS * suit for suit in range(SUIT_COUNT))
"""Bit 0 of every lane: times a rank's bit it is the rank in all suits."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a pack and its options make of spreads."""

    ranks: int
    """Ranks of the pack."""
    top: int
    """Place of a high ace in a lane, 0 where the ace is low only."""
    wilds: int
    """The wild cards, as a set."""
    places: int
    """All places of runs, as a set: those of cards, and of high aces."""


def shape_of(ranks: int, *, high_aces: bool, wilds: int = 0) -> Shape:
    """The shape of a pack with so many ranks."""
    top = ranks + 1 if high_aces else 0
    places = SUITS_BIT * ((2 << ranks) - 2)
    return Shape(ranks, top, wilds, places | (SUITS_BIT << top if top else 0))


WildAt = tuple[int, int]
"""A wild card and the place that it holds in a run, each as a set of one."""


class Reading(NamedTuple):
    """What a list of cards is as a spread."""

    kind: Kind
    span: int
    """Of a run the places that it holds, of a book its natural cards."""
    wild: tuple[WildAt, ...] = ()
    """The wild cards of a run."""


class Meld(msgspec.Struct, frozen=True, gc=False):
    """A spread on the table."""

    number: int
    owner: int
    """Index of the player who laid it."""
    kind: Kind
    cards: int
    span: int
    """Of a run the places that it holds, an ace after the king at its high place; of a book its
    natural cards."""
    fits: int
    """Cards that may be added, as a set."""
    wild: tuple[WildAt, ...] = ()
    """The wild cards of a run."""

    @property
    def reading(self) -> Reading:
        """What its cards are as a spread."""
        return Reading(self.kind, self.span, self.wild)


def has_spread(cards: int) -> bool:
    """Whether natural cards hold a book or a run with the ace low: 4 to 14 integer operations."""
    if cards & cards >> 1 & cards >> 2:
        return True
    # Each book has a pair of neighbouring suits C D, D H or H S; most hands have none.
    pairs = cards & cards >> 16
    if not pairs:
        return False
    return bool(pairs & pairs >> 16 | pairs & cards >> 48 | cards & pairs >> 32)


def with_high_aces(cards: int, top: int) -> int:
    """The set with its aces also at their high place, where the ace may follow the king."""
    return cards | (cards & ACES) << top - 1 if top else cards


def holds_spread(cards: int, top: int) -> bool:
    """Whether a hand holds any spread."""
    return has_spread(cards) or (bool(top) and _has_run(with_high_aces(cards, top)))


def must_lay(cards: int, top: int) -> bool:
    """Whether a hand holds a spread other than a book of aces (D16)."""
    return _has_run(with_high_aces(cards, top)) or has_spread(cards & ~ACES)


def _has_run(span: int) -> bool:
    return bool(span & span >> 1 & span >> 2)


def spreads(cards: int, top: int) -> list[int]:
    """Every spread that a hand holds, each once, books first; empty for most hands.

    >>> len(spreads(0b1111 << 5, 0)), spreads(0b101, 0)
    (3, [])
    """
    if not holds_spread(cards, top):
        return []
    found = list(_books(cards))
    for span in _run_spans(with_high_aces(cards, top)):
        run = lowered(span, top)
        if run not in found:
            found.append(run)
    return found


def lowered(span: int, top: int) -> int:
    """The cards of a span: an ace at its high place comes down to its own bit."""
    if not top:
        return span
    high = span & (ACES >> 1) << top
    return span ^ high | high >> top - 1


def _books(cards: int) -> Iterator[int]:
    a, b, c, d = cards, cards >> 16, cards >> 32, cards >> 48
    ranks = (a & b & (c | d) | c & d & (a | b)) & LANE
    while ranks:
        rank = ranks & -ranks
        ranks ^= rank
        held = cards & rank * SUITS_BIT
        yield held
        if held.bit_count() == BOOK_MAX:
            for suit in range(SUIT_COUNT):
                yield held & ~(rank << LANE_BITS * suit)


def _run_spans(span: int) -> Iterator[int]:
    """Every window of three or more neighbours.

    A whole suit with its ace at both places makes one window too long: lowered, it is the suit.
    """
    starts = span & span >> 1 & span >> 2
    while starts:
        start = starts & -starts
        starts ^= start
        window, edge = start * 7, start << 2
        while edge & span:
            yield window
            edge <<= 1
            window |= edge


def read(cards: int, top: int) -> Reading | None:
    """The spread that a set is with every card in its own place, None if it is none.

    A book is read before a run. Of the two readings of a whole suit the ace is high: the reading
    with the highest low end.

    >>> read(0b1110, 0).kind, read(0b1011 << 1, 0)
    ('run', None)
    """
    if cards.bit_count() < SPREAD_MIN:
        return None
    rank = ranks_in(cards)
    if not rank & rank - 1:
        return Reading("book", cards)
    if top and cards & ACES:
        raised = cards & ~ACES | (cards & ACES) << top - 1
        if _is_run(raised):
            return Reading("run", raised)
    return Reading("run", cards) if _is_run(cards) else None


def ranks_in(cards: int) -> int:
    """Ranks of a set, as bits of one lane."""
    return (cards | cards >> 16 | cards >> 32 | cards >> 48) & LANE


def _is_run(span: int) -> bool:
    """Whether all bits of a set are neighbours; lanes never touch, their edges being empty."""
    lowest = span & -span
    return not span & span + lowest


def meld_of(number: int, owner: int, cards: int, reading: Reading, shape: Shape) -> Meld:
    """The meld that cards make by a reading of them."""
    kind, span, wild = reading
    fits = _fits_book(cards, span, shape) if kind == "book" else _fits_run(span, shape)
    return Meld(number, owner, kind, cards, span, fits, wild)


def _fits_book(cards: int, naturals: int, shape: Shape) -> int:
    if cards.bit_count() == BOOK_MAX:
        return 0
    return (ranks_in(naturals) * SUITS_BIT | shape.wilds) & ~cards


def ends_of(span: int, shape: Shape) -> tuple[int, int]:
    """The free places below and above a run, 0 where it can not grow; a full one is closed."""
    if span.bit_count() == shape.ranks:
        return 0, 0
    return (span & -span) >> 1 & shape.places, 1 << span.bit_length() & shape.places


def _fits_run(span: int, shape: Shape) -> int:
    """The cards of the free places, and all wild cards where there is one."""
    low, high = ends_of(span, shape)
    if not low | high:
        return 0
    return lowered(low | high, shape.top) | shape.wilds


def place_at(meld: Meld, card: int, end: RunEnd | None, shape: Shape) -> int:
    """The place that a card takes at a meld, as a set of one, 0 where it does not fit.

    In a run a natural card goes where it fits. A wild one, a deuce in its own place too, goes to
    the named end; without a name to the high end, or to the low one if that is closed. In a book
    the place is the card itself.
    """
    if not meld.fits & card:
        return 0
    if meld.kind == "book":
        return card if end is None else 0
    low, high = ends_of(meld.span, shape)
    if not card & shape.wilds:
        # Where an ace fits both ends it goes high: either way no card fits any more.
        own = with_high_aces(card, shape.top)
        low, high = low & own, high & own
    if end is None:
        return high or low
    return high if end == "high" else low


def grown(meld: Meld, card: int, place: int, shape: Shape) -> Meld:
    """The meld with a card added at a place that `place_at` gave."""
    cards, span, wild = meld.cards | card, meld.span, meld.wild
    if meld.kind == "book":
        if not card & shape.wilds or ranks_in(card) == ranks_in(span):
            span |= card
        # A book that was hit has four cards.
        return Meld(meld.number, meld.owner, "book", cards, span, 0)
    span |= place
    if card & shape.wilds and card != place:
        wild = (*wild, (card, place))
    return Meld(meld.number, meld.owner, "run", cards, span, _fits_run(span, shape), wild)


def layout(cards: int, reading: Reading, shape: Shape) -> list[WildAt]:
    """Each card of a spread with what it stands for, as sets of one: low card first, or by suit.

    A wild card of a book stands for a suit that is missing there, in deck order.
    """
    if cards == reading.span and not reading.wild:
        return [(card, card) for card in members(cards)]
    if reading.kind == "book":
        missing = list(members(ranks_in(reading.span) * SUITS_BIT & ~reading.span))
        wild = zip(members(cards & ~reading.span), missing, strict=False)
        pairs = [(card, card) for card in members(reading.span)] + list(wild)
        return sorted(pairs, key=lambda pair: pair[1])
    standing = {place: card for card, place in reading.wild}
    places = ((place, lowered(place, shape.top)) for place in members(reading.span))
    return [(standing.get(place, card), card) for place, card in places]


def members(cards: int) -> Iterator[int]:
    """The cards of a set one by one, each as a set."""
    while cards:
        lowest = cards & -cards
        yield lowest
        cards ^= lowest
