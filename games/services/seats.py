"""Sitting down with a buy-in, and leaving with the stack."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import msgspec

from eventstore import store
from eventstore.core.chain import Fact
from eventstore.core.ids import subject
from eventstore.core.refusal import InvariantBroken, refuse
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from games import selectors
from games.bots.ladder import versioned
from games.folds import Folded
from games.rules import events, window
from games.rules.hosting import HANDS_NEED, newcomers_seat
from games.rules.liability import liability
from games.rules.table import Place, Table
from games.services import loading
from games.services.anchors import anchors_of
from games.services.committing import aborted
from games.services.hands import after_hand
from games.services.loading import after_append, append
from ledger.selectors import seats as seat_accounts
from ledger.services import Play, post_play
from players.selectors import Person

COMES_BACK_WITHIN = timedelta(minutes=30)  # brings what he left with (`tournaments.md` 2.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SitDown:
    """A wish to sit down at a cash table; without `seat` the rules give the place."""

    table: UUID
    person: Person
    buy_in: int
    seat: int | None
    version: int | None  # as the caller saw it; None where a service seats a bot
    actor: str


def take_seat(wish: SitDown, receipt: Receipt) -> Outcome:
    """Sit down: the buy-in goes from the wallet to the seat's escrow in the same transaction.

    Locks the table's live row, then the accounts; posts the buy-in; appends SeatTaken.
    Raises: Refused with `staff_may_not_play`, `tournament_table`, `table_closed`,
    `stale_version`, `already_seated`, `table_full`, `seat_taken`, `wrong_state` (a seat named
    after the first hand), `bots_not_admitted`, `buy_in_out_of_range`, `insufficient_funds`,
    `excluded`, `limit_reached` (a limit of his own).
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        seat, after = sit_in(tx, loaded, _as_shown(loaded, wish))
        return Outcome(
            status=201,
            result={"seat": seat, "version": after.table.version},
            stream=loaded.stream,
            first_version=after.table.version,
            last_version=after.table.version,
            changes=loading.changes(after.table),
        )

    if wish.person.roles & {"auditor", "admin"}:
        raise refuse("staff_may_not_play")
    return run_command(receipt, loading.live(wish.table), work)


def _as_shown(loaded: Folded, wish: SitDown) -> SitDown:
    """The wish at the present version, where its caller saw the newest that he may see yet."""
    if wish.version is None or wish.version == loaded.table.version:
        return wish
    shown = selectors.see(loaded.id, wish.person.id).table.version
    return replace(wish, version=loaded.table.version) if wish.version == shown else wish


def sit_in(tx: Transaction, loaded: Folded, wish: SitDown) -> tuple[int, Folded]:
    """Seat somebody at a locked table: his seat and the table after it. Raises: see `take_seat`."""
    seat = free_seat(loaded.table, wish)
    _check_buy_in(loaded, wish, tx.now)
    taken = events.SeatTaken(
        seat=seat,
        player=str(wish.person.id),
        bot=versioned(wish.person.level) if wish.person.level else None,
        buy_in=wish.buy_in,
        currency=loaded.table.currency,
    )
    sealed = tx.seal(loaded.stream, loaded.head, [Fact(taken, wish.actor)])
    # Money first: on one wallet what spends comes after what it spends, in log order too.
    play = Play(wish.person, taken.currency, amount=taken.buy_in, stake=loaded.table.stake)
    post_play(sealed, play, tx.now)
    store.append(sealed, loaded.head)
    return seat, after_append(loaded, sealed)


