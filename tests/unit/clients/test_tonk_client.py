"""The client of the API against a server made of a function."""

from __future__ import annotations

import json
import re
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from clients.python import tonk_client
from clients.python.tonk_client import Closed, NoAnswer, Problem, Tonk, wire

if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = Callable[[httpx.Request], httpx.Response]

TABLE, OTHER, EVENT, PLAYER, HAND = "t1", "t2", "e1", "p1", "h1"
MEDIA = {"Content-Type": "application/problem+json"}


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "FIRST_PAUSE_SECONDS", 0.0)


def refusal(code: str, status: int, *, retryable: bool = False, **more: Any) -> httpx.Response:
    document = {"code": code, "status": status, "title": code, "retryable": retryable, **more}
    headers = MEDIA | ({"Retry-After": "0"} if retryable else {})
    return httpx.Response(status, json=document, headers=headers)


class Server:
    """Answers from a list, in order; an exception in it is raised. Keeps the requests."""

    def __init__(self, *answers: httpx.Response | Exception | Answer) -> None:
        self.answers, self.requests = list(answers), list[httpx.Request]()
        self.tonk = Tonk("http://tonk.test/", "secret", transport=httpx.MockTransport(self.answer))

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        found = self.answers.pop(0)
        if isinstance(found, Exception):
            raise found
        return found if isinstance(found, httpx.Response) else found(request)

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("Idempotency-Key") for request in self.requests]

    @property
    def paths(self) -> list[str]:
        return [request.url.path.removeprefix("/api/v1") for request in self.requests]


def ok(document: Any) -> httpx.Response:
    return httpx.Response(200, json=document)


def state(version: int, *, seat: int | None = 1, legal: str = "", status: str = "playing") -> Any:
    viewer = {"kind": "public"} if seat is None else {"kind": "seat", "seat": seat}
    found = {"version": version, "status": status, "viewer": viewer}
    return found | ({"legal": [{"move": legal}]} if legal else {})


def first(table: dict[str, Any]) -> str:
    return str(table["legal"][0]["move"])


def test_a_login_is_used_from_then_on() -> None:
    server = Server(httpx.Response(201, json={"token": "tonk_new"}), ok({"player_id": PLAYER}))
    server.tonk.login("ona", "secret words")
    assert server.tonk.me() == {"player_id": PLAYER}
    assert server.requests[1].headers["Authorization"] == "Token tonk_new"
    assert server.keys == [None, None]


def test_a_logout_forgets_the_token() -> None:
    server = Server(httpx.Response(204), ok({"items": []}))
    server.tonk.logout()
    server.tonk.tables(status="open", cursor=None)
    assert "Authorization" not in server.requests[1].headers
    assert server.requests[1].url.query == b"status=open"


@pytest.mark.parametrize(
    "hindrance",
    [
        refusal("unavailable", 503, retryable=True),
        refusal("idempotency_in_progress", 409, retryable=True),
        refusal("rate_limited", 429, retryable=True),
        httpx.Response(502, text="gateway"),
        httpx.ConnectError("refused"),
        httpx.ReadError("cut"),
    ],
    ids=["503", "409", "429", "gateway", "connect", "read"],
)
def test_a_write_is_tried_again_with_its_key(hindrance: httpx.Response | Exception) -> None:
    server = Server(hindrance, hindrance, ok({"version": 8}))
    assert server.tonk.move(TABLE, "S", 7) == {"version": 8}
    assert len(server.keys) == 3
    assert len(set(server.keys)) == 1
    assert len(str(server.keys[0])) >= 16
    assert {request.content for request in server.requests} == {b'{"move":"S","version":7}'}


def test_two_writes_have_two_keys() -> None:
    server = Server(ok({}), ok({}))
    server.tonk.enter(EVENT)
    server.tonk.enter(EVENT)
    assert len(set(server.keys)) == 2


@pytest.mark.parametrize(
    "answer",
    [refusal("not_your_turn", 409), refusal("same_discard", 422), refusal("internal", 500)],
)
def test_other_refusals_are_raised_at_once(answer: httpx.Response) -> None:
    server = Server(answer)
    with pytest.raises(Problem):
        server.tonk.move(TABLE, "S", 7)
    assert not server.answers


