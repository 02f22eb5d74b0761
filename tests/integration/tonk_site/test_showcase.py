"""The showcase of `make run`: its log-ins, and the tournaments it holds."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import httpx
import pytest
from django.test import Client

from clients.python.tonk_client import Tonk
from tonk_site import showcase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.django_db


@pytest.fixture
def passwords(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "keys").mkdir()
    return showcase.logins(tmp_path)


@contextlib.contextmanager
def client_of(username: str, passwords: dict[str, str]) -> Iterator[Tonk]:
    """The shipped client, logged in, on the product in this process."""
    with Tonk("http://testserver", transport=httpx.MockTransport(answered)) as tonk:
        tonk.login(username, passwords[username])
        yield tonk


def answered(request: httpx.Request) -> httpx.Response:
    given = Client().generic(
        request.method,
        request.url.raw_path.decode(),
        request.content,
        content_type=request.headers.get("Content-Type", "application/json"),
        headers=dict(request.headers),
    )
    return httpx.Response(given.status_code, headers=dict(given.items()), content=given.content)


def test_the_log_ins_stay_and_its_own_is_not_shown(
    tmp_path: Path, passwords: dict[str, str]
) -> None:
    assert showcase.logins(tmp_path) == passwords
    assert showcase.file_of(tmp_path).stat().st_mode & 0o077 == 0
    shown = showcase.listed(passwords)
    assert [line.split()[:2] for line in shown.splitlines()] == [
        ["organiser", "jonas"], ["auditor", "rasa"], ["player", "ona"], ["player", "petras"],
    ]  # fmt: skip
    assert passwords[showcase.HOST] not in shown


def test_it_takes_up_its_own_tournament_and_leaves_those_of_people_alone(
    passwords: dict[str, str],
) -> None:
    with client_of("jonas", passwords) as jonas, client_of(showcase.HOST, passwords) as host:
        theirs = jonas.create_tournament(showcase.TEMPLATE, "Friday")
        assert showcase.left_behind(host) is None
        left = host.create_tournament(showcase.TEMPLATE, "Left behind")["tournament_id"]
        showcase.advance(host, host.tournament(left))
        taken_up = showcase.left_behind(host)
        assert taken_up is not None
        assert (taken_up["tournament_id"], taken_up["status"]) == (left, "announced")
        while host.tournament(left)["status"] in {"announced", "registration"}:
            showcase.advance(host, host.tournament(left))
        assert host.tournament(left)["counts"]["entries"] == 9
        assert jonas.tournament(theirs["tournament_id"])["status"] == "draft"
