"""What a viewer may not know changes no byte of what he is answered (`api.md` section 5).

`prove no-leak` asks everything of everybody; here its comparison is seen to find what it must.
"""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from rest_framework.request import Request
from rest_framework.response import Response

from games import folds, selectors
from games.api.views import Moves
from games.rules import views
from games.rules.cards import TEXTS
from games.rules.selfplay import SeededNumbers
from games.rules.state import Hand
from games.rules.views import Viewer
from tests.api.callers import Caller, caller
from tonk_site.proving.acting.factories import a_table, sits_down
from tonk_site.proving.acting.play import play, play_out, turn_at
from tonk_site.proving.silence import silent_world
from tonk_site.proving.silence.other_cards import CARD, known_at, other_cards, secret_of

SEATED, STAFF = (1, 3), (7, 8)
"""Numbers of pairs by the callers of `tests.api.world.World`: two seats; auditor and admin."""
Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.slow
@pytest.mark.usefixtures("committed")
def test_E9_staff_learn_no_more_than_anybody() -> None:
    found = silent_world.run("1", STAFF)
    assert found.breaches == []
    assert set(found.seen["viewers"]) == {"auditor", "admin"}
    assert found.seen["accepted"]["table.move"] >= len(STAFF)


def whole_deck(monkeypatch: pytest.MonkeyPatch) -> None:
    """E1: the deck is in every view."""
    true = views._pot

    def leaking(hand: Hand) -> views.Document:
        return true(hand) | {"deck": [TEXTS[card] for card in hand.setup.deck or ()]}

    monkeypatch.setattr(views, "_pot", leaking)


def tag_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """E2: the entity tag is made of the full state."""

    def etag(seen: selectors.Seen) -> str:
        hand = folds.current(seen.row.id, seen.row.hand_version).table.hand
        deck = None if hand is None else hand.setup.deck
        return f'"v{seen.table.version}.{seen.viewer.tag}.{hash(deck)}"'

    monkeypatch.setattr(selectors.Seen, "etag", property(etag))


def all_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    """E4: whoever has a seat sees all hands."""
    true = views._own_hand

    def leaking(hand: Hand, viewer: Viewer) -> views.Document:
        return {"all": [true(hand, Viewer(seat)) for seat in hand.setup.seats if viewer.seat]}

    monkeypatch.setattr(views, "_own_hand", leaking)


@pytest.mark.slow
@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("plant", [whole_deck, tag_of_everything, all_hands])
def test_a_leak_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert {one.what for one in silent_world.run("1", SEATED).breaches} & {
        "the answer differs",
        *(f"an answer shows the card {text}" for text in TEXTS),
    }


def deck_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever moves is answered with the whole deck; all else is as it should be."""
    true = Moves.post

    def leaking(view: Moves, request: Request, table_id: UUID) -> Response:
        answered = true(view, request, table_id)
        hand = selectors.see_now(table_id).table.hand
        deck = () if hand is None else hand.setup.deck or ()
        answered.data["deck"] = [TEXTS[card] for card in deck]
        return answered

    monkeypatch.setattr(Moves, "post", leaking)


@pytest.mark.slow
@pytest.mark.usefixtures("committed")
def test_a_leak_in_what_is_accepted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    deck_in_the_answer(monkeypatch)
    told = {(one.what, one.where) for one in silent_world.run("1", SEATED).breaches}
    assert all("POST /tables/" in where and "/moves {'move': " in where for _, where in told)
    assert "the answer differs" in {what for what, _ in told}
    assert any(what.startswith("an answer shows the card") for what, _ in told)


@pytest.mark.slow
@pytest.mark.usefixtures("committed")
def test_a_leak_in_what_others_read_after_an_act_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where anything has happened, the events show the end of the stock."""
    true = selectors.served_events

    def leaking(table: UUID, *rest: Any, **more: Any) -> Any:
        found, version, more_follow = true(table, *rest, **more)
        hand = selectors.see_now(table).table.hand
        if found and hand is not None:
            found[-1]["last"] = [TEXTS[card] for card in (hand.setup.deck or ())[-4:]]
        return found, version, more_follow

    monkeypatch.setattr(selectors, "served_events", leaking)
    told = silent_world.run("1", SEATED).breaches
    assert any(": events after " in one.where for one in told)


