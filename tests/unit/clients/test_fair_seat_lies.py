"""A seat in the fair deal against a server that does not keep its word."""

from __future__ import annotations

import json
import stat
from base64 import b64decode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from clients.python.tonk_client import FairSeat
from tests.unit.clients.croupier import ME, OTHER, TABLE, Croupier, Refusal
from tests.unit.clients.seated import GIVEN, Play, caught, deals, plays_a_hand, with_data


def swapped_seats(data: Any) -> Any:
    one, two = data["seats"]
    return {**data, "seats": [{**one, "player": OTHER}, {**two, "player": ME}]}


def unasked(data: Any) -> Any:
    one, two = data["seats"]
    return {**data, "seats": [{**one, "anchored": False}, two]}


def silenced(data: Any) -> Any:
    one, two = data["players"]
    return {**data, "players": [{**one, "seed": "missing"}, two]}


def silenced_other(data: Any) -> Any:
    one, two = data["players"]
    return {**data, "players": [one, {**two, "seed": "missing"}]}


def without_first(page: Any) -> Any:
    return {**page, "events": page["events"][1:]}


def other_seed(data: Any) -> Any:
    return {**data, "seed": "11" * 32} if data["player"] == OTHER else data


def my_other_seed(data: Any) -> Any:
    return {**data, "seed": "11" * 32} if data["player"] == ME else data


BEFORE_THE_DEAL: dict[str, tuple[str, Any]] = {
    "own_seat": ("ShuffleCommitted", swapped_seats),
    "anchor_ignored": ("ShuffleCommitted", unasked),
    "seed_link": ("SeedRevealed", other_seed),
}
AT_THE_DEAL: dict[str, tuple[str, str, Any]] = {
    "own seed changed": ("own_seed", "SeedRevealed", my_other_seed),
    "own seed called missing": ("own_seed", "HandDealt", silenced),
    "other seed called missing": ("seed_state", "HandDealt", silenced_other),
    "transcript": ("transcript", "HandDealt", with_data(transcript="22" * 32)),
    "other commitment": ("dealt_otherwise", "HandDealt", with_data(commit="33" * 32)),
    "other dealer": ("dealt_otherwise", "HandDealt", with_data(dealer=1)),
    "other pack": ("dealt_otherwise", "HandDealt", with_data(deck_spec="std40/1")),
    "beacon out of nowhere": ("beacon", "HandDealt", with_data(beacon="44" * 32)),
    "upcard from below": ("place", "HandDealt", with_data(upcard={"card": "AC", "place": 11})),
    "facts that are none": ("unreadable", "HandDealt", lambda data: {"hand": data["hand"]}),
}


@pytest.mark.parametrize("check", BEFORE_THE_DEAL)
def test_no_seed_is_given_where_the_commitment_is_wrong(play: Play, check: str) -> None:
    play.croupier.forge(*BEFORE_THE_DEAL[check])
    assert caught(play, deals).check == check
    assert play.croupier.requests.count(GIVEN) == 0


@pytest.mark.parametrize("lie", AT_THE_DEAL)
def test_a_deal_that_is_not_as_sealed_is_named(play: Play, lie: str) -> None:
    check, kind, change = AT_THE_DEAL[lie]
    play.croupier.forge(kind, change)
    assert caught(play, deals).check == check


def test_a_hand_is_committed_to_once(play: Play) -> None:
    play.hand()
    again = play.croupier.events[play.croupier.deal.first - 1]["data"]
    play.croupier.append("ShuffleCommitted", again)
    assert caught(play, Play.look).check == "commitment_seen"


def test_a_commitment_serves_one_hand(play: Play) -> None:
    play.hand()
    again = play.croupier.deal.commit
    assert caught(play, lambda play: once(play, commit=again)).check == "commitment_seen"


def once(play: Play, **changes: Any) -> None:
    play.croupier.commit(**changes)
    play.look()


def test_one_commitment_is_open_at_a_time(play: Play) -> None:
    play.deal()
    assert caught(play, once).check == "commitment_open"


def test_events_that_change_afterwards_are_noticed(play: Play) -> None:
    play.croupier.commit()
    play.look()
    play.croupier.forge("ShuffleCommitted", with_data(dealer=1))
    assert caught(play, Play.look).check == "event_changed"


def test_an_event_that_is_left_out_is_noticed(play: Play) -> None:
    play.croupier.commit()
    play.croupier.lie("/events", without_first)
    assert caught(play, Play.look).check == "gap"