def leave_seat(table_id: UUID, player: UUID, receipt: Receipt) -> Outcome:
    """Leave a cash table: at once when no hand runs, else when the hand ends.

    Appends SeatLeft, and SeatCashedOut when no hand runs; the settler pays the stack out. A seat
    that is committed to a hand not dealt yet ends it with ShuffleAborted. Leaving twice changes
    nothing. Raises: Refused with `not_seated`, `tournament_table`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        table = loaded.table
        if table.of_tournament:
            raise refuse("tournament_table")
        place = table.seat_of(str(player))
        if place is None:
            raise refuse("not_seated")
        if place.leaving is not None:
            return Outcome(202, {"status": "leaving", "version": table.version})
        left = events.SeatLeft(seat=place.seat, player=place.player, reason="asked")
        said = {"status": "leaving" if table.playing else "left"}
        return stand_up(tx, loaded, [Fact(left, f"player:{player}")], said)

    return run_command(receipt, loading.live(table_id), work)


def stand_up(
    tx: Transaction,
    loaded: Folded,
    facts: Sequence[Fact],
    said: Mapping[str, object],
    *,
    reason: str = "seat_lost",
) -> Outcome:
    """Append SeatLeft facts; without a running hand, the cash-outs in the same append.

    A hand that is committed to and not dealt is given up first, where it needs who leaves.
    """
    table = loaded.table
    made = list(facts)
    if not table.playing:
        if not window.still_there(_with_left(table, facts)):
            made = aborted(table, reason) + made
        made += after_hand(_with_left(table, facts), {})
    after, sealed = append(tx, loaded, made)
    return Outcome(
        status=202,
        result=dict(said) | {"version": after.head.version},
        stream=loaded.stream,
        first_version=sealed[0].version,
        last_version=after.head.version,
        changes=loading.changes(after.table),
    )


def sit_out(table_id: UUID, player: UUID, receipt: Receipt) -> Outcome:
    """Sit out from the next hand on. Sitting out twice changes nothing.

    Locks the live row; appends SatOut. Raises: Refused with `not_seated`, `tournament_table`.
    """

    def facts(loaded: Folded, place: Place) -> list[Fact]:
        if loaded.table.of_tournament:  # who is in it pays until he is out
            raise refuse("tournament_table")
        if place.sat_out is not None:
            return []
        out = events.SatOut(seat=place.seat, player=place.player, reason="asked")
        return [Fact(out, f"player:{player}")]

    return _at_seat(table_id, player, receipt, facts)


def sit_back_in(table_id: UUID, player: UUID, receipt: Receipt) -> Outcome:
    """Be back: sitting out ends, and autopilot. Whoever is there already changes nothing.

    Locks the live row; appends SatIn and AutopilotSet as far as they apply. Raises: Refused with
    `not_seated`, `below_liability`, `anchor_required` (a strict table, no seeds fixed).
    """

    def facts(loaded: Folded, place: Place) -> list[Fact]:
        actor = f"player:{player}"
        made: list[Fact] = []
        if place.sat_out is not None:
            _check_return(loaded, place)
            made.append(Fact(events.SatIn(seat=place.seat, player=place.player), actor))
        if place.autopilot:
            back = events.AutopilotSet(
                seat=place.seat, player=place.player, on=False, reason="returned"
            )
            made.append(Fact(back, actor))
        return made

    return _at_seat(table_id, player, receipt, facts)


def _check_return(loaded: Folded, place: Place) -> None:
    table = loaded.table
    worst = 0 if table.of_tournament else liability(table.rules.options, HANDS_NEED, table.stake)
    if place.stack < worst:
        raise refuse("below_liability", stack=place.stack, least=worst)
    if table.fairness == "strict":
        chains = anchors_of(loaded.id, table)
        if chains.of(place.seat, place.player) is None:
            raise refuse("anchor_required")


def _at_seat(
    table_id: UUID,
    player: UUID,
    receipt: Receipt,
    facts: Callable[[Folded, Place], list[Fact]],
) -> Outcome:
    """Append what a player's own act at his seat makes, or answer that nothing changes."""

    def work(tx: Transaction, row: Row) -> Outcome:
        loaded = loading.load(tx, row)
        place = loaded.table.seat_of(str(player))
        if place is None:
            raise refuse("not_seated")
        made = facts(loaded, place)
        if not made:
            return Outcome(200, {"version": loaded.table.version})
        after, sealed = append(tx, loaded, made)
        return Outcome(
            status=200,
            result={"version": after.head.version},
            stream=loaded.stream,
            first_version=sealed[0].version,
            last_version=after.head.version,
            changes=loading.changes(after.table),
        )

    return run_command(receipt, loading.live(table_id), work)


def _with_left(table: Table, facts: Sequence[Fact]) -> Table:
    reasons = {
        fact.event.seat: fact.event.reason
        for fact in facts
        if isinstance(fact.event, events.SeatLeft)
    }
    places = tuple(
        msgspec.structs.replace(place, leaving=reasons.get(place.seat, place.leaving))
        for place in table.places
    )
    return msgspec.structs.replace(table, places=places)


def free_seat(table: Table, wish: SitDown) -> int:
    """The seat that the newcomer gets. Raises: Refused."""
    opened = table.opened
    if opened is None:
        raise InvariantBroken("a table without its settings")
    _check_admission(table, opened, wish)
    taken = {place.seat for place in table.places}
    if len(taken) >= opened.seats:
        raise refuse("table_full")
    if wish.version is not None and wish.version != table.version:
        raise refuse("stale_version", current_version=table.version)
    seat = wish.seat or newcomers_seat(opened.seats, taken, table.dealer)
    if seat is None or seat in taken:
        raise refuse("seat_taken", seat=seat)
    if seat > opened.seats:
        raise refuse("invalid_field", field="seat", seats=opened.seats)
    if wish.seat is not None and (table.hand_no or table.sealing):
        raise refuse("wrong_state", status=table.status)
    return seat


def _check_admission(table: Table, opened: events.TableOpened, wish: SitDown) -> None:
    if table.of_tournament:
        raise refuse("tournament_table")
    if table.closed or any(place.leaving == "table_closed" for place in table.places):
        raise refuse("table_closed")
    if wish.person.kind == "bot" and not (wish.person.level or opened.api_bots):
        raise refuse("bots_not_admitted")
    if table.seat_of(str(wish.person.id)) is not None:
        raise refuse("already_seated")


def _check_buy_in(loaded: Folded, wish: SitDown, now: datetime) -> None:
    opened = loaded.table.opened
    assert opened is not None  # noqa: S101  # `free_seat` has seen to it
    least, most = opened.buy_in_min, opened.buy_in_max
    brought = _left_with(loaded.stream, str(wish.person.id), now)
    if brought:
        least, most = max(least, brought), max(most, brought)
    if not least <= wish.buy_in <= most:
        raise refuse("buy_in_out_of_range", least=least, most=most)


def _left_with(stream: str, player: str, now: datetime) -> int:
    """What the player took from this table within the last half hour, 0 if nothing."""
    if player not in seat_accounts(subject(stream)):
        return 0  # he has never sat here: no need to look through the stream
    for one in reversed(store.events_after(stream, 0, types=["SeatCashedOut"])):
        event = one.event
        if isinstance(event, events.SeatCashedOut) and event.player == player:
            return event.amount if now - one.at <= COMES_BACK_WITHIN else 0
    return 0
