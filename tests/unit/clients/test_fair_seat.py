"""A seat in the fair deal against a server that keeps its word."""

from __future__ import annotations

import stat
from typing import Any

import pytest

from clients.python.tonk_client import DealNotFair, Problem, Tonk
from tests.unit.clients.croupier import ME, OTHER, TABLE, Croupier, Refusal
from tests.unit.clients.seated import ANCHORED, GIVEN, Play, caught, plays_a_hand, with_data


def test_hands_are_played_with_seeds_of_both(play: Play) -> None:
    for number in range(1, 4):
        play.hand()
        assert play.seat.seeds_given == (2, 2)
        assert len(play.seeds()) == number
    asked = play.croupier.requests
    assert asked.count(ANCHORED) == 1
    assert asked.count(GIVEN) == 3
    assert sum("/verify" in one for one in asked) == 3


def test_every_kind_of_play_is_followed(play: Play) -> None:
    play.deal()
    croupier = play.croupier
    croupier.take_discard(1)
    play.look()
    croupier.lay(1, [0, 2, 10])
    croupier.discard(1, 4)
    play.look()
    croupier.slap(2, 1)
    croupier.draw(2)
    croupier.hit(2, 3)
    croupier.discard(2, 5)
    play.look()
    while croupier.deal.stock < 52:
        croupier.turn(1 if croupier.deal.stock % 2 else 2)
        play.look()
    croupier.reshuffle()
    croupier.turn(1)
    play.look()
    croupier.turn(2)
    croupier.end()
    play.look()
    assert play.kept["hand"] is None


def test_each_own_and_public_card_is_opened(play: Play) -> None:
    play.deal()
    play.turns()
    asked = play.croupier.requests
    opened = {int(one.rsplit("/", 1)[1]) for one in asked if "/hands/" in one and "/cards/" in one}
    assert opened == {10, 1, 3}  # the upcard and the opponent's discards; mine were mine before
    assert asked.count(f"GET /tables/{TABLE}/cards") == 3  # after the deal and two draws


