"""Figures of `rules.md` section 12 by exact enumeration, and a test for every number of a rule."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod
from pathlib import Path

import pytest

from games.rules.dealing import deal
from games.rules.selfplay import Run, SeededNumbers, random_setup
from tests.unit.games.rules_tables import options_of

FACE = 10
HANDS = comb(52, 5)


def totals_of_five() -> Counter[int]:
    """Number of five-card hands by their total: every choice of ranks, times its suits."""
    found: Counter[int] = Counter()
    for ranks in combinations_with_replacement(range(1, 14), 5):
        suits = prod(comb(4, times) for times in Counter(ranks).values())
        found[sum(min(rank, FACE) for rank in ranks)] += suits
    return found


TOTALS = totals_of_five()


def at_most(total: int) -> Fraction:
    return Fraction(sum(number for one, number in TOTALS.items() if one <= total), HANDS)


def test_dealt_50_and_49() -> None:
    assert sum(TOTALS.values()) == HANDS == 2_598_960
    assert (TOTALS[50], TOTALS[49]) == (4_368, 7_280)
    assert round(100 * Fraction(TOTALS[50] + TOTALS[49], HANDS), 3) == Fraction("0.448")


def test_mean_dealt_total() -> None:
    mean = Fraction(sum(total * number for total, number in TOTALS.items()), HANDS)
    assert mean == Fraction(5 * 340, 52)
    assert round(mean, 2) == Fraction("32.69")


@pytest.mark.parametrize(
    ("total", "percent"),
    [
        *((9, "0.014"), (11, "0.068"), (13, "0.224"), (15, "0.589")),
        *((20, "3.97"), (25, "14.9"), (30, "36.9")),
    ],
)
def test_dealt_at_most(total: int, percent: str) -> None:
    digits = len(percent.partition(".")[2])
    assert round(100 * at_most(total), digits) == Fraction(percent)


@pytest.mark.parametrize(("seats", "left"), [(2, 41), (3, 36), (4, 31), (5, 26), (6, 21)])
def test_stock_after_the_deal(seats: int, left: int) -> None:
    run = Run(options_of(seats), seats, "stock")
    dealt = deal(random_setup(SeededNumbers("stock"), run, hand="stock", dealer=1))
    assert dealt.hand.stock_count == left


NUMBERS = [
    *(f"R{number}" for number in range(1, 38)),
    *(f"D{number}" for number in range(1, 29)),
    *(f"V{number}" for number in range(1, 18)),
]
# What is no matter of a hand is tested where it lives.
ELSEWHERE = {"D20": "test_views.py", "D28": "test_rule_properties.py", "D19": "test_hosting.py"}


@pytest.mark.parametrize("number", NUMBERS)
def test_every_rule_decision_and_option_has_a_test_of_its_number(number: str) -> None:
    folder = Path(__file__).parent
    names = [
        line.split("(")[0]
        for path in folder.glob("test_*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("def test_")
    ]
    assert any(f"_{number}_" in name for name in names), number
    assert number not in ELSEWHERE or f"_{number}_" in (folder / ELSEWHERE[number]).read_text()
