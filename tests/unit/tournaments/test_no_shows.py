"""No-shows: bans that double and are forgotten, points of a walkover."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tournaments.core.no_shows import (
    BAN_HOURS_MAX,
    Attendance,
    ban_hours,
    banned_until,
    count_no_shows,
    walkover_points,
)

AT = datetime(2026, 3, 1, tzinfo=UTC)
attendances: st.SearchStrategy[list[Attendance]] = st.lists(st.sampled_from(["no_show", "played"]))


@given(attendances)
def test_a_match_played_resets_the_ban(before: list[Attendance]) -> None:
    assert ban_hours(count_no_shows([*before, "played"])) == 0
    assert ban_hours(count_no_shows([*before, "played", "no_show"])) == 24


@given(st.integers(1, 50), st.integers(0, 10_000))
def test_each_ban_outlasts_the_one_before(no_shows: int, minutes_later: int) -> None:
    later = AT + timedelta(minutes=minutes_later)
    assert banned_until(later, no_shows + 1) >= banned_until(AT, no_shows)
    assert banned_until(AT, no_shows) - AT <= timedelta(hours=BAN_HOURS_MAX)


def test_points_of_a_walkover() -> None:
    assert walkover_points(["a"], ["b", "c"]) == {"a": 120, "b": 0, "c": 0}
    assert walkover_points([], ["a", "b"]) == {"a": 0, "b": 0}