def test_the_files_are_the_owners_alone(play: Play) -> None:
    play.hand()
    files = [path for path in play.croupier.folder.rglob("*") if path.is_file()]
    assert {path.name for path in files} == {f"{TABLE}-{ME}.json", f"log-{ME}.json"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    folder = stat.S_IMODE(files[0].parent.stat().st_mode)
    assert folder == 0o700


@pytest.mark.parametrize("when", ["anchored", "committed", "given", "dealt", "played", "ended"])
def test_a_client_that_starts_anew_goes_on(play: Play, when: str) -> None:
    croupier = play.croupier

    def reached(stage: str) -> None:
        if stage == when:
            play.start()

    for _ in range(2):
        reached("anchored")
        croupier.commit()
        reached("committed")
        play.look()
        reached("given")
        croupier.hand_out()
        reached("dealt")
        play.look()
        play.turns()
        reached("played")
        croupier.end()
        reached("ended")
        play.look()
    assert len(play.seeds()) == 2
    assert croupier.requests.count(ANCHORED) == 1


def test_an_anchor_that_is_used_up_is_replaced(croupier: Croupier) -> None:
    play = Play(croupier, length=2)
    play.look()
    for _ in range(5):
        play.hand()
    assert len(set(play.seeds())) == 5
    assert croupier.requests.count(ANCHORED) == 3


def test_a_lost_answer_is_asked_for_again(play: Play) -> None:
    croupier = play.croupier
    croupier.commit()
    croupier.refusals[f"/tables/{TABLE}/seeds"] = Refusal(500, "internal")
    with pytest.raises(Problem):
        play.look()
    croupier.refusals.clear()
    play.start()
    play.look()
    croupier.hand_out()
    play.look()
    assert len(play.seeds()) == 1
    assert play.kept["chain"]["index"] == 1


def test_a_seed_that_came_too_late_is_burnt_with_its_chain(play: Play) -> None:
    croupier = play.croupier
    croupier.commit()
    croupier.refusals[f"/tables/{TABLE}/seeds"] = Refusal(409, "seed_too_late")
    play.look()
    croupier.refusals.clear()
    burnt = play.kept["chain"]["anchor"]
    croupier.hand_out()
    play.look()
    croupier.end()
    play.look()
    play.hand()
    assert play.kept["chain"]["anchor"] != burnt
    assert play.seat.seeds_given == (2, 2)


def test_a_new_chain_gives_no_link_for_a_hand_that_asks_for_the_old_one(play: Play) -> None:
    croupier = play.croupier
    croupier.commit()
    croupier.refusals[f"/tables/{TABLE}/seeds"] = Refusal(409, "seed_too_late")
    play.look()
    croupier.refusals.clear()
    croupier.hand_out()
    croupier.end()
    croupier.commit()  # before the client hears that its link was too late
    given = croupier.requests.count(GIVEN)
    for _ in range(3):
        play.look()
    assert croupier.requests.count(GIVEN) == given
    croupier.hand_out()
    croupier.end()
    play.hand()
    assert play.seeds()


def test_an_abort_uses_the_link_up(play: Play) -> None:
    croupier = play.croupier
    croupier.commit()
    play.look()
    croupier.abort()
    play.look()
    play.hand()
    assert len(set(play.seeds())) == 2
    assert croupier.requests.count(ANCHORED) == 1


def test_a_rest_for_silence_calls_for_a_new_anchor(play: Play) -> None:
    croupier = play.croupier
    croupier.commit()
    croupier.abort([1])
    croupier.append("SatOut", {"seat": 1, "player": ME, "reason": "silent"})
    del croupier.anchors[ME]
    play.look()
    play.look()
    play.hand()
    assert croupier.requests.count(ANCHORED) == 2


def test_a_seat_that_the_cut_moves_is_anchored_anew(play: Play) -> None:
    croupier = play.croupier
    swapped = [{"seat": 2, "player": ME}, {"seat": 1, "player": OTHER}]
    croupier.append("DealerCut", {"seating": swapped})
    play.look()
    assert croupier.requests.count(ANCHORED) == 2
    assert play.kept["seat"] == 2


def test_who_has_left_gives_no_seed(play: Play) -> None:
    croupier = play.croupier
    croupier.append("SeatLeft", {"seat": 1, "player": ME, "reason": "asked"})
    croupier.is_seated = False
    play.look()
    croupier.commit(seats=[{"seat": 2, "player": OTHER, "bot": None, "anchored": True}])
    play.look()
    assert croupier.requests.count(GIVEN) == 0


def test_a_seat_that_is_gone_is_no_fault(croupier: Croupier) -> None:
    croupier.refusals[f"/tables/{TABLE}/anchor"] = Refusal(403, "not_seated")
    play = Play(croupier)
    play.look()
    assert play.kept["fresh"] is not None


def test_a_hand_whose_key_was_lost_is_over(play: Play) -> None:
    play.deal()
    play.croupier.void("dealer_key_lost", reveals=False)
    play.look()
    play.hand()


def test_a_commitment_whose_key_was_lost_uses_the_link_up(play: Play) -> None:
    play.croupier.commit()
    play.look()
    play.croupier.void("dealer_key_lost", reveals=False)
    play.look()
    play.hand()
    assert len(set(play.seeds())) == 2
    assert play.kept["chain"]["index"] == 2


def test_a_voided_hand_is_checked_too(play: Play) -> None:
    play.deal()
    play.croupier.void("outage", reveals=True)
    play.look()
    assert any("/verify" in one for one in play.croupier.requests)


def test_a_long_history_is_read_by_pages(play: Play) -> None:
    for _ in range(1_200):
        play.croupier.append("TablePaused", {"reason": "asked"})
    play.hand()
    assert play.seat.seeds_given == (2, 2)


def test_a_proof_may_come_later_than_the_next_hand(play: Play) -> None:
    play.hand()
    hand = play.croupier.deal.id
    play.croupier.refusals[f"/hands/{hand}/verify"] = Refusal(404, "not_found")
    play.croupier.deal.is_over = True
    play.hand()
    late = play.croupier.deal.id
    play.croupier.refusals = {f"/hands/{late}/verify": Refusal(404, "not_found")}
    play.hand()
    play.croupier.refusals = {}
    play.hand()
    asked = [one for one in play.croupier.requests if one.endswith("/verify")]
    assert len(set(asked)) == 4
    assert play.kept["over"] == []


def unsealed(found: Any) -> Any:
    return {"hand_id": found["hand_id"], "records": found["records"]}


def test_the_last_hand_is_waited_for(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    def signed_meanwhile(_: Tonk, seconds: float) -> None:
        pauses.append(seconds)
        play.croupier.lies.clear()

    monkeypatch.setattr(Tonk, "pause", signed_meanwhile)
    play.croupier.lie("/verify", unsealed)
    play.hand()
    assert len(play.kept["over"]) == 1
    play.seat.finish()
    assert play.kept["over"] == []
    assert len(pauses) == 1


def test_the_last_hand_is_not_waited_for_endlessly(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(Tonk, "pause", lambda _, seconds: pauses.append(seconds))
    play.croupier.lie("/verify", unsealed)
    play.hand()
    play.seat.finish()
    assert len(play.kept["over"]) == 1
    assert len(pauses) == 10


def test_a_server_that_never_proves_a_hand_is_caught(croupier: Croupier) -> None:
    play = Play(croupier, length=64)
    play.look()
    croupier.lie("/verify", unsealed)
    for _ in range(16):
        play.hand()
    assert caught(play, plays_a_hand).check == "unproved"


def test_a_hand_that_ends_while_its_cards_are_asked_for(play: Play) -> None:
    croupier = play.croupier
    croupier.commit()
    play.look()
    croupier.hand_out()
    hand = croupier.deal.id
    croupier.refusals[f"/hands/{hand}/cards/10"] = Refusal(404, "not_found")

    def ends(found: Any) -> Any:
        if not croupier.deal.is_over:
            croupier.end()
        return found

    croupier.lie(f"/tables/{TABLE}/cards", ends)
    play.look()
    assert play.kept["hand"] is None


def test_hands_that_run_when_a_client_comes_are_let_be(croupier: Croupier) -> None:
    croupier.anchor_other()
    croupier.commit()
    croupier.hand_out()
    play = Play(croupier)
    play.look()
    play.turns()
    croupier.end()
    play.look()
    play.hand()
    assert play.seat.seeds_given == (2, 2)


def plays_by_itself(croupier: Croupier, *, fair: bool) -> None:
    """A hand by `play`: committed to, dealt, a card drawn, over; then the seat is gone."""

    def my_turn() -> None:
        croupier.may_move = True

    def over() -> None:
        croupier.end()
        croupier.is_seated = False

    croupier.acts = [lambda: None, croupier.commit, croupier.hand_out, my_turn, over]
    with croupier.tonk() as tonk:
        tonk.play(TABLE, lambda state: str(state["legal"][0]["move"]), fair=fair)


def test_whoever_plays_takes_part(croupier: Croupier) -> None:
    plays_by_itself(croupier, fair=True)
    assert [croupier.requests.count(one) for one in (ANCHORED, GIVEN)] == [1, 1]
    assert sum("/verify" in one for one in croupier.requests) == 1


def test_whoever_will_not_is_let_be(croupier: Croupier) -> None:
    plays_by_itself(croupier, fair=False)
    assert {one.rsplit("/", 1)[1] for one in croupier.requests} == {"state", "moves"}
    assert list(croupier.folder.iterdir()) == []


def test_play_stops_at_a_deal_that_is_not_fair(croupier: Croupier) -> None:
    croupier.forge("HandDealt", with_data(transcript="22" * 32))
    with pytest.raises(DealNotFair, match="transcript"):
        plays_by_itself(croupier, fair=True)
    assert f"POST /tables/{TABLE}/moves" not in croupier.requests
