"""Facts about the log itself, in the stream `log/<log id>` (`eventstore.md` section 7.4)."""

import msgspec


class LogEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact about the log, which is the subject of the stream. None moves money."""


class LogOpened(LogEvent, frozen=True, kw_only=True):
    """The log was begun under this name, with this verifier key."""

    origin: str
    key: str


class LogContinued(LogEvent, frozen=True, kw_only=True):
    """The log goes on under a new name after a loss; leaves from `lost_from` on are not as signed.

    `second` is the person who approved.
    """

    old_origin: str
    old_size: int
    old_root: str
    lost_from: int
    reason: str
    second: str


class KeyAdded(LogEvent, frozen=True, kw_only=True):
    """A verifier key signs from this size on."""

    key: str
    size: int
    reason: str
    second: str | None


class KeyRetired(LogEvent, frozen=True, kw_only=True):
    """A verifier key signs no size above this one."""

    key: str
    size: int
    reason: str
    second: str | None


LOG_EVENTS = (LogOpened, LogContinued, KeyAdded, KeyRetired)
