"""A table may stand for years: what a command reads is its newest hand, not the table's past."""

from typing import Any

import pytest

from eventstore import store
from eventstore.core.chain import Loaded
from games import folds
from games.models import Table
from tonk_site.proving.acting.factories import PLAYED, a_player, a_table, sits_down
from tonk_site.proving.acting.play import play_out, turn_at

pytestmark = pytest.mark.django_db
HANDS = 4


@pytest.mark.slow
def test_J5_a_table_is_read_from_its_newest_deal_on() -> None:
    ona, petras = a_player("ona"), a_player("petras")
    table = a_table(ona, seats=2, options=PLAYED)
    for one in (ona, petras):
        sits_down(table, one, 1_000)
    for _ in range(HANDS):
        turn_at(table)
        play_out(table)
    turn_at(table)
    row = Table.objects.get(id=table)
    assert row.hand_version is not None
    brought: list[int] = []

    def load(*arguments: Any, **more: Any) -> Loaded:
        found = store.load(*arguments, **more)
        brought.extend(one.version for one in found.events)
        return found

    folds.forget_all()
    folds.current(table, row.hand_version, load)
    assert brought == [1, *range(row.hand_version, row.version + 1)]
    assert len(brought) < row.version // HANDS
