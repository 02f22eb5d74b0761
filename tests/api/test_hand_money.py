"""From a hand to its money: `hand.money`."""

from typing import Any
from uuid import UUID

import pytest

from games import selectors
from games.services.deals import deal_next
from ledger.services import settle_due
from tests.api.callers import Caller, caller, refused
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_table, sits_down
from tonk_site.proving.acting.play import play_out

pytestmark = pytest.mark.django_db
HANDS_MAX = 50  # all of them drawn by chance: never


def deals(table: UUID) -> str:
    """Id of the hand that is dealt now."""
    hurry(table)
    deal_next(table, selectors.live_row(table).version)
    dealt = selectors.see_now(table).table.dealt
    assert dealt is not None
    return dealt.hand


def a_hand_that_pays(table: UUID, who: Caller) -> tuple[str, dict[str, Any]]:
    """A hand that was played, and what is said of its money before it is posted."""
    for _ in range(HANDS_MAX):
        hand = deals(table)
        if selectors.live_row(table).status == "playing":
            refused(who.get(f"/hands/{hand}/money"), 409, "no_reveal_yet")
            play_out(table)
        told = who.get(f"/hands/{hand}/money").document
        if told["status"] != "none":
            return hand, told
    raise AssertionError("every hand is drawn")


def test_a_hand_leads_to_its_entry(ona: Caller) -> None:
    petras, rasa, auste = caller("petras"), caller("rasa"), caller("auste", "auditor")
    table = a_table(ona.who, seats=2)
    for who in (ona.who, petras.who):
        sits_down(table, who, 1_000)
    hand, pending = a_hand_that_pays(table, ona)
    assert pending["status"] == "pending"
    assert "entry_id" not in pending
    settle_due()
    posted = petras.get(f"/hands/{hand}/money").document
    assert posted == pending | {"status": "posted", "entry_id": posted["entry_id"]}
    entry = auste.get(f"/ledger/entries/{posted['entry_id']}").document
    moved = {f"seat:{table}:{net['player_id']}:XTK": -net["amount"] for net in posted["net"]}
    assert {leg["account"]: leg["amount"] for leg in entry["postings"]} == moved
    owed = {net["seat"]: net["amount"] for net in posted["net"]}
    for one in posted["transfers"]:
        owed[one["from_seat"]] += one["amount"]
        owed[one["to_seat"]] -= one["amount"]
        assert one["rule"]
    assert set(owed.values()) == {0}
    assert auste.get(f"/hands/{hand}/money").document == posted
    refused(rasa.get(f"/hands/{hand}/money"), 403, "not_permitted")
    refused(Caller().get(f"/hands/{hand}/money"), 401, "not_authenticated")
    refused(ona.get(f"/hands/{table}/money"), 404, "not_found")
