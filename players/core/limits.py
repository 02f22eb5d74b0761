"""A player's own limits and his exclusions, folded from `player/<uuid>` (`ledger.md` 2.8).

Whatever is tighter holds at once, whatever is looser a day after it was asked for. An exclusion
grows longer, never shorter.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Protocol

from eventstore.core.record import time_of, time_text
from eventstore.core.refusal import Refusal
from players.core.events import ExclusionEnded, ExclusionSet, LimitSet

DAY, WEEK, MONTH = timedelta(days=1), timedelta(days=7), timedelta(days=30)
STAKE_MAX, PLAY_MINUTES_DAY = "stake_max", "play_minutes_day"
LOSSES = MappingProxyType({"loss_day": DAY, "loss_week": WEEK, "loss_month": MONTH})
DEPOSITS = MappingProxyType({"deposit_day": DAY, "deposit_week": WEEK, "deposit_month": MONTH})
OF_MONEY = (STAKE_MAX, *LOSSES, *DEPOSITS)  # each has an amount per currency
SELF, HOUSE = "self", "house"
LOOSER_AFTER = timedelta(hours=24)
EXCLUSION_SHORTEST = timedelta(hours=24)
EXCLUSION_LONGEST = timedelta(days=36_500)  # whoever wants more wants it for good


class Said(Protocol):
    """An event as a log has it."""

    @property
    def at(self) -> datetime:
        """Time of the append."""

    @property
    def event(self) -> object:
        """The fact itself."""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """One limit: its code, and the currency where it is one of money (else empty)."""

    limit: str
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Loosening:
    """What a limit will be, from when on; None: no limit."""

    amount: int | None
    effective_at: datetime


@dataclass(frozen=True, slots=True)
class Setting:
    """A limit as it is, None without one, and the looser one that waits."""

    amount: int | None = None
    later: Loosening | None = None

    def at(self, now: datetime) -> "Setting":
        """The setting once its loosening has come into force, if it has by then."""
        if self.later is None or self.later.effective_at > now:
            return self
        return Setting(self.later.amount)

    @property
    def asked_for(self) -> int | None:
        """What the player said last."""
        return self.later.amount if self.later is not None else self.amount


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Kept from play by himself or by the house, until an instant; None: for good."""

    kind: str
    until: datetime | None

    def lasts(self, now: datetime) -> bool:
        """Whether it is in force."""
        return self.until is None or self.until > now

    def outlasts(self, other: "Exclusion") -> bool:
        """Whether it ends after another one."""
        return other.until is not None and (self.until is None or self.until > other.until)


NOTHING_SET = Setting()


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one player at an instant, with the loosenings and exclusions of that time."""

    settings: Mapping[Key, Setting] = field(default_factory=dict)
    exclusions: tuple[Exclusion, ...] = ()

    def of(self, limit: str, currency: str = "") -> int | None:
        """The limit in force, None without one."""
        return self.setting(Key(limit, currency)).amount

    def setting(self, key: Key) -> Setting:
        """A limit with what waits for it."""
        return self.settings.get(key, NOTHING_SET)

    @property
    def exclusion(self) -> Exclusion | None:
        """The exclusion that lasts longest, None for somebody who may play."""
        longest = None
        for one in self.exclusions:
            if longest is None or one.outlasts(longest):
                longest = one
        return longest

    def excluded_by(self, kind: str) -> Exclusion | None:
        """The exclusion of this kind."""
        return next((one for one in self.exclusions if one.kind == kind), None)


def limits_at(history: Iterable[Said], now: datetime) -> Limits:
    """Limits in force at `now`, after all of a player's events.

    Every event counts, also one that was appended while the caller, who had read the clock before,
    waited for a lock: a limit is never passed because of the order of two clocks.
    """
    settings: dict[Key, Setting] = {}
    exclusions: dict[str, Exclusion] = {}
    for one in history:
        event = one.event
        if isinstance(event, LimitSet):
            key = Key(event.limit, event.currency or "")
            settings[key] = _set(settings.get(key, NOTHING_SET), event, one.at)
        elif isinstance(event, ExclusionSet):
            fresh = Exclusion(event.kind, None if event.until is None else time_of(event.until))
            known = exclusions.get(event.kind)
            exclusions[event.kind] = fresh if known is None or fresh.outlasts(known) else known
        elif isinstance(event, ExclusionEnded):
            exclusions.pop(event.kind, None)
    return Limits(
        {key: setting.at(now) for key, setting in settings.items()},
        tuple(one for one in exclusions.values() if one.lasts(now)),
    )


def _set(before: Setting, event: LimitSet, at: datetime) -> Setting:
    """A setting after its owner's word. The last word alone waits."""
    effective_at = time_of(event.effective_at)
    if effective_at <= at:
        return Setting(event.amount)
    return Setting(before.at(at).amount, Loosening(event.amount, effective_at))


def changes(
    limits: Limits, wanted: Mapping[Key, int | None], now: datetime
) -> tuple[LimitSet, ...]:
    """Facts that lead to the limits that are wanted; what was asked for before makes none.

    To ask for what is in force takes back a loosening that waits.
    """
    made = []
    for key, amount in sorted(wanted.items(), key=lambda item: item[0]):
        setting = limits.setting(key)
        if amount != setting.asked_for:
            effective_at = now + LOOSER_AFTER if _is_looser(amount, setting.amount) else now
            made.append(
                LimitSet(
                    limit=key.limit,
                    amount=amount,
                    currency=key.currency or None,
                    effective_at=time_text(effective_at),
                )
            )
    return tuple(made)


def _is_looser(amount: int | None, before: int | None) -> bool:
    return before is not None and (amount is None or amount > before)


def exclude(
    limits: Limits, until: datetime | None, now: datetime
) -> tuple[ExclusionSet, ...] | Refusal:
    """The fact that keeps a player from play until an instant, None for good.

    Nothing where he has said so already. Refuses with `invalid_field` an end that is nearer than
    24 hours, further than a hundred years, or before that of the exclusion in force.
    """
    known = limits.excluded_by(SELF)
    if until is None:
        known_for_good = known is not None and known.until is None
        return () if known_for_good else (ExclusionSet(kind=SELF, until=None),)
    if not now + EXCLUSION_SHORTEST <= until <= now + EXCLUSION_LONGEST:
        least, most = time_text(now + EXCLUSION_SHORTEST), time_text(now + EXCLUSION_LONGEST)
        return Refusal("invalid_field", facts={"field": "until", "least": least, "most": most})
    wish = Exclusion(SELF, until)
    if known is None or wish.outlasts(known):
        return (ExclusionSet(kind=SELF, until=time_text(until)),)
    if known.until == until:
        return ()
    end = {} if known.until is None else {"least": time_text(known.until)}
    return Refusal("invalid_field", facts={"field": "until", **end})
