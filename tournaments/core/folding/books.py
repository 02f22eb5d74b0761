"""A state under construction, and the function that each fact adds a case to."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import singledispatch
from types import MappingProxyType

from tournaments.core import events
from tournaments.core.state import Award, Entry, EntryKey, Match, Table, Tournament

GONE: Mapping[str, None] = MappingProxyType({"table": None, "seat": None})
"""Fields of an entry whose player has left his seat."""


@dataclass(slots=True)
class Books:
    """The maps of a state under construction; nobody else holds them until the fold is over."""

    entries: dict[EntryKey, Entry]
    last_entry: dict[str, int]
    tables: dict[str, Table]
    matches: dict[str, Match]
    awards: dict[tuple[str, int], Award]

    def change(self, key: EntryKey, **changed: object) -> Entry:
        """An entry with other fields."""
        self.entries[key] = replace(self.entries[key], **changed)  # type: ignore[arg-type]  # names are checked by the call
        return self.entries[key]

    def newest(self, player: str) -> EntryKey:
        """Key of a player's newest entry."""
        return player, self.last_entry[player]

    def seat(self, player: str, table: str, seat: int) -> None:
        """The player sits there."""
        found = self.tables[table]
        self.tables[table] = replace(found, players={**found.players, player: seat})

    def unseat(self, player: str, table: str) -> None:
        """The player sits there no more."""
        found = self.tables[table]
        others = {other: seat for other, seat in found.players.items() if other != player}
        self.tables[table] = replace(found, players=others)


@singledispatch
def after(_event: events.Event, state: Tournament, _books: Books) -> Tournament:
    """The state after an event; one without a case of its own changes nothing."""
    return state
