"""Who is dealt in at a money table: nobody may lose more than he has there."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from games.rules import events
from games.rules.hosting import dealt_in, may_be_dealt_in, newcomers_seat
from games.rules.liability import liability
from games.rules.options import DEFAULTS, RULES_VERSION, rules_hash
from games.rules.table import Place, Table

STAKE = 10


def a_table(stacks: list[int], bot: str | None = None) -> Table:
    options = msgspec.structs.replace(DEFAULTS, max_players=6)
    rules = events.RuleSet(
        preset=None, version=RULES_VERSION, hash=rules_hash(options), options=options
    )
    clock = events.Clock(profile="turbo", move_ms=1, first_move_ms=1, bank_ms=1)
    places = tuple(
        Place(seat, f"p{seat}", bot, stack, 0) for seat, stack in enumerate(stacks, start=1)
    )
    return Table(
        version=1,
        currency="XTK",
        stake=STAKE,
        rules=rules,
        rake=events.Rake(bp=0, cap=None),
        clock=clock,
        fairness="commit",
        places=places,
    )


@pytest.mark.parametrize(
    ("stacks", "seats"),
    [
        ([100, 100, 40], [1, 2]),  # 40 covers the worst case of two, not of three
        ([60, 60, 60], [1, 2, 3]),
        ([40, 40, 40], [1, 2]),  # three would need 60 each; two play
        ([40, 50, 45], [2, 3]),
        ([29, 100], []),
        ([100], []),
    ],
)
def test_D19_who_is_dealt_in_of_those_who_stay(stacks: list[int], seats: list[int]) -> None:
    assert [place.seat for place in dealt_in(a_table(stacks))] == seats


def test_D19_whoever_leaves_or_sits_out_is_not_dealt_in() -> None:
    table = a_table([100, 100, 100])
    first, *others = table.places
    leaving = replace(table, places=(replace(first, leaving="asked"), *others))
    away = replace(table, places=(replace(first, sat_out="asked"), *others))
    for one in (leaving, away):
        assert [place.seat for place in dealt_in(one)] == [2, 3]
    assert newcomers_seat(4, [1, 3], 3) == 2  # at the right of the next dealer (R7)


@given(st.lists(st.integers(0, 200), min_size=2, max_size=6))
def test_every_stack_dealt_in_covers_the_worst_case(stacks: list[int]) -> None:
    table = a_table(stacks)
    players = dealt_in(table)
    worst = liability(table.rules.options, max(len(players), 2), STAKE)
    assert all(place.stack >= worst for place in players)
    assert list(players) == sorted(players, key=lambda place: place.seat)


def test_bots_alone_are_dealt_in_only_at_tournaments() -> None:
    table = a_table([100, 100], bot="greedy-1@1")
    assert not may_be_dealt_in(table)
    assert may_be_dealt_in(replace(table, currency="CHIPS"))
