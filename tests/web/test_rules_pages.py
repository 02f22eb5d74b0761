"""The rules on pages, and why a hand ended so: as the server gives them, and in a browser."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from eventstore import store
from eventstore.core.ids import table_stream
from games import selectors
from games.rules import events
from games.rules.options import PRESETS, Options
from games.rules.presets import PRESET_OPTIONS
from games.rules.words.option_texts import PRESET_TEXTS
from games.rules.words.other_numbers import other_numbers
from games.rules.words.sheet import TableTerms, sheet
from tonk_site.proving.acting.drive import once, until_rest
from tonk_site.proving.acting.factories import (
    SHORT,
    a_player,
    a_table,
    a_tournament,
    sits_down,
    with_bots,
)
from tonk_site.proving.acting.play import play, turn_at
from web.sheets import sections

if TYPE_CHECKING:
    from uuid import UUID

    from django.test import Client

    from games.rules.words.plurals import Language

HEADINGS = re.compile(r"<h([1-6])")
IDS = re.compile(r' id="([^"]+)"')
OWN: dict[str, Any] = {"jokers": 2, "hits_per_turn": 2}
SHOWN_WITHIN_MS = 20_000
PHONE = {"width": 360, "height": 760}
KNOCKS_MAX = 200


def caught(names: tuple[str, ...] = ("ona", "petras"), **settings: object) -> UUID:
    """A table where a knocker has just been caught."""
    people = [a_player(name) for name in names]
    # No hand is decided by its deal: whoever looks at the next one finds it running.
    settings.setdefault("options", {"initial_tonk_counts": []})
    table = a_table(people[0], **settings)
    for person in people:
        sits_down(table, person)
    for _ in range(KNOCKS_MAX):
        play(table, turn_at(table), "K")
        ended = selectors.see_now(table).table.ended
        assert ended is not None
        if ended.end == "caught":
            return table
    raise AssertionError("every knock wins")


def discard_at(table: UUID) -> str:
    """A discard that may be made at a table now."""
    moves = (str(one["move"]) for one in turn_at(table).legal)
    return next(one for one in moves if one.startswith("D "))


def lines_of(shown: str) -> list[str]:
    """Texts of the sheet's lines on a page."""
    found = re.findall(r"<li id=[^>]*>.*?<p>(.*?)(?: <span.*?)?</p></li>", shown)
    return [html.unescape(text) for text in found]


def expected(options: Options, language: Language, terms: TableTerms | None = None) -> list[str]:
    """Texts that a page of an option set must have, in order."""
    found = sheet(options, language=language, terms=terms)
    parts = (*found.sections, other_numbers(options, found))
    return [line.text for part in parts for line in part.lines]


# --- as the server gives them ---------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "lt"])
def test_the_sheet_of_a_preset_is_the_cores(client: Client, language: Any) -> None:
    for name in PRESETS:
        asked = client.get(f"/rules/{name}", headers={"Accept-Language": language})
        shown = asked.content.decode()
        assert lines_of(shown) == expected(PRESET_OPTIONS[name], language)
        assert html.escape(PRESET_TEXTS[name].title.of(language)) in shown
        assert (">differs<" in shown or ">skiriasi<" in shown) == (name != "gamerules")


@pytest.mark.django_db
def test_the_list_leads_to_every_preset(client: Client) -> None:
    shown = client.get("/rules").content.decode()
    for name in PRESETS:
        assert f'href="/rules/{name}"' in shown
        assert html.escape(PRESET_TEXTS[name].text.en) in shown
    assert 'href="/rules"' in client.get("/").content.decode()


@pytest.mark.django_db
def test_the_sheet_of_a_table_names_its_terms(client: Client) -> None:
    jonas = a_player("jonas", "organiser")
    table = a_table(jonas, preset="hit_and_hold", options=OWN, seats=4, rake_bp=250, rake_cap=20)
    shown = client.get(f"/tables/{table}/rules").content.decode()
    options = selectors.see(table, None).table.rules.options
    terms = TableTerms(stake="10 XTK", seats=4, liability="90 XTK", rake_bp=250, rake_cap="20 XTK")
    assert lines_of(shown) == expected(options, "en", terms)
    assert 'href="/rules/hit_and_hold">Hit and hold</a> with changes' in shown
    assert "2.5 %" in shown


