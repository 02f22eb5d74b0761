"""Tournaments replayed: what is otherwise in the live rows than a stream says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from eventstore.core.chain import head_of
from eventstore.core.ids import subject
from eventstore.core.record import Stored
from eventstore.verification import Difference, unequal
from games import selectors
from tournaments.core.lifecycle import Status
from tournaments.core.options import Freezeout
from tournaments.core.state import EntryKey, Tournament
from tournaments.models import Entrant
from tournaments.models import Tournament as Live
from tournaments.selectors import folded
from tournaments.services.loading import Loaded, changes

ENTRANT_ROWS = "tournaments_entrant"
FOLDED_FIELDS = ("version", "status", "due", "entries")


def differences(stored: Sequence[Stored], *, with_tables: bool = True) -> Iterator[Difference]:
    """What differs from a tournament's whole stream: live row, entrants; at rest also its tables.

    A tournament at work takes note of what its tables did a moment later.
    """
    newest = stored[-1]
    row = Live.objects.filter(id=subject(newest.stream)).first()
    if row is None:
        yield Difference(newest.stream, newest.version, "live row", None, newest.version)
        return
    state = folded(stored)
    expected = _fields(Loaded(row.id, state, tuple(stored), head_of(stored)))
    live = {name: getattr(row, name) for name in expected}
    yield from unequal(newest.stream, state.version, live, expected)
    rows = Entrant.objects.filter(tournament=row).values_list("player_id", "entry_no")
    entered = _numbers((str(player), number) for player, number in rows)
    yield from unequal(newest.stream, state.version, entered, _numbers(state.entries))
    if with_tables and state.status is Status.RUNNING:
        yield from _table_differences(newest.stream, state)


def _numbers(entries: Iterable[EntryKey]) -> dict[str, object]:
    """Numbers of each player's entries, in order."""
    found: dict[str, str] = {}
    for player, number in sorted(entries):
        name = f"{ENTRANT_ROWS} {player}"
        found[name] = f"{found[name]}, {number}" if name in found else str(number)
    return dict(found)


def _table_differences(stream: str, state: Tournament) -> Iterator[Difference]:
    """Who sits where by the tables' own streams; their chips together are those handed out."""
    tables = {name: selectors.see_now(UUID(name)).table for name in state.tables}
    theirs: dict[str, object] = {
        f"seats of {name}": {place.player: place.seat for place in table.places}
        for name, table in tables.items()
    }
    ours: dict[str, object] = {
        f"seats of {name}": dict(table.players) for name, table in state.tables.items()
    }
    if isinstance(state.settings, Freezeout):  # who leaves a match takes along what he owes
        theirs["chips"] = sum(place.stack for table in tables.values() for place in table.places)
        ours["chips"] = state.chips_total
    yield from unequal(stream, state.version, theirs, ours)


def state_document(stored: Sequence[Stored]) -> dict[str, Any]:
    """The state after these events, from version 1 on, in plain values."""
    state = folded(stored)
    plain = {name: getattr(state, name) for name in Tournament.__dataclass_fields__}
    # Keys of entries are pairs, which JSON has no form for.
    plain["entries"] = list(state.entries.values())
    plain["unplaced"] = [list(key) for key in state.unplaced]
    plain["awards"] = [[*key, award] for key, award in state.awards.items()]
    found: dict[str, Any] = msgspec.to_builtins(plain, enc_hook=_plain)
    return found


def _plain(value: object) -> dict[object, object]:
    """A mapping that may not be changed, as one that JSON has a form for."""
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(type(value).__name__)


def _fields(loaded: Loaded) -> dict[str, object]:
    fields = changes(loaded)
    options = loaded.state.options
    return {name: fields[name] for name in FOLDED_FIELDS} | {
        "template": loaded.state.template or "",
        "format": options["format"],
        "currency": options["currency"],
    }
