"""The seats' part in the deal: anchors, seeds, the window, and every way in which it ends."""

from datetime import timedelta
from uuid import UUID

import pytest

from eventstore.core.record import time_of
from eventstore.ports import new_id
from games import selectors, verdict
from games.histories import hand_history
from games.models import Anchor, DealerSecret
from games.rules import events, fair
from games.rules.tonkh.check import verify
from games.rules.tonkh.history import ALL, HandHistory
from games.rules.tonkh.text import read, write
from games.services import bots
from games.services.deals import deal_next
from games.services.sealing import seal_next
from games.services.seats import leave_seat, sit_back_in, sit_out
from games.services.sweep import attend, sweep
from games.services.tables import close_table
from players.selectors import Person
from tests.integration.games.fair_tables import (
    ONA,
    PETRAS,
    RASA,
    anchored_table,
    deal_due,
    of_type,
    play_out,
    refused,
    stored_of,
    table_of,
    types_of,
)
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, receipt, sits_down
from tonk_site.proving.acting.fair_seats import Links, anchors, gives, hand_at, time_is_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Person]:
    return [a_player(name) for name in ("ona", "petras", "rasa")]


# --- commit ---------------------------------------------------------------------------------------


def test_all_seeds_given_deal_the_hand_at_once_and_prove_it(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = anchored_table([ona, petras])
    deal_due(table)
    row = selectors.live_row(table)
    committed = selectors.see_now(table).table.commitment
    assert committed is not None
    assert (row.status, row.due, types_of(table)[-1]) == ("sealing", "seal", "ShuffleCommitted")
    closes = time_of(committed.reveal_by or "")
    assert (row.due_at, closes) == (closes, stored_of(table)[-1].at + timedelta(seconds=5))
    assert gives(table, ona, ONA.seed(1)).result == {"index": 1}
    assert selectors.live_row(table).status == "sealing"
    assert gives(table, petras, PETRAS.seed(1)).result == {"index": 1}
    dealt = of_type(table, events.HandDealt)[-1]
    assert [one.seed for one in dealt.players] == ["revealed", "revealed"]
    assert dealt.hand == committed.hand
    play_out(table)
    proof = verdict.verification(UUID(dealt.hand))
    assert proof["ok"], proof["checks"]
    assert DealerSecret.objects.count() == 0
    history = hand_history(UUID(dealt.hand), ALL)
    assert history.proof.seeds == (ONA.seed(1), PETRAS.seed(1))
    read_again = read(write(history))
    assert isinstance(read_again, HandHistory)
    assert verify(read_again) == ()
    deal_due(table)
    assert gives(table, ona, ONA.seed(2)).result == {"index": 2}


def test_without_an_anchor_commitment_and_deal_are_one_append(people: list[Person]) -> None:
    table = table_of(people[:2])
    deal_due(table)
    committed, dealt = of_type(table, events.ShuffleCommitted, events.HandDealt)
    assert (committed.reveal_by, {one.seed for one in dealt.players}) == (None, {"none"})
    assert not any(one.anchored for one in committed.seats)


def test_a_silent_seat_gives_an_empty_seed(people: list[Person]) -> None:
    ona, petras, rasa = people
    table = table_of(people)
    anchors(table, ona, ONA)
    anchors(table, petras, PETRAS)
    deal_due(table)
    gives(table, petras, PETRAS.seed(1))
    time_is_up(table)
    dealt = of_type(table, events.HandDealt)[-1]
    states = {one.player: one.seed for one in dealt.players}
    assert states == {
        str(ona.id): "missing",
        str(petras.id): "revealed",
        str(rasa.id): "none",
    }
    play_out(table)
    proof = verdict.verification(UUID(dealt.hand))
    assert proof["ok"], proof["checks"]
    # The link that was not shown stays the next.
    deal_due(table)
    with refused("bad_seed"):
        gives(table, ona, ONA.seed(2))
    assert gives(table, ona, ONA.seed(1)).result == {"index": 1}


def test_what_is_no_good_seed_changes_nothing(people: list[Person]) -> None:
    ona, petras, rasa = people
    table = table_of(people)
    anchors(table, ona, ONA)
    anchors(table, petras, PETRAS)
    deal_due(table)
    before = stored_of(table)
    for who, seed in [
        (ona, ONA.seed(2)),
        (ona, ONA.anchor),
        (ona, PETRAS.seed(1)),
        (rasa, RASA.seed(1)),
    ]:
        with refused("bad_seed"):
            gives(table, who, seed)
    with refused("not_found"):
        gives(table, ona, ONA.seed(1), new_id())
    with refused("not_seated"):
        gives(table, a_player("jonas"), ONA.seed(1))
    assert stored_of(table) == before


def test_the_same_seed_again_is_no_news_before_and_after_the_deal(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = anchored_table([ona, petras])
    deal_due(table)
    hand = hand_at(table)
    gives(table, ona, ONA.seed(1))
    version = selectors.live_row(table).version
    assert gives(table, ona, ONA.seed(1)).result == {"index": 1}
    with refused("bad_seed"):
        gives(table, ona, ONA.seed(2))
    assert selectors.live_row(table).version == version
    gives(table, petras, PETRAS.seed(1))
    version = selectors.live_row(table).version
    assert gives(table, ona, ONA.seed(1), hand).result == {"index": 1}
    with refused("seed_too_late"):
        gives(table, ona, ONA.seed(2), hand)
    assert selectors.live_row(table).version == version


def test_a_seed_comes_too_late_once_the_window_is_over(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = anchored_table([ona, petras])
    deal_due(table)
    hand = hand_at(table)
    time_is_up(table)
    with refused("seed_too_late"):
        gives(table, ona, ONA.seed(1), hand)


def test_nothing_is_sealed_before_its_time_or_twice(people: list[Person]) -> None:
    table = anchored_table(people[:2])
    deal_due(table)
    version = selectors.live_row(table).version
    with refused("wrong_state"):
        seal_next(table, version)
    with refused("stale_version"):
        seal_next(table, version - 1)
    with refused("wrong_state"):
        deal_next(table, version)
    time_is_up(table)
    assert seal_next(table, version).replayed
    assert types_of(table).count("HandDealt") == 1


def test_the_sweep_finds_a_window_that_is_over(people: list[Person]) -> None:
    table = anchored_table(people[:2])
    deal_due(table)
    assert sweep() == 0
    hurry(table)
    assert sweep() == 1
    attend(table)
    assert selectors.live_row(table).status in {"playing", "between_hands"}


# --- anchors --------------------------------------------------------------------------------------


def test_a_newer_anchor_is_in_force_from_the_next_hand_on(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = anchored_table([ona, petras])
    deal_due(table)
    newer = Links("newer")
    assert anchors(table, ona, newer).result == {"index": 0}
    with refused("bad_seed"):
        gives(table, ona, newer.seed(1))
    gives(table, ona, ONA.seed(1))
    gives(table, petras, PETRAS.seed(1))
    play_out(table)
    deal_due(table)
    with refused("bad_seed"):
        gives(table, ona, ONA.seed(2))
    assert gives(table, ona, newer.seed(1)).result == {"index": 1}
    assert gives(table, petras, PETRAS.seed(2)).result == {"index": 2}


def test_a_chain_that_is_used_up_counts_as_none(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = table_of([ona, petras])
    short = Links("short", length=1)
    anchors(table, ona, short)
    deal_due(table)
    gives(table, ona, short.seed(1))
    play_out(table)
    deal_due(table)
    assert [one.seed for one in of_type(table, events.HandDealt)[-1].players] == ["none", "none"]


def test_who_sits_down_anew_starts_without_an_anchor(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = anchored_table([ona, petras])
    leave_seat(table, petras.id, receipt())
    assert Anchor.objects.filter(table_id=table).count() == 1
    sits_down(table, petras)
    deal_due(table)
    committed = of_type(table, events.ShuffleCommitted)[-1]
    flags = {one.player: one.anchored for one in committed.seats}
    assert flags == {str(ona.id): True, str(petras.id): False}


def test_a_cut_that_moves_people_drops_their_anchors(people: list[Person]) -> None:
    table = anchored_table(people, options={"seat_by_cut": True})
    before = {place.player: place.seat for place in selectors.see_now(table).table.places}
    deal_due(table)
    (cut,) = of_type(table, events.DealerCut)
    (committed,) = of_type(table, events.ShuffleCommitted)
    stayed = {one.player for one in cut.seating if before[one.player] == one.seat}
    assert {one.player for one in committed.seats if one.anchored} == stayed


# --- ways out of the window -----------------------------------------------------------------------


def aborted(table: UUID) -> events.ShuffleAborted:
    found: events.ShuffleAborted = of_type(table, events.ShuffleAborted)[-1]
    committed = next(
        one for one in of_type(table, events.ShuffleCommitted) if one.hand == found.hand
    )
    seed = bytes.fromhex(found.server_seed)
    assert fair.commit(UUID(found.hand).bytes, seed).hex() == committed.commit
    assert not DealerSecret.objects.filter(hand=found.hand).exists()
    return found


def test_who_leaves_in_the_window_ends_it_and_nobody_is_blamed(people: list[Person]) -> None:
    ona, petras, rasa = people
    table = anchored_table(people)
    deal_due(table)
    gives(table, ona, ONA.seed(1))
    assert leave_seat(table, petras.id, receipt()).result["status"] == "left"
    assert (aborted(table).reason, aborted(table).missing) == ("seat_lost", ())
    row = selectors.live_row(table)
    assert (row.status, row.due) == ("open", "deal")
    assert not of_type(table, events.HandDealt)
    deal_due(table)  # the link that was shown is used up
    with refused("bad_seed"):
        gives(table, ona, ONA.seed(1))
    gives(table, ona, ONA.seed(2))
    gives(table, rasa, RASA.seed(1))
    dealt = of_type(table, events.HandDealt)[-1]
    assert (dealt.hand_no, len(dealt.players)) == (1, 2)


def test_who_is_not_committed_to_may_leave_without_ending_it(people: list[Person]) -> None:
    ona, petras, rasa = people
    table = anchored_table([ona, petras])
    deal_due(table)
    sits_down(table, rasa)
    leave_seat(table, rasa.id, receipt())
    assert selectors.live_row(table).status == "sealing"
    assert not of_type(table, events.ShuffleAborted)
    time_is_up(table)


def test_closing_ends_the_window(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = anchored_table([ona, petras])
    deal_due(table)
    assert close_table(table, ona, receipt()).result["status"] == "closed"
    assert aborted(table).reason == "table_paused"
    assert types_of(table)[-1] == "TableClosed"
    assert (selectors.live_row(table).due, DealerSecret.objects.count()) == (None, 0)


def test_who_joins_in_the_window_waits_for_the_next_hand(people: list[Person]) -> None:
    ona, petras, rasa = people
    table = anchored_table([ona, petras])
    deal_due(table)
    sits_down(table, rasa)
    time_is_up(table)
    dealt = of_type(table, events.HandDealt)[-1]
    assert [(one.player, one.reason) for one in dealt.away] == [(str(rasa.id), "joining")]
    play_out(table)
    deal_due(table)
    assert len(of_type(table, events.ShuffleCommitted)[-1].seats) == 3


def test_who_asks_to_sit_out_in_the_window_plays_this_hand_and_not_the_next(
    people: list[Person],
) -> None:
    ona, petras, rasa = people
    table = anchored_table(people)
    deal_due(table)
    sit_out(table, rasa.id, receipt())
    assert sit_out(table, rasa.id, receipt()).first_version is None
    time_is_up(table)
    assert len(of_type(table, events.HandDealt)[-1].players) == 3
    play_out(table)
    deal_due(table)
    assert {one.player for one in of_type(table, events.ShuffleCommitted)[-1].seats} == {
        str(ona.id),
        str(petras.id),
    }
    sit_back_in(table, rasa.id, receipt())
    time_is_up(table)
    assert [one.reason for one in of_type(table, events.HandDealt)[-1].away] == ["joining"]
    assert sit_back_in(table, rasa.id, receipt()).first_version is None


# --- strict ---------------------------------------------------------------------------------------


def test_strict_deals_in_anchored_people_alone_and_bots(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = table_of([ona, petras], fairness="strict")
    bots.add_bot(table, "greedy-1", seat=None, creator=ona, receipt=receipt())
    anchors(table, ona, ONA)
    deal_due(table)
    committed = of_type(table, events.ShuffleCommitted)[-1]
    assert {(one.player, one.bot is None) for one in committed.seats} > {(str(ona.id), True)}
    assert str(petras.id) not in {one.player for one in committed.seats}
    assert [(one.player, one.reason) for one in of_type(table, events.SatOut)] == [
        (str(petras.id), "silent")
    ]
    with refused("anchor_required"):
        sit_back_in(table, petras.id, receipt())
    anchors(table, petras, PETRAS)
    place = selectors.see_now(table).table.seat_of(str(petras.id))
    assert place is not None
    assert place.sat_out is None
    gives(table, ona, ONA.seed(1))
    assert of_type(table, events.HandDealt)


def test_a_strict_table_without_anchors_rests_until_somebody_fixes_seeds(
    people: list[Person],
) -> None:
    ona, petras = people[:2]
    table = table_of([ona, petras], fairness="strict")
    deal_due(table)
    assert types_of(table)[-2:] == ["SatOut", "SatOut"]
    assert selectors.live_row(table).due is None
    anchors(table, ona, ONA)
    anchors(table, petras, PETRAS)
    assert selectors.live_row(table).due == "deal"
    deal_due(table)
    assert selectors.live_row(table).status == "sealing"


def test_a_silent_seat_at_a_strict_table_sits_out_and_the_others_go_on(
    people: list[Person],
) -> None:
    ona, petras, rasa = people
    table = anchored_table(people, fairness="strict")
    deal_due(table)
    first = hand_at(table)
    gives(table, ona, ONA.seed(1))
    gives(table, petras, PETRAS.seed(1))
    version = selectors.live_row(table).version
    time_is_up(table)
    assert types_of(table, version) == ["ShuffleAborted", "SatOut", "ShuffleCommitted"]
    silent = selectors.see_now(table).table.seat_of(str(rasa.id))
    assert silent is not None
    assert (aborted(table).reason, aborted(table).missing) == ("silent_seat", (silent.seat,))
    assert hand_at(table) != first
    with refused("seed_too_late"):
        gives(table, rasa, RASA.seed(1), first)
    with refused("bad_seed"):
        gives(table, ona, ONA.seed(1))
    gives(table, ona, ONA.seed(2))
    gives(table, petras, PETRAS.seed(2))
    dealt = of_type(table, events.HandDealt)[-1]
    assert (dealt.hand_no, len(dealt.players)) == (1, 2)
    play_out(table)
    sit_back_in(table, rasa.id, receipt())  # once is no reason to fix seeds anew
    deal_due(table)
    assert len(of_type(table, events.ShuffleCommitted)[-1].seats) == 3


def test_two_silent_aborts_cost_the_anchor(people: list[Person]) -> None:
    ona, petras, rasa = people
    table = anchored_table(people, fairness="strict")
    for number in (1, 3):
        deal_due(table)
        for link in (number, number + 1):  # the second one for the hand without Rasa
            gives(table, ona, ONA.seed(link))
            gives(table, petras, PETRAS.seed(link))
            if link == number:
                time_is_up(table)
        play_out(table)
        if number == 1:
            sit_back_in(table, rasa.id, receipt())
    with refused("anchor_required"):
        sit_back_in(table, rasa.id, receipt())
    anchors(table, rasa, Links("rasa again"))
    place = selectors.see_now(table).table.seat_of(str(rasa.id))
    assert place is not None
    assert place.sat_out is None


def test_with_one_seat_left_a_strict_table_rests(people: list[Person]) -> None:
    ona, petras = people[:2]
    table = anchored_table([ona, petras], fairness="strict")
    deal_due(table)
    gives(table, ona, ONA.seed(1))
    time_is_up(table)
    assert types_of(table)[-2:] == ["ShuffleAborted", "SatOut"]
    row = selectors.live_row(table)
    assert (row.status, row.due, DealerSecret.objects.count()) == ("open", None, 0)
    sit_back_in(table, petras.id, receipt())
    deal_due(table)
    gives(table, ona, ONA.seed(2))
    gives(table, petras, PETRAS.seed(1))
    assert of_type(table, events.HandDealt)