@pytest.mark.django_db
def test_the_sheet_of_a_tournaments_table_is_about_chips(client: Client) -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_min=3, entries_max=3)
    with_bots(tournament, organiser, 3)
    once(tournament)
    (table,) = selectors.tables_of_tournament(tournament)
    shown = client.get(f"/tables/{table.id}/rules").content.decode()
    assert "The stake is 10 chips." in shown
    assert "belongs to a tournament" in shown
    assert "Most you can lose" not in shown
    assert "is marked" not in shown


def test_every_line_has_an_address_of_its_own() -> None:
    for options in PRESET_OPTIONS.values():
        anchors = [line.anchor for part in sections(options) for line in part.lines]
        assert len(set(anchors)) == len(anchors)
        assert {line.rule for part in sections(options) for line in part.lines} <= set(anchors)


@pytest.mark.django_db
def test_headings_are_in_order_and_ids_are_used_once(client: Client) -> None:
    table = caught()
    for path in ("/rules", "/rules/house_low", f"/tables/{table}/rules", f"/tables/{table}"):
        shown = client.get(path).content.decode()
        levels = [int(level) for level in HEADINGS.findall(shown)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        ids = IDS.findall(shown)
        assert len(set(ids)) == len(ids), path


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [("en", "was caught by", "Why?"), ("lt", "sugavo", "Kodėl?")],
)
def test_the_board_says_why(client: Client, language: str, said: str, asked: str) -> None:
    table = caught(("ona", "petras", "birute"), preset="gamerules")
    headers = {"Accept-Language": language}
    shown = client.get(f"/tables/{table}/board", headers=headers).content.decode()
    assert said in shown
    assert asked in shown
    linked = re.findall(rf'href="/tables/{table}/rules#([^"]+)"', shown)
    assert {"R15", "R31", "R32", "V11"} <= set(linked)
    rules = client.get(f"/tables/{table}/rules", headers=headers).content.decode()
    assert set(linked) <= set(IDS.findall(rules))
    assert "20 XTK" in shown


def why_at(client: Client, table: UUID, version: int) -> tuple[int | None, str]:
    """Number of the hand whose reasons a board shows, and those reasons."""
    shown = client.get(f"/tables/{table}/board", {"after": version - 1}).content.decode()
    found = re.search(r'<details class="why">.*?How hand (\d+) was.*?</details>', shown, re.DOTALL)
    return (int(found[1]), found[0]) if found else (None, "")


@pytest.mark.django_db
def test_the_reasons_stay_until_the_next_hand_ends(client: Client) -> None:
    table = caught()
    play(table, turn_at(table), "S")
    newest, ended, told = selectors.live_row(table).version, 0, set[int]()
    for version in range(1, newest + 1):
        stored = store.events_after(table_stream(table), version - 1, limit=1)[0]
        ended += stored.type == "HandEnded"
        number, reasons = why_at(client, table, version)
        assert number == (ended or None)
        state = selectors.public_at(table, version)[0].table
        assert ("deals next" in reasons) == (bool(ended) and not state.playing)
        told.add(number or 0)
    assert told == set(range(ended + 1))
    assert selectors.see_now(table).table.playing


@pytest.mark.django_db
def test_the_reasons_of_the_hand_before_take_two_statements() -> None:
    table = caught()
    turn_at(table)
    seen = selectors.see(table, None)
    with CaptureQueriesContext(connection) as asked:
        found = selectors.explanation(seen)
    assert found is not None
    assert found.hand_no == seen.table.hand_no - 1
    assert {one.seat for one in seen.table.places} == set(found.players)
    assert len(asked) == 2


@pytest.mark.django_db
def test_nothing_of_a_running_hand_is_in_the_reasons(client: Client) -> None:
    table = caught()
    before = why_at(client, table, selectors.live_row(table).version)[1]
    turn_at(table)
    for _ in range(2):
        play(table, turn_at(table), "S")
        reasons = why_at(client, table, selectors.live_row(table).version)[1]
        kept = re.sub(r"<li>[^<]*deals next.*?</li>\s*", "", before, flags=re.DOTALL)
        assert reasons.split() == kept.split()
        play(table, turn_at(table), discard_at(table))


