"""A table, folded from its stream: seats, stacks, clocks, and the hand that runs there.

`HandDealt` restates all that a table is, so a fold may begin at the newest one: the snapshot is an
event. What only `TableOpened` says is then absent (`opened` is None).
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Literal, Protocol

import msgspec
from msgspec.structs import replace

from games.rules import events, state
from games.rules.shuffles import Deck
from games.rules.state import Hand

Status = Literal["open", "sealing", "playing", "between_hands", "closed"]
CHIPS = "CHIPS"  # the word for tournament chips, which are no currency
AUTOPILOT_AFTER = 3  # time-outs of one player in a row (`tournaments.md` 7.3)
AUTOPILOT_TURN_MS = 2_000
BOT_TURN_MS = 2_000  # a bot that has not moved by then is looked after (`bots.md` section 7)
BANK_REFILL_HANDS, BANK_REFILL_MS = 10, 5_000  # `tournaments.md` 7.1


class InLog(Protocol):
    """An event with its place: what the fold needs of a stored one."""

    @property
    def version(self) -> int:
        """Number of the event in its stream."""

    @property
    def at(self) -> datetime:
        """Instant of the event."""

    @property
    def event(self) -> msgspec.Struct:
        """The event in its newest form."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """A taken seat."""

    seat: int
    player: str
    bot: str | None
    stack: int
    bank_ms: int
    sat_out: str | None = None  # why the seat is not dealt in, None: it is
    leaving: str | None = None  # why it was left; the stack goes with the hand's end
    autopilot: bool = False
    timeouts: int = 0  # in a row


class Table(msgspec.Struct, frozen=True, gc=False):
    """A table between two facts."""

    version: int
    currency: str
    stake: int
    rules: events.RuleSet
    rake: events.Rake
    clock: events.Clock
    fairness: events.Fairness
    opened: events.TableOpened | None = None
    places: tuple[Place, ...] = ()
    commitment: events.ShuffleCommitted | None = None  # open: neither dealt nor aborted
    seeds: tuple[events.SeedRevealed, ...] = ()  # given for it so far
    dealt: events.HandDealt | None = None
    dealt_version: int | None = None
    hand: Hand | None = None
    ended: events.HandEnded | None = None
    ended_version: int | None = None
    voided_version: int | None = None  # of a hand that was given up since the newest deal
    server_seed: str | None = None
    dealer: int | None = None  # who deals the next hand; None before the cut
    hand_no: int = 0
    idle_since: datetime | None = None  # the last hand's end; before the first, the last to sit
    turn_at: datetime | None = None
    extended_until: datetime | None = None
    timed_out: bool = False  # whether this turn ran out of time
    closed: bool = False

    @property
    def of_tournament(self) -> bool:
        """Whether the stacks are tournament chips."""
        return self.currency == CHIPS

    @property
    def playing(self) -> bool:
        """Whether a hand runs."""
        return self.hand is not None and not self.hand.over

    @property
    def sealing(self) -> bool:
        """Whether a hand is committed to whose seeds are being given."""
        return self.commitment is not None and self.commitment.reveal_by is not None

    @property
    def status(self) -> Status:
        """What the table is doing."""
        if self.closed:
            return "closed"
        if self.sealing:
            return "sealing"
        if self.playing:
            return "playing"
        return "between_hands" if self.hand_no else "open"

    @property
    def to_act(self) -> int | None:
        """Seat whose move is awaited."""
        return self.hand.to_act if self.hand is not None else None

    def place(self, seat: int) -> Place:
        """The taken seat of that number. Raises: KeyError."""
        for place in self.places:
            if place.seat == seat:
                return place
        raise KeyError(seat)

    def seat_of(self, player: str) -> Place | None:
        """Where a player sits, None if nowhere."""
        return next((place for place in self.places if place.player == player), None)

    @property
    def deadline(self) -> datetime | None:
        """When the awaited move is made for the player: bank included (`tournaments.md` 7.2)."""
        if self.to_act is None or self.turn_at is None:
            return None
        place = self.place(self.to_act)
        if place.autopilot:
            return self.turn_at + timedelta(milliseconds=AUTOPILOT_TURN_MS)
        ends = self.turn_at + timedelta(milliseconds=self._move_ms + place.bank_ms)
        return max(ends, self.extended_until) if self.extended_until else ends

    @property
    def _move_ms(self) -> int:
        first = self.hand_no == 1 and self.hand is not None and self.hand.round == 1
        return self.clock.first_move_ms if first else self.clock.move_ms


def opened(event: events.TableOpened, version: int = 1) -> Table:
    """The table right after its first event."""
    return Table(
        version=version,
        currency=event.currency,
        stake=event.stake,
        rules=event.rules,
        rake=event.rake,
        clock=event.clock,
        fairness=event.fairness,
        opened=event,
    )


def fold(stored: Iterable[InLog], decks: Mapping[str, Deck] | None = None) -> Table:
    """The table after these events, which begin with `TableOpened` or with a `HandDealt`.

    A leading `TableOpened` may be followed by any later `HandDealt`. `decks` gives the deck of a
    hand where the caller may know it. Raises: ValueError without a beginning.
    """
    table: Table | None = None
    for one in stored:
        table = evolve(table, one, decks or {})
    if table is None:
        raise ValueError("no events of a table")
    return table


def evolve(
    table: Table | None, stored: InLog, decks: Mapping[str, Deck] = MappingProxyType({})
) -> Table:
    """The table after one more event."""
    event, version = stored.event, stored.version
    if isinstance(event, events.TableOpened):
        return opened(event, version)
    if isinstance(event, events.HandDealt):
        return _dealt(table, event, stored, decks.get(event.hand))
    if table is None:
        raise ValueError(f"a table does not begin with {type(event).__name__}")
    change = _CHANGES.get(type(event))
    if change is not None:
        table = change(table, event)
    if table.hand is not None:
        table = _with_turn(table, state.evolve(table.hand, event), stored.at)
    if isinstance(event, events.HandEnded):
        table = replace(table, ended_version=version)
    if isinstance(event, events.HandVoided):
        table = replace(table, voided_version=version)
    if isinstance(event, _RESTS) and not (table.hand_no and isinstance(event, events.SeatTaken)):
        table = replace(table, idle_since=stored.at)
    return replace(table, version=version)


_RESTS = (
    events.SeatTaken,
    events.DealerCut,
    events.ShuffleAborted,
    events.HandEnded,
    events.HandVoided,
)


def _dealt(table: Table | None, event: events.HandDealt, stored: InLog, deck: Deck | None) -> Table:
    before = {place.player: place for place in table.places} if table else {}
    places = [_dealt_place(before.get(one.player), one) for one in event.players]
    places += [_away_place(one, event.clock.bank_ms) for one in event.away]
    return Table(
        version=stored.version,
        currency=event.currency,
        stake=event.stake,
        rules=event.rules,
        rake=event.rake,
        clock=event.clock,
        fairness=event.fairness,
        opened=table.opened if table else None,
        places=tuple(sorted(places, key=lambda place: place.seat)),
        dealt=event,
        dealt_version=stored.version,
        hand=state.start(event, deck),
        dealer=event.dealer,
        hand_no=event.hand_no,
        turn_at=stored.at,
    )


def _dealt_place(before: Place | None, dealt: events.DealtPlayer) -> Place:
    # Autopilot is restated behind HandDealt where it goes on; a run of time-outs is not, and a
    # fold that begins here does not know it: `time_outs_before` is asked where it matters.
    return Place(
        seat=dealt.seat,
        player=dealt.player,
        bot=dealt.bot,
        stack=dealt.stack,
        bank_ms=dealt.bank_ms,
        timeouts=before.timeouts if before else 0,
    )


def _away_place(away: events.AwayPlayer, bank_ms: int) -> Place:
    # `HandDealt` does not say what was left of the bank: whoever comes back has it full.
    return Place(
        seat=away.seat,
        player=away.player,
        bot=away.bot,
        stack=away.stack,
        bank_ms=bank_ms,
        # A short stack is judged anew at each deal, and who joined waits for it; the others last.
        sat_out=None if away.reason in ("stack", "joining") else away.reason,
    )


def _with_turn(table: Table, hand: Hand, at: datetime) -> Table:
    """The table with its hand one fact on; a turn that passes is charged to its player's bank."""
    before = table.hand
    if before is None or before.over or (hand.turn == before.turn and not hand.over):
        return replace(table, hand=hand)
    place = table.place(before.setup.seats[before.actor])
    if table.turn_at is not None and not place.autopilot:
        used_ms = (at - table.turn_at) // timedelta(milliseconds=1)
        overrun_ms = max(0, used_ms - table._move_ms)
        place = replace(place, bank_ms=max(0, place.bank_ms - overrun_ms))
    if not table.timed_out:
        place = replace(place, timeouts=0)
    return replace(
        _with_place(table, place),
        hand=hand,
        turn_at=None if hand.over else at,
        extended_until=None,
        timed_out=False,
    )


