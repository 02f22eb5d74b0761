"""Books and runs in sets of cards: which spreads a hand holds and what fits a meld (`rules.md` 3).

All functions take sets (`cards.py`). `top` is the bit, within a lane, where an ace that follows the
king lies, or 0 where the ace is low only: the 14th rank of a full pack, the 11th of a short one.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from games.rules.cards import ACES, LANE, LANE_BITS, SUIT_COUNT
from games.rules.moves import RunEnd

Kind = Literal["book", "run"]

SPREAD_MIN = 3
BOOK_MAX = 4
_RANK = sum(1 << LANE_BITS * suit for suit in range(SUIT_COUNT))
"""Bit 0 of every lane: times a rank's bit it is the rank in all suits."""


class Meld(msgspec.Struct, frozen=True, gc=False):
    """A spread on the table."""

    number: int
    owner: int
    """Index of the player who laid it."""
    kind: Kind
    cards: int
    span: int
    """The cards, an ace after the king at its high place instead of its low one."""
    fits: int
    """Cards that may be added, as a set."""


def has_spread(cards: int) -> bool:
    """Whether a hand holds a book or a run with the ace low: ten integer operations."""
    if cards & cards >> 1 & cards >> 2:
        return True
    a, b, c, d = cards, cards >> 16, cards >> 32, cards >> 48
    return bool((a & b & (c | d) | c & d & (a | b)) & LANE)


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
    for span in _run_spans(with_high_aces(cards, top), top):
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
        held = cards & rank * _RANK
        yield held
        if held.bit_count() == BOOK_MAX:
            for suit in range(SUIT_COUNT):
                yield held & ~(rank << LANE_BITS * suit)


def _run_spans(span: int, top: int) -> Iterator[int]:
    """Every window of three or more neighbours; none holds both places of an ace."""
    both = (_RANK << 1) | (_RANK << top) if top else 0
    starts = span & span >> 1 & span >> 2
    while starts:
        start = starts & -starts
        starts ^= start
        window, edge = start * 7, start << 2
        while edge & span:
            if not both or (window & both).bit_count() < 2:
                yield window
            edge <<= 1
            window |= edge


def read(cards: int, top: int) -> tuple[Kind, int] | None:
    """Kind and span of the spread that a set is, None if it is none.

    A book is read before a run. Of the two readings of a whole suit the ace is high: the reading
    with the highest low end.

    >>> read(0b1110, 0), read(0b1011 << 1, 0)
    (('run', 14), None)
    """
    count = cards.bit_count()
    if count < SPREAD_MIN:
        return None
    rank = (cards | cards >> 16 | cards >> 32 | cards >> 48) & LANE
    if not rank & rank - 1:
        return "book", cards
    if top and cards & ACES:
        raised = cards & ~ACES | (cards & ACES) << top - 1
        if _is_run(raised):
            return "run", raised
    return ("run", cards) if _is_run(cards) else None


def _is_run(span: int) -> bool:
    """Whether all bits of a set are neighbours; lanes never touch, their edges being empty."""
    lowest = span & -span
    return not span & span + lowest


def meld_of(number: int, owner: int, cards: int, *, top: int, ranks: int) -> Meld | None:
    """The meld that a set of cards makes, None if it is no spread; `ranks` = ranks of the pack."""
    reading = read(cards, top)
    if reading is None:
        return None
    kind, span = reading
    fits = _fits_book(cards) if kind == "book" else _fits_run(span, top=top, ranks=ranks)
    return Meld(number, owner, kind, cards, span, fits)


def _fits_book(cards: int) -> int:
    rank = (cards | cards >> 16 | cards >> 32 | cards >> 48) & LANE
    return rank * _RANK & ~cards


def _fits_run(span: int, *, top: int, ranks: int) -> int:
    """The cards below and above a run; a run that holds the ace goes no further at that side."""
    if span.bit_count() == ranks:
        return 0
    places = sum(((2 << ranks) - 2) << LANE_BITS * suit for suit in range(SUIT_COUNT))
    if top:
        places |= _RANK << top
    lowest, highest = span & -span, 1 << span.bit_length() - 1
    return lowered((lowest >> 1 | highest << 1) & places, top)


def fits_at(meld: Meld, card: int, end: RunEnd | None, top: int) -> bool:
    """Whether a card may be added to a meld: anywhere, or at the named end of a run."""
    if not meld.fits & card:
        return False
    if end is None:
        return True
    if meld.kind == "book":
        return False
    edge = (meld.span & -meld.span) >> 1 if end == "low" else 1 << meld.span.bit_length()
    return bool(with_high_aces(card, top) & edge)


def grown(meld: Meld, card: int, top: int, ranks: int) -> Meld:
    """The meld with a card added that fits it.

    Where an ace fits both ends of a run it goes high: either way no card fits any more.
    """
    cards = meld.cards | card
    if meld.kind == "book":
        return Meld(meld.number, meld.owner, "book", cards, cards, _fits_book(cards))
    raised = with_high_aces(card, top)
    high = 1 << meld.span.bit_length()
    span = meld.span | (high if raised & high else card)
    return Meld(meld.number, meld.owner, "run", cards, span, _fits_run(span, top=top, ranks=ranks))
