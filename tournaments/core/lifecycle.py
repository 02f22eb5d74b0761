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
    CHECK_IN = "check_in"
    SEATING = "seating"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    SETTLING = "settling"
    SETTLED = "settled"
    CANCELLED = "cancelled"
    ARCHIVED = "archived"


UNPUBLISHED = frozenset({Status.DRAFT})
ENTERING = frozenset({Status.REGISTRATION, Status.CHECK_IN})
PLAYING = frozenset({Status.RUNNING, Status.PAUSED})
BEFORE_PLAY = frozenset({Status.DRAFT, Status.ANNOUNCED, Status.SEATING}) | ENTERING
RULED = frozenset({Status.ANNOUNCED, Status.SEATING, Status.COMPLETED}) | ENTERING | PLAYING
"""Where directors may rule."""
COMPLETED = frozenset({Status.COMPLETED})

COMMANDS: Mapping[str, frozenset[Status]] = MappingProxyType(
    {
        "edit": UNPUBLISHED,
        "amend": frozenset({Status.ANNOUNCED}),
        "publish": UNPUBLISHED,
        "open_registration": frozenset({Status.ANNOUNCED}),
        "close_registration": ENTERING | PLAYING,
        "open_check_in": frozenset({Status.REGISTRATION}),
        "check_in": frozenset({Status.CHECK_IN}),
        "enter": ENTERING,
        "wait": ENTERING | PLAYING,
        "withdraw": ENTERING,
        "start": ENTERING,
        "buy": PLAYING,
        "conduct": frozenset({Status.RUNNING}),
        "pair": frozenset({Status.RUNNING}),
        "pause": frozenset({Status.RUNNING}),
        "resume": frozenset({Status.PAUSED}),
        "rule": RULED,
        "deal": PLAYING,
        "protest": PLAYING | COMPLETED,
        "hold": COMPLETED,
        "compute_prizes": COMPLETED,
        "settle": frozenset({Status.SETTLING, Status.CANCELLED}),
        "compensate": frozenset({Status.SETTLED}),
        "archive": frozenset({Status.SETTLED}),
        "cancel": BEFORE_PLAY,
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
    events.BountyPaid,
    events.MatchReported,
    events.TieHandsAdded,
    events.WalkoverAwarded,
    events.StandingsFrozen,
    events.DealProposed,
    events.DealAccepted,
    events.DealDeclined,
    events.DealSealed,
    events.ReEntered,
    events.OutageRecorded,
    events.Completed,
)
_OF_ROUNDS = (
    events.TableAdded,
    events.SeatAssigned,
    events.RoundPaired,
    events.MatchStarted,
    events.ByeAwarded,
    events.AbsenceRecorded,
    events.PrizesPublished,
)
_OF_RULINGS = (
    events.DirectorAdded,
    events.RulingMade,
    events.WarningGiven,
    events.PairForbidden,
    events.GroupDeclared,
    events.ClockSet,
    events.LateEntryExtended,
    events.PenaltySet,
    events.PlayerDisqualified,
)
_ENTRY = (events.EntryPaid, events.WaitListed, events.WaitListLeft, events.RegistrationClosed)
_AFTER = (events.PrizesComputed, events.PrizeHeld, events.HoldReleased)
_NOT_OVER = ENTERING | PLAYING | {Status.SEATING}

ADMITTED: Mapping[type[events.Event], frozenset[Status]] = MappingProxyType(
    {
        events.OptionsChanged: UNPUBLISHED,
        events.RulesPublished: UNPUBLISHED,
        events.RulesAmended: frozenset({Status.ANNOUNCED}),
        events.RegistrationOpened: frozenset({Status.ANNOUNCED}),
        **dict.fromkeys(_ENTRY, ENTERING | PLAYING),
        events.EntryRefunded: ENTERING | {Status.SEATING},
        events.CheckInOpened: frozenset({Status.REGISTRATION}),
        events.CheckedIn: frozenset({Status.CHECK_IN}),
        events.SeatingStarted: ENTERING,
        events.NoShowDropped: ENTERING | {Status.SEATING},
        events.RoundsReduced: frozenset({Status.SEATING}),
        events.Seeded: ENTERING | {Status.SEATING},
        events.Started: frozenset({Status.SEATING}),
        **dict.fromkeys(_OF_ROUNDS, PLAYING | {Status.SEATING}),
        **dict.fromkeys(_OF_PLAY, PLAYING),
        events.HalfByeGranted: _NOT_OVER,
        events.PlayerWithdrawn: _NOT_OVER,
        events.PlayerReadmitted: _NOT_OVER,
        events.Paused: frozenset({Status.RUNNING}),
        events.Resumed: frozenset({Status.PAUSED}),
        **dict.fromkeys(_OF_RULINGS, RULED),
        events.RulingMade: RULED | {Status.SETTLED},
        events.PlayerDisqualified: RULED | {Status.SETTLED},
        events.ResultCorrected: PLAYING | COMPLETED,
        events.ProtestOpened: PLAYING | COMPLETED,
        events.ProtestClosed: PLAYING | COMPLETED,
        **dict.fromkeys(_AFTER, COMPLETED),
        events.Settled: frozenset({Status.SETTLING, Status.CANCELLED}),
        events.CompensationPosted: frozenset({Status.SETTLED}),
        events.Archived: frozenset({Status.SETTLED}),
        events.Cancelled: BEFORE_PLAY | PLAYING | COMPLETED,
        events.LotSeedRevealed: COMPLETED | {Status.CANCELLED},
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
