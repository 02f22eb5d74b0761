"""What a hostile table may try with the deal, and what must not come of it."""

from typing import Any
from uuid import UUID

import pytest

from eventstore.services import Outcome
from games import dealer, fair_reads, selectors
from games.models import DealerSecret, Table
from games.rules import events
from games.services import bots
from games.services.seats import sit_out
from games.services.seeds import NewAnchor, register_anchor
from players.selectors import Person
from tests.integration.games.fair_tables import (
    ONA,
    PETRAS,
    anchored_table,
    deal_due,
    of_type,
    play_out,
    refused,
    table_of,
    types_of,
)
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, a_tournament, receipt, with_bots
from tonk_site.proving.acting.fair_seats import anchors, gives, time_is_up
from tonk_site.proving.acting.play import play, turn_at
from tournaments.services import entries
from tournaments.services.conduct import conduct

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Person]:
    return [a_player(name) for name in ("ona", "petras", "rasa")]


def with_house_bots(ona: Person) -> UUID:
    """A strict table of one person and two house bots."""
    table = table_of([ona], fairness="strict")
    for _ in range(2):
        bots.add_bot(table, "greedy-1", seat=None, creator=ona, receipt=receipt())
    return table


def register(table: UUID, who: Person, anchor: str, length: int = 16) -> Outcome:
    wish = NewAnchor(table=table, player=who.id, anchor=anchor, length=length)
    return register_anchor(wish, receipt())


def test_a_person_without_seeds_leaves_no_hand_to_the_bots(people: list[Person]) -> None:
    table = with_house_bots(people[0])
    deal_due(table)
    assert types_of(table)[-1] == "SatOut"
    assert selectors.live_row(table).due is None


def test_a_silent_person_leaves_no_hand_to_the_bots(people: list[Person]) -> None:
    table = with_house_bots(people[0])
    anchors(table, people[0], ONA)
    deal_due(table)
    time_is_up(table)
    assert types_of(table)[-2:] == ["ShuffleAborted", "SatOut"]


def test_no_hand_follows_a_silent_seat_while_the_books_of_the_table_stand(
    people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = anchored_table(people, fairness="strict")
    deal_due(table)
    gives(table, people[0], ONA.seed(1))
    gives(table, people[1], PETRAS.seed(1))
    parked = type("Cursor", (), {"parked_code": "unbalanced"})()
    monkeypatch.setattr("games.services.deals.cursor", lambda _: parked)
    time_is_up(table)
    assert types_of(table)[-2:] == ["ShuffleAborted", "SatOut"]
    assert (selectors.live_row(table).due, DealerSecret.objects.count()) == ("deal", 0)
    with refused("table_parked"):
        deal_due(table)
    monkeypatch.undo()
    deal_due(table)
    assert selectors.live_row(table).status == "sealing"


def test_a_tournament_player_can_not_sit_out(people: list[Person]) -> None:
    """He is dealt in and pays until he is out: else two who sit out would stop the tournament."""
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_min=2, entries_max=2, seats=2)
    with_bots(tournament, organiser, 1, "random-0")
    entries.register(tournament, people[0], receipt())
    (table,) = Table.objects.filter(tournament=tournament).values_list("id", flat=True)
    with refused("tournament_table"):
        sit_out(table, people[0].id, receipt())
    hurry(table)
    conduct(table)
    assert of_type(table, events.HandDealt)


def test_links_that_are_known_are_no_new_anchor(people: list[Person]) -> None:
    """A seed is shown once: else the dealer knows it before he commits himself."""
    ona, petras = people[:2]
    table = anchored_table([ona, petras])
    deal_due(table)
    version = selectors.live_row(table).version
    again = anchors(table, ona, ONA)  # a request whose answer was lost
    assert (again.status, dict(again.result)) == (201, {"index": 0})
    assert selectors.live_row(table).version == version
    with refused("bad_seed"):
        register(table, ona, ONA.anchor, ONA.length + 1)
    gives(table, ona, ONA.seed(1))
    for known in (ONA.anchor, ONA.seed(1)):
        with refused("bad_seed"):
            register(table, ona, known)
    gives(table, petras, PETRAS.seed(1))
    play_out(table)
    deal_due(table)
    with refused("bad_seed"):
        gives(table, ona, ONA.seed(1))
    gives(table, ona, ONA.seed(2))


# --- A card that is asked for while its hand ends -------------------------------------------------


def test_own_cards_are_served_though_their_hand_ends_between_two_statements(
    people: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    ona = people[0]
    table = table_of(people[:2])
    turn_at(table)
    dealt = of_type(table, events.HandDealt)[-1].hand
    while (turn := turn_at(table)).player != ona.id:
        play(table, turn, turn.legal[0]["move"])
    play(table, turn, "S")
    before, newest, _ = selectors.served_events(table, ona.id, after=0, limit=500)
    drawn: Any = before[-1]["data"]
    assert drawn["card"]
    whole = selectors._own_hand

    def then(*given: Any) -> Any:
        monkeypatch.setattr(selectors, "_own_hand", whole)
        play_out(table)
        return whole(*given)

    monkeypatch.setattr(selectors, "_own_hand", then)
    found, _, _ = selectors.served_events(table, ona.id, after=0, limit=500)
    assert found[:newest] == before
    assert dealt in {one.get("hand_id") for one in found}


@pytest.mark.parametrize(
    ("module", "name"), [(fair_reads, "see"), (fair_reads, "current"), (dealer, "seed_of")]
)
@pytest.mark.parametrize("whose", ["public", "own"])
def test_a_card_is_opened_though_its_hand_ends_between_two_statements(
    people: list[Person], monkeypatch: pytest.MonkeyPatch, module: Any, name: str, whose: str
) -> None:
    ona = people[0]
    table = table_of(people[:2])
    turn_at(table)
    dealt = of_type(table, events.HandDealt)[-1]
    own = fair_reads.own_cards(table, ona.id)["openings"]
    assert isinstance(own, list)
    place = dealt.upcard.place if whose == "public" else own[0]["place"]
    whole = getattr(module, name)

    def then(*given: Any) -> Any:
        monkeypatch.setattr(module, name, whole)
        play_out(table)
        return whole(*given)

    monkeypatch.setattr(module, name, then)
    opening = fair_reads.card(UUID(dealt.hand), place, ona.id)
    assert of_type(table, events.HandRevealed)
    assert getattr(module, name) is whole
    assert (opening["place"], opening["root"]) == (place, dealt.deck_root)
