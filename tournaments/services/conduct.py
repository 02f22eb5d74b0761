"""Conducting the tables: the one transaction after each hand (`tournaments.md` section 6)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import refuse
from eventstore.services import LiveRow, Row, Transaction, in_transaction, update_live
from games import selectors
from games.rules import events as table_events
from games.rules.hosting import dealer_among
from games.rules.payment import Transfer
from games.rules.table import Table
from games.services import loading as games_loading
from games.services.committing import Terms
from games.services.deals import deal_changes, deal_in
from games.services.loading import pause_ms
from games.services.tables import clock_of
from games.wake import tell_held_after_commit
from tournaments.core import plan as plans
from tournaments.core.conduct import conduct as decide
from tournaments.core.lifecycle import Status
from tournaments.core.state import Tournament
from tournaments.services import loading
from tournaments.services.loading import DIRECTOR, Loaded, live
from tournaments.services.start import bots_among, taking_seat


def conduct(table_id: UUID) -> None:
    """Do what is due at a tournament's table that waits: busts, balance, level, the next deal.

    Locks the tournament's live row, then that of the table, then those of the other tables that
    change, by id. No other command locks two tables, so nobody waits in a circle. Appends to the
    tournament and at most once to each table. A wake-up that comes late or twice finds the table
    no longer held. Raises: Refused with `not_found`, `wrong_state`.
    """
    tournament_id = selectors.live_row(table_id).tournament
    if tournament_id is None:
        raise refuse("not_found")

    def work(tx: Transaction) -> None:
        (row,) = tx.lock([live(tournament_id)])
        (table_row,) = tx.lock([games_loading.live(table_id)])
        if table_row["due"] != "held" or tx.now < table_row["due_at"]:
            raise refuse("wrong_state", status=table_row["status"])
        loaded = loading.load(tx, tournament_id)
        if loaded.state.status is not Status.RUNNING:
            raise refuse("wrong_state", status=row["status"])
        tables = _tables(loaded.state)
        room, cause = _room(loaded, tables, str(table_id), now=tx.now)
        plan = decide(loaded.state, room, seed=loading.lot_of(tournament_id))
        if plan.events:
            facts = [Fact(event, DIRECTOR, cause=cause) for event in plan.events]
            loaded = loading.append(tx, loaded, facts)
        update_live(live(tournament_id), loading.changes(loaded))
        _carry_out(tx, loaded, plan, {str(table_id): table_row})

    in_transaction(work)


def _tables(state: Tournament) -> dict[str, selectors.Seen]:
    """The tables in play as their streams tell, by id."""
    return {table: selectors.see_now(UUID(table)) for table in state.tables}


def _room(
    loaded: Loaded, tables: Mapping[str, selectors.Seen], table_id: str, *, now: datetime
) -> tuple[plans.Room, str]:
    """What `conduct` is told, and the event that made it necessary."""
    table = tables[table_id].table
    last = table.voided_version or table.ended_version or table.version
    cause = f"table/{table_id}@{last}"
    known = any(one.facts.get("cause") == cause for one in loaded.stored)
    # A hand that was given up has changed nothing: the table is as if it had been marked due.
    ended = None
    if table.ended is not None and table.voided_version is None and not known:
        ended = _ended_hand(table, table.ended)
    views = tuple(_view(one) for one in tables.values())
    seconds = _running_seconds(loaded, now)
    return plans.Room(views, table_id, ended, seconds), cause


def _running_seconds(loaded: Loaded, now: datetime) -> int:
    """Time of play so far; pauses follow with the commands that make them."""
    started = next((one.at for one in loaded.stored if one.type == "Started"), now)
    return (now - started) // timedelta(seconds=1)


def _view(seen: selectors.Seen) -> plans.TableView:
    table = seen.table
    seats = [place.seat for place in table.places]
    return plans.TableView(
        table=str(seen.row.id),
        sittings=tuple(
            plans.Sitting(place.seat, place.player, place.stack, place.sat_out is not None)
            for place in table.places
        ),
        hands_counted=seen.row.hands_counted,
        next_dealer=dealer_among(table, seats) or min(seats, default=1),
    )


def _ended_hand(table: Table, ended: table_events.HandEnded) -> plans.EndedHand:
    dealt = table.dealt.players if table.dealt is not None else ()
    return plans.EndedHand(
        hand=ended.hand,
        dealt=tuple(plans.Sitting(one.seat, one.player, one.stack) for one in dealt),
        paid=tuple(Transfer(one.from_seat, one.to_seat, one.amount) for one in ended.paid or ()),
    )


def _carry_out(tx: Transaction, loaded: Loaded, plan: plans.Plan, locked: dict[str, Row]) -> None:
    """Do at the tables what the plan says: one append a stream, then the live rows."""
    by_table: dict[str, list[plans.Action]] = defaultdict(list)
    for action in plan.actions:
        by_table[action.table].append(action)
    others = sorted(UUID(table) for table in by_table if table not in locked)
    for row in tx.lock([games_loading.live(table) for table in others]):
        locked[str(row["id"])] = row
    arrivals = [action.player for action in plan.actions if isinstance(action, plans.Seat)]
    bots = bots_among(arrivals)
    for table, actions in by_table.items():
        _at_table(tx, loaded.state, locked[table], actions, bots)


def _at_table(
    tx: Transaction,
    state: Tournament,
    row: Row,
    actions: Sequence[plans.Action],
    bots: Mapping[str, str],
) -> None:
    table = games_loading.load(tx, row)
    facts = [fact for action in actions for fact in _facts(action, bots)]
    deal = next((action for action in actions if isinstance(action, plans.Deal)), None)
    changes: dict[str, object] = {}
    if deal is not None:
        clock = clock_of(deal.clock)
        terms = Terms(stake=deal.stake, clock=clock, refill_bank=deal.refill_bank)
        after, _, _ = deal_in(tx, table, terms, before=facts)
        changes = deal_changes(row, after)
    elif facts:
        appended, _ = games_loading.append(tx, table, facts)
        after = appended.table
        changes = games_loading.changes(after)
    else:
        after = table.table
    if not (after.playing or after.sealing):
        changes |= _waiting(tx, state, after, table.id, actions)
    update_live(LiveRow(games_loading.RELATION, table.id), changes)


def _waiting(
    tx: Transaction,
    state: Tournament,
    after: Table,
    table_id: UUID,
    actions: Sequence[plans.Action],
) -> dict[str, object]:
    """When a table that does not play is looked at again: as marked, or not before it is let go."""
    marked = next((action for action in actions if isinstance(action, plans.MarkDue)), None)
    if marked is not None:
        # Bots need no break: among them alone there is no pause of any kind.
        seconds = marked.after_seconds if pause_ms(after) else 0
        if not seconds:
            tell_held_after_commit(table_id)
        return {"due": "held", "due_at": tx.now + timedelta(seconds=seconds)}
    table = state.tables.get(str(table_id))
    return {"due": None, "due_at": None} if table is None or table.waiting is not None else {}


def _facts(action: plans.Action, bots: Mapping[str, str]) -> list[Fact]:
    match action:
        case plans.Unseat():
            left = table_events.SeatLeft(
                seat=action.seat, player=action.player, reason=action.reason
            )
            return [Fact(left, DIRECTOR)]
        case plans.Seat():
            bot = bots.get(action.player)
            return taking_seat(action.player, action.seat, action.chips, bot)
        case plans.Close():
            return [Fact(table_events.TableClosed(reason=action.reason), DIRECTOR)]
        case plans.Deal() | plans.Hold() | plans.MarkDue():
            return []
