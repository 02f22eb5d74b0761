"""Facts before the start: the draft, the rules, entries, seats."""

from typing import Literal

import msgspec

from tournaments.core.events.base import Event, Part

Trigger = Literal["time", "organiser", "full", "level"]
SeedSource = Literal["rating", "lot", "director"]


class TournamentDrafted(Event, frozen=True, kw_only=True):
    """A tournament exists, for its directors only. `options` is complete."""

    organiser: str
    name_ref: str
    template: str | None
    options: dict[str, object]


class OptionsChanged(Event, frozen=True, kw_only=True):
    """The draft was edited: the options that now have other values."""

    changed: dict[str, object]


class RulesPublished(Event, frozen=True, kw_only=True):
    """From here on nothing of the structure changes, and the lot is fixed."""

    options: dict[str, object]
    structure_hash: str
    seed_commit: str
    game_rules_version: int


class RulesAmended(Event, frozen=True, kw_only=True):
    """A later start or a higher guarantee."""

    starts_at: str | None
    guarantee: int | None
    structure_hash: str


class RegistrationOpened(Event, frozen=True, kw_only=True):
    """Entries are taken."""

    by: Trigger


class RegistrationClosed(Event, frozen=True, kw_only=True):
    """Entries are no longer taken."""

    by: Trigger


class EntryPaid(Event, frozen=True, kw_only=True):
    """A place was bought; the money is in escrow."""

    player: str
    entry_no: int
    buy_in: int
    fee: int
    bounty: int
    currency: str


class EntryRefunded(Event, frozen=True, kw_only=True):
    """A place was given back before the start, with what of its price is paid back."""

    player: str
    entry_no: int
    pool: int
    fee: int
    bounty: int
    currency: str
    reason: Literal["withdrawn", "no_check_in", "director"]


class WaitListed(Event, frozen=True, kw_only=True):
    """A player waits for a place; positions count from 1."""

    player: str
    position: int


class WaitListLeft(Event, frozen=True, kw_only=True):
    """A player no longer waits for a place."""

    player: str
    position: int


class CheckInOpened(Event, frozen=True, kw_only=True):
    """Entrants confirm that they are there."""

    closes_at: str


class CheckedIn(Event, frozen=True, kw_only=True):
    """An entrant confirmed that he is there."""

    player: str
    entry_no: int


class NoShowDropped(Event, frozen=True, kw_only=True):
    """An entrant did not check in and is not seated."""

    player: str
    entry_no: int


class SeatingStarted(Event, frozen=True, kw_only=True):
    """The field is fixed and seats are being drawn."""

    entries: int


class RoundsReduced(Event, frozen=True, kw_only=True):
    """The real field allows fewer rounds than the draft said."""

    from_: int = msgspec.field(name="from")
    to: int


class SeedOfPlayer(Event, frozen=True, kw_only=True):
    """A player's seed, 1 the best."""

    player: str
    seed: int


class Seeded(Part, frozen=True, kw_only=True):
    """Seeds of the field."""

    seeds: tuple[SeedOfPlayer, ...]
    by: SeedSource


class TableAdded(Event, frozen=True, kw_only=True):
    """A table belongs to the tournament; its own stream begins with `TableOpened`."""

    table: str
    number: int
    seats: int


class SeatAssigned(Event, frozen=True, kw_only=True):
    """An entrant has this seat and these chips: at the start, late, or drawn anew at the end."""

    player: str
    entry_no: int
    table: str
    seat: int
    chips: int
    from_lot: bool


class Started(Event, frozen=True, kw_only=True):
    """Everybody is seated and the first deals are due."""

    at: str
