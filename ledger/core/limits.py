"""Sums over rolling windows: what counts at an instant, and when there will be room again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

INSTANT = timedelta(microseconds=1)  # the finest that the log and the books know


@dataclass(frozen=True, slots=True)
class Movement:
    """An amount that counts from its instant on, until the window has passed it; signed."""

    at: datetime
    amount: int


@dataclass(frozen=True, slots=True)
class Spell:
    """Time spent at a table, without its last instant."""

    start: datetime
    end: datetime


def total(movements: Iterable[Movement], since: datetime) -> int:
    """Sum of what moved after an instant."""
    return sum(one.amount for one in movements if one.at > since)


def room_at(
    movements: Iterable[Movement], *, window: timedelta, now: datetime, most: int
) -> datetime | None:
    """The first instant at which the sum is `most` or less, if nothing more moves; None: never.

    >>> noon, hour = datetime(2026, 12, 1, 12), timedelta(hours=1)
    >>> paid = [Movement(noon - 3 * hour, 40), Movement(noon - hour, 30)]
    >>> str(room_at(paid, window=24 * hour, now=noon, most=30))
    '2026-12-02 09:00:00'
    """
    inside = sorted((one for one in movements if one.at > now - window), key=_at)
    left = sum(one.amount for one in inside)
    if left <= most:
        return now
    for at, group in groupby(inside, key=_at):
        left -= sum(one.amount for one in group)
        if left <= most:
            return at + window
    return None


def _at(movement: Movement) -> datetime:
    return movement.at


def together(spells: Iterable[Spell]) -> list[Spell]:
    """The same time as spells that neither meet nor overlap, in order."""
    merged: list[Spell] = []
    for spell in sorted(spells, key=lambda one: one.start):
        if merged and spell.start <= merged[-1].end:
            merged[-1] = Spell(merged[-1].start, max(merged[-1].end, spell.end))
        else:
            merged.append(spell)
    return merged


def time_within(spells: Iterable[Spell], since: datetime) -> timedelta:
    """Time spent since an instant; two tables at once count once."""
    return sum((one.end - one.start for one in _clipped(spells, since)), timedelta())


def rested_at(
    spells: Iterable[Spell], *, window: timedelta, now: datetime, most: timedelta
) -> datetime:
    """The first instant at which less than `most` was spent within the window before it.

    If no more time is spent. `most` is above zero.
    """
    inside = _clipped(spells, now - window)
    excess = sum((one.end - one.start for one in inside), timedelta()) - most + INSTANT
    for one in inside:
        spent = one.end - one.start
        if timedelta() < excess <= spent:
            return one.start + excess + window
        excess -= spent
    return now


def _clipped(spells: Iterable[Spell], since: datetime) -> Sequence[Spell]:
    inside = (Spell(max(one.start, since), one.end) for one in spells if one.end > since)
    return together(inside)
