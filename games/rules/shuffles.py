"""The cards of a hand by place, and the order that a reshuffle gives (V14, `eventstore.md` 5.8).

A place is 64 x shuffle_no + position; there is at most one reshuffle a hand (D27).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from eventstore.core.refusal import InvariantBroken
from games.rules import fair

NO_CARD = -1
"""Where no card lies: between the last place of the deal and the first of the reshuffle."""
FIRST_RESHUFFLED = fair.place(1, 0)
"""Place of the top card of a reshuffled stock."""


class Shuffler(Protocol):
    """Knows the order of a reshuffle."""

    def again(self, cards: Sequence[int]) -> tuple[tuple[int, ...], str]:
        """New order of the covered discards, given bottom first, and its root as hex."""


@dataclass(frozen=True, slots=True)
class GivenShuffle:
    """An order that somebody has listed: in a case, or in the line of a hand."""

    order: tuple[int, ...]
    root: str = ""

    def again(self, cards: Sequence[int]) -> tuple[tuple[int, ...], str]:
        """The listed order. Raises: ValueError where it is of other cards."""
        if sorted(self.order) != sorted(cards):
            raise ValueError("reshuffle is no order of the covered discards")
        return self.order, self.root


@dataclass(frozen=True, slots=True, repr=False)  # no text form: a trace must not show the key
class KeyedShuffle:
    """The order that the key of a hand gives: shuffle 1, after that of the deal."""

    hand: bytes
    key: bytes

    def again(self, cards: Sequence[int]) -> tuple[tuple[int, ...], str]:
        """Order and root of the sealed reshuffle."""
        sealed = fair.seal(self.key, hand=self.hand, cards=cards, shuffle_no=1)
        return sealed.order, sealed.root.hex()


@dataclass(frozen=True, slots=True, repr=False)  # the same
class Deck:
    """All cards of a hand: codes by place, and who knows what a reshuffle would give."""

    cards: tuple[int, ...]
    shuffler: Shuffler | None = None

    def reshuffled(self, places: Sequence[int]) -> tuple[tuple[int, ...], str]:
        """Codes by place once the cards of these places are the new stock, and its root."""
        if self.shuffler is None:
            raise InvariantBroken("nobody here knows the order of a reshuffle")
        order, root = self.shuffler.again([self.cards[place] for place in places])
        return extended(self.cards, order), root


def sealed_deck(hand: bytes, key: bytes, spec: str) -> Deck:
    """The deck that the key of a hand gives."""
    return Deck(fair.shuffle(key, 0, fair.DECKS[spec]), KeyedShuffle(hand, key))


def extended(cards: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """Codes by place once a reshuffled stock lies there too.

    >>> extended((5, 6), (9, 8))[64:]
    (9, 8)
    """
    return (*cards, *(NO_CARD,) * (FIRST_RESHUFFLED - len(cards)), *order)
