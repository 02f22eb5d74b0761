"""What the checks of money try without a database, and that they fail where the product does."""

from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal, Refused
from games.rules.dealing import deal
from games.rules.decide import Decision, decide, time_out
from games.rules.liability import liability, most_moved
from games.rules.result import hand_ended
from games.rules.selfplay import Random, SeededNumbers
from games.rules.state import Hand, fold
from games.services.tables import STAKE_MAX, TableSettings, table_opened
from ledger.core.currencies import AMOUNT_MAX
from ledger.core.entries import Entry, entries_for
from tests.twin import payouts
from tonk_site.proving.cards.random_hands import (
    below,
    mover,
    random_deal,
    random_overrides,
    repaired,
)
from tonk_site.proving.differing import FAULTS
from tonk_site.proving.money import limits, payout_sum, zero_sum
from tournaments.core import prizes
from tournaments.core.kinds import AMOUNT_MAX as PRICE_MAX
from tournaments.core.lifecycle import ADMITTED

BIGINT_MAX, HEADROOM = 2**63 - 1, 1_000
BALANCE_MAX = 10**15  # constraint `balance_limit` of the books
ENTRIES_MAX, TIMES_PAID_MAX = 10_000, 21  # of a tournament; entry, re-entries and rebuys


# --- hands ----------------------------------------------------------------------------------------


def test_hands_are_zero_through_the_books() -> None:
    found = zero_sum.play_hands("suite", range(1, 61))
    assert found.breaches == []
    assert found.done["hands"] == 60
    assert found.done["entries"] > 40


def test_a_hand_whose_rake_is_not_in_its_entry_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zero_sum, "entries_for", lambda event: ())
    found = zero_sum.play_hands("suite", range(1, 21))
    assert {one.what for one in found.breaches} == {"what the seats got"}
    assert found.breaches[0].rerun.startswith("manage.py prove zero-sum --seed suite --only ")


def test_an_entry_that_is_not_zero_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = entries_for

    def wrong(event: Stored) -> tuple[Entry, ...] | Refusal:
        made = right(event)
        if isinstance(made, Refusal):
            return made
        return tuple(replace(one, legs=one.legs[:-1]) for one in made)

    monkeypatch.setattr(zero_sum, "entries_for", wrong)
    found = zero_sum.play_hands("suite", range(1, 21))
    assert {one.what for one in found.breaches} == {"sum of the entry"}


def out_of_reach(hand: Hand, gone: int, rng: Random) -> Decision:
    """The next act of a hand in which a seat is cut off: the clock plays for it."""
    if hand.to_act == gone:
        found = time_out(hand, in_row=1, bank_ms=0)
    else:
        found = decide(hand, *mover(hand, rng))
    assert isinstance(found, Decision)
    return found


@pytest.mark.parametrize("number", range(25))
def test_D6_no_chip_is_lost_wherever_in_a_hand_somebody_drops_out(number: int) -> None:
    rng = SeededNumbers(f"cut/{number}")
    seats, overrides = 2 + below(rng, 5), random_overrides(rng)
    options = repaired(overrides, seats)
    stack = liability(options, seats, 9)
    dealt = deal(random_deal(rng, options, seats, hand="h"))
    if dealt.result is not None:
        return
    setup = dealt.hand.setup
    points, hand = [dealt.hand], dealt.hand
    while not hand.over:
        hand = fold(hand, out_of_reach(hand, 0, rng).events)
        points.append(hand)
    for point in points[:-1]:
        hand, gone, result = point, point.to_act or 0, None
        while not hand.over:
            decision = out_of_reach(hand, gone, rng)
            hand, result = fold(hand, decision.events), decision.result
        assert result is not None
        ended = hand_ended(hand, result)
        assert all(one.amount >= 0 for one in ended.transfers)
        assert sum(one.amount for one in ended.net) == 0
        assert all(stack + one.amount >= 0 for one in ended.net)
        assert sum(stack + one.amount for one in ended.net) == stack * len(setup.seats)


GREAT = {"settlement": "difference", "initial_tonk_multiplier": 4}


def opens(stake: int, **options: object) -> int:
    """The most that one seat can move in a hand of such a table."""
    settings = TableSettings(stake=stake, currency="EUR", seats=6, options=options)
    opened = table_opened(settings, UUID(int=1))
    return most_moved(opened.rules.options, 6, stake)


def test_D10_a_hand_never_moves_more_than_a_leg_of_the_books_holds() -> None:
    """Six seats at the highest stake: what could is no table, and the refusal says up to where."""
    assert opens(STAKE_MAX) <= AMOUNT_MAX
    assert opens(STAKE_MAX, **GREAT, difference_cap=50) == AMOUNT_MAX
    for cap in (51, 100):
        with pytest.raises(Refused, match="bad_options") as caught:
            opens(STAKE_MAX, **GREAT, difference_cap=cap)
        problems: Any = caught.value.refusal.facts["problems"]
        most = problems[0]["allowed"]["max"]
        assert opens(most, **GREAT, difference_cap=cap) <= AMOUNT_MAX
        with pytest.raises(Refused, match="bad_options"):
            opens(most + 1, **GREAT, difference_cap=cap)


def test_D10_sums_are_far_from_the_greatest_number() -> None:
    """The largest field at the highest price is in one balance, and a balance in a bigint."""
    assert ENTRIES_MAX * TIMES_PAID_MAX * PRICE_MAX <= BALANCE_MAX
    assert BALANCE_MAX * HEADROOM <= BIGINT_MAX


# --- payouts --------------------------------------------------------------------------------------


def pay(count: int = 60) -> set[str]:
    """What differs from the twin in so many random tournaments."""
    found = set()
    for number in range(count):
        try:
            payout_sum.play(SeededNumbers(f"pay/{number}"))
        except FAULTS as error:
            found.add(getattr(error, "what", type(error).__name__))
    return found


def test_product_and_twin_pay_alike() -> None:
    assert pay() == set()


def test_D1_a_float_in_a_division_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def split(total: int, weights: list[int]) -> list[int]:
        return [int(total * (weight / sum(weights))) for weight in weights]

    monkeypatch.setattr(prizes, "split_largest_remainder", split)
    assert pay()


def test_D4_a_dropped_remainder_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prizes, "split_even", lambda total, count: [total // count] * count)
    assert pay() == {"InvariantBroken"}


def test_a_twin_that_counts_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payouts, "paid_places", lambda entries: 1)
    assert "the vector" in pay()


def test_no_command_makes_what_the_check_of_limits_leaves_out() -> None:
    commands = [
        path.read_text(encoding="utf-8")
        for path in Path("games").rglob("*.py")
        if "events" not in (path.stem, path.parent.name)
    ]
    made = {name for name in limits.NOT_BUILT for text in commands if f"{name}(" in text}
    made |= limits.NOT_BUILT & {event.__name__ for event in ADMITTED}
    assert made == set()
