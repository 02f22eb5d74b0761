"""What a golden history holds: an evening of a small tournament and a cash table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import connection

from eventstore import store
from eventstore.core.record import record_bytes
from games import selectors
from games.services.deals import deal_next
from games.services.seats import leave_seat
from ledger.services import settle_due
from tonk_site.proving.acting.drive import hurry, until_rest
from tonk_site.proving.acting.factories import (
    a_player,
    a_table,
    a_tournament,
    receipt,
    sits_down,
    with_bots,
)
from tonk_site.proving.acting.fair_seats import Links, anchors, gives, time_is_up
from tonk_site.proving.acting.play import play_out

if TYPE_CHECKING:
    from players.selectors import Person

HANDS = 4
SILENT_HAND = 2  # of the second chain
ENTRIES = 4
TOURNAMENT: dict[str, Any] = {
    "bots": "fill", "entries_min": ENTRIES, "entries_max": ENTRIES, "level_hands": 3,
    "stack_stakes": 6, "rake_bp": 300, "currency": "XTK",
}  # fmt: skip
ORDER = "SELECT stream, version FROM eventstore_event ORDER BY position"


def play() -> list[bytes]:
    """Play the evening in the configured database, which is empty: its records in order."""
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, **TOURNAMENT)
    with_bots(tournament, organiser, ENTRIES)
    until_rest(tournament)
    _cash_table(organiser, [a_player("ona"), a_player("petras"), a_player("rasa")])
    settle_due()
    with connection.cursor() as cursor:
        cursor.execute(ORDER)
        order = cursor.fetchall()
    stored = {
        (one.stream, one.version): record_bytes(one)
        for name in store.streams()
        for one in store.load(name).events
    }
    return [stored[place] for place in order]


def _cash_table(organiser: Person, people: list[Person]) -> None:
    """Two of three fix their seeds, one of them is silent once; then everybody goes home."""
    table = a_table(organiser, rake_bp=500, rake_cap=30)
    for person in people:
        sits_down(table, person)
    chains = [(person, Links(str(person.id))) for person in people[:2]]
    for person, links in chains:
        anchors(table, person, links)
    used = dict.fromkeys([person.id for person in people], 0)
    for hand in range(1, HANDS + 1):
        hurry(table)
        deal_next(table, selectors.live_row(table).version)
        for person, links in chains[: 1 if hand == SILENT_HAND else 2]:
            used[person.id] += 1
            gives(table, person, links.seed(used[person.id]))
        if hand == SILENT_HAND:
            time_is_up(table)
        play_out(table)
    for person in people:
        leave_seat(table, person.id, receipt())
