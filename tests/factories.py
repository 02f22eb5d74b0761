"""People, tables and tournaments for tests, made by the product's own services."""

from typing import Any
from uuid import UUID

from eventstore.ports import new_id
from eventstore.services import Receipt
from games.services.seats import SitDown, take_seat
from games.services.tables import TableSettings, open_cash_table
from players.selectors import Person, person
from players.services import Registration, register
from tournaments.models import Tournament as Live
from tournaments.services import drafting
from tournaments.services.drafting import Draft
from tournaments.services.entries import BotsWish, add_bots

PASSWORD = "correct-horse-battery"


def receipt(actor: str = "player:test") -> Receipt:
    """A receipt that nothing has used before."""
    return Receipt(actor, new_id().hex, bytes(32))


def a_player(name: str = "ona", *roles: str) -> Person:
    """A person with a wallet, and the extra roles named."""
    who = Registration(username=name, password=PASSWORD, display_name=name.title())
    found = person(register(who, extra_roles=roles).id)
    assert found is not None
    return found


def a_table(creator: Person, **settings: object) -> UUID:
    """A cash table for play chips at a stake of 10."""
    chosen: dict[str, Any] = {
        "stake": 10,
        "currency": "XTK",
        "seats": 3,
        "clock": "turbo",
    } | settings
    outcome = open_cash_table(TableSettings(**chosen), creator, receipt())
    return UUID(str(outcome.result["table_id"]))


def sits_down(table: UUID, who: Person, buy_in: int = 500) -> int:
    """Seat number of a person who has just sat down."""
    wish = SitDown(
        table=table, person=who, buy_in=buy_in, seat=None, version=None, actor=f"player:{who.id}"
    )
    return int(str(take_seat(wish, receipt()).result["seat"]))


def a_tournament(organiser: Person, template: str = "sim-short", **overrides: object) -> UUID:
    """A tournament that takes entries."""
    draft = Draft(template=template, name="Evening", overrides={"bots": "fill"} | overrides)
    created = drafting.create(draft, organiser, receipt())
    tournament = UUID(str(created.result["tournament_id"]))
    drafting.publish(tournament, organiser, 1, receipt())
    drafting.open_registration(tournament, organiser, 2, receipt())
    return tournament


def with_bots(tournament: UUID, organiser: Person, count: int, level: str = "greedy-1") -> None:
    """Enter house bots."""
    version = Live.objects.get(id=tournament).version
    wish = BotsWish(level=level, count=count, version=version)
    add_bots(tournament, organiser, wish, receipt())
