"""Roles, the scopes that they allow, and how long a token with a scope lives (`trust.md` 12.1)."""

from collections.abc import Iterable
from datetime import timedelta
from types import MappingProxyType

PLAYER, ORGANISER, AUDITOR, ADMIN = "player", "organiser", "auditor", "admin"
ROLES = (PLAYER, ORGANISER, AUDITOR, ADMIN)
STAFF = frozenset({AUDITOR, ADMIN})  # hold no wallet and never play
SCOPES = ("read", "play", "money", "organise", "audit", "admin")
_ALLOWED = MappingProxyType(
    {
        PLAYER: frozenset({"read", "play", "money"}),
        ORGANISER: frozenset({"read", "play", "money", "organise"}),
        AUDITOR: frozenset({"read", "audit"}),
        ADMIN: frozenset({"read", "admin"}),
    }
)
_BOT_SCOPES = ("read", "play")
LIFE_SHORTEST = timedelta(hours=1)
_LIVES = MappingProxyType(
    {"read": timedelta(days=30), "play": timedelta(days=30), "money": timedelta(hours=12)}
)


def allowed_scopes(kind: str, roles: Iterable[str]) -> tuple[str, ...]:
    """Every scope that a token of such an account may hold, in the published order.

    >>> allowed_scopes("human", ["player", "organiser"])
    ('read', 'play', 'money', 'organise')
    """
    if kind == "bot":
        return _BOT_SCOPES
    held = set(roles)
    if held & STAFF:  # whoever audits does not play, whatever else he was
        held &= STAFF
    allowed = frozenset().union(*(_ALLOWED[role] for role in held))
    return tuple(scope for scope in SCOPES if scope in allowed)


def life(scopes: Iterable[str]) -> timedelta:
    """How long a token with these scopes lives: the shortest life among them.

    >>> life(["read", "money"])
    datetime.timedelta(seconds=43200)
    """
    return min((_LIVES.get(scope, LIFE_SHORTEST) for scope in scopes), default=LIFE_SHORTEST)