def test_a_problem_tells_what_refuses() -> None:
    more: dict[str, Any] = {
        "rule": "D6",
        "facts": {"card": "8S"},
        "legal": [{"move": "D 5C"}],
        "errors": [{}],
    }
    server = Server(refusal("same_discard", 422, **more))
    with pytest.raises(Problem) as caught:
        server.tonk.move(TABLE, "D 8S", 7)
    problem = caught.value
    assert (problem.code, problem.status, problem.rule) == ("same_discard", 422, "D6")
    assert (problem.facts, problem.legal) == ({"card": "8S"}, [{"move": "D 5C"}])
    assert (problem.errors, problem.state, problem.retryable) == ([{}], None, False)


def test_patience_ends() -> None:
    server = Server(*[refusal("unavailable", 503, retryable=True)] * 6)
    with pytest.raises(Problem, match="unavailable"):
        server.tonk.enter(EVENT)
    server = Server(*[httpx.ConnectError("refused")] * 6)
    with pytest.raises(NoAnswer, match="refused"):
        server.tonk.enter(EVENT)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client would wait, each time; it does not."""
    found: list[float] = []
    monkeypatch.setattr(wire, "FIRST_PAUSE_SECONDS", 0.1)
    monkeypatch.setattr(wire.Wire, "pause", lambda _, seconds: found.append(seconds))
    return found


AWAY = [
    httpx.ConnectError("refused"),
    httpx.RemoteProtocolError("cut"),
    httpx.Response(503, text="starting"),
    refusal("unavailable", 503, retryable=True),  # asks to be called again at once
]


@pytest.mark.parametrize("away", AWAY, ids=["refused", "cut", "proxy", "unavailable"])
def test_whoever_plays_waits_for_a_server_that_is_away(
    away: httpx.Response | Exception, pauses: list[float]
) -> None:
    server = Server(ok(state(3)), *[away] * 29, ok(state(9, seat=None)))
    assert server.tonk.play(TABLE, first, fair=False)["version"] == 9
    assert max(pauses) == wire.PAUSE_SECONDS_MAX
    assert 110 < sum(pauses) < 125


@pytest.mark.parametrize("away", AWAY, ids=["refused", "cut", "proxy", "unavailable"])
def test_after_two_minutes_he_is_told(
    away: httpx.Response | Exception, pauses: list[float]
) -> None:
    server = Server(ok({"player_id": PLAYER}), *[away] * 30)
    with pytest.raises((NoAnswer, Problem)):
        server.tonk.play_tournament(EVENT, first, fair=False)
    assert not server.answers
    with pytest.raises((NoAnswer, Problem)):  # who does not play is told at once
        Server(*[away] * 6).tonk.state(TABLE)


@pytest.mark.parametrize(
    ("before", "hindrance"),
    [
        (ok(state(3, legal="S")), httpx.ConnectError("refused")),  # of a move
        (ok(state(3)), httpx.ReadTimeout("silent")),
        (ok(state(3)), refusal("rate_limited", 429, retryable=True)),
    ],
    ids=["write", "silent", "busy"],
)
def test_nothing_else_is_waited_for(
    before: httpx.Response, hindrance: httpx.Response | Exception, pauses: list[float]
) -> None:
    server = Server(before, *[hindrance] * 6)
    with pytest.raises((NoAnswer, Problem)):
        server.tonk.play(TABLE, first, fair=False)
    assert not server.answers


def test_the_example_ends_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(tonk_client.__file__).parents[1] / "README.md"
    example = page.read_text().split("```python\n", 1)[1].split("```", 1)[0]
    monkeypatch.setitem(sys.modules, "tonk_client", tonk_client)

    def refuses(*_: object) -> httpx.Response:
        raise httpx.ConnectError("refused")

    monkeypatch.setattr(httpx.Client, "send", refuses)
    with pytest.raises(SystemExit) as ended:
        exec(example, {})  # the very lines that are printed
    assert re.fullmatch(r"POST http://[^\n]*ConnectError\('refused'\)", str(ended.value.code))


def test_a_registration_that_may_have_arrived_is_not_repeated() -> None:
    names = {"email": "ona@example.org", "display_name": "Ona"}
    server = Server(httpx.ReadError("cut"))
    with pytest.raises(NoAnswer):
        server.tonk.register("ona", "secret words", **names)
    server = Server(httpx.ConnectError("refused"), ok({"player_id": PLAYER}))
    assert server.tonk.register("ona", "secret words", **names) == {"player_id": PLAYER}


@pytest.mark.parametrize(
    "answer", [httpx.Response(200, text="hello"), ok([1]), httpx.Response(200, content=b"null")]
)
def test_what_is_no_document_is_no_answer(answer: httpx.Response) -> None:
    with pytest.raises(NoAnswer):
        Server(answer).tonk.me()


def test_a_page_of_errors_is_no_answer() -> None:
    with pytest.raises(NoAnswer, match="status 404"):
        Server(httpx.Response(404, text="not here")).tonk.me()


def test_nothing_newer_is_none() -> None:
    server = Server(httpx.Response(304))
    assert server.tonk.state(TABLE, after=7, wait=25) is None
    assert dict(server.requests[0].url.params) == {"after": "7", "wait": "25"}


def test_the_paths_are_those_of_the_api() -> None:
    server = Server(*[ok({"balances": [], "items": []})] * 25)
    tonk = server.tonk
    tonk.my_tables()
    tonk.table(TABLE)
    tonk.open_table(stake=10, currency="XTK", seats=3, clock="turbo")
    tonk.sit_down(TABLE, buy_in=500, version=1)
    tonk.sit_down(TABLE, buy_in=500, version=1, seat=2)
    tonk.leave(TABLE)
    tonk.events(TABLE, after=3)
    tonk.tournaments(status="running")
    tonk.tournament(EVENT)
    tonk.create_tournament("sim-short", "Evening", fee=0)
    tonk.publish(EVENT, 1)
    tonk.open_registration(EVENT, 2)
    tonk.add_bots(EVENT, 3, level="greedy-1", count=3)
    tonk.start(EVENT, 4)
    assert tonk.balances() == []
    tonk.statement("XTK", limit=5)
    assert tonk.refusals("lt") == []
    tonk.anchor(TABLE, "ab" * 32, 8)
    tonk.give_seed(TABLE, HAND, "cd" * 32)
    tonk.cards(TABLE)
    tonk.card(HAND, 64)
    tonk.hand_proof(HAND)
    tonk.checkpoint()
    tonk.log_key()
    tonk.consistency(3, 7)
    acts = [f"{one.method} {path}" for one, path in zip(server.requests, server.paths, strict=True)]
    assert acts == [
        "GET /me/tables",
        "GET /tables/t1",
        "POST /tables",
        "POST /tables/t1/seat",
        "POST /tables/t1/seat",
        "DELETE /tables/t1/seat",
        "GET /tables/t1/events",
        "GET /tournaments",
        "GET /tournaments/e1",
        "POST /tournaments",
        "POST /tournaments/e1/publish",
        "POST /tournaments/e1/open-registration",
        "POST /tournaments/e1/bots",
        "POST /tournaments/e1/start",
        "GET /ledger/me",
        "GET /ledger/me/statement",
        "GET /refusals",
        "POST /tables/t1/anchor",
        "POST /tables/t1/seeds",
        "GET /tables/t1/cards",
        "GET /hands/h1/cards/64",
        "GET /hands/h1/verify",
        "GET /log/checkpoint",
        "GET /log/key",
        "GET /log/proofs/consistency",
    ]
    assert json.loads(server.requests[4].content) == {"buy_in": 500, "version": 1, "seat": 2}
    assert json.loads(server.requests[9].content)["overrides"] == {"fee": 0}
    assert json.loads(server.requests[17].content) == {"anchor": "ab" * 32, "length": 8}
    assert json.loads(server.requests[18].content) == {"hand_id": HAND, "seed": "cd" * 32}
    assert server.requests[24].url.query == b"from=3&to=7"


def test_the_note_of_the_log_is_text() -> None:
    assert Server(httpx.Response(200, text="tonk.example\n8\n")).tonk.checkpoint().endswith("8\n")
    with pytest.raises(Problem, match="not_found"):
        Server(refusal("not_found", 404)).tonk.checkpoint()


def test_play_moves_when_it_is_my_turn_and_ends_without_a_seat() -> None:
    moves: list[str] = []

    def chosen(table: dict[str, Any]) -> str:
        moves.append(first(table))
        return moves[-1]

    server = Server(
        ok(state(3, legal="S")),
        ok({"state": state(4, legal="D 5C")}),
        ok({"state": state(5)}),
        httpx.Response(304),
        ok(state(9, seat=None)),
    )
    assert server.tonk.play(TABLE, chosen, fair=False)["version"] == 9
    assert moves == ["S", "D 5C"]
    assert json.loads(server.requests[2].content) == {"move": "D 5C", "version": 4}
    assert dict(server.requests[4].url.params) == {"after": "5", "wait": "25"}


def test_play_goes_on_where_it_was_overtaken() -> None:
    server = Server(
        ok(state(3, legal="S")),
        refusal("stale_version", 409, state=state(6, legal="T")),
        refusal("not_your_turn", 409),
        ok(state(8, status="closed")),
    )
    assert server.tonk.play(TABLE, first, fair=False)["version"] == 8


def test_play_waits_a_little_where_its_time_was_over(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(
        ok(state(3, legal="S")),
        refusal("too_late", 409),
        ok(state(4)),
        ok(state(8, status="closed")),
    )
    pauses = list[float]()
    monkeypatch.setattr(server.tonk, "pause", pauses.append)
    assert server.tonk.play(TABLE, first, fair=False)["version"] == 8
    assert pauses == [0.5]


def test_an_illegal_choice_is_raised() -> None:
    server = Server(ok(state(3, legal="S")), refusal("wrong_phase", 409))
    with pytest.raises(Problem, match="wrong_phase"):
        server.tonk.play(TABLE, first, fair=False)


def entered(status: str, table: str | None = None, *, event: str = "running") -> httpx.Response:
    mine = {"player_id": PLAYER, "entry_no": 1, "status": status}
    mine |= {"table_id": table} if table else {}
    return ok({"status": event, "entries": [{"player_id": "other", "entry_no": 1}, mine]})


def test_a_tournament_is_followed_from_table_to_table(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(
        ok({"player_id": PLAYER}),
        entered("registered", event="registration"),
        entered("playing", TABLE),
        ok(state(3, seat=None)),
        entered("playing", OTHER),
        ok(state(7, seat=None)),
        entered("out"),
    )
    monkeypatch.setattr(server.tonk, "pause", lambda _: None)
    assert server.tonk.play_tournament(EVENT, first, fair=False)["status"] == "out"
    assert [path for path in server.paths if path.endswith("state")] == [
        "/tables/t1/state",
        "/tables/t2/state",
    ]


def test_a_tournament_ends_and_who_is_not_in_it_is_told() -> None:
    server = Server(ok({"player_id": PLAYER}), entered("playing", TABLE, event="settled"))
    assert server.tonk.play_tournament(EVENT, first, fair=False)["status"] == "playing"
    server = Server(ok({"player_id": "nobody"}), entered("playing"))
    with pytest.raises(LookupError):
        server.tonk.play_tournament(EVENT, first, fair=False)


def test_a_folder_may_be_named_by_its_text() -> None:
    with Tonk("http://tonk.test", folder="kept") as tonk:
        assert tonk.folder == Path("kept")


def test_closing_ends_a_wait() -> None:
    began, tonk = threading.Event(), Tonk("http://tonk.test")
    found: list[Exception] = []

    def wait() -> None:
        began.set()
        try:
            tonk.pause(60)
        except Closed as closed:
            found.append(closed)

    with tonk:
        waiting = threading.Thread(target=wait)
        waiting.start()
        began.wait()
    waiting.join(5)
    assert len(found) == 1
    with pytest.raises(Closed):
        tonk.me()


def test_a_client_closed_during_a_request_says_so() -> None:
    def closes(_: httpx.Request) -> httpx.Response:
        raise RuntimeError("Cannot send a request, as the client has been closed.")

    with pytest.raises(Closed):
        Server(closes).tonk.me()
