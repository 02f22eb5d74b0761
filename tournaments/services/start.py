"""The start: seats by lot, tables open, first deals due."""

from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.record import time_text
from eventstore.core.refusal import Refused
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from players.selectors import Person
from tournaments.core import starting
from tournaments.core.events.entry import Trigger
from tournaments.core.lifecycle import refusal
from tournaments.core.starting import Start
from tournaments.services import loading
from tournaments.services.cloning import clone_in
from tournaments.services.drafting import check_director
from tournaments.services.loading import Loaded, check_version, decided, live, outcome
from tournaments.services.tables import new_ids, open_tables


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
    given = Start(by=by, ids=new_ids(), seed=loading.lot_of(loaded.id), at=time_text(tx.now))
    facts = decided(starting.start(loaded.state, given))
    after = loading.append(tx, loaded, [Fact(fact, actor) for fact in facts])
    open_tables(tx, after, facts)
    if after.state.options["clone"]:
        clone_in(tx, after)
    return after
