"""The shuffle battery: its p-values against published ones, and that it finds faulty shuffles."""

from collections import Counter
from concurrent.futures import Executor, Future
from hashlib import sha256
from itertools import combinations, pairwise, permutations
from math import comb, erfc, exp, factorial, isclose, sqrt
from typing import Any

import pytest
from typing_extensions import override

from eventstore.ports import random_bytes
from games import dealer
from games.rules import fair
from tonk_site.proving.cards import battery, fair_deal, shuffles
from tonk_site.proving.cards.battery import Tally
from tonk_site.proving.cards.shuffles import MUTANTS, Shuffle
from tonk_site.proving.checks import Order


class Here(Executor):
    """Runs what it is given, at once and here."""

    @override
    def submit(self, fn: Any, /, *arguments: Any, **named: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(fn(*arguments, **named))
        return done


def sample(seed: str) -> fair_deal.Sample:
    return fair_deal.Sample(Here(), Order({}, seed))


# --- p-values -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "x", "q"),
    [
        # NIST SP 800-22 revision 1a, sections 2.2.4, 2.2.8 and 2.4.8.
        (3 / 2, 1 / 2, 0.801252),
        (10 / 2, 7.2 / 2, 0.706438),
        (3 / 2, 4.882457 / 2, 0.180609),
    ],
)
def test_the_incomplete_gamma_function_has_its_published_values(
    a: float, x: float, q: float
) -> None:
    assert isclose(battery.gamma_q(a, x), q, abs_tol=1e-6)


@pytest.mark.parametrize(
    ("freedom", "critical"),
    # NIST/SEMATECH handbook 1.3.6.7.4: upper 5 % of chi-square.
    [(1, 3.841), (4, 9.488), (10, 18.307), (50, 67.505), (100, 124.342)],
)
def test_chi_square_has_its_published_critical_values(freedom: int, critical: float) -> None:
    assert isclose(battery.chi_square_p(critical, freedom), 0.05, abs_tol=5e-5)


@pytest.mark.parametrize("a", [1, 2, 7, 40])
@pytest.mark.parametrize("x", [0.01, 0.9, 3.0, 8.5, 39.0, 60.0])
def test_the_incomplete_gamma_function_of_an_integer_is_a_sum(a: int, x: float) -> None:
    exact = exp(-x) * sum(x**k / factorial(k) for k in range(a))
    assert isclose(battery.gamma_q(a, x), exact, rel_tol=1e-9)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.5, 1.0, 4.0])
def test_the_incomplete_gamma_function_of_a_half_is_an_error_function(x: float) -> None:
    assert isclose(battery.gamma_q(0.5, x), erfc(sqrt(x)), rel_tol=1e-9)


def test_many_degrees_of_freedom_are_nearly_normal() -> None:
    freedom = 51**2
    for sigmas in (-3, -1, 0, 1, 3):
        # Wilson and Hilferty: the cube root is nearly normal.
        cube = 1 - 2 / (9 * freedom) + sigmas * sqrt(2 / (9 * freedom))
        p = battery.chi_square_p(freedom * cube**3, freedom)
        assert isclose(p, erfc(sigmas / sqrt(2)) / 2, abs_tol=1e-5)


def test_a_normal_value_counts_to_both_sides() -> None:
    assert isclose(battery.normal_p(1.959964, 0, 1), 0.05, abs_tol=1e-6)
    assert battery.normal_p(7, 10, 4) == battery.normal_p(13, 10, 4)
    # NIST SP 800-22, 2.1.8: 42 ones among 100 bits.
    assert isclose(battery.normal_p(42, 50, 25), 0.109599, abs_tol=1e-6)


# --- what the tests expect of chance --------------------------------------------------------------


def test_patterns_and_claims_are_all_hands() -> None:
    ways = {
        (1, 1, 1, 1, 1): comb(13, 5) * 4**5,
        (2, 1, 1, 1): 13 * comb(4, 2) * comb(12, 3) * 4**3,
        (2, 2, 1): comb(13, 2) * comb(4, 2) ** 2 * 44,
        (3, 1, 1): 13 * 4 * comb(12, 2) * 4**2,
        (3, 2): 13 * 4 * 12 * comb(4, 2) + 13 * 48,
    }
    assert ways == battery.PATTERNS
    assert sum(ways.values()) == battery.HANDS
    tens, nines = 16, 4
    assert comb(tens, 5) + comb(tens, 4) * nines == battery.CLAIMING


def test_means_and_variances_are_those_of_all_orders() -> None:
    """The closed forms of the battery, for a pack so small that every order can be listed."""
    count = 6
    orders = list(permutations(range(count)))

    def moments(values: list[int]) -> tuple[float, float]:
        mean = sum(values) / len(values)
        return mean, sum((value - mean) ** 2 for value in values) / len(values)

    ascents = moments([sum(a < b for a, b in pairwise(o)) for o in orders])
    assert ascents == pytest.approx(((count - 1) / 2, (count + 1) / 12))
    kept = moments([sum(card == place for place, card in enumerate(o)) for o in orders])
    assert kept == pytest.approx((1, 1))
    wrong = moments([sum(a > b for a, b in combinations(o, 2)) for o in orders])
    n = count
    assert wrong == pytest.approx((n * (n - 1) / 4, n * (n - 1) * (2 * n + 5) / 72))
    cycles = moments([battery.cycles_of(order) for order in orders])
    harmonic = sum(1 / k for k in range(1, n + 1))
    assert cycles == pytest.approx((harmonic, harmonic - sum(1 / k**2 for k in range(1, n + 1))))
    assert (51 / 2, 53 / 12, 52 * 51 / 4) == (25.5, 53 / 12, 663)
    assert 2 * 52 + 5 == 109


