"""Rounds without a match: who plays, and what a round without opponents is worth (8, 9.1)."""

from collections.abc import Collection, Sequence
from enum import Enum

from eventstore.core.refusal import Refusal

WIN_POINTS = 120
MEAN_POINTS = 60
ABSENCES_MAX = 2
ROUNDS_WITHOUT_HALF_BYES = 2  # the last ones, where it would decide places


class Without(Enum):
    """Why a player has no opponents in a round."""

    BYE = "bye"
    HALF_BYE = "half_bye"
    ABSENT = "absent"
    LATE = "late"  # not entered yet
    WITHDRAWN = "withdrawn"
    WALKOVER = "walkover"  # won, because nobody else came


Record = Without | int
"""A round of a player: the points of his match, or why he had none."""


def present(
    order: Sequence[str],
    *,
    withdrawn: Collection[str] = (),
    half_byes: Collection[str] = (),
    absent: Collection[str] = (),
) -> tuple[str, ...]:
    """Those who are paired, in the order given.

    >>> present(["a", "b", "c"], absent={"b"})
    ('a', 'c')
    """
    away = {*withdrawn, *half_byes, *absent}
    return tuple(player for player in order if player not in away)


def points_without(why: Without, before: Sequence[Record] = ()) -> int:
    """Points of a round without a match, after the rounds `before`.

    A late entrant gets the mean for the first round that he missed and nothing for further ones.

    >>> points_without(Without.LATE), points_without(Without.LATE, [Without.LATE])
    (60, 0)
    """
    if why in {Without.BYE, Without.WALKOVER}:
        return WIN_POINTS
    first_missed = why is Without.LATE and Without.LATE not in before
    return MEAN_POINTS if why is Without.HALF_BYE or first_missed else 0


def round_points(records: Sequence[Record]) -> list[int]:
    """Points of each round of a player.

    >>> round_points([120, Without.HALF_BYE, Without.ABSENT])
    [120, 60, 0]
    """
    return [
        points_without(record, records[:index]) if isinstance(record, Without) else record
        for index, record in enumerate(records)
    ]


def withdrawn_after(records: Sequence[Record]) -> int | None:
    """The round (1..) whose absence withdraws the player from the next one on, if there is one."""
    absences = [number for number, one in enumerate(records, start=1) if one is Without.ABSENT]
    return absences[ABSENCES_MAX - 1] if len(absences) >= ABSENCES_MAX else None


def half_bye(number: int, rounds: int, *, used: bool) -> Refusal | None:
    """Why a half bye in this round is refused. A late entry has used it up.

    >>> half_bye(4, 5, used=True).code, half_bye(3, 5, used=True).code, half_bye(3, 5, used=False)
    ('half_bye_too_late', 'half_bye_used', None)
    """
    if number > rounds - ROUNDS_WITHOUT_HALF_BYES:
        return Refusal("half_bye_too_late", facts={"round": number})
    return Refusal("half_bye_used", facts={"round": number}) if used else None