def test_a_seed_that_was_taken_must_be_in_the_deal(play: Play) -> None:
    croupier = play.croupier
    croupier.drops_seeds = True
    assert caught(play, deals).check == "own_seed"


def test_a_seed_that_was_taken_must_be_in_the_log_of_an_abort(play: Play) -> None:
    croupier = play.croupier
    croupier.drops_seeds = True
    croupier.commit()
    play.look()
    croupier.abort([1])
    assert caught(play, Play.look).check == "own_seed"


def test_an_anchor_that_is_not_mine_is_refused(play: Play) -> None:
    data = {"seat": 1, "player": ME, "anchor": "55" * 32, "length": 4}
    play.croupier.append("SeedAnchored", data)
    assert caught(play, Play.look).check == "foreign_anchor"


def test_a_server_that_refuses_the_next_link_is_not_trusted(play: Play) -> None:
    play.croupier.refusals[f"/tables/{TABLE}/seeds"] = Refusal(422, "bad_seed")
    assert caught(play, deals).check == "seed_refused"


@pytest.mark.parametrize(
    ("check", "abort"),
    [("abort", {"missing": [1]}), ("commit", {"server_seed": "66" * 32})],
)
def test_an_abort_must_be_true(play: Play, check: str, abort: Any) -> None:
    play.croupier.commit()
    play.look()
    play.croupier.abort(**abort)
    assert caught(play, Play.look).check == check


def test_a_strict_hand_is_not_dealt_without_a_seed(play: Play) -> None:
    croupier = play.croupier
    croupier.commit(fairness="strict")
    croupier.refusals[f"/tables/{TABLE}/seeds"] = Refusal(409, "seed_too_late")
    play.look()
    croupier.hand_out()
    croupier.forge("HandDealt", with_data(fairness="strict"))
    assert caught(play, Play.look).check == "seed_state"


OPENINGS: dict[str, Any] = {
    "salt": "77" * 32,
    "path": [],
    "card": "AC",
    "root": "88" * 32,
    "size": 40,
    "hand": TABLE,
}


@pytest.mark.parametrize("member", OPENINGS)
def test_a_public_card_that_is_not_in_the_deck(play: Play, member: str) -> None:
    def lied(found: Any) -> Any:
        other = "2C" if member == "card" and found["card"] == "AC" else OPENINGS[member]
        return found | {member: other}

    play.croupier.lie("/cards/", lied)
    assert caught(play, deals).check == "opening"


def test_another_card_opened_than_asked_for(play: Play) -> None:
    def next_one(_: Any) -> Any:
        return play.croupier.opening(play.croupier.deal.id, 12)

    play.croupier.lie("/cards/", next_one)
    assert caught(play, deals).check == "opening"


def test_a_public_card_that_is_not_opened(play: Play) -> None:
    play.croupier.commit()
    play.look()
    play.croupier.hand_out()
    hand = play.croupier.deal.id
    play.croupier.refusals[f"/hands/{hand}/cards/10"] = Refusal(404, "not_found")
    assert caught(play, Play.look).check == "opening"


def test_an_own_card_that_is_not_in_the_deck(play: Play) -> None:
    def changed(found: Any) -> Any:
        first, *rest = found["openings"]
        return {**found, "openings": [{**first, "salt": "99" * 32}, *rest]}

    play.croupier.lie(f"/tables/{TABLE}/cards", changed)
    assert caught(play, deals).check == "opening"


def test_own_cards_that_are_not_opened(play: Play) -> None:
    play.croupier.lie(f"/tables/{TABLE}/cards", lambda found: {**found, "openings": []})
    assert caught(play, deals).check == "own_cards"


def test_a_state_that_shows_other_cards(play: Play) -> None:
    play.deal()
    found = caught(play, lambda play: play.look(cards=["AC", "2C", "3C", "4C", "5C"]))
    assert found.check == "own_cards"


def test_a_card_drawn_that_opens_as_another(play: Play) -> None:
    play.deal()
    play.croupier.draw(1)
    play.croupier.forge("CardDrawn", with_data(card="X1"))
    assert caught(play, Play.look).check == "card"


