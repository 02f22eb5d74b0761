"""Reads of accounts for the other apps."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from players.models import Kind, Role, User


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


def house_bots(level: str) -> list[UUID]:
    """House bots of a level, oldest first."""
    bots = User.objects.filter(kind=Kind.BOT, level=level).order_by("created_at", "id")
    return list(bots.values_list("id", flat=True))


def roles_of(player: UUID | str) -> frozenset[str]:
    """Roles of an account."""
    return frozenset(Role.objects.filter(user_id=player).values_list("role", flat=True))


def _person(account: User) -> Person:
    held = frozenset(role.role for role in account.roles.all())
    return Person(account.id, account.display_name, account.kind, account.level or None, held)
