"""Problem documents: their members, their words in both languages, their codes."""

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from tests.api.callers import NOWHERE, Caller, account, refused
from tonk_site.refusals import MEANINGS

pytestmark = pytest.mark.django_db


def test_the_words_follow_the_language(ona: Caller) -> None:
    english = ona.get("/tables/x").document
    assert english["title"] == "There is no such thing, or none that you may know of."
    lithuanian = "Tokio dalyko nėra arba jis jums nematomas."
    assert ona.get("/tables/x", Accept_Language="lt").document["title"] == lithuanian
    for path in (f"/tables/{NOWHERE}", f"/tables/{NOWHERE}/state"):
        answer = ona.get(path, Accept_Language="lt-LT, en;q=0.5")
        assert answer.document["title"] == answer.document["detail"] == lithuanian
        assert answer.headers["Content-Language"] == "lt"
        assert ona.get(path, Accept_Language="de").document["title"] == english["title"]


def test_the_account_has_a_language_of_its_own(ona: Caller) -> None:
    who = account(ona.who.id)
    who.language = "lt"
    who.save(update_fields=["language"])
    path = f"/tables/{NOWHERE}"
    assert ona.get(path).document["title"].startswith("Tokio")
    assert ona.get(path, Accept_Language="en").document["title"].startswith("There is")
    assert Caller().get(path).document["title"].startswith("There is")


def test_the_members_of_a_problem(ona: Caller) -> None:
    answer = ona.get(f"/tables/{NOWHERE}", X_Request_Id="my-own-request-id")
    assert answer.document == {
        "type": "/problems/not_found",
        "title": "There is no such thing, or none that you may know of.",
        "status": 404,
        "detail": "There is no such thing, or none that you may know of.",
        "instance": f"/api/v1/tables/{NOWHERE}",
        "code": "not_found",
        "retryable": False,
        "request_id": "my-own-request-id",
        "facts": {},
    }
    assert answer.headers["X-Request-Id"] == "my-own-request-id"
    assert answer.headers["Server-Time"].endswith("Z")
    assert ona.get("/me", X_Request_Id="short").headers["X-Request-Id"] != "short"


def test_a_part_that_is_away(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    problem = refused(Caller().get("/readyz"), 503, "unavailable")
    away = [name for name, word in problem["checks"].items() if word != "ok"]
    assert (away, len(problem["checks"])) == (["broker"], 5)
    assert problem["retryable"]
    assert Caller().get("/healthz").content == b"ok"


# --- Codes ----------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
APPS = ("eventstore", "players", "ledger", "games", "tournaments", "web", "tonk_site")
RAISERS = frozenset({"refuse", "Refusal", "plain"})


def codes_in(source: str) -> Iterator[str]:
    """Codes that a module refuses with, as its text says."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = node.func.id if isinstance(node.func, ast.Name) else called
        first = node.args[0]
        if called in RAISERS and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value


@pytest.mark.slow
def test_every_code_that_is_refused_with_has_its_meaning() -> None:
    found = {
        code
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        for code in codes_in(path.read_text())
    }
    assert len(found) > 60
    assert found - set(MEANINGS) == set()
    assert list(codes_in("raise errors.refuse('a', b=1)\nRefusal(code='x')\nplain(b)")) == ["a"]


def test_every_meaning_is_said_in_both_languages() -> None:
    for code, meaning in MEANINGS.items():
        assert 400 <= meaning.status < 600, code
        assert len({meaning.en.strip(), meaning.lt.strip(), ""}) == 3, code
        blanks = {name for _, name, _, _ in Formatter().parse(meaning.en) if name}
        assert blanks == {name for _, name, _, _ in Formatter().parse(meaning.lt) if name}, code
        assert meaning.en[-1] == meaning.lt[-1] == ".", code


def test_the_table_of_refusals_is_data() -> None:
    english = Caller().get("/refusals").document["items"]
    lithuanian = Caller().get("/refusals?lang=lt").document["items"]
    assert [one["code"] for one in english] == [one["code"] for one in lithuanian] == list(MEANINGS)
    assert {one["meaning"] for one in lithuanian} == {one.lt for one in MEANINGS.values()}
