"""The shuffle battery: twenty tests of many decks of 52 (`trust.md` section 8).

Cards are codes 0..51, suit x 13 + rank; a deck lists them from the top; three seats are dealt five
cards each, in turn. What a sample comes to is a `Tally`, which can be made in parts and added.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import comb, erfc, exp, lgamma, log, sqrt
from operator import eq, lt
from types import MappingProxyType

Deck = tuple[int, ...]

CARDS, RANKS, SUITS = 52, 13, 4
SEATS, HAND = 3, 5
CLASSES = 27
"""Deck k is of class k mod 27: three stakes by three numbers of seats by three rule sets."""
BATCH = 1_000
"""Decks that are counted at once; even, since disjoint pairs of decks are compared."""
LEVEL = 0.01
"""Of the whole family: the level that test laboratories use."""
TESTS = 20
SUSPICIOUS = LEVEL / TESTS

# Points of a rank 0..12; a hand of 49 or 50 ends as it is dealt.
_POINTS = tuple(min(rank + 1, 10) for rank in range(RANKS))
_CLAIMS = (49, 50)
# A hand's ranks as a number with a digit for each rank, which counts up to four.
_WEIGHTS = tuple(5 ** (card % RANKS) for card in range(CARDS))

HANDS = comb(CARDS, HAND)
PATTERNS: Mapping[tuple[int, ...], int] = MappingProxyType(
    {
        (1, 1, 1, 1, 1): 1_317_888,
        (2, 1, 1, 1): 1_098_240,
        (2, 2, 1): 123_552,
        (3, 1, 1): 54_912,
        (3, 2): 4_368,  # with four of a kind
    }
)
"""How many hands of five hold none, a pair, two pair, three, a full house or four of a rank."""
CLAIMING = 11_648
"""Hands of five that come to 49 or 50."""

HARMONIC = sum(1 / k for k in range(1, CARDS + 1))
HARMONIC_2 = sum(1 / k**2 for k in range(1, CARDS + 1))


# --- p-values -------------------------------------------------------------------------------------


def gamma_q(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x), for a > 0 and x >= 0.

    By its series below a + 1 and by Lentz's continued fraction above (Abramowitz and Stegun 6.5.29
    and 6.5.31).

    >>> round(gamma_q(1, 2), 12) == round(exp(-2), 12)
    True
    """
    if x == 0:
        return 1.0
    scale = exp(a * log(x) - x - lgamma(a))
    return 1 - scale * _series(a, x) if x < a + 1 else scale * _fraction(a, x)


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    while term > total * 1e-16:
        a += 1
        term *= x / a
        total += term
    return total


def _fraction(a: float, x: float) -> float:
    """1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ..., from above."""
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    value, step, n = d, 0.0, 0
    while abs(step - 1) > 1e-15:
        n += 1
        b += 2
        part = -n * (n - a)
        d = 1 / (part * d + b or tiny)
        c = b + part / c or tiny
        step = c * d
        value *= step
    return value


def chi_square_p(statistic: float, freedom: int) -> float:
    """How often chance alone gives a chi-square of this size or more."""
    return gamma_q(freedom / 2, statistic / 2)


def normal_p(value: float, mean: float, variance: float) -> float:
    """How often chance alone is so far from the mean, to either side."""
    return erfc(abs(value - mean) / sqrt(2 * variance))


def chi_square(seen: Iterable[int], expected: Iterable[float]) -> float:
    """The sum of (o-e)^2/e."""
    return sum((o - e) ** 2 / e for o, e in zip(seen, expected, strict=True))


# --- what is counted ------------------------------------------------------------------------------


def _empty(count: int) -> list[Counter[int]]:
    return [Counter() for _ in range(count)]