def test_a_deck_is_counted_as_by_hand() -> None:
    pack = tuple(range(52))
    turned = (1, 0, *range(2, 52))
    sums = battery.tally([pack, turned])
    assert (sums.decks, sums.pairs, sums.kept) == (2, 1, 50)
    assert (sums.ascents, sums.inversions) == (51 + 50, 1)
    assert (sums.cycles, sums.even) == (52 + 51, 1)
    assert sums.neighbours == Counter({1: 1, 2: 1})  # 0 to 1; then 0 to 2, at place 1
    assert sums.places[0] == Counter({0: 1, 1: 1})
    assert [row for row in sums.firsts if row] == [Counter({0: 1}), Counter({1: 1})]
    assert battery.inversions_of(pack[::-1]) == 52 * 51 / 2


def test_a_sample_may_be_counted_in_parts() -> None:
    decks = shuffles.decks(shuffles.product, "parts", range(600))
    whole, parts = battery.tally(decks), Tally()
    for start in range(0, 600, 200):
        parts.add(battery.tally(decks[start : start + 200], start))
    assert parts == whole
    assert battery.p_values(parts) == battery.p_values(whole)
    assert len(battery.p_values(whole)) == battery.TESTS


# --- the product and the mutants ------------------------------------------------------------------


def test_the_products_shuffle_passes() -> None:
    assert sample("product").failures(shuffles.product, 4_000) == []


def test_decks_are_those_that_the_product_deals() -> None:
    key = shuffles.key_of("same", 5)
    assert shuffles.decks(shuffles.product, "same", range(5, 6)) == [
        fair.shuffle(key, 0, fair.DECKS["std52/1"])
    ]


def rejected(mutant: Shuffle) -> list[str]:
    return sample("mutants").failures(mutant, MUTANTS[mutant])


def test_F1_a_range_that_leaves_out_the_last_card_is_found() -> None:
    assert "position" in rejected(shuffles.range_short)


@pytest.mark.slow
def test_F1_a_dealer_whose_seeds_have_32_bits_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow(count: int) -> bytes:
        return sha256(random_bytes(4)).digest()[:count]

    monkeypatch.setattr(dealer, "random_bytes", narrow)
    assert len(fair_deal.seeds_drawn(fair_deal.SEEDS)) < fair_deal.SEEDS


def test_F2_a_swap_with_any_place_is_found() -> None:
    assert "position" in rejected(shuffles.swap_any)


def test_F3_a_shuffle_in_which_no_card_stays_is_found() -> None:
    assert "position" in rejected(shuffles.sattolo)


def test_F4_a_sort_by_a_random_comparison_is_found() -> None:
    assert "position" in rejected(shuffles.random_sort)


@pytest.mark.slow
def test_F7_the_remainder_of_a_byte_is_found() -> None:
    assert "position" in rejected(shuffles.modulo_8)


def test_a_deck_that_comes_twice_fails_at_once() -> None:
    class Stuck(fair_deal.Sample):
        rounds = 0

        @override
        def tally(self, shuffle: Shuffle, size: int, again: str = "") -> Tally:
            self.rounds += 1
            decks = shuffles.decks(shuffle, "stuck", range(size // 2))
            return battery.tally(decks * 2)

    stuck = Stuck(Here(), Order({}, "stuck"))
    assert stuck.failures(shuffles.product, 200) == ["distinct"]
    assert stuck.rounds == 1


def test_what_is_suspicious_once_is_not_a_failure() -> None:
    class Unlucky(fair_deal.Sample):
        @override
        def tally(self, shuffle: Shuffle, size: int, again: str = "") -> Tally:
            faulty = shuffle if again else shuffles.sattolo
            return super().tally(faulty, size, again)

    unlucky = Unlucky(Here(), Order({}, "unlucky"))
    assert battery.suspicious(unlucky.tally(shuffles.product, 2_000))
    assert unlucky.failures(shuffles.product, 2_000) == []


def test_F2_the_check_fails_where_the_product_shuffles_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair, "fisher_yates", shuffles.swap_any)
    assert "position" in sample("planted").failures(shuffles.product, 2_000)


def test_a_shuffle_that_depends_on_its_seats_is_found() -> None:
    """Of its class a deck knows what goes into its key: a bias that only some classes have."""
    decks = shuffles.decks(shuffles.product, "classes", range(4_050))
    for number in range(0, len(decks), 3):
        deck = decks[number]
        if deck[0] % 13 == 0:  # no ace lies on top for them
            decks[number] = (*deck[1:], deck[0])
    assert "independence" in battery.suspicious(battery.tally(decks))