@pytest.mark.parametrize(
    ("check", "act"),
    [
        ("place_taken_twice", lambda croupier: croupier.draw(2, 3)),
        ("stock_order", lambda croupier: croupier.draw(2, 20)),
        ("not_held", lambda croupier: croupier.append(
            "CardDiscarded", {"seat": 2, "card": croupier.deal.card(0), "place": 0}
        )),
        ("place", lambda croupier: croupier.append(
            "CardDrawn", {"seat": 2, "source": "discard", "place": 4, "card": "AC"}
        )),
        ("place", lambda croupier: croupier.append(
            "CardSlapped", {"seat": 2, "meld": "m1", "card": "AC", "place": 4, "shed": None}
        )),
        ("reshuffle", lambda croupier: croupier.append(
            "PileReshuffled",
            {"hand": croupier.deal.id, "shuffle_no": 1, "places": [], "root": "11" * 32},
        )),
        ("reshuffle", lambda croupier: croupier.append(
            "PileReshuffled",
            {"hand": croupier.deal.id, "shuffle_no": 2, "places": [], "root": "11" * 32},
        )),
        ("commit", lambda croupier: croupier.void("outage", reveals=False)),
    ],
    ids=["twice", "order", "not held", "discard", "slap", "early", "number", "kept seed"],
)  # fmt: skip
def test_a_course_of_play_that_can_not_be(play: Play, check: str, act: Any) -> None:
    play.deal()
    act(play.croupier)
    assert caught(play, Play.look).check == check


def test_hands_at_the_end_are_those_that_were_dealt(play: Play) -> None:
    play.deal()
    play.croupier.deal.held = {1: play.croupier.deal.held[2], 2: play.croupier.deal.held[1]}
    play.croupier.end()
    assert caught(play, Play.look).check == "place"


def test_a_deck_that_is_not_of_the_seeds(play: Play) -> None:
    """The cards are consistent among themselves, and sealed; but another deck was meant."""
    croupier = play.croupier
    croupier.commit()
    play.look()
    meant = croupier.deal.server_seed
    croupier.deal.server_seed = bytes(32)
    croupier.hand_out()
    croupier.deal.server_seed = meant
    play.look()
    play.turns()
    croupier.end()
    assert caught(play, Play.look).check == "deck_root"


def test_a_reshuffle_that_is_not_of_the_seeds(play: Play) -> None:
    play.deal()
    croupier = play.croupier
    while croupier.deal.stock < 52:
        croupier.turn(1 if croupier.deal.stock % 2 else 2)
    croupier.deal.key = bytes(32)
    croupier.reshuffle()
    play.look()
    croupier.end()
    assert caught(play, Play.look).check == "deck_root"


def test_another_seed_of_the_server_at_the_end(play: Play) -> None:
    play.croupier.forge("HandRevealed", with_data(server_seed="bb" * 32))
    assert caught(play, plays_a_hand).check == "commit"


def test_a_card_of_the_end_that_was_never_opened(play: Play) -> None:
    def changed(data: Any) -> Any:
        held = [{**one, "cards": ["X2", *one["cards"][1:]]} for one in data["held"]]
        return {**data, "held": [data["held"][0], held[1]]}

    play.croupier.forge("HandEnded", changed)
    assert caught(play, plays_a_hand).check == "card"


RECORDS: dict[str, Any] = {
    "one fewer": lambda records: records[:-1],
    "one changed": lambda records: [*records[:-1], records[-1].replace('"v":', '"v": ')],
    "two swapped": lambda records: [records[1], records[0], *records[2:]],
}


@pytest.mark.parametrize("lie", RECORDS)
def test_records_that_are_not_what_was_seen(play: Play, lie: str) -> None:
    change = RECORDS[lie]
    play.croupier.lie("/verify", lambda found: {**found, "records": change(found["records"])})
    assert caught(play, plays_a_hand).check == "records"


@pytest.mark.parametrize("member", ["type", "data", "at"])
def test_events_that_are_not_what_was_recorded(play: Play, member: str) -> None:
    """An event that moves no card is served otherwise than it was written, under the same hash."""
    changed = {"type": "TableResumed", "data": {"reason": "outage"}, "at": "2026-12-05T00:00:00Z"}

    def forged(page: Any) -> Any:
        events = [
            {**one, member: changed[member]} if one["type"] == "TablePaused" else one
            for one in page["events"]
        ]
        return {**page, "events": events}

    play.croupier.lie("/events", forged)
    play.deal()
    play.croupier.append("TablePaused", {"reason": "asked"})
    play.croupier.end()
    assert caught(play, Play.look).check == "records"


