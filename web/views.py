"""The pages: what is on, a table to look at, the rules. They read, and know no rule of the game."""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from eventstore.core.refusal import Refused
from games import selectors as games
from games.rules.presets import PRESET_OPTIONS
from web import boards, lists, sheets
from web.amounts import worth_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from django.http import HttpRequest, HttpResponse

# Everything comes from here; nothing is written inside a page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# Versions are 64-bit numbers; what is no such number stands for the newest.
VERSION = re.compile(r"[0-9]{1,18}", re.ASCII)
NEWEST = 2**63 - 1


def page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view of a page: read only, under the policy, kept by nobody."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            answer = view(request, *args, **kwargs)
        except Refused as refused:  # of the reads there is one: `not_found`
            raise Http404 from refused
        answer["Content-Security-Policy"] = POLICY
        answer["Cache-Control"] = "private, no-cache"
        return answer

    return require_safe(guarded)


@page
def home(request: HttpRequest) -> HttpResponse:
    """What is on now, and what has just ended."""
    found = {"tournaments": lists.tournaments(), "tables": lists.cash_tables()}
    return render(request, "web/home.html", found)


@page
def table(request: HttpRequest, table_id: UUID) -> HttpResponse:
    """A table that keeps itself up to date."""
    row = games.live_row(table_id)
    found = {"heading": lists.heading(row), "board": _board(table_id, NEWEST)}
    return render(request, "web/table.html", found)


@page
def board(request: HttpRequest, table_id: UUID) -> HttpResponse:
    """The part of the page of a table that changes, one event after the version `after`."""
    after = request.GET.get("after", "")
    version = int(after) + 1 if VERSION.fullmatch(after) else NEWEST
    return render(request, "web/board.html", {"board": _board(table_id, version)})


@page
def table_rules(request: HttpRequest, table_id: UUID) -> HttpResponse:
    """The rules of a table, with what it is played for."""
    seen, _ = games.public_at(table_id, NEWEST)
    found = {
        "heading": lists.heading(seen.row),
        "table_id": table_id,
        "rules": sheets.table_rules(seen),
    }
    return render(request, "web/table_rules.html", found)


@page
def rules(request: HttpRequest) -> HttpResponse:
    """The presets, each with a sentence about it."""
    return render(request, "web/rules.html", {"presets": sheets.presets()})


@page
def preset_rules(request: HttpRequest, preset: str) -> HttpResponse:
    """The rules of a preset."""
    if preset not in PRESET_OPTIONS:
        raise Http404
    found = {
        "preset": sheets.preset(preset),
        "sections": sheets.sections(PRESET_OPTIONS[preset]),
        "others": [one for one in sheets.presets() if one.name != preset],
    }
    return render(request, "web/preset_rules.html", found)


@page
def missing(request: HttpRequest) -> HttpResponse:
    """What a browser gets for an address that leads nowhere."""
    return render(request, "web/missing.html", status=404)


def _board(table_id: UUID, version: int) -> boards.Board:
    seen, newest = games.public_at(table_id, version)
    state: dict[str, Any] = games.state_document(seen)
    why = sheets.why(seen, {seat["player_id"]: seat["name"] for seat in state["seats"]})
    return boards.board(state, worth_in(state["currency"]), newest=newest, why=why)
