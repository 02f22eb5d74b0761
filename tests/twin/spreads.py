"""The twin's cards: points, books, runs, hits and deadwood (rules.md section 3)."""

from functools import cache, lru_cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

SUITS = "CDHS"
RANKS = "A23456789TJQK"
SHORT_RANKS = "A234567JQK"  # deck 40: no 8, 9, T


class Pack(NamedTuple):
    """What of the options says how cards are read."""

    ranks: str
    jokers: int
    joker_value: int
    faces: tuple[int, int, int]
    deuces_wild: bool
    ace_high: bool  # V13: the ace may also follow the king


class Meld(NamedTuple):
    """A list of cards read as a spread. A run has its cards in order, `low` first."""

    kind: str  # "book" or "run"
    sign: str  # the rank of a book, the suit of a run
    low: int  # the place of the first card of a run, the ace being 1; 0 for a book
    cards: tuple[str, ...]
    owner: str = ""


def pack_of(full: dict[str, Any]) -> Pack:
    jack, queen, king = full["face_values"]
    return Pack(
        ranks=RANKS if full["deck"] == 52 else SHORT_RANKS,
        jokers=full["jokers"],
        joker_value=full["joker_value"],
        faces=(jack, queen, king),
        deuces_wild=full["deuces_wild"],
        ace_high=full["ace_runs"] == "high_or_low",
    )


# Single cards.


def all_cards(pack: Pack) -> list[str]:
    """The whole pack in deck order."""
    naturals = [rank + suit for suit in SUITS for rank in pack.ranks]
    return naturals + ["X1", "X2"][: pack.jokers]


@cache
def deck_place(card: str) -> int:
    """For sorting: C A..K, D A..K, H A..K, S A..K, X1, X2."""
    if card[0] == "X":
        return 51 + int(card[1])
    return SUITS.index(card[1]) * 13 + RANKS.index(card[0])


def in_deck_order(cards: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(cards, key=deck_place))


def is_wild(card: str, pack: Pack) -> bool:
    return card[0] == "X" or (card[0] == "2" and pack.deuces_wild)


def points(card: str, pack: Pack) -> int:
    """R3, V3, V4."""
    if card[0] == "X":
        return pack.joker_value
    if card[0] in "JQK":
        return pack.faces["JQK".index(card[0])]
    if card[0] == "T":
        return 10
    return 1 if card[0] == "A" else int(card[0])


def total(cards: list[str] | tuple[str, ...], pack: Pack) -> int:
    return sum(points(card, pack) for card in cards)


# Lists of cards read as a spread.


def top_place(pack: Pack) -> int:
    """The highest place of a run: the king's, or the one after it for a high ace."""
    return len(pack.ranks) + (1 if pack.ace_high else 0)


def card_at(suit: str, place: int, pack: Pack) -> str:
    return pack.ranks[(place - 1) % len(pack.ranks)] + suit


def read(cards: tuple[str, ...], pack: Pack) -> Meld | None:
    """The spread that a list of cards is. What can be read as a book is a book."""
    return read_book(cards, pack) or read_run(cards, pack)


def read_book(cards: tuple[str, ...], pack: Pack) -> Meld | None:
    """R21: three or four of one rank, two naturals at least; any order."""
    if len(cards) not in (3, 4) or len(set(cards)) != len(cards):
        return None
    for rank in pack.ranks:
        naturals = [card for card in cards if card[0] == rank]
        others = [card for card in cards if card[0] != rank]
        if len(naturals) >= 2 and all(is_wild(card, pack) for card in others):
            return Meld("book", rank, 0, cards)
    return None


def read_run(cards: tuple[str, ...], pack: Pack) -> Meld | None:
    """R22: consecutive cards of one suit; with a wild card in the list its order counts."""
    size = len(cards)
    if size < 3 or size > len(pack.ranks) or len(set(cards)) != size:
        return None
    ordered = any(is_wild(card, pack) for card in cards)
    for suit in run_suits(cards, pack):
        for low in range(1, top_place(pack) - size + 2):
            wanted = [card_at(suit, low + i, pack) for i in range(size)]
            if ordered and fits(cards, wanted, pack):
                return Meld("run", suit, low, cards)
            if not ordered and set(cards) == set(wanted):
                return Meld("run", suit, low, tuple(wanted))
    return None


def run_suits(cards: tuple[str, ...], pack: Pack) -> set[str]:
    """The one suit of the cards that are not wild, if it is one: nothing else can be a run.

    Two naturals of one suit are needed, and only one of them can be a deuce.
    """
    suits = {card[1] for card in cards if not is_wild(card, pack)}
    return suits if len(suits) == 1 else set()


def fits(cards: tuple[str, ...], wanted: list[str], pack: Pack) -> bool:
    """Each card is the wanted one or wild, and two at least are natural."""
    naturals = [card for card, place in zip(cards, wanted, strict=True) if card == place]
    others = [card for card, place in zip(cards, wanted, strict=True) if card != place]
    return len(naturals) >= 2 and all(is_wild(card, pack) for card in others)


