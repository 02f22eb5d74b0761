"""A sit-and-go that starts leaves an empty one behind (`tournaments.md` 2.2)."""

from uuid import UUID

from eventstore import store
from eventstore.core.chain import START, Fact
from eventstore.core.ids import tournament_stream
from eventstore.ports import new_id, random_bytes
from eventstore.services import Transaction
from players.selectors import roles_of
from tournaments.core import events, lot
from tournaments.core.lifecycle import Status
from tournaments.core.state import NOTHING
from tournaments.models import Tournament as Live
from tournaments.selectors import folded
from tournaments.services import loading
from tournaments.services.drafting import DRAFTERS, OPEN_TOURNAMENTS_MAX, OVER
from tournaments.services.loading import DIRECTOR, Loaded


def clone_in(tx: Transaction, loaded: Loaded) -> UUID | None:
    """A tournament of the same rules and name that takes entries; its id.

    None where one is open already, or its organiser may draft no further one. Its stream says what
    a draft, its publication and its opening say; its lot is its own.
    """
    if not _is_wanted(loaded):
        return None
    state, seed = loaded.state, random_bytes(lot.SEED_BYTES)
    clone_id = new_id()
    rules = state.options["game_rules"]
    facts = (
        events.TournamentDrafted(
            organiser=state.organiser,
            name_ref=str(clone_id),
            template=state.template,
            options=dict(state.options),
        ),
        events.RulesPublished(
            options=dict(state.options),
            structure_hash=state.structure_hash or "",
            seed_commit=lot.commitment(seed),
            game_rules_version=int(str(rules["version"])) if isinstance(rules, dict) else 0,
        ),
        events.RegistrationOpened(by="full"),
    )
    empty = Loaded(clone_id, NOTHING, (), START)
    clone = loading.append(tx, empty, [Fact(fact, DIRECTOR) for fact in facts])
    loading.keep_lot(clone_id, seed, tx.now)
    original = Live.objects.get(id=loaded.id)
    Live.objects.create(
        id=clone_id,
        organiser_id=original.organiser_id,
        name=original.name,
        template=original.template,
        format=original.format,
        currency=original.currency,
        created_at=tx.now,
        **loading.changes(clone),
    )
    return clone_id


def _is_wanted(loaded: Loaded) -> bool:
    organiser = UUID(loaded.state.organiser)
    others = Live.objects.filter(organiser_id=organiser).exclude(id=loaded.id)
    running = others.exclude(status__in=OVER)
    if not roles_of(organiser) & DRAFTERS or running.count() >= OPEN_TOURNAMENTS_MAX:
        return False
    open_ones = running.filter(status=Status.REGISTRATION, format=loaded.state.settings.format)
    hashes = {
        folded(store.load(tournament_stream(one)).events).structure_hash
        for one in open_ones.values_list("id", flat=True)
    }
    return loaded.state.structure_hash not in hashes
