"""The shipped client at tables of the product: it takes part, and finds what is not fair."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from clients.python.tonk_client import DealNotFair
from eventstore import tree
from tests.api.hall import Hall
from tests.sealing import seal_log
from tonk_site.proving.acting.fair_seats import time_is_up

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.api.hall import Change


@pytest.fixture
def hall(db: None, tmp_path: Path) -> Iterator[Hall]:
    with closing(Hall(tmp_path)) as found:
        yield found


@pytest.mark.slow
def test_two_clients_give_seeds_and_a_plain_one_does_not(hall: Hall) -> None:
    for _ in range(3):
        hall.hand()
    dealt = hall.events("HandDealt")
    assert len(dealt) == 3
    states = [[one["seed"] for one in deal["players"]] for deal in dealt]
    # The first cut moves people to other seats, and such an anchor counts no more.
    assert states[-1] == states[-2]
    assert sorted(states[-1]) == ["none", "revealed", "revealed"]
    assert hall.ona.seat.seeds_given == (2, 3)
    assert len({one for one in hall.ona.inside.asked if one.endswith("/verify")}) == 3
    assert any("/cards/" in one for one in hall.ona.inside.asked)


@pytest.mark.slow
def test_a_client_that_starts_anew_goes_on_with_its_chain(hall: Hall) -> None:
    hall.hand()
    hall.ona.start()
    hall.hand()
    hall.commit()
    hall.ona.start()
    hall.ona.look()
    hall.petras.look()
    hall.ona.start()
    hall.ona.look()
    mine = [one for one in hall.events("SeedRevealed") if one["player"] == str(hall.ona.who.who.id)]
    anchors = {
        one["anchor"]
        for one in hall.events("SeedAnchored")
        if one["player"] == str(hall.ona.who.who.id)
    }
    indexes = [one["index"] for one in mine]
    assert len(anchors) <= 2  # one more where the cut moved her
    assert indexes == sorted(indexes)
    assert hall.ona.seat.seeds_given == (2, 3)


@pytest.mark.slow
def test_an_anchor_that_is_used_up_is_followed_by_another(hall: Hall) -> None:
    hall.ona.start(length=1)
    for _ in range(4):
        hall.hand()
    mine = [
        one["seed"]
        for one in hall.events("SeedRevealed")
        if one["player"] == str(hall.ona.who.who.id)
    ]
    assert len(set(mine)) == len(mine) >= 3


def test_a_strict_table_deals_to_clients_that_take_part(db: None, tmp_path: Path) -> None:
    with closing(Hall(tmp_path, fairness="strict")) as hall:
        hall.hand()
    [deal] = hall.events("HandDealt")
    assert [one["seed"] for one in deal["players"]] == ["revealed", "revealed"]


def test_who_is_silent_while_he_asks_to_sit_out_fixes_new_seeds(db: None, tmp_path: Path) -> None:
    """Two silences cost the anchor, whatever the seat sits out for."""
    with closing(Hall(tmp_path, fairness="strict")) as hall:
        hall.hand()
        seat = f"/tables/{hall.table}/seat"
        for _ in range(2):
            hall.commit()
            hall.petras.look()
            assert hall.ona.who.post(f"{seat}/sit-out").status == 200
            time_is_up(hall.table)
            hall.ona.look()
            assert hall.ona.who.post(f"{seat}/sit-in").status == 200
        assert [one["reason"] for one in hall.events("ShuffleAborted")] == ["silent_seat"] * 2
        hall.hand()
    dealt = hall.events("HandDealt")[-1]
    assert [one["seed"] for one in dealt["players"]] == ["revealed", "revealed"]


@pytest.mark.slow
def test_hands_are_found_in_the_signed_log_and_the_log_goes_on(
    committed: None, tmp_path: Path
) -> None:
    with closing(Hall(tmp_path)) as hall:
        for _ in range(3):
            hall.hand()
            seal_log()
            hall.ona.look()
    [kept] = tmp_path.rglob(f"log-{hall.ona.who.who.id}.json")
    size, root = json.loads(kept.read_text())["head"]
    newest = tree.checkpoint(size)
    assert newest is not None
    assert newest.root.hex() == root
    assert any(one.endswith("/log/proofs/consistency") for one in hall.ona.inside.asked)
    [table] = tmp_path.rglob(f"{hall.table}-{hall.ona.who.who.id}.json")
    assert json.loads(table.read_text())["over"] == []


def forged(kind: str, **changes: Any) -> Change:
    """An answer in which the events of a type say something else."""

    def change(page: Any) -> Any:
        events = [
            {**one, "data": {**one["data"], **changes}} if one["type"] == kind else one
            for one in page.get("events", ())
        ]
        return {**page, "events": events}

    return change


LIES: dict[str, tuple[str, Change]] = {
    "transcript": ("/tables/", forged("HandDealt", transcript="11" * 32)),
    "dealt_otherwise": ("/tables/", forged("HandDealt", commit="22" * 32)),
    "place": ("/tables/", forged("HandDealt", upcard={"card": "AC", "place": 50})),
    "opening": ("/cards", lambda found: {**found, "openings": [
        {**one, "salt": "33" * 32} for one in found["openings"]
    ]} if "openings" in found else found),
    "own_cards": ("/state", lambda found: {
        **found, **({"cards": ["AC"]} if "cards" in found else {})
    }),
    "commit": ("/tables/", forged("HandRevealed", server_seed="44" * 32)),
    "records": ("/verify", lambda found: {**found, "records": found["records"][:-1]}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("check", LIES)
def test_a_server_that_lies_to_a_client_is_caught(hall: Hall, check: str) -> None:
    hall.hand()
    hall.ona.inside.lies.append(LIES[check])
    with pytest.raises(DealNotFair) as caught:
        hall.hand()
    assert caught.value.check == check
    assert caught.value.evidence is not None
    assert json.loads(caught.value.evidence.read_text())["check"] == check
    hall.ona.inside.lies.clear()
    given = sum(one.endswith("/seeds") for one in hall.ona.inside.asked)
    hall.ona.start()
    with pytest.raises(DealNotFair):
        hall.ona.look()
    assert given == sum(one.endswith("/seeds") for one in hall.ona.inside.asked)
