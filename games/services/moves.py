"""The one way to change a running hand: a move of the player to act, or the clock's for him."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import msgspec

from eventstore.core.chain import Fact
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken, Refusal, Refused, refuse
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from eventstore.store import latest
from games import dealer
from games.folds import Folded
from games.rules import events, state, views
from games.rules.decide import Decision, decide, time_out
from games.rules.moves import Move, parse
from games.rules.state import Hand
from games.rules.table import AUTOPILOT_AFTER, Place, Table
from games.services import loading
from games.services.deals import system_receipt
from games.services.hands import end_of_hand
from games.services.loading import CLOCK, DEALER, append

TURN_OPENERS = ("CardDrawn", "Knocked", "StockRefused", "TurnTimedOut")


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCommand:
    """A move as it comes in. `actor` is what the log says of who made it."""

    table: UUID
    player: str
    move: str
    version: int
    actor: str
    auto: bool = False  # a bot's fall-back
    plays_on: bool = False  # the caller sees to the bots that follow


def submit_move(command: MoveCommand, receipt: Receipt) -> Outcome:
    """Make a move of a player or bot at the version that he saw.

    Locks the table's live row; appends the facts of the move, and those of the hand's end with it.
    Raises: Refused with `bad_card`, `not_seated`, `stale_version`, `no_hand`, `not_your_turn`,
    `too_late`, or a code of the rules with the legal moves.
    """
    move = parse(command.move)
    if isinstance(move, Refusal):
        raise Refused(move)

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        place = _seat_to_move(loaded, command, move, tx.now)
        facts, decision = _moved(loaded.table, place, move, command)
        ending = _ending(loaded, facts, decision)
        appended = append(tx, loaded, [*facts, *ending], wakes_bots=not command.plays_on)
        return _outcome(row, *appended)

    try:
        return run_command(receipt, loading.live(command.table), work)
    except _Illegal as illegal:
        raise illegal.with_legal_moves() from None


class _Illegal(Refused):
    """A move that the rules refuse, on its way out of the lock: what is legal is listed after it,
    since with many wild cards that may be much."""

    def __init__(self, refusal: Refusal, hand: Hand, seat: int) -> None:
        super().__init__(refusal)
        self._hand, self._seat = hand, seat

    def with_legal_moves(self) -> Refused:
        """The refusal that the mover gets."""
        legal = {"legal": views.legal_moves(self._hand, self._seat)}
        return Refused(replace(self.refusal, facts=dict(self.refusal.facts) | legal))


def play_for(table_id: UUID, version: int) -> Outcome:
    """Play the default action for the player to act whose time has run out (D18).

    For a person: TurnTimedOut and his forced moves, and autopilot after three in a row. For a bot
    that does not move: the same moves, marked `auto`. Raises: Refused with `stale_version`,
    `wrong_state` (nobody to act, or time is left).
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        table = loaded.table
        if table.version != version:
            raise refuse("stale_version", current_version=table.version)
        if table.hand is None or table.to_act is None or tx.now < row["due_at"]:
            raise refuse("wrong_state", status=table.status)
        place = table.place(table.to_act)
        in_row = _timeouts_before(loaded, place) + 1
        decision = time_out(table.hand, in_row=in_row, bank_ms=0)
        if isinstance(decision, Refusal):
            raise InvariantBroken(f"no default action: {decision.code}")
        facts = [_fact(event, CLOCK, auto=True) for event in decision.events]
        if in_row >= AUTOPILOT_AFTER and not place.autopilot and place.bot is None:
            on = events.AutopilotSet(
                seat=place.seat, player=place.player, on=True, reason="timeouts"
            )
            facts.append(Fact(on, CLOCK, auto=True))
        return _outcome(row, *append(tx, loaded, [*facts, *_ending(loaded, facts, decision)]))

    return run_command(
        system_receipt(CLOCK, "clock", table_id, version), loading.live(table_id), work
    )


def _seat_to_move(loaded: Folded, command: MoveCommand, move: Move, now: datetime) -> Place:
    """The mover's seat, if he may move at the version he saw; a slap needs no turn (V16)."""
    table = loaded.table
    place = table.seat_of(command.player)
    if place is None:
        raise refuse("not_seated")
    if table.version != command.version:
        raise refuse("stale_version", current_version=table.version)
    if table.hand is None or table.hand.over:
        raise refuse("no_hand")
    if move.verb == "P":
        return place
    if table.to_act != place.seat:
        raise refuse("not_your_turn", to_act=table.to_act)
    if place.bot is None and table.deadline is not None and now >= table.deadline:
        raise refuse("too_late", deadline=table.deadline.isoformat())
    return place


def _moved(
    table: Table, place: Place, move: Move, command: MoveCommand
) -> tuple[list[Fact], Decision]:
    hand = table.hand
    assert hand is not None  # noqa: S101  # `_seat_to_move` has seen to it
    decision = decide(hand, place.seat, move)
    if isinstance(decision, Refusal):
        raise _Illegal(decision, hand, place.seat)
    facts = [_fact(event, command.actor, auto=command.auto) for event in decision.events]
    if place.autopilot:  # whoever moves himself is back
        back = events.AutopilotSet(
            seat=place.seat, player=place.player, on=False, reason="returned"
        )
        facts.insert(0, Fact(back, command.actor))
    return facts, decision


def _fact(event: events.Event, actor: str, *, auto: bool) -> Fact:
    """A fact of a move by who made it; a reshuffle is the dealer's."""
    dealt = isinstance(event, events.PileReshuffled)
    return Fact(event, DEALER) if dealt else Fact(event, actor, auto=auto)


def _outcome(row: Row, after: Folded, sealed: Sequence[Stored]) -> Outcome:
    return Outcome(
        status=200,
        result={"version": after.head.version},
        stream=after.stream,
        first_version=sealed[0].version,
        last_version=after.head.version,
        changes=loading.changes(after.table) | loading.counted_hands(row, after.table),
    )


def _ending(loaded: Folded, facts: Sequence[Fact], decision: Decision) -> list[Fact]:
    """What follows where the decision has a result: the hand's end, and what waited for it."""
    table = loaded.table
    if decision.result is None or table.hand is None:
        return []
    hand_id = UUID(table.hand.setup.hand)
    seed = dealer.seed_of(hand_id)
    if seed is None:
        raise InvariantBroken("a running hand has no seed")
    dealer.forget(hand_id)
    over = state.fold(table.hand, [fact.event for fact in facts])
    places = tuple(_after(place, facts) for place in table.places)
    return end_of_hand(msgspec.structs.replace(table, places=places), over, decision.result, seed)


def _after(place: Place, facts: Sequence[Fact]) -> Place:
    """The seat with the autopilot that this very append sets or ends."""
    for fact in facts:
        event = fact.event
        if isinstance(event, events.AutopilotSet) and event.seat == place.seat:
            place = msgspec.structs.replace(place, autopilot=event.on)
    return place


def _timeouts_before(loaded: Folded, place: Place) -> int:
    """Time-outs in a row of a seat up to now.

    A fold that begins at the newest deal has not seen earlier hands: where the seat has had no
    turn in this one, its last turn before is asked of the log.
    """
    table = loaded.table
    if place.timeouts or table.hand is None or table.hand.round > 1 or table.dealt is None:
        return place.timeouts
    last = latest(
        loaded.stream, types=TURN_OPENERS, seat=place.seat, below=table.dealt_version or 1
    )
    if last is None or not isinstance(last.event, events.TurnTimedOut):
        return 0
    return last.event.in_row
