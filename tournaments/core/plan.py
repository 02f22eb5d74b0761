"""What `conduct` is told about the tables, and what it answers."""

from dataclasses import dataclass
from typing import Literal

from games.rules.events import PaymentRule
from games.rules.payment import Transfer
from tournaments.core.events import Event


@dataclass(frozen=True, slots=True)
class Sitting:
    """A player at a seat of a table, with his chips."""

    seat: int
    player: str
    chips: int
    sitting_out: bool = False


@dataclass(frozen=True, slots=True)
class TableView:
    """A table in play as its own stream tells it.

    `sittings` are all that sit there, arrivals of a running hand too, chips as they stand between
    hands (in a hand: at its start). `hands_counted` are its hands that were neither drawn nor void.
    `next_dealer` is the seat that deals next as far as one knows; it may be empty by now.
    """

    table: str
    sittings: tuple[Sitting, ...]
    hands_counted: int
    next_dealer: int


@dataclass(frozen=True, slots=True)
class EndedHand:
    """The hand that brought `conduct` to a table: who was dealt in with what, and what was paid.

    `absent`: whose time ran out in the first hand of the table, and who made no move in it.
    """

    hand: str
    dealt: tuple[Sitting, ...]
    paid: tuple[Transfer, ...]
    absent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Room:
    """All tables in play, seen from the one that is conducted now; for a match that one alone.

    `ended` is the hand that ended at `table` and was not conducted before. It is None where the
    table was marked due: its first deal, its release from waiting, the end of a break. The table
    itself is between hands. `running_seconds` is the time of play without pauses; it may be 0
    where levels go by hands.
    """

    tables: tuple[TableView, ...]
    table: str
    ended: EndedHand | None
    running_seconds: int = 0


@dataclass(frozen=True, slots=True)
class Unseat:
    """The player leaves the seat."""

    table: str
    seat: int
    player: str
    reason: Literal["bust", "moved", "table_closed"]


@dataclass(frozen=True, slots=True)
class Seat:
    """The player takes the seat with his chips; in a running hand he waits for the next one."""

    table: str
    seat: int
    player: str
    chips: int


@dataclass(frozen=True, slots=True)
class Deal:
    """The next hand is dealt now, with this stake and clock profile."""

    table: str
    level: int
    stake: int
    clock: str
    refill_bank: bool
    payment: PaymentRule = "table_stakes"
    of_match: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """The table gets no hand now, and nothing is due."""

    table: str
    reason: str


@dataclass(frozen=True, slots=True)
class MarkDue:
    """The table gets its own run of `conduct`, after so many seconds."""

    table: str
    after_seconds: int


@dataclass(frozen=True, slots=True)
class Close:
    """Nobody plays at the table any more."""

    table: str
    reason: Literal["broken", "completed"]


Action = Unseat | Seat | Deal | Hold | MarkDue | Close


@dataclass(frozen=True, slots=True)
class Plan:
    """One transaction: facts of the tournament's stream, then what happens at tables, in order."""

    events: tuple[Event, ...] = ()
    actions: tuple[Action, ...] = ()
