"""What is false in a deal with seeds is named, by stream, version and field."""

import json
from uuid import UUID

import pytest
from msgspec.structs import replace

from eventstore.core.record import Stored
from games.models import Anchor
from games.replay import deal_differences, differences
from games.rules.fair import link
from players.selectors import Person
from tests.integration.games.fair_tables import (
    ONA,
    PETRAS,
    RASA,
    anchored_table,
    deal_due,
    play_out,
    stored_of,
)
from tonk_site.proving.acting.factories import a_player
from tonk_site.proving.acting.fair_seats import anchors, gives, time_is_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Person]:
    return [a_player(name) for name in ("ona", "petras", "rasa")]


@pytest.fixture
def table(people: list[Person]) -> UUID:
    """A strict table: one shuffle was aborted, the next hand was dealt and has ended."""
    made = anchored_table(people, fairness="strict")
    deal_due(made)
    gives(made, people[0], ONA.seed(1))
    gives(made, people[1], PETRAS.seed(1))
    time_is_up(made)
    gives(made, people[0], ONA.seed(2))
    gives(made, people[1], PETRAS.seed(2))
    play_out(made)
    return made


def changed(stored: list[Stored], kind: str, nth: int = 0, **fields: object) -> int:
    """Change the nth record of a type in place; its version."""
    places = [at for at, one in enumerate(stored) if one.type == kind]
    at = places[nth]
    stored[at] = replace(stored[at], data=json.dumps(stored[at].payload | fields))
    return stored[at].version


def test_a_good_deal_is_not_named(table: UUID) -> None:
    assert not list(differences(stored_of(table)))


def test_the_seed_of_an_aborted_shuffle_is_checked_too(table: UUID) -> None:
    stored = list(stored_of(table))
    committed = next(one.version for one in stored if one.type == "ShuffleCommitted")
    changed(stored, "ShuffleAborted", server_seed="00" * 32)
    found = [(one.version, one.field) for one in deal_differences(stored)]
    assert found == [(committed, "commit")]


def test_a_seed_that_does_not_link_is_named(table: UUID) -> None:
    stored = list(stored_of(table))
    version = changed(stored, "SeedRevealed", -1, seed="00" * 32)
    found = [(one.version, one.field) for one in deal_differences(stored)]
    assert found[0] == (version, "links")
    assert {field for _, field in found} >= {"transcript", "deck_root"}


def test_a_wrong_number_of_a_seed_is_named(table: UUID) -> None:
    stored = list(stored_of(table))
    version = changed(stored, "SeedRevealed", -1, index=7)
    assert [(one.version, one.field) for one in deal_differences(stored)] == [(version, "index")]


def test_a_seed_that_was_left_out_is_named(table: UUID) -> None:
    """The server can not drop a seat's seed: the deal would be another one."""
    stored = [one for one in stored_of(table) if one.payload.get("seed") != PETRAS.seed(2)]
    dealt = next(one.version for one in stored if one.type == "HandDealt")
    found = [(one.version, one.field) for one in deal_differences(stored)]
    assert (dealt, "transcript") in found
    assert any(field.startswith("seeds") for _, field in found)


def test_a_false_state_of_a_seed_is_named(table: UUID) -> None:
    stored = list(stored_of(table))
    deal = next(one for one in stored if one.type == "HandDealt")
    players = deal.payload["players"]
    assert isinstance(players, list)
    silent = [players[0] | {"seed": "missing"}, *players[1:]]
    version = changed(stored, "HandDealt", players=silent)
    (found,) = deal_differences(stored)
    assert found.version == version
    assert found.field.startswith("seeds")


@pytest.mark.no_replay("a row is falsified on purpose")
def test_a_false_anchor_row_is_named(table: UUID, people: list[Person]) -> None:
    anchors(table, people[2], RASA)
    Anchor.objects.filter(table_id=table, player=people[0].id).update(used=1)
    (found,) = differences(stored_of(table))
    assert found.field.startswith("games_anchor")


def test_links_are_those_of_the_protocol() -> None:
    assert link(bytes.fromhex(ONA.seed(1))).hex() == ONA.anchor
