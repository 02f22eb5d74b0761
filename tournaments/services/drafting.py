"""From a draft to open registration."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from eventstore.core.chain import START, Fact
from eventstore.core.ids import tournament_stream
from eventstore.core.refusal import refuse
from eventstore.ports import new_id, random_bytes
from eventstore.services import Outcome, Receipt, Row, Transaction, run_command
from eventstore.store import append
from ledger.selectors import currency_kinds
from ledger.services import post_inline
from players.selectors import Person
from players.services import account_row
from tournaments.core import drafting, lot
from tournaments.core.drafting import Decision
from tournaments.core.options import Site
from tournaments.core.state import NOTHING, Tournament
from tournaments.models import Tournament as Live
from tournaments.services import loading
from tournaments.services.loading import Loaded, check_version, decided, live, outcome

OPEN_TOURNAMENTS_MAX = 50  # of one organiser (`tournaments.md` section 17)
OVER = ("settled", "cancelled")
DRAFTERS = frozenset({"organiser", "admin"})
SITE_CURRENCY = "XTK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What an organiser asks for."""

    template: str | None
    name: str
    overrides: Mapping[str, object] = field(default_factory=dict)


def site() -> Site:
    """What this place offers."""
    return Site(tuple(sorted(currency_kinds())), SITE_CURRENCY)


def create(draft: Draft, organiser: Person, receipt: Receipt) -> Outcome:
    """A new draft of an organiser or admin. The name is a person's text: it stays out of the log.

    Raises: Refused with `not_permitted`, `bad_structure`, `limit_reached`.
    """
    if not organiser.roles & DRAFTERS:
        raise refuse("not_permitted")
    tournament_id = new_id()
    facts = decided(
        drafting.draft(
            draft.overrides,
            organiser=str(organiser.id),
            name_ref=str(tournament_id),
            template=draft.template,
            site=site(),
        )
    )

    def work(tx: Transaction, row: Row) -> Outcome:
        del row  # it is locked so that two drafts at once are both counted
        running = Live.objects.filter(organiser_id=organiser.id).exclude(status__in=OVER)
        if running.count() >= OPEN_TOURNAMENTS_MAX:
            raise refuse("limit_reached", limit=OPEN_TOURNAMENTS_MAX)
        actor = f"player:{organiser.id}"
        empty = Loaded(tournament_id, NOTHING, (), START)
        loaded = loading.append(tx, empty, [Fact(fact, actor) for fact in facts])
        options = loaded.state.options
        Live.objects.create(
            id=tournament_id,
            organiser_id=organiser.id,
            name=draft.name,
            template=draft.template or "",
            format=str(options["format"]),
            currency=str(options["currency"]),
            created_at=tx.now,
            **loading.changes(loaded),
        )
        stream = tournament_stream(tournament_id)
        return Outcome(201, {"tournament_id": str(tournament_id), "version": 1}, stream, 1, 1)

    return run_command(receipt, account_row(organiser.id), work)


def publish(tournament_id: UUID, director: Person, version: int, receipt: Receipt) -> Outcome:
    """Fix the rules and commit to the lot, whose seed is drawn here. Raises: as `_directed`."""
    seed = random_bytes(lot.SEED_BYTES)

    def decide(state: Tournament) -> Decision:
        return drafting.publish(state, seed=seed, site=site())

    def keep(tx: Transaction) -> None:
        loading.keep_lot(tournament_id, seed, tx.now)

    return directed(tournament_id, director, version, receipt, Act(decide, keep))


def open_registration(
    tournament_id: UUID, director: Person, version: int, receipt: Receipt
) -> Outcome:
    """Take entries from now on. Raises: as `directed`."""

    def decide(state: Tournament) -> Decision:
        return drafting.open_registration(state, by="organiser")

    return directed(tournament_id, director, version, receipt, Act(decide))


@dataclass(frozen=True, slots=True)
class Act:
    """What a director's command decides, and what it does beside the append."""

    decide: Callable[[Tournament], Decision]
    beside: Callable[[Transaction], None] = lambda _: None


def directed(
    tournament_id: UUID, director: Person, version: int, receipt: Receipt, act: Act
) -> Outcome:
    """Carry out an act of the director at the version that he saw.

    Raises: Refused with `not_found`, `not_permitted`, `stale_version`, `wrong_state`, or what the
    act refuses.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        check_director(row, director)
        loaded = loading.load(tx, tournament_id)
        check_version(loaded, version)
        facts = decided(act.decide(loaded.state))
        act.beside(tx)
        made = [Fact(fact, f"player:{director.id}") for fact in facts]
        sealed = tx.seal(loaded.stream, loaded.head, made)
        post_inline(sealed, tx.now)
        append(sealed, loaded.head)
        return outcome(loading.after_append(loaded, sealed), version)

    return run_command(receipt, live(tournament_id), work)


def check_director(row: Row, person: Person) -> None:
    """Only the organiser directs. Raises: Refused with `not_permitted`."""
    if row["organiser_id"] != person.id:
        raise refuse("not_permitted")
