"""The start: seats by lot, tables open, first deals due."""

from uuid import UUID

import msgspec

from eventstore.core.chain import Fact
from eventstore.core.record import time_text
from eventstore.core.refusal import Refused
from eventstore.ports import new_id
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command, update_live
from games.bots.ladder import versioned
from games.rules import events as table_events
from games.rules.table import CHIPS
from games.services import loading as games_loading
from games.services.tables import TournamentTable, open_in, opened_for
from players.selectors import Person, people
from tournaments.core import events, starting
from tournaments.core.events.entry import Trigger
from tournaments.core.lifecycle import refusal
from tournaments.services import loading
from tournaments.services.drafting import check_director
from tournaments.services.loading import DIRECTOR, Loaded, check_version, decided, live, outcome


def start(tournament_id: UUID, director: Person, version: int, receipt: Receipt) -> Outcome:
    """Start by hand with whoever has entered.

    Raises: Refused with `not_permitted`, `stale_version`, `wrong_state`, `too_few_players`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        check_director(row, director)
        loaded = loading.load(tx, tournament_id)
        check_version(loaded, version)
        actor = f"player:{director.id}"
        return outcome(start_in(tx, loaded, by="organiser", actor=actor), version)

    return run_command(receipt, live(tournament_id), work)


def start_in(tx: Transaction, loaded: Loaded, *, by: Trigger, actor: str) -> Loaded:
    """Start a locked tournament: its facts, and a stream for each table. Raises: see `start`."""
    refused = refusal(loaded.state.status, "start")
    if refused:  # where it is over or not announced yet, there is no lot to be asked
        raise Refused(refused)
    ids = [str(new_id()) for _ in range(starting.tables_needed(loaded.state))]
    facts = decided(
        starting.start(
            loaded.state,
            by=by,
            table_ids=ids,
            seed=loading.lot_of(loaded.id),
            at=time_text(tx.now),
        )
    )
    after = loading.append(tx, loaded, [Fact(fact, actor) for fact in facts])
    seats = [fact for fact in facts if isinstance(fact, events.SeatAssigned)]
    bots = bots_among([seat.player for seat in seats])
    for table_id in ids:
        _open_table(tx, after, UUID(table_id), seats, bots)
    return after


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
