"""Cards as codes, texts and sets: a set of cards is one `int` (`bots.md` section 1).

A card has a code 0..53 (`eventstore.md` 5.1) and a text such as `5H`. A set has four lanes of 16
bits, one per suit in the order C D H S; in a lane bit r is the r-th rank of the pack, the ace being
r = 1. Bits 0, 14 and 15 of a lane stay empty, so shifts by 1 and 2 never join two suits.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

RANKS = "A23456789TJQK"
SUITS = "CDHS"
JOKERS = ("X1", "X2")

TEXTS = (*(rank + suit for suit in SUITS for rank in RANKS), *JOKERS)
"""Text of each code, in deck order."""
CODES = MappingProxyType({text: code for code, text in enumerate(TEXTS)})
"""Code of each text."""

SUIT_COUNT = 4
LANE_BITS = 16
LANE = (1 << LANE_BITS) - 1
LANES = (1 << LANE_BITS * SUIT_COUNT) - 1
"""All four lanes: every card but the jokers."""
ACES = sum(2 << LANE_BITS * suit for suit in range(SUIT_COUNT))
"""The four aces as a set, in every pack."""
DEUCES = ACES << 1
"""The four deuces as a set, in every pack."""
JOKER_SET = 3 << LANE_BITS * SUIT_COUNT
"""Both jokers as a set: they lie above the lanes, in bits 64 and 65."""

RANKS_OF_DECK = MappingProxyType({52: tuple(range(13)), 40: (*range(7), 10, 11, 12)})
"""Rank numbers (ace = 0) that a pack has, in their order: the short one has no 8, 9, T."""


@dataclass(frozen=True, slots=True)
class Pack:
    """How the cards of one pack lie in the bits of a set."""

    codes: tuple[int, ...]
    """All cards, in deck order."""
    bits: tuple[int, ...]
    """Set of the one card with this code; 0 for a card that the pack does not have."""
    code_at: tuple[int, ...]
    """Code of the card whose bit has this index; -1 where no card lies."""
    near: tuple[int, ...]
    """By code the cards that one may meet in a spread where no card is wild and no ace high: those
    of its rank, and those of its suit within two ranks."""
    rank_count: int

    def set_of(self, cards: Iterable[int]) -> int:
        """Set of the cards with these codes.

        >>> pack_of(52).set_of([CODES["AC"], CODES["AD"]]) == (1 << 1) + (1 << 17)
        True
        """
        bits, found = self.bits, 0
        for card in cards:
            found |= bits[card]
        return found

    def code_of(self, card: int) -> int:
        """Code of a set of one card."""
        return self.code_at[card.bit_length() - 1]

    def cards_in(self, cards: int) -> tuple[int, ...]:
        """Codes of a set, in deck order.

        >>> pack = pack_of(40)
        >>> texts(pack.cards_in(pack.set_of([CODES["JH"], CODES["7H"], CODES["2C"]])))
        ['2C', '7H', 'JH']
        """
        found, code_at = [], self.code_at
        while cards:
            index = cards.bit_length() - 1
            found.append(code_at[index])
            cards ^= 1 << index
        found.reverse()
        return tuple(found)


@lru_cache(maxsize=6)
def pack_of(deck: int, jokers: int = 0) -> Pack:
    """The pack of 52 or 40 cards with 0 to 2 jokers.

    >>> texts(pack_of(40, 1).codes[-2:])
    ['KS', 'X1']
    """
    ranks = RANKS_OF_DECK[deck]
    bits, code_at = [0] * len(TEXTS), [-1] * (LANE_BITS * SUIT_COUNT + len(JOKERS))
    codes = []
    for suit in range(SUIT_COUNT):
        for position, rank in enumerate(ranks, start=1):
            code, index = len(RANKS) * suit + rank, LANE_BITS * suit + position
            bits[code], code_at[index] = 1 << index, code
            codes.append(code)
    for number in range(jokers):
        code, index = len(RANKS) * SUIT_COUNT + number, LANE_BITS * SUIT_COUNT + number
        bits[code], code_at[index] = 1 << index, code
        codes.append(code)
    whole = sum(bits)
    near = tuple(_near(bit, whole) for bit in bits)
    return Pack(tuple(codes), tuple(bits), tuple(code_at), near, len(ranks))


def _near(card: int, pack: int) -> int:
    """Cards of a pack that lie near one of it, all as sets; none lie near a joker."""
    if card & JOKER_SET:
        return 0
    suit = card | card << 1 | card << 2 | card >> 1 | card >> 2
    rank = sum(card >> LANE_BITS * suits | card << LANE_BITS * suits for suits in range(SUIT_COUNT))
    return (suit | rank) & LANES & pack & ~card


def texts(cards: Iterable[int]) -> list[str]:
    """Texts of card codes, in the order given.

    >>> texts([0, 51])
    ['AC', 'KS']
    """
    return [TEXTS[card] for card in cards]


def codes_of(cards: Iterable[str]) -> tuple[int, ...]:
    """Codes of card texts, in the order given. Raises: KeyError for a text that is no card."""
    return tuple(CODES[card] for card in cards)


def by_rank(card: int) -> tuple[int, int]:
    """Sorting key of rank order: ace first, suits C D H S within a rank, jokers last.

    >>> texts(sorted(codes_of(["9S", "8S", "8H"]), key=by_rank))
    ['8H', '8S', '9S']
    """
    suit, rank = divmod(card, len(RANKS))
    return (rank, suit) if suit < SUIT_COUNT else (len(RANKS), card)