@pytest.mark.django_db
def test_E4_whoever_leaves_a_running_hand_lays_no_hand_open(ona: Caller, petras: Caller) -> None:
    table = a_table(ona.who, options={"initial_tonk_counts": [1]})
    for who in (ona, petras):
        sits_down(table, who.who)
    after = turn_at(table).version - 1  # before it cards were cut for the seats, before all
    for leaver in (petras, ona):
        assert leaver.call("DELETE", f"/tables/{table}/seat").status == 202
        for who in (ona, petras, Caller()):
            state = who.get(f"/tables/{table}/state").document
            news = who.get(f"/tables/{table}/events?after={after}").document
            known = known_at(table, Viewer(state["viewer"].get("seat")))
            shown = set(CARD.findall(json.dumps([state, news])))
            assert shown <= {TEXTS[card] for card in known}


@pytest.mark.django_db
def test_E5_the_next_hand_shows_nothing_of_the_last_one(ona: Caller, petras: Caller) -> None:
    table = a_table(ona.who, options={"initial_tonk_counts": [1]})
    for who in (ona, petras):
        sits_down(table, who.who)
    turn_at(table)
    play_out(table)
    ended = ona.get(f"/tables/{table}/state").document
    assert ended["result"]["held"]
    turn_at(table)
    for who in (ona, petras, Caller()):
        state = who.get(f"/tables/{table}/state").document
        assert (state["hand_no"], "result" in state) == (ended["hand_no"] + 1, False)
        seat = Viewer(state["viewer"].get("seat"))
        known = {TEXTS[card] for card in known_at(table, seat)}
        assert set(CARD.findall(json.dumps(state))) <= known
        assert "server_seed" not in state["fair"]


@pytest.mark.slow
@pytest.mark.django_db
def test_E8_a_hand_is_open_to_all_from_its_end_and_to_nobody_before(
    ona: Caller, petras: Caller
) -> None:
    """The policy of `docs/guides/check-a-hand.md`: at a cash table as in a tournament."""
    table = a_table(ona.who, options={"initial_tonk_counts": [1]})
    for who in (ona, petras):
        sits_down(table, who.who)
    turn_at(table)
    hand = secret_of(table).dealt.hand
    path = f"/hands/{hand}.tonkh"
    for who in (caller("zigmas"), caller("auste", "auditor"), Caller()):
        assert who.get(path).code == "no_reveal_yet"
    cards = {TEXTS[card] for card in secret_of(table).cards}
    play_out(table)
    for who in (caller("greta"), ona, Caller()):
        assert cards <= set(CARD.findall(who.get(path).content.decode()))


@pytest.mark.django_db
def test_what_is_stored_of_requests_holds_no_card(ona: Caller, petras: Caller) -> None:
    table = a_table(ona.who)
    for who in (ona, petras):
        sits_down(table, who.who)
    for _ in range(4):
        turn = turn_at(table)
        mover = ona if turn.player == ona.who.id else petras
        body = {"move": turn.legal[0]["move"], "version": turn.version}
        assert mover.post(f"/tables/{table}/moves", body).status == 200
    with connection.cursor() as cursor:
        cursor.execute("SELECT result::text FROM eventstore_command_receipt")
        texts = [text for (text,) in cursor.fetchall()]
    assert len(texts) >= 4
    assert [text for text in texts if CARD.search(text)] == []


@pytest.mark.django_db
def test_who_has_no_seat_sees_a_running_hand_late(ona: Caller, petras: Caller) -> None:
    table = a_table(ona.who, spectator_delay_s=60)
    for who in (ona, petras):
        sits_down(table, who.who)
    path, late = f"/tables/{table}", caller("zigmas")
    turn = turn_at(table)
    before = [late.get(f"{path}{end}").content for end in ("/state", "/events", "")]
    play(table, turn)
    for who in (late, Caller()):
        assert [who.get(f"{path}{end}").content for end in ("/state", "/events", "")] == before
    assert ona.get(f"{path}/state").document["version"] > turn.version
    assert ona.get(f"{path}/events").document["version"] > turn.version
    seen = json.loads(before[0])
    assert (seen["status"], seen.get("hand_id")) == ("open", None)
    assert b"HandDealt" not in before[1]
    # Whoever acts on the newest that he may see is not late.
    taken = late.post(f"{path}/seat", {"buy_in": 500, "version": seen["version"]})
    assert taken.status == 201
    assert taken.document["version"] > turn.version


@pytest.mark.django_db
def test_the_other_deck_is_another_one(ona: Caller, petras: Caller) -> None:
    """The comparison can fail: the one who holds the cards sees the difference."""
    table = a_table(ona.who)
    for who in (ona, petras):
        sits_down(table, who.who)
    turn = turn_at(table)
    secret = secret_of(table)
    with other_cards(secret, known_at(table, Viewer()), SeededNumbers("1")):
        assert selectors.state_document(selectors.see(table, turn.player)) != turn.state
        assert sorted(secret_of(table).cards) == sorted(secret.cards)
    assert selectors.state_document(selectors.see(table, turn.player)) == turn.state