def _with_place(table: Table, place: Place) -> Table:
    places = tuple(place if one.seat == place.seat else one for one in table.places)
    return replace(table, places=places)


def _change_place(table: Table, seat: int, **changes: Any) -> Table:
    return _with_place(table, replace(table.place(seat), **changes))


def _seat_taken(table: Table, event: events.SeatTaken) -> Table:
    place = Place(event.seat, event.player, event.bot, event.buy_in, table.clock.bank_ms)
    return replace(
        table, places=tuple(sorted((*table.places, place), key=lambda place: place.seat))
    )


def _topped_up(table: Table, event: events.StackToppedUp) -> Table:
    return _change_place(table, event.seat, stack=table.place(event.seat).stack + event.amount)


def _sat_out(table: Table, event: events.SatOut) -> Table:
    return _change_place(table, event.seat, sat_out=event.reason)


def _sat_in(table: Table, event: events.SatIn) -> Table:
    return _change_place(table, event.seat, sat_out=None)


def _seat_left(table: Table, event: events.SeatLeft) -> Table:
    # Chips of a tournament are taken along by the tournament: nothing is left to cash out.
    if table.of_tournament:
        return _without(table, event.seat)
    return _change_place(table, event.seat, leaving=event.reason)


def _cashed_out(table: Table, event: events.SeatCashedOut) -> Table:
    return _without(table, event.seat)


