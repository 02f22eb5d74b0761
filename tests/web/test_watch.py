"""Looking at tables in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from games.rules import fair
from tonk_site.proving.acting.factories import a_player, a_table, a_tournament, sits_down, with_bots
from tonk_site.proving.acting.play import play, turn_at, turn_of

if TYPE_CHECKING:
    from uuid import UUID

    from players.selectors import Person

KEEP_NEWS = """() => {
  window.told = [];
  const news = document.getElementById("news");
  new MutationObserver(() => window.told.push(news.textContent)).observe(news, {childList: true});
}"""
SHOWN_WITHIN_MS = 20_000
PHONE = {"width": 390, "height": 800}


def a_hand(*names: str) -> tuple[UUID, Person]:
    """A table with a running hand of these people, the first of them to act."""
    people = [a_player(name) for name in names]
    table = a_table(people[0])
    for person in people:
        sits_down(table, person)
    turn_of(table, people[0].id)
    return table, people[0]


@pytest.mark.slow
def test_the_page_follows_the_table(page: Page) -> None:
    table, ona = a_hand("ona", "petras")
    page.goto(f"/tables/{table}")
    news = page.get_by_role("status")
    expect(news).to_have_text("Ona is to act.")
    expect(page.locator(".seat.to-act")).to_contain_text("Ona")
    stock = int(page.locator("figcaption b").inner_text())
    play(table, turn_of(table, ona.id), "S")
    expect(page.locator("figcaption b")).to_have_text(str(stock - 1))
    page.evaluate(KEEP_NEWS)
    discard = next(one["move"] for one in turn_at(table).legal if one["move"].startswith("D "))
    play(table, turn_at(table), discard)
    play(table, turn_at(table), "K")
    expect(page.locator(".gain")).to_have_count(2, timeout=SHOWN_WITHIN_MS)
    # The page tells it event by event, so the turn between was shown although it was over.
    assert "Petras is to act." in page.evaluate("window.told")


@pytest.mark.slow
def test_the_list_of_what_is_on_follows(page: Page) -> None:
    organiser = a_player("jonas", "organiser")
    page.goto("/")
    expect(page.get_by_text("No tournament yet")).to_be_visible()
    with_bots(a_tournament(organiser), organiser, 3)
    expect(page.get_by_role("heading", name="Evening")).to_be_visible(timeout=SHOWN_WITHIN_MS)


@pytest.mark.slow
def test_no_hidden_card_is_in_the_page(page: Page) -> None:
    table, _ = a_hand("ona", "petras")
    page.goto(f"/tables/{table}")
    expect(page.locator(".hand .card.back")).to_have_count(10)
    expect(page.locator(".hand .card:not(.back)")).to_have_count(0)


@pytest.mark.slow
def test_the_keyboard_and_the_language(page: Page) -> None:
    organiser = a_player("jonas", "organiser")
    with_bots(a_tournament(organiser), organiser, 3)
    page.goto("/")
    expect(page.get_by_role("heading", name="Evening")).to_contain_text("registration open")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.get_by_role("button", name="Lietuviškai").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Kas vyksta")
    expect(page.locator("html")).to_have_attribute("lang", "lt")
    expect(page.get_by_role("heading", name="Evening")).to_contain_text("registracija atvira")


@pytest.mark.slow
def test_a_phone_needs_no_scrolling_to_the_side(page: Page) -> None:
    table, _ = a_hand("ona", "petras", "vytautas")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # it is a size
    for path in ("/", f"/tables/{table}"):
        page.goto(path)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], path


@pytest.mark.slow
def test_the_verifier_is_served_and_runs_under_the_policy(page: Page) -> None:
    page.goto("/")
    load = "async () => (await import('/static/web/verify.js')).link('00')"
    assert page.evaluate(load) == fair.link(b"\x00").hex()
