"""Tables of a tournament: they open, and what a plan says is carried out there."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from uuid import UUID

import msgspec

from eventstore.core.chain import Fact
from eventstore.ports import new_id
from eventstore.services import LiveRow, Row, Transaction, update_live
from games.bots.ladder import versioned
from games.rules import events as table_events
from games.rules.table import CHIPS, Table
from games.services import loading as games_loading
from games.services.committing import Terms
from games.services.deals import deal_changes, deal_in
from games.services.loading import pause_ms
from games.services.tables import TournamentTable, clock_of, open_in, opened_for
from games.wake import tell_held_after_commit
from players.selectors import people
from tournaments.core import events
from tournaments.core import plan as plans
from tournaments.core.state import Tournament
from tournaments.services.loading import DIRECTOR, Loaded


def new_ids() -> Iterator[str]:
    """Ids for new tables."""
    while True:
        yield str(new_id())


def open_tables(tx: Transaction, loaded: Loaded, facts: Sequence[events.Event]) -> None:
    """A stream for each table that the facts add, with those who sit there from the start."""
    tables = loaded.state.tables
    seats = [
        fact
        for fact in facts
        if isinstance(fact, events.SeatAssigned)
        if (table := tables.get(fact.table)) and fact.player in table.players
    ]
    bots = bots_among([seat.player for seat in seats])
    for fact in facts:
        if isinstance(fact, events.TableAdded):
            _open_table(tx, loaded, UUID(fact.table), seats, bots)


def bots_among(players: list[str]) -> dict[str, str]:
    """Level with version of each house bot among the players."""
    return {
        player: versioned(person.level)
        for player, person in people(players).items()
        if person.level
    }


def taking_seat(player: str, seat: int, chips: int, bot: str | None) -> list[Fact]:
    """Facts of a tournament table when a player comes to it with his chips."""
    return [
        Fact(
            table_events.SeatTaken(seat=seat, player=player, bot=bot, buy_in=0, currency=CHIPS),
            DIRECTOR,
        ),
        Fact(table_events.ChipsSet(seat=seat, player=player, chips=chips), DIRECTOR),
    ]


def _open_table(
    tx: Transaction,
    loaded: Loaded,
    table_id: UUID,
    seats: list[events.SeatAssigned],
    bots: dict[str, str],
) -> None:
    state = loaded.state
    opened = opened_for(
        TournamentTable(
            tournament=loaded.id,
            opened_by=UUID(state.organiser),
            rules=msgspec.convert(state.options["game_rules"], table_events.RuleSet),
            stake=state.settings.first_stake,
            seats=state.settings.seats,
            clock=state.settings.clock,
            spectator_delay_s=int(str(state.options["spectators"])),
        )
    )
    table = open_in(tx, table_id, opened, actor=DIRECTOR)
    facts = [
        fact
        for one in sorted(seats, key=lambda one: one.seat)
        if one.table == str(table_id)
        for fact in taking_seat(one.player, one.seat, one.chips, bots.get(one.player))
    ]
    after, _ = games_loading.append(tx, table, facts)
    update_live(games_loading.live(table_id), games_loading.changes(after.table))


def carry_out(tx: Transaction, loaded: Loaded, plan: plans.Plan, locked: dict[str, Row]) -> None:
    """Do at the tables what the plan says: one append a stream, then the live rows.

    `locked` are rows of tables that the caller has locked already; the others are locked here, by
    id, after that of the tournament. Its facts must be appended, and the tables of them open.
    """
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
        clock = clock_of(deal.clock, of_match=deal.of_match)
        terms = Terms(
            stake=deal.stake,
            clock=clock,
            refill_bank=deal.refill_bank,
            payment=deal.payment,
        )
        after, _, _ = deal_in(tx, table, terms, before=facts)
        changes = deal_changes(row, after)
    elif facts:
        appended, _ = games_loading.append(tx, table, facts)
        after = appended.table
        changes = games_loading.changes(after)
    else:
        after = table.table
    if not (after.playing or after.sealing):
        changes |= _waiting(tx, state, after, row, actions)
    update_live(LiveRow(games_loading.RELATION, table.id), changes)


def _waiting(
    tx: Transaction,
    state: Tournament,
    after: Table,
    row: Row,
    actions: Sequence[plans.Action],
) -> dict[str, object]:
    """When a table that does not play is looked at again: as marked, or not before it is let go."""
    marked = next((action for action in actions if isinstance(action, plans.MarkDue)), None)
    if marked is not None:
        # Bots need no break: among them alone there is no pause of any kind.
        seconds = marked.after_seconds if pause_ms(after) else 0
        if not seconds:
            tell_held_after_commit(row["id"])
        return {"due": "held", "due_at": tx.now + timedelta(seconds=seconds)}
    table = state.tables.get(str(row["id"]))
    if table is not None and table.waiting == "break":  # somebody came meanwhile: it goes on
        return {"due": row["due"], "due_at": row["due_at"]}
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
