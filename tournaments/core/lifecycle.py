"""States of a tournament, and what each admits (`tournaments.md` section 3).

The table lists what is built; an event or a command that is not in it is admitted nowhere.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from eventstore.core.refusal import Refusal
from tournaments.core import events


class Status(StrEnum):
    """Where a tournament stands."""

    DRAFT = "draft"
    ANNOUNCED = "announced"
    REGISTRATION = "registration"
    SEATING = "seating"
    RUNNING = "running"
    COMPLETED = "completed"
    SETTLING = "settling"
    SETTLED = "settled"
    CANCELLED = "cancelled"


_BEFORE_PLAY = (Status.DRAFT, Status.ANNOUNCED, Status.REGISTRATION, Status.SEATING)

COMMANDS: Mapping[str, frozenset[Status]] = MappingProxyType(
    {
        "edit": frozenset({Status.DRAFT}),
        "publish": frozenset({Status.DRAFT}),
        "open_registration": frozenset({Status.ANNOUNCED}),
        "enter": frozenset({Status.REGISTRATION}),
        "withdraw": frozenset({Status.REGISTRATION}),
        "start": frozenset({Status.REGISTRATION}),
        "conduct": frozenset({Status.RUNNING}),
        "compute_prizes": frozenset({Status.COMPLETED}),
        "settle": frozenset({Status.SETTLING, Status.CANCELLED}),
        "cancel": frozenset(_BEFORE_PLAY),
    }
)
"""States in which a command may be given."""

_OF_PLAY = (
    events.LevelRaised,
    events.PlayerBusted,
    events.PlayerMoved,
    events.TableBroken,
    events.TableWaiting,
    events.TableReleased,
    events.HandForHandSet,
    events.PrizesPublished,
    events.Completed,
)

ADMITTED: Mapping[type[events.Event], frozenset[Status]] = MappingProxyType(
    {
        events.OptionsChanged: frozenset({Status.DRAFT}),
        events.RulesPublished: frozenset({Status.DRAFT}),
        events.RegistrationOpened: frozenset({Status.ANNOUNCED}),
        events.RegistrationClosed: frozenset({Status.REGISTRATION}),
        events.EntryPaid: frozenset({Status.REGISTRATION}),
        events.EntryRefunded: frozenset({Status.REGISTRATION}),
        events.SeatingStarted: frozenset({Status.REGISTRATION}),
        events.TableAdded: frozenset({Status.SEATING}),
        events.SeatAssigned: frozenset({Status.SEATING, Status.RUNNING}),
        events.Started: frozenset({Status.SEATING}),
        **dict.fromkeys(_OF_PLAY, frozenset({Status.RUNNING})),
        events.PrizesComputed: frozenset({Status.COMPLETED}),
        events.Settled: frozenset({Status.SETTLING, Status.CANCELLED}),
        events.Cancelled: frozenset(_BEFORE_PLAY),
        events.LotSeedRevealed: frozenset({Status.COMPLETED, Status.CANCELLED}),
    }
)
"""States in which an event may follow; `TournamentDrafted` stands first in the stream."""


def refusal(status: Status | None, command: str) -> Refusal | None:
    """The refusal of a command in a state that does not admit it.

    >>> refusal(Status.SETTLED, "cancel").code
    'wrong_state'
    >>> refusal(Status.DRAFT, "publish") is None
    True
    """
    if status in COMMANDS[command]:
        return None
    return Refusal("wrong_state", facts={"status": status and status.value, "command": command})


def admits(status: Status | None, event: events.Event) -> bool:
    """Whether an event may follow in a state; None is the state before the first event."""
    if status is None:
        return isinstance(event, events.TournamentDrafted)
    return status in ADMITTED.get(type(event), frozenset())
