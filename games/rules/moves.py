"""Moves and their texts: `S`, `T`, `L 7S 8S 9S`, `H 9S m1 low`, `D 5C`, `K`, `P 5C`."""

from typing import Literal

import msgspec

from eventstore.core.refusal import Refusal
from games.rules.cards import CODES, TEXTS

Verb = Literal["S", "T", "L", "H", "D", "K", "P"]
"""Draw from the stock, take the discard, lay a spread, hit, discard, knock, slap."""
RunEnd = Literal["low", "high"]

TEXT_MAX = 64
"""Characters of a move: a run of 13 cards takes 40, and nothing longer is worth reading."""


class Move(msgspec.Struct, frozen=True, gc=False):
    """One choice of a player; cards are codes, `meld` is the number in `m1`, 0 for none."""

    verb: Verb
    cards: tuple[int, ...] = ()
    meld: int = 0
    end: RunEnd | None = None

    @property
    def text(self) -> str:
        """The move as API, `.tonkh` and bots write it.

        >>> Move("H", (CODES["9S"],), 1).text
        'H 9S m1'
        """
        words = [self.verb, *(TEXTS[card] for card in self.cards)]
        if self.meld:
            words.append(meld_name(self.meld))
        if self.end:
            words.append(self.end)
        return " ".join(words)


DRAW = Move("S")
TAKE = Move("T")
KNOCK = Move("K")
SLAP = Move("P")
"""The slap of one's own discard; others name the card that they shed."""
DISCARDS = tuple(Move("D", (card,)) for card in range(len(TEXTS)))
"""The discard of each card, by code."""


def lay(*cards: int) -> Move:
    """The laying of these cards as a new spread."""
    return Move("L", cards)


def hit(card: int, meld: int, end: RunEnd | None = None) -> Move:
    """The adding of a card to a spread on the table."""
    return Move("H", (card,), meld, end)


def meld_name(number: int) -> str:
    """Id of a meld as events and moves write it: `m1`."""
    return f"m{number}"


def meld_number(name: str) -> int:
    """Number of a meld's id, 0 for a text that is no id.

    >>> meld_number("m12"), meld_number("m01"), meld_number("x1")
    (12, 0, 0)
    """
    digits = name[1:]
    if name[:1] != "m" or not (digits.isascii() and digits.isdigit()) or digits[0] == "0":
        return 0
    return int(digits) if len(digits) < 3 else 0


def parse(text: str) -> Move | Refusal:
    """The move that a text names; refuses what can not be read with `bad_card`.

    >>> parse("L 7S 8S 9S").cards
    (45, 46, 47)
    >>> parse("D 1H").code
    'bad_card'
    """
    words = text.split(" ") if len(text) <= TEXT_MAX else [""]
    move = _read(words[0], words[1:])
    return move or Refusal("bad_card", facts={"move": text[:TEXT_MAX]})


def _read(verb: str, words: list[str]) -> Move | None:
    if verb == "H":
        return _read_hit(words)
    cards = tuple(CODES.get(word, -1) for word in words)
    if -1 in cards or len(set(cards)) < len(cards):
        return None
    match verb, len(cards):
        case ("S" | "T" | "K") as bare, 0:
            return Move(bare)
        case "D", 1:
            return DISCARDS[cards[0]]
        case ("P", 0 | 1) | ("L", _) if verb == "P" or cards:
            return Move("P" if verb == "P" else "L", cards)
    return None


def _read_hit(words: list[str]) -> Move | None:
    match words:
        case [card, meld] if card in CODES and meld_number(meld):
            return hit(CODES[card], meld_number(meld))
        case [card, meld, ("low" | "high") as end] if card in CODES and meld_number(meld):
            return hit(CODES[card], meld_number(meld), end)
    return None
