"""Playing over HTTP, as a user's script does it from registration to the last line of money."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from eventstore import store
from eventstore.core.ids import table_stream
from games import selectors
from games.services.bots import bot_turn
from games.services.deals import deal_next
from ledger.services import settle_due
from tests.api.callers import Caller, caller, refused
from tests.api.world import FREEZEOUT, NEW_ACCOUNT, NEW_TABLE
from tonk_site.proving.acting.drive import hurry, until_rest
from tonk_site.proving.acting.factories import WORDS as PASSWORD
from tonk_site.proving.acting.factories import a_table, a_tournament, sits_down, with_bots
from tonk_site.proving.acting.play import play, play_out, turn_at

pytestmark = pytest.mark.django_db

LIST_STATEMENTS_MAX = 8
MOVES_MIN = 3
MOVE_STATEMENTS_MAX = 5  # between BEGIN and COMMIT, for a move that does not end the hand


def registered(name: str) -> Caller:
    """Somebody who opened an account and logged in over HTTP."""
    body = NEW_ACCOUNT | {"username": name, "display_name": name.title()}
    answer = Caller().post("/auth/register", body)
    assert answer.status == 201
    assert set(answer.document) == {"player_id", "username", "display_name", "kind"}
    login = {"username": name, "password": PASSWORD, "device": "script"}
    answer = Caller().post("/auth/login", login)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.document["scopes"] == ["read", "play", "money"]
    return Caller(answer.document["token"])


def xtk(who: Caller) -> dict[str, int]:
    """What the wallet of play chips says."""
    balances = who.get("/ledger/me").document["balances"]
    return next(one for one in balances if one["currency"] == "XTK")


def play_bots(path: str) -> None:
    """What the worker does: deal, and play the bots until a person is to act or the hand ends."""
    table = UUID(path.removeprefix("/tables/"))
    row = selectors.live_row(table)
    if row.due == "deal":
        hurry(table)
        deal_next(table, row.version)
    while (row := selectors.live_row(table)).due == "bot":
        assert bot_turn(table, row.version)


@pytest.mark.slow
def test_a_script_plays_a_hand_and_goes_home() -> None:
    ona = registered("ona")
    me = ona.get("/me").document
    assert (me["username"], me["roles"], me["kind"]) == ("ona", ["player"], "human")
    bots = [{"level": "greedy-1"}, {"level": "random-0"}]
    made = ona.post("/tables", NEW_TABLE | {"bots": bots})
    assert (made.status, made.document["status"]) == (201, "open")
    path = made.headers["Location"].removeprefix("/api/v1")
    table = UUID(made.document["table_id"])
    seated = ona.post(f"{path}/seat", {"buy_in": 500, "version": made.document["version"]})
    assert seated.status == 201
    seat, viewer = seated.document["seat"], seated.document["state"]["viewer"]
    assert viewer == {"kind": "seat", "seat": seat}
    assert (xtk(ona)["available"], xtk(ona)["in_play"]) == (9_500, 500)
    (mine,) = ona.get("/me/tables").document["items"]
    assert (mine["table_id"], mine["seats_free"]) == (str(table), 0)

    moves, state = 0, seated.document["state"]
    while moves < MOVES_MIN or state["status"] == "playing":
        if "legal" in state:
            move(ona, path, state)
            moves += 1
        else:
            play_bots(path)
        state = ona.get(f"{path}/state").document
    check_events(ona, path, table)

    stack = next(one["stack"] for one in state["seats"] if one["seat"] == seat)
    left = ona.call("DELETE", f"{path}/seat")
    assert (left.status, left.document["status"]) == (202, "left")
    settle_due()
    assert (xtk(ona)["available"], xtk(ona)["in_play"]) == (9_500 + stack, 0)
    check_statement(ona)
    assert ona.get("/me/tables").document["items"] == []
    closed = ona.post(f"{path}/close", {})
    assert (closed.status, closed.document["status"]) == (200, "closed")
    assert ona.post("/auth/logout").status == 204
    assert ona.get("/me").status == 401


def move(who: Caller, path: str, state: Any) -> None:
    """Make the first legal move; the answer says what it did and what the mover sees now."""
    body = {"move": state["legal"][0]["move"], "version": state["version"]}
    answer = who.post(f"{path}/moves", body)
    assert answer.status == 200
    said = answer.document
    assert said["state"] == who.get(f"{path}/state").document
    versions = [one["version"] for one in said["events"]]
    assert versions == list(range(state["version"] + 1, said["version"] + 1))
    assert said["events"][0]["data"]["seat"] == state["to_act"]


def check_events(who: Caller, path: str, table: UUID) -> None:
    """Page by page the events are gap-free and equal to what is stored."""
    stored = {one.version: one for one in store.events_after(table_stream(table), 0)}
    after, found = 0, []
    while True:
        page = who.get(f"{path}/events?after={after}&limit=3").document
        assert page["version"] == len(stored)
        found += page["events"]
        after = found[-1]["version"]
        assert page["more"] == (after < len(stored))
        if not page["more"]:
            break
    assert [one["version"] for one in found] == list(range(1, len(stored) + 1))
    for one in found:
        record = stored[one["version"]]
        assert (one["type"], one["hash"]) == (record.type, record.hash.hex())
        kept = {name: value for name, value in record.payload.items() if value is not None}
        assert kept.items() <= one["data"].items()
    assert who.get(f"{path}/events?after={after}").document["events"] == []


def check_statement(who: Caller) -> None:
    """Line by line the balance is the one before and the amount."""
    whole = who.get("/ledger/me/statement?currency=XTK&limit=100").document
    balance = whole["opening"]
    for line in whole["items"]:
        balance += line["amount"]
        assert line["balance"] == balance
    assert balance == whole["closing"] == xtk(who)["available"]
    kinds = [line["kind"] for line in whole["items"]]
    assert len(kinds) >= 3
    assert "next" not in whole


def test_states_are_asked_for_by_version(ona: Caller, table: UUID) -> None:
    path = f"/tables/{table}/state"
    turn = turn_at(table)
    first = ona.get(path)
    tag = f'"v{turn.version}.s{turn.seat}"'
    assert first.headers["ETag"] == tag
    assert first.headers["Cache-Control"] == "private, no-cache"
    for header in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        answer = ona.get(path, If_None_Match=header)
        assert (answer.status, answer.content, answer.headers["ETag"]) == (304, b"", tag)
    for header in ('"v1.p"', f'"v{turn.version}.p"', "nonsense"):
        assert ona.get(path, If_None_Match=header).status == 200
    public = Caller().get(path)
    assert public.headers["ETag"] == f'"v{turn.version}.p"'
    assert "cards" not in public.document
    assert ona.get(f"{path}?after={turn.version}").status == 304
    assert ona.get(f"{path}?after={turn.version - 1}").content == first.content
    play(table, turn)
    assert ona.get(f"{path}?after={turn.version}", If_None_Match=tag).status == 200


def test_a_tournament_is_drafted_published_opened_filled_and_started() -> None:
    jonas, ona = caller("jonas", "organiser"), caller("ona")
    draft = {"template": "sim-short", "name": "Vakaras", "overrides": dict(FREEZEOUT)}
    made = jonas.post("/tournaments", draft)
    assert (made.status, made.document["status"], made.document["problems"]) == (201, "draft", [])
    path = made.headers["Location"].removeprefix("/api/v1")

    def act(name: str, **body: Any) -> Any:
        version = jonas.get(path).document["version"]
        answer = jonas.post(f"{path}/{name}", {"version": version} | body)
        assert answer.status < 300, answer.document
        return answer.document

    assert act("publish")["status"] == "announced"
    assert act("open-registration")["status"] == "registration"
    bots = act("bots", level="greedy-1", count=2)["entries"]
    assert [one["kind"] for one in bots] == ["bot", "bot"]
    entry = ona.post(f"{path}/entries", {})
    assert entry.status == 201
    assert entry.document["player_id"] == str(ona.who.id)
    assert entry.document["status"] == "registered"
    assert xtk(ona)["available"] == 10_000 - 1_100
    started = act("start")
    assert started["status"] == "running"
    assert started["counts"]["entries"] == 3
    assert "seed_commit" in started
    assert "seed" not in started
    (table,) = started["tables"]
    (mine,) = ona.get("/me/tables").document["items"]
    assert mine["table_id"] == table["table_id"]
    assert mine["tournament_id"] == made.document["tournament_id"]
    listed = ona.get(f"/tables?tournament={mine['tournament_id']}").document["items"]
    assert listed == [mine]
    shown = ona.get(f"/tables/{table['table_id']}").document
    assert {one["player_id"] for one in shown["seats"]} == {
        str(ona.who.id),
        *(one["player_id"] for one in bots),
    }


@pytest.mark.slow
def test_a_tournament_of_bots_ends_with_prizes_that_everybody_sees() -> None:
    jonas = caller("jonas", "organiser")
    tournament = a_tournament(
        jonas.who, entries_max=2, entries_min=2, level_hands=3, stack_stakes=5
    )
    with_bots(tournament, jonas.who, 2)
    until_rest(tournament)
    shown = Caller().get(f"/tournaments/{tournament}").document
    assert shown["status"] == "settled"
    assert sum(prize["amount"] for prize in shown["prizes"]) == 2 * 1_000
    assert sorted(entry["place_best"] for entry in shown["entries"]) == [1, 2]
    assert len(shown["seed"]) == 64


# --- Lists ----------------------------------------------------------------------------------------


def pages(who: Caller, path: str, limit: int) -> list[list[Any]]:
    """Every page of a list."""
    found, cursor = [], ""
    while True:
        document = who.get(f"{path}limit={limit}{cursor}").document
        found.append(document["items"])
        if "next" not in document:
            return found
        cursor = f"&cursor={document['next']}"


def test_the_lobby_page_by_page_with_its_filters() -> None:
    ona = caller("ona")
    tables = [str(a_table(ona.who, stake=10 + number, seats=2 + number % 2)) for number in range(7)]
    found = pages(Caller(), "/tables?", 3)
    assert [len(page) for page in found] == [3, 3, 1]
    ids = [one["table_id"] for page in found for one in page]
    assert ids == tables[::-1]
    by_stake = Caller().get("/tables?stake_min=12&stake_max=14&seats=2").document["items"]
    assert [one["table_id"] for one in by_stake] == [tables[4], tables[2]]
    assert Caller().get("/tables?status=closed").document["items"] == []
    first = Caller().get("/tables?limit=3").document
    newer = str(a_table(ona.who))
    second = Caller().get(f"/tables?limit=3&cursor={first['next']}").document
    assert [one["table_id"] for one in second["items"]] == tables[::-1][3:6]
    assert newer not in str(second)
    hidden = a_table(ona.who, visibility="unlisted")
    assert str(hidden) not in str(pages(Caller(), "/tables?", 100))
    assert Caller().get(f"/tables/{hidden}").status == 200


def test_tournaments_and_templates_page_by_page() -> None:
    jonas = caller("jonas", "organiser")
    made = [str(a_tournament(jonas.who)) for _ in range(3)]
    found = pages(Caller(), "/tournaments?format=freezeout&status=registration&", 2)
    assert [[one["tournament_id"] for one in page] for page in found] == [made[:0:-1], made[:1]]
    other = f"/tournaments?organiser={made[0]}"
    assert Caller().get(other).document["items"] == []
    templates = [
        one["template"] for page in pages(Caller(), "/tournament-templates?", 2) for one in page
    ]
    assert "sim-short" in templates
    assert len(set(templates)) == len(templates) > 3


DRAFT = {"template": "sim-short", "name": "Evening"}


def test_a_template_is_drafted_or_says_why_not() -> None:
    jonas = caller("jonas", "organiser")
    for one in Caller().get("/tournament-templates").document["items"]:
        answer = jonas.post("/tournaments", DRAFT | {"template": one["template"]})
        if one["problems"]:
            assert refused(answer, 422, "bad_structure")["problems"] == one["problems"]
        else:
            assert answer.status == 201


def statements(act: Callable[[], Any]) -> list[str]:
    """Statements that an act needs."""
    with CaptureQueriesContext(connection) as found:
        act()
    return [query["sql"] for query in found.captured_queries]


def test_lists_need_the_same_statements_for_one_row_and_for_many() -> None:
    ona, jonas = caller("ona"), caller("jonas", "organiser")
    paths = ["/tables", "/tournaments", "/me/tables", "/tournament-templates", "/ledger/me"]
    paths.append("/ledger/me/statement?currency=XTK")

    def more(number: int) -> None:
        for _ in range(number):
            sits_down(a_table(ona.who), ona.who)
            a_tournament(jonas.who)

    more(1)
    few = {path: len(statements(partial(ona.get, path))) for path in paths}
    more(9)
    many = {path: len(statements(partial(ona.get, path))) for path in paths}
    assert few == many
    assert max(many.values()) <= LIST_STATEMENTS_MAX, many


def test_a_plain_move_needs_few_statements(ona: Caller, table: UUID) -> None:
    turn = turn_at(table)
    body = {"move": "S", "version": turn.version}
    found = statements(lambda: ona.post(f"/tables/{table}/moves", body))
    inside = between(found)
    assert len(inside) <= MOVE_STATEMENTS_MAX, inside
    again = statements(lambda: Caller().get(f"/tables/{table}/state"))
    assert len(again) <= LIST_STATEMENTS_MAX, again


def between(found: list[str]) -> list[str]:
    """Statements of the command's own transaction, which is a savepoint in tests."""
    start = next(number for number, sql in enumerate(found) if sql.startswith("SAVEPOINT"))
    end = max(number for number, sql in enumerate(found) if sql.startswith("RELEASE"))
    return [sql for sql in found[start + 1 : end] if not sql.startswith(("SAVEPOINT", "RELEASE"))]


def test_a_table_of_two_people_to_its_end(ona: Caller, petras: Caller, table: UUID) -> None:
    """Who leaves during a hand stays until its end; whoever looks sees him leaving."""
    answer = ona.call("DELETE", f"/tables/{table}/seat")
    assert (answer.status, answer.document["status"]) == (202, "leaving")
    seats = petras.get(f"/tables/{table}/state").document["seats"]
    assert [one.get("leaving", False) for one in seats] == [
        one["player_id"] == str(ona.who.id) for one in seats
    ]
    play_out(table)
    assert ona.get("/me/tables").document["items"] == []
    settle_due()
    assert xtk(ona)["in_play"] == 0
    assert xtk(ona)["total"] + xtk(petras)["total"] == 20_000