# Sets of cards: every meaning, and every spread that a hand holds.


@lru_cache(maxsize=100_000)
def readings(cards: tuple[str, ...], pack: Pack) -> tuple[Meld, ...]:
    """Every meaning of a set of cards given in deck order; runs with the lowest low end first."""
    book = read_book(cards, pack)
    if book is not None:
        return (book,)
    if not any(is_wild(card, pack) for card in cards):
        run = read_run(cards, pack)
        return () if run is None else (run._replace(cards=cards),)
    found = []
    for suit in run_suits(cards, pack):
        for low in range(1, top_place(pack) - len(cards) + 2):
            filled = fill(cards, suit, low, pack)
            if filled is not None:
                found.append(Meld("run", suit, low, filled))
    return tuple(found)


def fill(cards: tuple[str, ...], suit: str, low: int, pack: Pack) -> tuple[str, ...] | None:
    """The set as a run from `low` on: the wild cards fill it in deck order."""
    wanted = [card_at(suit, low + i, pack) for i in range(len(cards))]
    wilds = [card for card in cards if is_wild(card, pack)]
    others = [card for card in cards if not is_wild(card, pack)]
    if len(cards) > len(pack.ranks) or not all(card in wanted for card in others):
        return None
    if len([card for card in cards if card in wanted]) < 2:  # too few that could be natural
        return None
    for order in permutations(wilds):
        rest = list(order)
        filled = tuple(card if card in others else rest.pop(0) for card in wanted)
        if fits(filled, wanted, pack):
            return filled
    return None


@lru_cache(maxsize=100_000)
def spreads_in(cards: tuple[str, ...], pack: Pack) -> tuple[tuple[str, ...], ...]:
    """Every set of the given cards that is a spread; cards and sets in deck order."""
    wilds = [card for card in cards if is_wild(card, pack)]
    ranks = [[card for card in cards if card[0] == rank] for rank in pack.ranks]
    suits = [[card for card in cards if card[1] == suit and card[0] != "X"] for suit in SUITS]
    found = set()
    for group in ranks + suits:
        # Two naturals are needed, and a deuce may be one of them.
        if len(group) < 2:
            continue
        candidates = in_deck_order(tuple(set(group + wilds)))
        longest = min(4, len(candidates)) if group in ranks else len(candidates)
        for size in range(3, longest + 1):
            for chosen in combinations(candidates, size):
                if chosen not in found and readings(chosen, pack):
                    found.add(chosen)
    return tuple(sorted(found, key=lambda chosen: [deck_place(card) for card in chosen]))


def first_spread(sets: list[tuple[str, ...]], pack: Pack) -> Meld:
    """Section 6: of sets in deck order the first; of its meanings the highest low end."""

    def order(cards: tuple[str, ...]) -> list[int]:
        # The end counts as a card after the last: the longer of two lists comes first.
        return [deck_place(card) for card in cards] + [99]

    return max(readings(min(sets, key=order), pack), key=lambda meld: meld.low)


# Hits.


def hit_ends(meld: Meld, card: str, pack: Pack) -> list[str]:
    """Where a card may be added: ["book"], or the ends of the run, the high one first."""
    if meld.kind == "book":
        takes = len(meld.cards) < 4 and (card[0] == meld.sign or is_wild(card, pack))
        return ["book"] if takes else []
    if len(meld.cards) >= len(pack.ranks):  # D10: closed; never both aces
        return []
    places = {"high": meld.low + len(meld.cards), "low": meld.low - 1}
    return [
        end
        for end, place in places.items()
        if 1 <= place <= top_place(pack)
        and (is_wild(card, pack) or card == card_at(meld.sign, place, pack))
    ]


def extended(meld: Meld, card: str, end: str) -> Meld:
    if end == "low":
        return meld._replace(cards=(card, *meld.cards), low=meld.low - 1)
    return meld._replace(cards=(*meld.cards, card))


# Held totals.


def held_total(cards: list[str], method: str, pack: Pack) -> int:
    """D5, V11."""
    if method == "all_held":
        return total(cards, pack)
    return deadwood(in_deck_order(cards), pack)


@lru_cache(maxsize=100_000)
def deadwood(cards: tuple[str, ...], pack: Pack) -> int:
    """The least sum of cards left over any choice of disjoint spreads."""
    if len(cards) < 3:
        return total(cards, pack)
    first, rest = cards[0], cards[1:]
    least = points(first, pack) + deadwood(rest, pack)  # the first card is left over
    for spread in spreads_in(cards, pack):
        if first in spread:  # or it is in this spread
            others = tuple(card for card in cards if card not in spread)
            least = min(least, deadwood(others, pack))
    return least