@pytest.mark.slow
@pytest.mark.django_db
def test_at_a_closed_table_the_players_keep_their_names(client: Client) -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_min=3, entries_max=3, **SHORT)
    with_bots(tournament, organiser, 3)
    until_rest(tournament)
    (table,) = selectors.tables_of_tournament(tournament)
    assert selectors.see_now(table.id).table.closed
    for language in ("en", "lt"):
        shown = client.get(f"/tables/{table.id}", headers={"Accept-Language": language})
        why = shown.content.decode().split('<details class="why">')[1].split("</details>")[0]
        assert "greedy-1" in why
        for unsaid in (
            "Seat ",
            "Nr. 1 ",
            "Nr. 2 ",
            "Nr. 3 ",
            "deals next",
            "Kitą partiją",
            "žet..",
        ):
            assert unsaid not in why


@pytest.mark.django_db
def test_a_hand_voided_from_outside_is_explained() -> None:
    table = caught()
    turn_at(table)
    seen = selectors.see(table, None)
    deal = seen.table.dealt
    assert deal is not None
    fact = events.HandVoided(
        hand=deal.hand, reason="fault", server_seed=None, stacks=(), next_dealer=None
    )
    data = msgspec.json.encode(fact).decode()
    stored = msgspec.structs.replace(seen.stored[-1], type="HandVoided", data=data)
    found = selectors.explanation(replace(seen, stored=(*seen.stored, stored)))
    assert found is not None
    assert [one.key for one in found.statements] == ["void_from_outside"]
    assert found.hand_no == deal.hand_no


# --- in a browser ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_keyboard_leads_from_the_table_to_its_rules_and_back(page: Page) -> None:
    table = caught()
    page.goto(f"/tables/{table}")
    link = page.get_by_role("link", name="Rules of this table")
    for _ in range(20):
        page.keyboard.press("Tab")
        if link.evaluate("one => one === document.activeElement"):
            break
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Rules of this table")
    expect(page.get_by_text("The most you can lose in one hand")).to_be_visible()
    page.get_by_role("link", name="To the table").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("was caught")


@pytest.mark.slow
def test_a_reason_leads_to_its_rule(page: Page) -> None:
    table = caught(("ona", "petras", "birute"))
    page.goto(f"/tables/{table}")
    why = page.locator(".why")
    expect(why.get_by_role("list")).to_be_hidden()
    why.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(why).to_contain_text("double, because")
    expect(why).to_contain_text("XTK")
    why.get_by_role("link", name="R31").first.click()
    expect(page.locator("#R31")).to_be_in_viewport()
    expect(page.locator(":target")).to_contain_text("Caught: the knocker pays 2 stakes")


@pytest.mark.slow
def test_who_reads_the_reasons_is_not_disturbed(page: Page) -> None:
    table = caught()
    page.goto(f"/tables/{table}")
    summary = page.locator(".why summary")
    heading = summary.inner_text()
    summary.click()
    turn_at(table)  # the next hand is dealt
    expect(page.locator(".seat.to-act")).to_have_count(1, timeout=SHOWN_WITHIN_MS)
    expect(page.locator(".why ul")).to_be_visible()
    expect(summary).to_be_focused()
    rule = page.locator(".why a.rule").first
    rule.focus()
    stock = int(page.locator("figcaption b").inner_text())
    play(table, turn_at(table), "S")
    expect(page.locator("figcaption b")).to_have_text(str(stock - 1), timeout=SHOWN_WITHIN_MS)
    expect(rule).to_be_focused()
    expect(summary).to_have_text(heading)
    summary.click()
    play(table, turn_at(table), discard_at(table))
    expect(page.locator(".seat.to-act h2")).to_contain_text("to act", timeout=SHOWN_WITHIN_MS)
    expect(page.locator(".why ul")).to_be_hidden()
    expect(summary).to_have_text(heading)


@pytest.mark.slow
def test_the_rules_fit_a_phone_in_both_languages(page: Page) -> None:
    table = caught(("ona", "petras", "birute"), options=OWN)
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # it is a size
    for language in ("Lietuviškai", "English"):
        page.goto("/rules")
        page.get_by_role("button", name=language).click()
        paths = ["/", "/rules", *(f"/rules/{name}" for name in PRESETS)]
        for path in (*paths, f"/tables/{table}/rules", f"/tables/{table}"):
            page.goto(path)
            if path == f"/tables/{table}":
                page.locator(".why summary").click()
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], path
