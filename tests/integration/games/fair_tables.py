"""Tables of people who take part in the deal, and what their streams hold."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

import pytest

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import Refused
from eventstore.services import update_live
from games import selectors
from games.services import loading
from games.services.deals import deal_next
from players.selectors import Person
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import PLAYED, a_table, sits_down
from tonk_site.proving.acting.fair_seats import Links, anchors
from tonk_site.proving.acting.play import play, turn_at

ONA, PETRAS, RASA = Links("ona"), Links("petras"), Links("rasa")
Facts = list[Any]


def table_of(people: Iterable[Person], **settings: Any) -> UUID:
    """A table of these people, at which each hand is played."""
    first, *others = people
    options = PLAYED | settings.pop("options", {})
    table = a_table(first, **{"seats": 4, "options": options} | settings)
    for person in (first, *others):
        sits_down(table, person)
    return table


def anchored_table(people: list[Person], **settings: object) -> UUID:
    """A table where everybody has fixed his seeds."""
    table = table_of(people, **settings)
    for person, links in zip(people, (ONA, PETRAS, RASA), strict=False):
        anchors(table, person, links)
    return table


def deal_due(table: UUID) -> None:
    hurry(table)
    deal_next(table, selectors.live_row(table).version)


def stored_of(table: UUID) -> tuple[Stored, ...]:
    return store.events_after(table_stream(table), 0)


def of_type(table: UUID, *kinds: type) -> Facts:
    return [one.event for one in stored_of(table) if isinstance(one.event, kinds)]


def types_of(table: UUID, after: int = 0) -> list[str]:
    return [one.type for one in store.events_after(table_stream(table), after)]


def play_out(table: UUID) -> None:
    while selectors.see_now(table).table.to_act is not None:
        play(table, turn_at(table))


def refused(code: str) -> Any:
    return pytest.raises(Refused, match=code)


def own_times_again(table: UUID) -> None:
    """Take back what `hurry` did to the times of a table."""
    update_live(loading.live(table), loading.changes(selectors.see_now(table).table))