def _without(table: Table, seat: int) -> Table:
    return replace(table, places=tuple(one for one in table.places if one.seat != seat))


def _chips_set(table: Table, event: events.ChipsSet) -> Table:
    return _change_place(table, event.seat, stack=event.chips)


def _cut(table: Table, event: events.DealerCut) -> Table:
    seats = {one.player: one.seat for one in event.seating}
    moved = [replace(place, seat=seats.get(place.player, place.seat)) for place in table.places]
    places = tuple(sorted(moved, key=lambda place: place.seat))
    return replace(table, dealer=event.dealer, places=places)


def _committed(table: Table, event: events.ShuffleCommitted) -> Table:
    return replace(table, commitment=event, seeds=())


def _seed_revealed(table: Table, event: events.SeedRevealed) -> Table:
    return replace(table, seeds=(*table.seeds, event))


def _aborted(table: Table, _: events.ShuffleAborted) -> Table:
    # An abort is no hand: the deal does not pass, and no number is used up.
    return replace(table, commitment=None, seeds=())


def _timed_out(table: Table, event: events.TurnTimedOut) -> Table:
    changed = _change_place(table, event.seat, timeouts=event.in_row, bank_ms=event.bank_ms)
    return replace(changed, timed_out=True)


def _autopilot(table: Table, event: events.AutopilotSet) -> Table:
    timeouts = table.place(event.seat).timeouts if event.on else 0
    return _change_place(table, event.seat, autopilot=event.on, timeouts=timeouts)


def _extended(table: Table, event: events.ClockExtended) -> Table:
    return replace(table, extended_until=datetime.fromisoformat(event.until))


def _hand_ended(table: Table, event: events.HandEnded) -> Table:
    return replace(_with_stacks(table, event.stacks), ended=event, dealer=event.next_dealer)


def _hand_voided(table: Table, event: events.HandVoided) -> Table:
    if table.commitment is not None:  # never dealt: as after an abort
        return replace(table, commitment=None, seeds=(), dealer=event.next_dealer)
    voided = replace(_with_stacks(table, event.stacks), dealer=event.next_dealer)
    return replace(voided, server_seed=event.server_seed)


def _with_stacks(table: Table, stacks: Iterable[events.SeatAmount]) -> Table:
    for stack in stacks:
        table = _change_place(table, stack.seat, stack=stack.amount)
    return table


def _revealed(table: Table, event: events.HandRevealed) -> Table:
    return replace(table, server_seed=event.server_seed)


def _closed(table: Table, _: events.TableClosed) -> Table:
    return replace(table, closed=True)


_CHANGES: Mapping[type[msgspec.Struct], Callable[[Table, Any], Table]] = MappingProxyType(
    {
        events.SeatTaken: _seat_taken,
        events.StackToppedUp: _topped_up,
        events.SatOut: _sat_out,
        events.SatIn: _sat_in,
        events.SeatLeft: _seat_left,
        events.SeatCashedOut: _cashed_out,
        events.ChipsSet: _chips_set,
        events.DealerCut: _cut,
        events.ShuffleCommitted: _committed,
        events.SeedRevealed: _seed_revealed,
        events.ShuffleAborted: _aborted,
        events.TurnTimedOut: _timed_out,
        events.AutopilotSet: _autopilot,
        events.ClockExtended: _extended,
        events.HandEnded: _hand_ended,
        events.HandVoided: _hand_voided,
        events.HandRevealed: _revealed,
        events.TableClosed: _closed,
    }
)
