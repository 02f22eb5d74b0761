"""Facts of agreements and of the director: deals, rulings, corrections."""

from typing import Literal

from tournaments.core.events.base import AmountOfPlayer, Event, NetOfPlayer, Part


class DealProposed(Event, frozen=True, kw_only=True):
    """Somebody proposes to divide the prizes that are left."""

    deal: str
    currency: str
    method: Literal["equal", "chip_chop"]
    amounts: tuple[AmountOfPlayer, ...]
    left_for_winner: int
    hash: str
    expires_at: str


class DealAccepted(Event, frozen=True, kw_only=True):
    """A player agrees to a deal."""

    deal: str
    player: str
    hash: str


class DealDeclined(Event, frozen=True, kw_only=True):
    """A player does not agree to a deal."""

    deal: str
    player: str
    hash: str


class DealSealed(Event, frozen=True, kw_only=True):
    """A deal that all agreed to holds."""

    deal: str
    currency: str
    hash: str
    amounts: tuple[AmountOfPlayer, ...]
    left_for_winner: int


class PlayerWithdrawn(Event, frozen=True, kw_only=True):
    """A player plays no further round."""

    player: str
    reason_code: Literal["asked", "absent", "double_no_show", "director"]


class PlayerReadmitted(Event, frozen=True, kw_only=True):
    """A withdrawn player plays again."""

    player: str
    reason_code: Literal["asked", "absent", "double_no_show", "director"]


class DirectorAdded(Event, frozen=True, kw_only=True):
    """One more person may rule."""

    player: str


class ClockSet(Event, frozen=True, kw_only=True):
    """Clock profile of hands dealt later."""

    profile: str


class LateEntryExtended(Event, frozen=True, kw_only=True):
    """Late entry stays open longer."""

    levels: int
    rounds: int


class PairForbidden(Event, frozen=True, kw_only=True):
    """These players are not paired."""

    players: tuple[str, ...]


class GroupDeclared(Event, frozen=True, kw_only=True):
    """These players belong together and are kept apart."""

    players: tuple[str, ...]


class RulingMade(Event, frozen=True, kw_only=True):
    """A director acted; his control's own event stands beside this one."""

    actor: str
    second: str | None
    control: str
    reason_code: str
    before_hash: str
    after_hash: str
    affected: tuple[str, ...]
    note_ref: str | None


class WarningGiven(Event, frozen=True, kw_only=True):
    """A warning."""

    player: str
    reason_code: str


class PenaltySet(Event, frozen=True, kw_only=True):
    """A player is on autopilot for some hands."""

    player: str
    reason_code: str
    hands: int


class PlayerDisqualified(Event, frozen=True, kw_only=True):
    """A player is out by ruling; his chips leave play."""

    player: str
    reason_code: str
    chips_removed: int


class ResultCorrected(Event, frozen=True, kw_only=True):
    """A match result replaces the one reported at version `supersedes`."""

    supersedes: int
    match: str
    chips: tuple[NetOfPlayer, ...]


class FrozenRank(Event, frozen=True, kw_only=True):
    """A line of frozen standings; keys are exact fractions `n/d`."""

    player: str
    place_best: int
    place_worst: int
    keys: tuple[str, ...]


class StandingsFrozen(Part, frozen=True, kw_only=True):
    """Standings that decide who goes on."""

    stage: str
    order: tuple[FrozenRank, ...]
    by_lot: tuple[str, ...]
