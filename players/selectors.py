"""Reads of accounts for the other apps."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db.models import QuerySet

from eventstore import store
from eventstore.core.ids import player_stream, subject
from players.core.limits import Limits, limits_at
from players.models import Kind, Proposal, ProposalState, Role, User

CONSENT_TYPES = ("NameConsentSet",)
LIMIT_TYPES = ("LimitSet", "ExclusionSet", "ExclusionEnded")


@dataclass(frozen=True, slots=True)
class Person:
    """What the other apps may know of an account."""

    id: UUID
    name: str
    kind: str
    level: str | None
    roles: frozenset[str]


def people(ids: Iterable[UUID | str]) -> dict[str, Person]:
    """Accounts by their ids as text; two statements for any number of ids."""
    found = User.objects.filter(id__in=list(ids)).prefetch_related("roles")
    return {str(account.id): _person(account) for account in found}


def person(player: UUID | str) -> Person | None:
    """One account, or None."""
    return people([player]).get(str(player))


def public_names(ids: Collection[UUID | str]) -> dict[str, str]:
    """How public lists name players, by ids as text: who has not agreed to be named is a number.

    Programs agree to all. Three statements for any number of ids.
    """
    known = people(ids)
    said = store.of_streams([player_stream(player) for player in known], CONSENT_TYPES)
    agreed = {str(subject(one.stream)): one.payload["consent"] is True for one in said}
    return {
        player: one.name if one.kind == Kind.BOT or agreed.get(player) else _number(one.id)
        for player, one in known.items()
    }


def house_bots(level: str) -> list[UUID]:
    """House bots of a level, oldest first."""
    bots = User.objects.filter(kind=Kind.BOT, level=level).order_by("created_at", "id")
    return list(bots.values_list("id", flat=True))


def roles_of(player: UUID | str) -> frozenset[str]:
    """Roles of an account."""
    return frozenset(Role.objects.filter(user_id=player).values_list("role", flat=True))


def limits_of(players: Collection[UUID | str], now: datetime) -> dict[str, Limits]:
    """Limits that players have in force at `now`, by their ids as text. One statement."""
    found = store.of_streams([player_stream(player) for player in players], LIMIT_TYPES)
    histories = groupby(found, key=lambda one: one.stream)
    known = {str(subject(stream)): limits_at(events, now) for stream, events in histories}
    return {str(player): Limits() for player in players} | known


def limits_now(player: UUID) -> Limits:
    """Limits that a player has in force by the database's clock. One statement."""
    loaded = store.load(player_stream(player))
    return limits_at(loaded.events, loaded.now)


def proposal(proposal_id: UUID | str) -> Proposal:
    """One proposal, which is there."""
    return Proposal.objects.get(id=proposal_id)


def proposals(*, kind: str | None = None, state: str | None = None) -> QuerySet[Proposal]:
    """Proposals of a kind and a state, newest first."""
    found = Proposal.objects.order_by("-created_at", "-id")
    found = found.filter(kind=kind) if kind is not None else found
    return found.filter(state=state) if state is not None else found


def is_proposed(kinds: Iterable[str], subject: str) -> bool:
    """Whether an open proposal of one of these kinds is about a subject."""
    found = Proposal.objects.filter(kind__in=list(kinds), subject=subject)
    return found.filter(state=ProposalState.PROPOSED).exists()


def _number(player: UUID) -> str:
    """What stands for a name: the end of an id, whose beginning is a time.

    >>> _number(UUID("0198f0c2-a00e-72bf-8802-5ea4935a806f"))
    'player-806f'
    """
    return f"player-{player.hex[-4:]}"


def _person(account: User) -> Person:
    held = frozenset(role.role for role in account.roles.all())
    return Person(account.id, account.display_name, account.kind, account.level or None, held)
