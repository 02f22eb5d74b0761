"""Facts of the streams `player/<uuid>` (`eventstore.md` section 7.3). None moves money."""

import msgspec


class PlayerEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact about one player, who is the subject of the stream."""


class PlayerRegistered(PlayerEvent, frozen=True, kw_only=True):
    """An account was opened: `kind` is `human` or `bot`; a house bot has a level."""

    kind: str
    level: str | None


class RoleGranted(PlayerEvent, frozen=True, kw_only=True):
    """The account has a role from now on; `second` is the person who approved."""

    role: str
    second: str


class RoleRevoked(PlayerEvent, frozen=True, kw_only=True):
    """The account no longer has a role."""

    role: str
    second: str


class LimitSet(PlayerEvent, frozen=True, kw_only=True):
    """A limit of one's own, in force from `effective_at`."""

    limit: str
    amount: int | None
    currency: str | None
    effective_at: str


class ExclusionSet(PlayerEvent, frozen=True, kw_only=True):
    """Kept from play until an instant, or for good; `kind` is `self` or `house`."""

    kind: str
    until: str | None


class ExclusionEnded(PlayerEvent, frozen=True, kw_only=True):
    """May play again."""

    kind: str


class NameConsentSet(PlayerEvent, frozen=True, kw_only=True):
    """Whether public pages may show the name."""

    consent: bool


class SubjectErased(PlayerEvent, frozen=True, kw_only=True):
    """The personal data of this player was removed everywhere but here, where there is none."""

    player: str


PLAYER_EVENTS = (
    PlayerRegistered,
    RoleGranted,
    RoleRevoked,
    LimitSet,
    ExclusionSet,
    ExclusionEnded,
    NameConsentSet,
    SubjectErased,
)
