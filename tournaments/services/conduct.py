"""Conducting the tables: the one transaction after each hand (`tournaments.md` section 6)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import refuse
from eventstore.services import Transaction, in_transaction, update_live
from games import selectors
from games.rules import events as table_events
from games.rules.hosting import dealer_among
from games.rules.payment import Transfer
from games.services import loading as games_loading
from tournaments.core import plan as plans
from tournaments.core.conduct import conduct as decide
from tournaments.core.lifecycle import Status
from tournaments.core.options import Matches
from tournaments.core.state import Tournament
from tournaments.services import loading
from tournaments.services.loading import DIRECTOR, Loaded, live
from tournaments.services.tables import carry_out


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
        tables = _tables(loaded.state, str(table_id))
        room, cause = _room(loaded, tables, str(table_id), now=tx.now)
        plan = decide(loaded.state, room, seed=loading.lot_of(tournament_id))
        if plan.events:
            facts = [Fact(event, DIRECTOR, cause=cause) for event in plan.events]
            loaded = loading.append(tx, loaded, facts)
        update_live(live(tournament_id), loading.changes(loaded))
        carry_out(tx, loaded, plan, {str(table_id): table_row})

    in_transaction(work)


def _tables(state: Tournament, table_id: str) -> dict[str, selectors.Seen]:
    """The tables in play as their streams tell, by id; a match has nothing to do with others."""
    concerned = (table_id,) if isinstance(state.settings, Matches) else state.tables
    return {table: selectors.see_now(UUID(table)) for table in concerned}


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
        ended = _ended_hand(tables[table_id], table.ended)
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


def _ended_hand(seen: selectors.Seen, ended: table_events.HandEnded) -> plans.EndedHand:
    dealt = seen.table.dealt.players if seen.table.dealt is not None else ()
    return plans.EndedHand(
        hand=ended.hand,
        dealt=tuple(plans.Sitting(one.seat, one.player, one.stack) for one in dealt),
        paid=tuple(Transfer(one.from_seat, one.to_seat, one.amount) for one in ended.paid or ()),
        absent=_absent(seen) if seen.table.hand_no == 1 else frozenset(),
    )


def _absent(seen: selectors.Seen) -> frozenset[str]:
    """Who let his time run out in the hand and made no move of his own."""
    late = {
        one.event.seat for one in seen.stored if isinstance(one.event, table_events.TurnTimedOut)
    }
    acted = {one.facts["actor"] for one in seen.stored if not one.facts.get("auto")}
    return frozenset(
        place.player
        for place in seen.table.places
        if place.seat in late and f"player:{place.player}" not in acted
    )
