"""Rounds without a match: points, half byes, and the absence that withdraws."""

import pytest

from tournaments.core import attendance
from tournaments.core.attendance import Record, Without


def test_who_is_present() -> None:
    order = ["a", "b", "c", "d"]
    assert attendance.present(order, withdrawn={"a"}, half_byes=["c"], absent=["d"]) == ("b",)


@pytest.mark.parametrize(
    ("why", "points"),
    [
        (Without.BYE, 120),
        (Without.WALKOVER, 120),
        (Without.HALF_BYE, 60),
        (Without.LATE, 60),
        (Without.ABSENT, 0),
        (Without.WITHDRAWN, 0),
    ],
)
def test_points_of_a_round_without_a_match(why: Without, points: int) -> None:
    assert attendance.points_without(why) == points
    again = 0 if why is Without.LATE else points
    assert attendance.round_points([why, why]) == [points, again]


@pytest.mark.parametrize(
    ("records", "after"),
    [
        ([], None),
        ([Without.ABSENT, 0, Without.HALF_BYE], None),
        ([Without.ABSENT, 120, Without.ABSENT, 0], 3),
        ([Without.ABSENT] * 3, 2),
    ],
)
def test_the_second_absence_withdraws(records: list[Record], after: int | None) -> None:
    assert attendance.withdrawn_after(records) == after


@pytest.mark.parametrize(
    ("number", "used", "code"),
    [
        (3, False, None),
        (3, True, "half_bye_used"),
        (4, False, "half_bye_too_late"),
        (5, True, "half_bye_too_late"),
    ],
)
def test_half_byes(number: int, used: bool, code: str | None) -> None:
    refusal = attendance.half_bye(number, 5, used=used)
    assert (refusal and refusal.code) == code
    assert refusal is None or refusal.facts == {"round": number}
