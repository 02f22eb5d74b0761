"""The page of a table holds every deal that it shows against what was sealed before it."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.core.management import call_command
from playwright.sync_api import Page, Route, expect

from eventstore import followers
from games import selectors
from tests.api.hall import Hall
from tests.sealing import seal_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SHOWN_WITHIN_MS = 60_000
# A page tells a hand at the pace of people; nobody looks here.
HURRY = """const wait = window.setTimeout;
window.setTimeout = (call, ms) => wait(call, Math.min(ms, 20));"""


@pytest.fixture
def hall(page: Page, site: str, tmp_path: Path) -> Iterator[Hall]:
    """A table, watched before its first hand; the page goes on when the test looks at it."""
    page.add_init_script(HURRY)
    page.route("**/board?*", lambda route: route.continue_())
    with closing(Hall(tmp_path, site)) as found:
        page.goto(f"/tables/{found.table}")
        yield found


def index_hands() -> None:
    """What sequencer and follower do in the product: order, signature, and where each hand lies."""
    seal_log()
    for follower in followers.registered():
        followers.begin(follower)
        for version in followers.to_advance(follower):
            while followers.apply_batch(follower, version):
                pass


def tamper(page: Page, where: str, change: Callable[[Any], Any]) -> None:
    """Let `change` have its way with the answers that the page gets."""

    def answered(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps(change(answer.json())))

    page.route(where, answered)


@pytest.mark.slow
def test_a_fair_deal_is_said_to_hold(page: Page, hall: Hall) -> None:
    for number in (1, 2):
        hall.hand()
        index_hands()
        text = f"Hand {number}: the deal was checked, and it holds."
        expect(page.locator("#deal")).to_have_text(text, timeout=SHOWN_WITHIN_MS)
    expect(page.locator(".facts")).to_contain_text("sealed: 2 seats gave a seed")


@pytest.mark.slow
def test_it_is_said_in_lithuanian(page: Page, hall: Hall) -> None:
    page.get_by_role("button", name="Lietuviškai").click()
    hall.hand()
    text = "Partija 1: dalijimas patikrintas, viskas sutampa."
    expect(page.locator("#deal")).to_have_text(text, timeout=SHOWN_WITHIN_MS)


# The page reads events when it is let go, and comes too late to see a card opened.
LATE = """const real = window.fetch;
const gate = new Promise((open) => { window.letGo = open; });
window.fetch = async (path, ...rest) => {
  if (path.includes("/events?")) await gate;
  return path.includes("/cards/") ? new Response("{}", { status: 404 }) : real(path, ...rest);
};"""


def deal(hall: Hall) -> None:
    hall.commit()
    for one in hall.all:
        one.look()
    assert selectors.live_row(hall.table).status == "playing"


def lose_the_key(key_file: Path) -> None:
    """The key of the hand that was dealt is lost, and the hand is given up."""
    key_file.unlink()
    call_command("dealer_key", "rotate")
    call_command("dealer_key", "void-lost", "--yes")


@pytest.fixture
def key_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A key that may be lost. It must be there before the site, which reads the same."""
    found = tmp_path / "keys" / "dealer.key"
    monkeypatch.setattr(settings, "DEALER_KEY_FILE", str(found))
    return found


@pytest.mark.slow
def test_a_hand_whose_key_was_lost_is_called_so(key_file: Path, page: Page, hall: Hall) -> None:
    with page.expect_response("**/hands/*/cards/*"):
        deal(hall)
    lose_the_key(key_file)
    text = "Hand 1 is void: the key that kept its deck secret was lost"
    expect(page.locator("#deal")).to_contain_text(text, timeout=SHOWN_WITHIN_MS)
    hall.hand()
    index_hands()
    text = "Hand 2: the deal was checked, and it holds."
    expect(page.locator("#deal")).to_have_text(text, timeout=SHOWN_WITHIN_MS)


@pytest.mark.slow
def test_whoever_comes_late_to_its_cards_hears_it_too(
    key_file: Path, page: Page, hall: Hall
) -> None:
    page.add_init_script(LATE)
    page.reload()
    deal(hall)
    lose_the_key(key_file)
    page.evaluate("window.letGo()")
    text = "Hand 1 is void: the key that kept its deck secret was lost"
    expect(page.locator("#deal")).to_contain_text(text, timeout=SHOWN_WITHIN_MS)


@pytest.mark.slow
def test_a_seed_that_is_kept_for_another_reason_is_said_loudly(
    key_file: Path, page: Page, hall: Hall
) -> None:
    def otherwise(found: Any) -> Any:
        for event in found["events"]:
            if event["type"] == "HandVoided":
                event["data"]["reason"] = "outage"
        return found

    tamper(page, "**/events?*", otherwise)
    with page.expect_response("**/hands/*/cards/*"):
        deal(hall)
    lose_the_key(key_file)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("the server keeps its seed", timeout=SHOWN_WITHIN_MS)


LIES: dict[str, tuple[str, Callable[[Any], Any], str]] = {
    "card": (
        "**/hands/*/cards/*",
        lambda found: {**found, "salt": "11" * 32},
        "at place",
    ),
    "seed": (
        "**/hands/*/verify",
        lambda found: {**found, "server_seed": "22" * 32},
        "bad_field",
    ),
    "record": (
        "**/hands/*/verify",
        lambda found: {
            **found,
            "records": [one.replace('"v":', '"v":1') for one in found["records"]],
        },
        "V0",
    ),
    "event": (
        "**/events?*",
        lambda found: {**found, "events": [{**one, "hash": "33" * 32} for one in found["events"]]},
        "not what was shown",
    ),
    "gap": ("**/events?*", lambda found: {**found, "events": found["events"][1:]}, "came for"),
}


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES)
def test_a_deal_that_does_not_hold_is_said_loudly(page: Page, hall: Hall, lie: str) -> None:
    where, change, says = LIES[lie]
    tamper(page, where, change)
    hall.hand()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This deal does not hold", timeout=SHOWN_WITHIN_MS)
    expect(alert).to_contain_text(says)
