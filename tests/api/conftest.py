"""Fixtures of the API's tests."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from tests.api.callers import Caller, caller, picture
from tests.api.world import World
from tonk_site.proving.acting.factories import a_table, sits_down
from tonk_site.proving.acting.play import turn_of


@pytest.fixture
def ona(db: None) -> Caller:
    return caller("ona")


@pytest.fixture
def petras(db: None) -> Caller:
    return caller("petras")


@pytest.fixture
def table(ona: Caller, petras: Caller) -> UUID:
    """A table with a running hand of Ona and Petras, Ona to act."""
    made = a_table(ona.who, seats=3)
    sits_down(made, ona.who)
    sits_down(made, petras.who)
    turn_of(made, ona.who.id)
    return made


@pytest.fixture
def world(db: None) -> World:
    return World()


@pytest.fixture
def unchanged(db: None) -> Iterator[None]:
    """Nothing that the test does after its set-up changes a single row."""
    before = picture()
    yield
    assert picture() == before
