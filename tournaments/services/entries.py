"""Entries: the price goes from the wallet into escrow inside the command."""

from dataclasses import dataclass
from uuid import UUID

from eventstore import store
from eventstore.core.chain import Fact
from eventstore.core.ids import tournament_stream
from eventstore.core.refusal import refuse
from eventstore.services import Outcome, Receipt, Row, Transaction, earlier, run_command
from games.services.bots import BotsWanted, free_bots
from ledger.services import Play, post_play
from players.core.roles import STAFF
from players.selectors import Person
from tournaments.core import entering
from tournaments.core.arrivals import arrive
from tournaments.core.entering import Entrant, enter
from tournaments.core.lifecycle import ENTERING
from tournaments.core.options import Freezeout
from tournaments.models import Entrant as EntrantRow
from tournaments.selectors import folded
from tournaments.services import loading
from tournaments.services.drafting import check_director
from tournaments.services.loading import Loaded, check_version, decided, live, outcome
from tournaments.services.start import start_in
from tournaments.services.tables import carry_out, new_ids, open_tables

BOTS_AT_ONCE_MAX = 100


def register(tournament_id: UUID, who: Person, receipt: Receipt) -> Outcome:
    """Buy an entry; the last one of a field that starts when full starts the tournament.

    Locks the tournament's live row, then the accounts; posts the price; appends EntryPaid, and
    everything of the start. Raises: Refused with `staff_may_not_play`, `conflict_of_interest`,
    `registration_closed`, `already_registered`, `field_full`, `bots_not_admitted`,
    `insufficient_funds`, `excluded`, `limit_reached` (a limit of his own).
    """
    if who.roles & STAFF:
        raise refuse("staff_may_not_play")

    def work(tx: Transaction, row: Row) -> Outcome:
        if row["organiser_id"] == who.id:
            raise refuse("conflict_of_interest")
        loaded = loading.load(tx, tournament_id)
        before = loaded.head.version
        loaded = _enter(tx, loaded, who, actor=f"player:{who.id}")
        entry = loaded.state.entry_of(str(who.id))
        loaded = _start_if_full(tx, loaded)
        number = entry.entry_no if entry else 1
        return outcome(loaded, before, status=201, entry_no=number, player_id=str(who.id))

    return run_command(receipt, live(tournament_id), work)


def withdraw(tournament_id: UUID, who: Person, receipt: Receipt) -> Outcome:
    """Give an entry back before the start: all of its price is paid back.

    Locks the tournament's live row; appends EntryRefunded, which the books post. Raises: Refused
    with `not_entered`, `too_late`.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        del row
        loaded = loading.load(tx, tournament_id)
        (fact,) = decided(entering.withdraw(loaded.state, player=str(who.id)))
        after = loading.append(tx, loaded, [Fact(fact, f"player:{who.id}")])
        return outcome(after, loaded.head.version, player_id=str(who.id))

    return run_command(receipt, live(tournament_id), work)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotsWish:
    """House bots that a director wants in, at the version that he saw."""

    level: str
    count: int
    version: int


def add_bots(tournament_id: UUID, director: Person, wish: BotsWish, receipt: Receipt) -> Outcome:
    """Enter house bots, each paid from its own play chips: all of them or none.

    Raises: Refused with `not_permitted`, `stale_version`, and those of `register`.
    """
    if not 1 <= wish.count <= BOTS_AT_ONCE_MAX:
        raise refuse("invalid_field", field="count", most=BOTS_AT_ONCE_MAX)
    answered = earlier(receipt)
    if answered is not None:
        return answered
    bots = _bots_for(tournament_id, director, wish)

    def work(tx: Transaction, row: Row) -> Outcome:
        check_director(row, director)
        loaded = loading.load(tx, tournament_id)
        check_version(loaded, wish.version)
        for bot in bots:
            loaded = _enter(tx, loaded, bot, actor=f"player:{director.id}")
        return outcome(_start_if_full(tx, loaded), wish.version, status=201)

    return run_command(receipt, live(tournament_id), work)


def _bots_for(tournament_id: UUID, director: Person, wish: BotsWish) -> list[Person]:
    """House bots that can pay and are not in yet; no account is opened for a wish in vain."""
    state = folded(store.load(tournament_stream(tournament_id)).events)
    if state.status is None:
        raise refuse("not_found")
    if state.organiser != str(director.id):
        raise refuse("not_permitted")
    if state.version != wish.version:
        raise refuse("stale_version", current_version=state.version)
    if state.status not in ENTERING:
        raise refuse("registration_closed", status=state.status.value)
    settings = state.settings
    if settings.bots == "none":
        raise refuse("bots_not_admitted")
    taken = {entry.player for entry in state.living_entries()}
    if len(taken) + wish.count > settings.entries_max:
        raise refuse("field_full", entries_max=settings.entries_max)
    return free_bots(
        BotsWanted(
            level=wish.level,
            count=wish.count,
            currency=settings.currency,
            amount=settings.price + (settings.bounty or 0),
            except_for=taken,
        )
    )


def _enter(tx: Transaction, loaded: Loaded, who: Person, *, actor: str) -> Loaded:
    kind: Entrant = "person"
    if who.kind == "bot":
        kind = "house_bot" if who.level else "api_bot"
    facts = decided(enter(loaded.state, player=str(who.id), entrant=kind))
    sealed = tx.seal(loaded.stream, loaded.head, [Fact(fact, actor) for fact in facts])
    # Money first: on one wallet what spends comes after what it spends, in log order too.
    settings = loaded.state.settings
    price = settings.price + (settings.bounty or 0)
    post_play(sealed, Play(who, settings.currency, amount=price, stake=price), tx.now)
    store.append(sealed, loaded.head)
    after = loading.after_append(loaded, sealed)
    entry = after.state.entry_of(str(who.id))
    EntrantRow.objects.create(
        tournament_id=loaded.id, player_id=who.id, entry_no=entry.entry_no if entry else 1
    )
    return _seated(tx, after) if isinstance(after.state.settings, Freezeout) else after


def _seated(tx: Transaction, loaded: Loaded) -> Loaded:
    """The tournament with a seat for whoever comes while it runs."""
    if not loaded.state.tables:
        return loaded
    plan = arrive(loaded.state, new_ids(), loading.lot_of(loaded.id))
    after = loading.append(tx, loaded, [Fact(fact, loading.DIRECTOR) for fact in plan.events])
    open_tables(tx, after, plan.events)
    carry_out(tx, after, plan, {})
    return after


def _start_if_full(tx: Transaction, loaded: Loaded) -> Loaded:
    waits = loaded.state.status in ENTERING and loaded.state.settings.start == "when_full"
    if waits and loaded.state.is_full:
        return start_in(tx, loaded, by="full", actor=loading.DIRECTOR)
    return loaded