@dataclass
class Tally:
    """What a sample of decks comes to."""

    decks: int = 0
    pairs: int = 0
    places: list[Counter[int]] = field(default_factory=lambda: _empty(CARDS))
    hands: list[Counter[int]] = field(default_factory=lambda: _empty(SEATS))
    """Of each seat: how often its hand had these ranks, as the sum of their weights."""
    firsts: list[Counter[int]] = field(default_factory=lambda: _empty(CLASSES))
    """Of each class: ranks of the first card."""
    neighbours: Counter[int] = field(default_factory=Counter)
    ascents: int = 0
    kept: int = 0
    cycles: int = 0
    even: int = 0
    inversions: int = 0
    digests: set[bytes] = field(default_factory=set)

    def add(self, other: "Tally") -> None:
        """Count another part of the sample in."""
        for name in ("decks", "pairs", "ascents", "kept", "cycles", "even", "inversions"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("places", "hands", "firsts"):
            for mine, theirs in zip(getattr(self, name), getattr(other, name), strict=True):
                mine.update(theirs)
        self.neighbours.update(other.neighbours)
        self.digests |= other.digests


def tally(decks: Sequence[Deck], first: int = 0) -> Tally:
    """Count decks, of which the first has this number."""
    sums = Tally()
    for start in range(0, len(decks), BATCH):
        _count(sums, decks[start : start + BATCH], first + start)
    return sums


def _count(sums: Tally, decks: Sequence[Deck], first: int) -> None:
    sums.decks += len(decks)
    for counter, column in zip(sums.places, zip(*decks, strict=True), strict=True):
        counter.update(column)
    for one, other in zip(decks[::2], decks[1::2], strict=False):
        sums.pairs += 1
        sums.kept += sum(map(eq, one, other))
    for number, deck in enumerate(decks, start=first):
        place = number % (CARDS - 1)
        sums.neighbours[(deck[place + 1] - deck[place]) % CARDS] += 1
        sums.ascents += sum(map(lt, deck, deck[1:]))
        cycles = cycles_of(deck)
        sums.cycles += cycles
        sums.even += cycles % 2 == 0  # 52 less the cycles transpositions make the order
        sums.inversions += inversions_of(deck)
        sums.digests.add(blake2b(bytes(deck), digest_size=16).digest())
        sums.firsts[number % CLASSES][deck[0] % RANKS] += 1
        for seat, counter in enumerate(sums.hands):
            a, b, c, d, e = deck[seat : HAND * SEATS : SEATS]
            w = _WEIGHTS
            counter[w[a] + w[b] + w[c] + w[d] + w[e]] += 1


def cycles_of(deck: Deck) -> int:
    """Cycles of a deck as a permutation of its pack in order."""
    new, count = [True] * len(deck), 0
    for start in deck:
        if new[start]:
            count += 1
            card = start
            while new[card]:
                new[card] = False
                card = deck[card]
    return count


def inversions_of(deck: Deck) -> int:
    """Pairs of cards that lie the wrong way round."""
    seen = count = 0
    for card in deck:
        count += (seen >> card).bit_count()
        seen |= 1 << card
    return count


# --- the tests ------------------------------------------------------------------------------------


def p_values(sums: Tally) -> dict[str, float]:
    """The p-value of each test by its name; of `distinct`, 1 or 0."""
    return dict(_p_values(sums))


def suspicious(sums: Tally) -> set[str]:
    """Names of the tests that chance alone would fail so badly once in 2,000 samples."""
    return {name for name, p in _p_values(sums) if p < SUSPICIOUS}


def _p_values(sums: Tally) -> Iterator[tuple[str, float]]:
    n = sums.decks
    everywhere = [places[card] for places in sums.places for card in range(CARDS)]
    # Rows and columns are both fixed by what a permutation is: the factor makes the scale exact.
    spread = chi_square(everywhere, [n / CARDS] * CARDS**2) * (CARDS - 1) / CARDS
    yield "position", chi_square_p(spread, (CARDS - 1) ** 2)
    top = chi_square(everywhere[:CARDS], [n / CARDS] * CARDS)
    yield "first card", chi_square_p(top, CARDS - 1)
    for seat, hands in enumerate(sums.hands, start=1):
        yield f"pattern of seat {seat}", _pattern_p(hands, n)
    share = CLAIMING / HANDS
    claims = sum(times for ranks, times in sums.hands[0].items() if _points(ranks) in _CLAIMS)
    yield "dealt 49 or 50", normal_p(claims, n * share, n * share * (1 - share))
    steps = [sums.neighbours[step] for step in range(1, CARDS)]
    yield "neighbours", chi_square_p(chi_square(steps, [n / (CARDS - 1)] * (CARDS - 1)), CARDS - 2)
    yield "ascents", normal_p(sums.ascents, n * 25.5, n * 53 / 12)
    yield "successive decks", normal_p(sums.kept, sums.pairs, sums.pairs)
    yield "cycles", normal_p(sums.cycles, n * HARMONIC, n * (HARMONIC - HARMONIC_2))
    yield "parity", normal_p(sums.even, n / 2, n / 4)
    yield "inversions", normal_p(sums.inversions, n * 663, n * 52 * 51 * 109 / 72)
    for seat in range(SEATS):
        yield from _held_p(sums, seat)
    yield "distinct", float(len(sums.digests) == n)
    yield "independence", _independence_p(sums)


def _pattern_p(hands: Counter[int], decks: int) -> float:
    seen: Counter[tuple[int, ...]] = Counter()
    for ranks, times in hands.items():
        pattern = tuple(sorted(filter(None, _digits(ranks)), reverse=True))
        seen[(3, 2) if pattern == (4, 1) else pattern] += times
    expected = [decks * count / HANDS for count in PATTERNS.values()]
    return chi_square_p(chi_square([seen[one] for one in PATTERNS], expected), len(PATTERNS) - 1)


def _digits(ranks: int) -> list[int]:
    """How many of each rank a hand holds."""
    return [ranks // 5**rank % 5 for rank in range(RANKS)]


def _points(ranks: int) -> int:
    return sum(map(int.__mul__, _digits(ranks), _POINTS))


def _held_p(sums: Tally, seat: int) -> Iterator[tuple[str, float]]:
    """Ranks and suits that a seat was dealt; its cards are drawn without putting back."""
    ranks: Counter[int] = Counter()
    suits: Counter[int] = Counter()
    for places in sums.places[seat : HAND * SEATS : SEATS]:
        for card, times in places.items():
            ranks[card % RANKS] += times
            suits[card // RANKS] += times
    for name, counts, kinds in (("ranks", ranks, RANKS), ("suits", suits, SUITS)):
        each = sums.decks * HAND / kinds
        spread = chi_square([counts[kind] for kind in range(kinds)], [each] * kinds)
        factor = (CARDS - 1) / (CARDS - HAND)
        yield f"{name} of seat {seat + 1}", chi_square_p(spread * factor, kinds - 1)


def _independence_p(sums: Tally) -> float:
    """Whether the first card's rank is spread alike in all classes."""
    totals = sum(sums.firsts, Counter[int]())
    rows = [row for row in sums.firsts if row]
    kinds = sorted(totals)
    seen = [row[rank] for row in rows for rank in kinds]
    expected = [row.total() * totals[rank] / sums.decks for row in rows for rank in kinds]
    return chi_square_p(chi_square(seen, expected), (len(rows) - 1) * (len(kinds) - 1))
