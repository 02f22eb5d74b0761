"""What the first page lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from django.utils.translation import gettext

from games import selectors as games
from players.selectors import people
from tournaments import selectors as events
from web.amounts import Writer, worth_in, worths
from web.words import status_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

TOURNAMENTS_SHOWN = 3
TABLES_SHOWN = 20
OVER = frozenset({"settled", "cancelled"})
BEFORE = frozenset({"announced", "registration"})


class LiveTable(Protocol):
    """What is read of a table's live row."""

    id: UUID
    tournament: UUID | None
    status: str
    currency: str
    stake: int
    seats: int
    seats_taken: int


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table in a list."""

    id: str
    number: int
    status: str
    is_live: bool
    stake: str
    seats: int
    seats_taken: int


@dataclass(frozen=True, slots=True)
class PrizeRow:
    """A prize: place, name and amount."""

    place: int
    name: str
    amount: str


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """A tournament in the list, with its tables and its prizes once they are known."""

    id: str
    name: str
    status: str
    is_live: bool
    takes_entries: bool
    level: int
    stake: int
    alive: int
    entries: int
    places: int
    price: str | None
    """What an entry costs, None if nothing."""
    tables: tuple[TableRow, ...]
    prizes: tuple[PrizeRow, ...]


def tournaments() -> list[TournamentRow]:
    """The newest tournaments."""
    newest = events.listed({}, None)[:TOURNAMENTS_SHOWN]
    worth_of = worths()
    return [_tournament(events.see(row.id, None), worth_of) for row in newest]


def cash_tables() -> list[TableRow]:
    """Public cash tables that are not closed, newest first."""
    rows = games.lobby({}).filter(tournament=None).exclude(status="closed")[:TABLES_SHOWN]
    worth_of = worths()
    return [_table(row, number, worth_of) for number, row in enumerate(rows, 1)]


def heading(row: LiveTable) -> str:
    """What a table is called: its tournament and its number there, or its stake."""
    if row.tournament is None:
        return gettext("Cash table, stake {stake}").format(stake=worth_in(row.currency)(row.stake))
    tables = [table.id for table in games.tables_of_tournament(row.tournament)]
    name = events.see(row.tournament, None).row.name
    return gettext("{name}, table {number}").format(name=name, number=tables.index(row.id) + 1)


def _tournament(seen: events.Seen, worth_of: Callable[[str], Writer]) -> TournamentRow:
    row, state = seen.row, seen.state
    clock, counts = events.clock(state), events.counts(state)
    names, worth = people(prize.player for prize in state.prizes), worth_of(row.currency)
    price = state.settings.price + (state.settings.bounty or 0)
    return TournamentRow(
        id=str(row.id),
        name=row.name,
        status=status_text(row.status),
        is_live=row.status not in OVER,
        takes_entries=row.status in BEFORE,
        level=clock["level"],
        stake=clock["stake"],
        alive=counts["alive"],
        entries=counts["entries"],
        places=state.settings.entries_max,
        price=worth(price) if price else None,
        tables=tuple(
            _table(table, number, worth_of)
            for number, table in enumerate(games.tables_of_tournament(row.id), 1)
        ),
        prizes=tuple(
            PrizeRow(
                prize.place,
                names[prize.player].name if prize.player in names else prize.player,
                worth(prize.amount),
            )
            for prize in state.prizes
        ),
    )


def _table(row: LiveTable, number: int, worth_of: Callable[[str], Writer]) -> TableRow:
    return TableRow(
        id=str(row.id),
        number=number,
        status=status_text(row.status),
        is_live=row.status != "closed",
        stake=worth_of(row.currency)(row.stake),
        seats=row.seats,
        seats_taken=row.seats_taken,
    )
