"""The time between commitment and deal in which seats give their seeds (`eventstore.md` 5.3)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from eventstore.core.record import time_of
from games.rules import events, fair
from games.rules.table import Table

REVEAL_MS, REVEAL_CORRESPONDENCE_MS = 5_000, 60_000
BEACON_AFTER_MS = 3_000
"""A beacon's round comes at least so long after the last seed was given."""
BEACON_PATIENCE_MS = 30_000
"""How long after its time a round is waited for."""

SeedState = Literal["revealed", "missing", "none"]


def reveal_ms(profile: str) -> int:
    """How long seats have for their seeds, by the profile of the clock."""
    return REVEAL_CORRESPONDENCE_MS if profile == "correspondence" else REVEAL_MS


def asked(committed: events.ShuffleCommitted) -> tuple[int, ...]:
    """Seats that are asked for a seed."""
    return tuple(one.seat for one in committed.seats if one.anchored)


def missing(
    committed: events.ShuffleCommitted, seeds: Iterable[events.SeedRevealed]
) -> tuple[int, ...]:
    """Seats that are asked for a seed and have given none."""
    given = {one.seat for one in seeds}
    return tuple(seat for seat in asked(committed) if seat not in given)


def closes_at(committed: events.ShuffleCommitted) -> datetime | None:
    """When the window is over at the latest; None where there is none."""
    return None if committed.reveal_by is None else time_of(committed.reveal_by)


def seal_at(committed: events.ShuffleCommitted) -> datetime | None:
    """When the deck is sealed at the latest: behind a beacon's round where one is mixed in."""
    closes = closes_at(committed)
    if closes is None or committed.beacon is None:
        return closes
    return closes + timedelta(milliseconds=BEACON_AFTER_MS)


def seed_states(
    committed: events.ShuffleCommitted, seeds: Iterable[events.SeedRevealed]
) -> dict[int, SeedState]:
    """What `HandDealt` says of each committed seat's seed."""
    silent = set(missing(committed, seeds))
    return {
        one.seat: "none" if not one.anchored else "missing" if one.seat in silent else "revealed"
        for one in committed.seats
    }


def seat_seeds(
    committed: events.ShuffleCommitted, seeds: Iterable[events.SeedRevealed]
) -> list[fair.SeatSeed]:
    """The seats of a commitment with the seeds given for it."""
    given = {one.seat: bytes.fromhex(one.seed) for one in seeds}
    return [
        fair.SeatSeed(one.seat, UUID(one.player).bytes, given.get(one.seat, b""))
        for one in committed.seats
    ]


def still_there(table: Table) -> bool:
    """Whether every seat of the open commitment is as it was committed to."""
    if table.commitment is None:
        return False
    sitting = {place.seat: place.player for place in table.places if place.leaving is None}
    return all(sitting.get(one.seat) == one.player for one in table.commitment.seats)
