"""The checks of `prove` notice faults that are put in from outside (`tests/planted`)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from eventstore import ports
from games.rules import facts, fair
from tests.planted.planting import Plant, in_words, run
from tests.planted.plants import PLANTS
from tests.planted.putting import in_place, instead
from tonk_site.proving import scratch
from tools import incidents

if TYPE_CHECKING:
    from collections.abc import Iterator

STARRED = [plant for plant in PLANTS if plant.starred]


@pytest.fixture(scope="module")
def servers() -> Iterator[scratch.Run]:
    """Scratch servers that all plants share."""
    with scratch.shared() as run:
        yield run


@pytest.mark.slow
@pytest.mark.parametrize("plant", STARRED, ids=lambda plant: f"{plant.number} {plant.what}")
def test_a_planted_fault_is_caught(plant: Plant, servers: scratch.Run) -> None:
    for outcome in run(plant, in_part=True):
        assert outcome.caught, outcome.line()


def test_the_last_line_says_how_many_were_caught() -> None:
    assert in_words({1: True, 7: True}, []) == "2 planted, 2 caught, 0 not caught"
    told = in_words({1: True, 2: False, 7: False}, ["once"])
    assert told == (
        "3 planted, 1 caught, 2 not caught: 2, 7; told of something without a plant: once"
    )


def test_each_plant_has_its_number_and_is_made_after_an_incident() -> None:
    rows, _ = incidents.read()
    assert {plant.row for plant in PLANTS} <= rows.rows.keys()
    assert max(Counter(plant.number for plant in PLANTS).values()) == 1
    assert all(plant.put or plant.sql for plant in PLANTS)
    assert all(plant.caught_by for plant in PLANTS)


def test_a_fault_is_wherever_the_function_was_imported_and_taken_out_at_the_end() -> None:
    true = ports.random_bytes, fair.fisher_yates, facts._of_draw
    with in_place(put_two, ""):
        assert ports.random_bytes(3) == random_bytes(3) == b"\0\0\0"
        assert fair.shuffle(bytes(32), 0, (1, 2, 3)) == (1, 2, 3)
    assert (ports.random_bytes, fair.fisher_yates, facts._of_draw) == true
    assert random_bytes is ports.random_bytes


random_bytes = ports.random_bytes


def put_two() -> None:
    instead(ports, "random_bytes", lambda _: bytes)
    instead(fair, "fisher_yates", lambda _: lambda cards, words: tuple(cards))
