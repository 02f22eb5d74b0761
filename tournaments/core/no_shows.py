"""Who does not come to a match: bans and the points of walkovers (`tournaments.md` 7.6)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

from tournaments.core.matches import match_points

FIRST_BAN_HOURS = 24
BAN_HOURS_MAX = 720

Attendance = Literal["no_show", "played"]


def count_no_shows(attendances: Iterable[Attendance]) -> int:
    """No-shows since the last match that was played to its end.

    >>> count_no_shows(["no_show", "played", "no_show"])
    1
    """
    count = 0
    for one in attendances:
        count = count + 1 if one == "no_show" else 0
    return count


def ban_hours(no_shows: int) -> int:
    """Hours without registration after so many no-shows in a row.

    >>> [ban_hours(count) for count in (0, 1, 2, 3, 6)]
    [0, 24, 48, 96, 720]
    """
    return min(FIRST_BAN_HOURS * 2 ** (no_shows - 1), BAN_HOURS_MAX) if no_shows else 0


def banned_until(at: datetime, no_shows: int) -> datetime:
    """End of the ban that begins with a no-show at `at`, the last of so many in a row.

    It takes the place of a ban that runs, which it always outlasts.
    """
    return at + timedelta(hours=ban_hours(no_shows))


def walkover_points(came: Iterable[str], absent: Iterable[str]) -> dict[str, int]:
    """Points of a match that is not played because at most one came; chips count 0.

    >>> walkover_points(["ann"], ["bob"]), walkover_points([], ["ann", "bob"])
    ({'bob': 0, 'ann': 120}, {'ann': 0, 'bob': 0})
    """
    return {**dict.fromkeys(absent, 0), **match_points(dict.fromkeys(came, 0))}
