"""The pages as the server gives them: answers, policy, languages, and what a board is made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from django.template.loader import get_template
from django.utils.translation import override

from games import selectors
from tests.api.callers import NOWHERE
from tonk_site.proving.acting.drive import until_rest
from tonk_site.proving.acting.factories import (
    SHORT,
    a_player,
    a_table,
    a_tournament,
    sits_down,
    with_bots,
)
from tonk_site.proving.acting.play import play_out, turn_at
from web.boards import board
from web.words import ENDS, STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from django.test import Client

pytestmark = pytest.mark.django_db
INLINE = re.compile(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=")
SEATS = [
    {"seat": 1, "name": "Ona", "kind": "human", "cards_held": 4, "stack": 500},
    {"seat": 2, "name": "Varna", "kind": "bot", "cards_held": 5, "stack": 90, "sitting_out": "x"},
]
PLAYING: dict[str, Any] = {
    "table_id": "t", "version": 9, "status": "playing", "stake": 10, "hand_no": 2, "dealer": 2,
    "to_act": 1, "discard_top": "TH", "stock_count": 30, "seats": SEATS,
    "melds": [{"meld": "m1", "owner": 2, "kind": "run", "cards": ["7S", "8S", "9S"]}],
}  # fmt: skip
ENDED = PLAYING | {
    "status": "between_hands",
    "result": {
        "end": "caught",
        "by": 1,
        "held": [{"seat": 1, "count": 11, "cards": ["AC", "X1"]}],
        "net": [{"seat": 1, "amount": -40}, {"seat": 2, "amount": 0}],
    },
}


@pytest.fixture
def table() -> UUID:
    """A table where a hand has ended."""
    ona, petras = a_player("ona"), a_player("petras")
    made = a_table(ona)
    sits_down(made, ona)
    sits_down(made, petras)
    turn_at(made)
    play_out(made)
    return made


@pytest.mark.slow
def test_every_page_keeps_to_the_policy(client: Client, table: UUID) -> None:
    at_table = (f"/tables/{table}{part}" for part in ("", "/board", "/rules"))
    for path in ("/", "/rules", "/rules/house_low", *at_table):
        answer = client.get(path)
        assert answer.status_code == 200
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not INLINE.search(answer.content.decode())


TEMPLATES = ["base", "home", "table", "board", "card", "missing"]
TEMPLATES += ["rules", "preset_rules", "table_rules", "sheet"]


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_template_writes_script_or_style_into_a_page(name: str) -> None:
    source = get_template(f"web/{name}.html").template.source  # type: ignore[attr-defined]  # Django's
    assert not INLINE.search(source)


def test_the_board_is_told_event_by_event(client: Client, table: UUID) -> None:
    newest = selectors.live_row(table).version
    for after in range(newest):
        shown = client.get(f"/tables/{table}/board", {"after": after}).content.decode()
        assert f'data-version="{after + 1}" data-newest="{newest}"' in shown
        state = board_state(table, after + 1)
        assert ('class="count"' in shown) == ("result" in state)


@pytest.mark.slow
@pytest.mark.parametrize("after", ["", "-1", "1.5", "x", "9" * 18, "9" * 40])
def test_what_is_no_version_of_the_table_shows_the_newest(
    client: Client, table: UUID, after: str
) -> None:
    newest = selectors.live_row(table).version
    shown = client.get(f"/tables/{table}/board", {"after": after}).content.decode()
    assert f'data-version="{newest}"' in shown


@pytest.mark.slow
def test_a_table_is_called_by_its_tournament(client: Client, table: UUID) -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_min=3, entries_max=3, **SHORT)
    with_bots(tournament, organiser, 3)
    until_rest(tournament)
    (seat_of,) = selectors.tables_of_tournament(tournament)
    assert "Evening, table 1" in client.get(f"/tables/{seat_of.id}").content.decode()
    assert "Cash table, stake 10 XTK" in client.get(f"/tables/{table}").content.decode()


def board_state(table: UUID, version: int) -> Mapping[str, object]:
    """The state document of a table as of a version, folded from its first event."""
    return selectors.state_document(selectors.as_opened(table, version))


def test_what_is_not_there_is_not_found(client: Client) -> None:
    assert client.get(f"/tables/{NOWHERE}").status_code == 404
    assert client.get(f"/tables/{NOWHERE}/board").status_code == 404
    assert client.get(f"/tables/{NOWHERE}/rules").status_code == 404
    assert client.get("/rules/bridge").status_code == 404
    assert client.post("/").status_code == 405


@pytest.mark.parametrize("path", ["/nowhere", f"/tables/{NOWHERE}"])
def test_a_browser_gets_a_page_for_what_is_not_there(client: Client, path: str) -> None:
    answer = client.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (answer.status_code, answer["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "Nothing is here" in answer.content.decode()
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    program = client.get(path, headers={"Accept": "*/*"})
    assert program["Content-Type"] == "application/problem+json"


@pytest.mark.slow
def test_the_first_page_shows_a_tournament_to_its_prizes(client: Client) -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_min=3, entries_max=3, **SHORT)
    with_bots(tournament, organiser, 3)
    assert "Level 1, stake 10 chips." in client.get("/").content.decode()
    until_rest(tournament)
    shown = client.get("/").content.decode()
    assert "settled" in shown
    assert "<b>3000 XTK</b>" in shown


def test_a_tournament_that_takes_entries_says_what_one_costs(client: Client) -> None:
    organiser = a_player("jonas", "organiser")
    asked: dict[str, Any] = SHORT | {"buy_in": 450, "fee": 50}
    tournament = a_tournament(organiser, entries_min=9, entries_max=9, **asked)
    with_bots(tournament, organiser, 8)
    shown = client.get("/").content.decode()
    assert "8 of 9 places are taken." in shown
    assert "An entry costs 500 XTK." in shown
    assert "players are in" not in shown
    lithuanian = client.get("/", headers={"Accept-Language": "lt"}).content.decode()
    assert "Užimta vietų: 8 iš 9." in lithuanian
    assert "Dalyvavimas kainuoja 500 XTK." in lithuanian
    with_bots(tournament, organiser, 1)
    assert "9 of 9 players are in." in client.get("/").content.decode()


def test_an_entry_that_costs_nothing_is_free(client: Client) -> None:
    a_tournament(a_player("jonas", "organiser"), buy_in=0, fee=0, **SHORT)
    assert "An entry is free." in client.get("/").content.decode()


def test_the_pages_speak_lithuanian(client: Client, table: UUID) -> None:
    shown = client.get(f"/tables/{table}", headers={"Accept-Language": "lt"}).content.decode()
    assert '<html lang="lt">' in shown
    assert "Traukimo kaladė" in shown
    assert "tarp partijų" in shown
    client.post("/language", {"language": "lt", "next": "/"})
    assert "Kas vyksta" in client.get("/").content.decode()


def test_a_running_hand_shows_backs_and_whose_turn_it_is() -> None:
    shown = board(PLAYING, str, newest=9)
    assert shown.news == "Ona is to act."
    assert shown.discard is not None
    assert (shown.discard.text, shown.discard.colour) == ("10♥", "red")
    ona, varna = shown.seats
    assert (ona.is_to_act, ona.is_dealer, len(ona.backs), ona.shown) == (True, False, 4, ())
    assert (varna.is_bot, varna.is_away, varna.is_dealer) == (True, True, True)
    assert [card.text for card in varna.melds[0]] == ["7♠", "8♠", "9♠"]


def test_an_ended_hand_shows_what_was_held_and_won() -> None:
    shown = board(ENDED, lambda amount: f"{amount} XTK", newest=9)
    assert shown.news == "Ona knocked and was caught."
    ona, varna = shown.seats
    assert [card.text for card in ona.shown] == ["A♣", "★"]
    assert (ona.count, ona.gain, len(ona.backs)) == (11, "\N{MINUS SIGN}40 XTK", 0)
    assert (varna.gain, varna.count) == ("0 XTK", None)


def test_a_table_without_a_hand_says_how_it_is() -> None:
    empty = {"table_id": "t", "version": 1, "status": "open", "stake": 10, "seats": []}
    assert board(empty, str, newest=9).news == "open"
    assert board(empty | {"status": "closed"}, str, newest=9).news == "This table is closed."
    assert board(ENDED | {"result": {"end": "stock_out"}}, str, newest=9).news.startswith(
        "The stock"
    )


def test_every_word_is_translated() -> None:
    english = [str(word) for word in (*STATUSES.values(), *ENDS.values())]
    with override("lt"):
        lithuanian = [str(word) for word in (*STATUSES.values(), *ENDS.values())]
    assert not set(english) & set(lithuanian)
