"""Sums over rolling windows, and time at tables: the edges, and when there is room again."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.limits import (
    INSTANT,
    Movement,
    Spell,
    rested_at,
    room_at,
    time_within,
    together,
    total,
)

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def test_what_lies_on_the_edge_of_a_window_counts_no_more() -> None:
    edge = NOON - DAY
    moved = [Movement(edge, 5), Movement(edge + INSTANT, 7), Movement(NOON, 1)]
    assert total(moved, edge) == 8
    assert total(moved, edge - INSTANT) == 13


def test_room_is_there_when_enough_has_left_the_window() -> None:
    moved = [Movement(NOON - 3 * HOUR, 40), Movement(NOON - HOUR, 30)]
    assert room_at(moved, window=DAY, now=NOON, most=69) == NOON - 3 * HOUR + DAY
    assert room_at(moved, window=DAY, now=NOON, most=29) == NOON - HOUR + DAY
    assert room_at(moved, window=DAY, now=NOON, most=70) == NOON


def test_what_is_more_than_the_limit_never_has_room() -> None:
    assert room_at([], window=DAY, now=NOON, most=-1) is None
    assert room_at([Movement(NOON, 9)], window=DAY, now=NOON, most=-1) is None


def test_what_moved_together_leaves_together() -> None:
    moved = [Movement(NOON, 50), Movement(NOON, -40), Movement(NOON + HOUR, 30)]
    assert room_at(moved, window=DAY, now=NOON + HOUR, most=35) == NOON + DAY


MOVED = st.lists(
    st.builds(lambda hour, amount: Movement(NOON - hour * HOUR, amount),
              st.integers(0, 30), st.integers(-9, 9)), max_size=8)  # fmt: skip


@given(MOVED, st.integers(-9, 30))
def test_room_comes_no_sooner_and_no_later(moved: list[Movement], most: int) -> None:
    found = room_at(moved, window=DAY, now=NOON, most=most)
    hours = [NOON + hour * HOUR for hour in range(60)]
    first = next((at for at in hours if total(moved, at - DAY) <= most), None)
    assert found == first


def test_time_at_two_tables_at_once_counts_once() -> None:
    spells = [
        Spell(NOON, NOON + 2 * HOUR),
        Spell(NOON + HOUR, NOON + 3 * HOUR),
        Spell(NOON + HOUR, NOON + HOUR),
        Spell(NOON + 5 * HOUR, NOON + 6 * HOUR),
    ]
    assert together(spells) == [
        Spell(NOON, NOON + 3 * HOUR),
        Spell(NOON + 5 * HOUR, NOON + 6 * HOUR),
    ]
    assert time_within(spells, NOON) == 4 * HOUR
    assert time_within(spells, NOON + 2 * HOUR) == 2 * HOUR
    assert time_within([], NOON) == timedelta()


@pytest.mark.parametrize(
    ("most", "again"),
    [
        (2 * HOUR, NOON - 6 * HOUR + DAY + INSTANT),  # just used up: an instant is enough
        (HOUR, NOON - HOUR + DAY + INSTANT),
        (3 * HOUR, NOON),
    ],
)
def test_when_somebody_has_rested(most: timedelta, again: datetime) -> None:
    spells = [Spell(NOON - HOUR, NOON), Spell(NOON - 6 * HOUR, NOON - 5 * HOUR)]
    assert rested_at(spells, window=DAY, now=NOON, most=most) == again


SPELLS = st.lists(
    st.builds(lambda hour, hours: Spell(NOON - hour * HOUR, NOON - max(hour - hours, 0) * HOUR),
              st.integers(0, 30), st.integers(0, 5)), max_size=6)  # fmt: skip


@given(SPELLS, st.integers(1, 6))
def test_rest_is_over_no_sooner_and_no_later(spells: list[Spell], hours: int) -> None:
    most = hours * HOUR
    again = rested_at(spells, window=DAY, now=NOON, most=most)
    assert time_within(spells, again - DAY) < most
    if again > NOON:
        assert time_within(spells, again - INSTANT - DAY) >= most
