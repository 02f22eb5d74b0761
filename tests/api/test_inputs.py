"""What `prove inputs` asks for is missed where it is broken on purpose."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from eventstore.core.refusal import refuse
from ledger.api.cashier import Deposits
from players.api.base import answer
from tests.api import world as worlds
from tonk_site.proving.silence import inputs_world

pytestmark = pytest.mark.django_db


def takes_anything(*_: Any) -> Any:
    """D8, D13: whatever comes is taken."""
    return answer({}, status=201)


def writes_first(*_: Any) -> Any:
    """What is refused leaves a trace."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE players_user SET language = 'lt'")
    raise refuse("bad_amount")


def breaks(*_: Any) -> Any:
    """A number that is none ends in a fault."""
    return int("NaN")


@pytest.mark.parametrize(
    ("plant", "what"),
    [
        (takes_anything, "bad input is accepted"),
        (writes_first, "a refused request changed"),
        (breaks, "an error of the server"),
    ],
)
def test_a_way_in_is_found(
    plant: Callable[..., Any], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "WRITES", ["deposit.create"])
    monkeypatch.setattr(Deposits, "post", plant)
    found = inputs_world.run("1", range(1, 40))
    assert what in {one.what for one in found.breaches}


def test_nothing_is_found_as_the_product_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "WRITES", ["deposit.create"])
    found = inputs_world.run("1", range(1, 40))
    assert (found.breaches, found.done["requests"], found.done["routes"]) == ([], 39, 1)
