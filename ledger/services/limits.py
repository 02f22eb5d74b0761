"""A player's own limits, asked in the transaction that would pass them (`ledger.md` section 2.8).

House bots set themselves none. Windows roll, by the database's clock.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from eventstore.core.record import Stored, time_text
from eventstore.core.refusal import Refusal, Refused, refuse
from ledger.core.kinds import Kind
from ledger.core.limits import Movement, Spell, rested_at, room_at, time_within, total
from ledger.services.posting import post_inline
from ledger.store.movements import awaited, movements
from players.core.limits import DAY, DEPOSITS, LOSSES, PLAY_MINUTES_DAY, STAKE_MAX, Limits
from players.selectors import Person, limits_of
from players.services import hold

# Out of the wallet into seats, pools, fees and heads, and back. What is in play counts as lost
# until it comes back.
PLAYED = frozenset(
    {
        Kind.BUY_IN,
        Kind.TOP_UP,
        Kind.CASH_OUT,
        Kind.ENTRY,
        Kind.RE_ENTRY,
        Kind.REBUY,
        Kind.ADD_ON,
        Kind.REFUND,
        Kind.BOUNTY,
        Kind.PRIZE,
    }
)
PAID_IN = frozenset({Kind.DEPOSIT, Kind.GRANT})  # play chips are granted

HOUR = timedelta(hours=1)

SpellsOf = Callable[[UUID, datetime, datetime], Iterable[Spell]]
_timers: list[SpellsOf] = []


def when_timed(spells: SpellsOf) -> None:
    """Have the time that a player was seated between two instants told by `spells`."""
    if spells not in _timers:
        _timers.append(spells)


@dataclass(frozen=True, slots=True)
class Play:
    """What somebody puts into play: `stake` is the table's base stake, or the price of an entry."""

    person: Person
    currency: str
    amount: int
    stake: int


def post_play(sealed: Sequence[Stored], play: Play, now: datetime) -> None:
    """Post what a player puts into play, before its append, if his limits allow it.

    The one way into a seat or an event. Holds the player, then locks his wallet. Raises: as
    `post_inline`, and Refused with `excluded` (facts: `until`, unless for good), or
    `limit_reached`: `limit`, `amount` (of the limit), `asked`, for sums also `used` (before this)
    and `window_hours`, and `retry_at` if waiting helps.
    """
    if play.person.level is not None:
        post_inline(sealed, now)
        return
    player = play.person.id
    hold(player)
    limits = limits_of([player], now)[str(player)]
    _require_admitted(limits)
    post_inline(sealed, now)
    _require_play(player, _Asked(limits, play.currency, play.amount, now), play.stake)


def require_deposit(player: UUID, currency: str, amount: int, now: datetime) -> None:
    """The player's limits allow him to pay in `amount` more. The caller has locked his account.

    What he was credited in the window counts, play chips too, and every order that waits for its
    money. Raises: Refused with `excluded`, `limit_reached`, as `post_play`.
    """
    limits = limits_of([player], now)[str(player)]
    _require_admitted(limits)
    asked = _Asked(limits, currency, amount, now)
    windows = asked.windows(DEPOSITS)
    if windows:
        moved = movements(player, currency, PAID_IN, now - max(windows.values()))
        credits_ = [Movement(one.at, -one.amount) for one in moved]
        _require_sums(asked, windows, credits_, standing=awaited(player, currency))


def who_must_stop(players: Collection[UUID], now: datetime) -> set[UUID]:
    """Those who may not be dealt another hand: excluded, or their time of the day is used up."""
    found = limits_of(players, now)
    return {player for player in players if _must_stop(player, found[str(player)], now)}


@dataclass(frozen=True, slots=True)
class _Asked:
    """What somebody wants to do, beside his limits."""

    limits: Limits
    currency: str
    amount: int
    now: datetime

    def windows(self, known: Mapping[str, timedelta]) -> dict[str, timedelta]:
        """Windows of those limits that are in force."""
        return {
            limit: window
            for limit, window in known.items()
            if self.limits.of(limit, self.currency) is not None
        }


def _require_admitted(limits: Limits) -> None:
    exclusion = limits.exclusion
    if exclusion is not None:
        until = exclusion.until
        raise Refused(Refusal("excluded", facts={"until": time_text(until)} if until else {}))


def _require_play(player: UUID, asked: _Asked, stake: int) -> None:
    _require_time(player, asked.limits, asked.now)
    most = asked.limits.of(STAKE_MAX, asked.currency)
    if most is not None and stake > most:
        raise refuse(
            "limit_reached", limit=STAKE_MAX, amount=most, asked=stake, currency=asked.currency
        )
    windows = asked.windows(LOSSES)
    if windows and asked.amount:
        moved = movements(player, asked.currency, PLAYED, asked.now - max(windows.values()))
        before = [*moved, Movement(asked.now, -asked.amount)]  # it is in the books already
        _require_sums(asked, windows, before)


def _require_sums(
    asked: _Asked,
    windows: Mapping[str, timedelta],
    moved: Sequence[Movement],
    standing: int = 0,
) -> None:
    """Each sum with what is asked for stays within its limit; no time takes `standing` away."""
    for limit, window in windows.items():
        most = asked.limits.of(limit, asked.currency) or 0
        used = total(moved, asked.now - window) + standing
        if used + asked.amount > most:
            room = most - asked.amount - standing
            again = room_at(moved, window=window, now=asked.now, most=room)
            facts: dict[str, object] = {
                "limit": limit,
                "amount": most,
                "used": used,
                "asked": asked.amount,
                "currency": asked.currency,
                "window_hours": window // HOUR,
            }
            if again is not None:
                facts["retry_at"] = time_text(again)
            raise Refused(Refusal("limit_reached", facts=facts))


def _must_stop(player: UUID, limits: Limits, now: datetime) -> bool:
    try:
        _require_admitted(limits)
        _require_time(player, limits, now)
    except Refused:
        return True
    return False


def _require_time(player: UUID, limits: Limits, now: datetime) -> None:
    """A running hand is played to its end; sitting down anew is another thing."""
    minutes = limits.of(PLAY_MINUTES_DAY)
    if minutes is None:
        return
    most, spells = timedelta(minutes=minutes), _spells(player, now)
    if time_within(spells, now - DAY) >= most:
        again = rested_at(spells, window=DAY, now=now, most=most)
        raise refuse(
            "limit_reached",
            limit=PLAY_MINUTES_DAY,
            amount=minutes,
            window_hours=DAY // HOUR,
            retry_at=time_text(again),
        )


def _spells(player: UUID, now: datetime) -> list[Spell]:
    return [spell for spells in _timers for spell in spells(player, now - DAY, now)]
