"""Static files and JSON, as every process of the web serves them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import orjson
import pytest
from django.http import HttpRequest, HttpResponse

from tonk_site.rest import OrjsonRenderer
from tonk_site.static import StaticFiles

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_django import Settings

BEHIND = HttpResponse("behind")


def request(path: str) -> HttpRequest:
    made = HttpRequest()
    made.method, made.path, made.path_info = "GET", path, path
    return made


@pytest.fixture(params=[True, False], ids=["looked up", "collected"])
def collected(
    request: pytest.FixtureRequest, settings: Settings, tmp_path: Path
) -> None:  # fmt: skip
    (tmp_path / "a.css").write_text("body {}")
    settings.STATIC_ROOT = tmp_path
    settings.WHITENOISE_AUTOREFRESH = request.param


@pytest.mark.usefixtures("collected")
def test_a_file_is_served_without_a_thread() -> None:
    async def behind(_: HttpRequest) -> HttpResponse:
        return BEHIND

    middleware = StaticFiles(behind)
    answer = asyncio.run(middleware(request("/static/a.css")))
    assert answer.content == b"body {}"
    assert answer.headers["Content-Type"].startswith("text/css")
    assert asyncio.run(middleware(request("/elsewhere"))) is BEHIND


@pytest.mark.usefixtures("collected")
def test_a_file_is_served_in_a_thread() -> None:
    middleware = StaticFiles(lambda _: BEHIND)
    answer = middleware(request("/static/a.css"))
    assert b"".join(answer.streaming_content) == b"body {}"
    answer.close()
    assert middleware(request("/elsewhere")) is BEHIND


def test_answers_are_json() -> None:
    sent = OrjsonRenderer().render({"amount": 5, "name": "ž"})
    assert orjson.loads(sent) == {"amount": 5, "name": "ž"}
    assert OrjsonRenderer().render(None) == b""
