"""Facts of play at the tables: levels, busts, moves, waiting, pauses."""

from typing import Literal

import msgspec

from tournaments.core.events.base import AmountOfPlayer, Event, Part

Measure = Literal["hands", "clock"]
MoveReason = Literal["balance", "break", "late", "director"]
WaitReason = Literal["alone", "short", "hand_for_hand", "break", "pause"]
PauseMode = Literal["now", "after_hands"]


class LevelRaised(Event, frozen=True, kw_only=True):
    """Level (from 1) and stake of the hands dealt from now on."""

    level: int
    stake: int
    by: Measure


class PlayerBusted(Event, frozen=True, kw_only=True):
    """A player has no chips left; places are null until they are known."""

    player: str
    entry_no: int
    table: str
    hand: str
    chips_at_start: int
    place_best: int | None
    place_worst: int | None
    capturers: tuple[str, ...]


class PlayerMoved(Event, frozen=True, kw_only=True):
    """A player goes on at another table."""

    player: str
    from_: str = msgspec.field(name="from")
    to: str
    seat: int
    reason: MoveReason


class TableBroken(Event, frozen=True, kw_only=True):
    """A table is no longer needed; its players have moved."""

    table: str
    number: int


class TableWaiting(Event, frozen=True, kw_only=True):
    """A table is not dealt for now."""

    table: str
    reason: WaitReason


class TableReleased(Event, frozen=True, kw_only=True):
    """A waiting table is dealt again."""

    table: str
    reason: WaitReason


class ReEntered(Event, frozen=True, kw_only=True):
    """A busted player bought a new place."""

    player: str
    entry_no: int
    buy_in: int
    fee: int
    bounty: int
    currency: str


class RebuyBought(Event, frozen=True, kw_only=True):
    """A player bought chips for the entry that he has."""

    player: str
    entry_no: int
    amount: int
    chips: int
    currency: str


class AddOnBought(Event, frozen=True, kw_only=True):
    """A player bought the extra chips of the break."""

    player: str
    entry_no: int
    amount: int
    chips: int
    currency: str


class BountyPaid(Event, frozen=True, kw_only=True):
    """The price on a head was won; a part may go to the heads of those who won it."""

    head: str
    paid: tuple[AmountOfPlayer, ...]
    added_to_head: tuple[AmountOfPlayer, ...]
    currency: str


class HandForHandSet(Event, frozen=True, kw_only=True):
    """Tables deal together from now on, or no longer."""

    on: bool
    remaining: int
    paid_places: int


class PrizesPublished(Part, frozen=True, kw_only=True):
    """What each place gets, once the field is fixed."""

    places: int
    vector: tuple[int, ...]
    currency: str
    hash: str | None


class Paused(Event, frozen=True, kw_only=True):
    """Play stops."""

    mode: PauseMode
    reason_code: str


class Resumed(Event, frozen=True, kw_only=True):
    """Play goes on; clocks are moved by the pause."""

    mode: PauseMode
    reason_code: str
    shift_seconds: int


class OutageRecorded(Event, frozen=True, kw_only=True):
    """The service was away; every deadline is moved."""

    from_: str = msgspec.field(name="from")
    to: str
    shift_seconds: int