def test_a_record_off_the_chain(play: Play) -> None:
    play.deal()
    hash_, play.croupier.events[-1]["hash"] = play.croupier.events[-1]["hash"], "cc" * 32
    play.croupier.append("TablePaused", {"reason": "asked"})
    play.croupier.events[-2]["hash"] = hash_
    play.croupier.end()
    assert caught(play, Play.look).check == "records"


# --- The log --------------------------------------------------------------------------------------


def test_a_record_that_is_in_no_log(play: Play) -> None:
    def changed(found: Any) -> Any:
        inclusion = found["inclusion"]
        return {**found, "inclusion": {**inclusion, "path": inclusion["path"][::-1]}}

    play.croupier.lie("/verify", changed)
    assert caught(play, plays_a_hand).check == "inclusion"


def test_a_note_of_another_key(play: Play) -> None:
    play.hand()
    play.croupier.signers = [Ed25519PrivateKey.from_private_bytes(bytes([8]) * 32)]
    assert caught(play, plays_a_hand).check == "log_key"


def test_a_log_that_does_not_continue_the_last_one(play: Play) -> None:
    play.hand()
    croupier = play.croupier
    first = croupier.events[0]
    play.deal()
    croupier.events[0] = {**first, "hash": "dd" * 32}
    croupier.end()
    assert caught(play, Play.look).check == "log_fork"


def test_two_roots_of_one_size(play: Play) -> None:
    play.deal()
    croupier = play.croupier
    croupier.end()
    play.seat.told({"size": croupier.version, "root": "ee" * 32})
    assert caught(play, Play.look).check == "log_fork"


def test_the_checkpoints_of_moves_are_held_against_the_notes(play: Play) -> None:
    play.deal()
    croupier = play.croupier
    size = croupier.version
    play.seat.told({"size": size, "root": root_at(croupier, size)})
    play.seat.told(None)
    croupier.end()
    play.look()
    proofs = [one for one in croupier.requests if one.endswith("/log/proofs/consistency")]
    assert len(proofs) == 1


def root_at(croupier: Croupier, size: int) -> str:
    return b64decode(croupier.note(size=size).split("\n")[2]).hex()


def test_a_new_key_is_trusted_once_the_old_one_has_signed_beside_it(play: Play) -> None:
    play.hand()
    croupier = play.croupier
    old, new = croupier.signers[0], Ed25519PrivateKey.from_private_bytes(bytes([9]) * 32)
    croupier.signers, croupier.shows_keys = [old, new], [0, 1]
    play.hand()
    croupier.signers, croupier.shows_keys = [new], [0]
    play.start()
    play.hand()
    assert play.seat.seeds_given == (2, 2)


def test_a_key_that_is_only_shown_is_not_trusted(play: Play) -> None:
    play.hand()
    croupier = play.croupier
    new = Ed25519PrivateKey.from_private_bytes(bytes([9]) * 32)
    croupier.signers.append(new)
    croupier.shows_keys, croupier.signs = [0, 1], 1
    play.hand()
    croupier.signers, croupier.shows_keys = [new], [0]
    assert caught(play, plays_a_hand).check == "log_key"


# --- Afterwards -----------------------------------------------------------------------------------


def test_the_evidence_is_kept_and_no_further_seed_is_given(play: Play) -> None:
    play.hand()
    play.croupier.forge("HandDealt", with_data(transcript="22" * 32))
    found = caught(play, deals)
    assert found.evidence is not None
    assert str(found.evidence) in str(found)
    evidence = json.loads(found.evidence.read_text())
    assert (evidence["check"], evidence["player"], evidence["seat"]) == ("transcript", ME, 1)
    assert evidence["shown"]["type"] == "HandDealt"
    kinds = [one["type"] for one in evidence["hands"][-1]["events"]]
    assert kinds == ["ShuffleCommitted", "SeedRevealed", "SeedRevealed", "HandDealt"]
    assert "root" not in evidence["chain"]
    assert stat.S_IMODE(found.evidence.stat().st_mode) == 0o600

    play.croupier.lies.clear()
    given = play.croupier.requests.count(GIVEN)
    for _ in range(2):
        again = caught(play, Play.look)
        assert (again.check, again.evidence) == (found.check, found.evidence)
        play.start()
    assert play.croupier.requests.count(GIVEN) == given


def test_another_table_is_another_matter(croupier: Croupier) -> None:
    with pytest.raises(ValueError, match="badly formed"):
        FairSeat(croupier.tonk(), "../../elsewhere")
