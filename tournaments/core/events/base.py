"""What the facts of a tournament are made of."""

import msgspec


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A stored fact, or a part of one."""


class Part(Event, frozen=True, kw_only=True):
    """One piece of a list that may be longer than a record; 1 of 1 when whole."""

    part: int
    parts: int


class NetOfPlayer(Event, frozen=True, kw_only=True):
    """A player's chips of a match, signed."""

    player: str
    net: int


class AmountOfPlayer(Event, frozen=True, kw_only=True):
    """Money of one player."""

    player: str
    amount: int
