"""Decks by the product's own shuffle, and by shuffles with known faults (`incidents.md` F2-F7).

A shuffle is a function of a pack and of 32-bit words, as `games.rules.fair.fisher_yates` is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cmp_to_key
from hashlib import shake_256
from types import MappingProxyType

from games.rules import fair
from tonk_site.proving.cards.battery import Deck

Shuffle = Callable[[Sequence[int], Iterator[int]], Deck]

SPEC = "std52/1"
_SEAT_COUNTS = (2, 3, 6)
_ID, _SEED = 16, fair.SEED_BYTES


def product(cards: Sequence[int], words: Iterator[int]) -> Deck:
    """The function that deals, looked up when it is called."""
    return fair.fisher_yates(cards, words)


def decks(shuffle: Shuffle, seed: str, numbers: range) -> list[Deck]:
    """The decks of these numbers, each of a hand of its own from commitment to order."""
    pack = fair.DECKS[SPEC]
    return [shuffle(pack, fair.stream_words(key_of(seed, number), 0)) for number in numbers]


def key_of(seed: str, number: int) -> bytes:
    """The key of a hand, whose seeds all come from `seed` and its number.

    Its class is that of the battery. Of stake, seats and rule set only the seats and the mode of
    fairness reach the deal: 2, 3 or 6 seats, that are silent, or give seeds, or those and a beacon.
    """
    seats, mode = _SEAT_COUNTS[number // 3 % 3], number // 9 % 3
    drawn = shake_256(f"{seed}/{number}".encode()).digest(_SEED * 2 + _ID + seats * (_ID + _SEED))
    server, beacon, hand = drawn[:_SEED], drawn[_SEED : 2 * _SEED], drawn[2 * _SEED :][:_ID]
    rest = drawn[2 * _SEED + _ID :]
    given = [
        fair.SeatSeed(seat + 1, rest[start : start + _ID], rest[start + _ID : start + _ID + _SEED])
        if mode
        else fair.SeatSeed(seat + 1, rest[start : start + _ID])
        for seat, start in enumerate(range(0, len(rest), _ID + _SEED))
    ]
    transcript = fair.transcript(
        hand,
        commitment=fair.commit(hand, server),
        spec=SPEC,
        seats=given,
        beacon=beacon if mode == 2 else b"",
    )
    return fair.hand_key(server, transcript)


# --- shuffles with a fault ------------------------------------------------------------------------


def swap_any(cards: Sequence[int], words: Iterator[int]) -> Deck:
    """F2: every place is swapped with any place."""
    return _swapped_all(cards, words, len(cards))


def range_short(cards: Sequence[int], words: Iterator[int]) -> Deck:
    """F1: the same, and the last place is never drawn."""
    return _swapped_all(cards, words, len(cards) - 1)


def _swapped_all(cards: Sequence[int], words: Iterator[int], choices: int) -> Deck:
    order = list(cards)
    for place in range(len(order)):
        other = next(words) * choices >> 32
        order[place], order[other] = order[other], order[place]
    return tuple(order)


def sattolo(cards: Sequence[int], words: Iterator[int]) -> Deck:
    """F3: no card may stay where it is."""
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = next(words) * last >> 32
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def random_sort(cards: Sequence[int], words: Iterator[int]) -> Deck:
    """F4: sorted by a comparison that tosses a coin."""
    return tuple(sorted(cards, key=cmp_to_key(lambda _, __: 1 if next(words) & 1 else -1)))


def modulo_8(cards: Sequence[int], words: Iterator[int]) -> Deck:
    """F7: the remainder of a byte, which favours low places."""
    return _by_remainder(cards, words, 0xFF)


def modulo_16(cards: Sequence[int], words: Iterator[int]) -> Deck:
    """F7: the remainder of 16 bits; no sample of a sensible size shows it."""
    return _by_remainder(cards, words, 0xFFFF)


def _by_remainder(cards: Sequence[int], words: Iterator[int], mask: int) -> Deck:
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = (next(words) & mask) % (last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


MUTANTS: Mapping[Shuffle, int] = MappingProxyType(
    {swap_any: 2_000, range_short: 2_000, sattolo: 2_000, random_sort: 2_000, modulo_8: 20_000}
)
"""Each with the smallest sample in which the battery was seen to reject it."""
