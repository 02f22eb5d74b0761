"""The endpoints that exist, from the URL configuration, and their rows in the matrix."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from django.urls import URLPattern, URLResolver

import web.urls
from games.api import views, waiting
from players.api.base import Operation
from tonk_site import system, urls

MATRIX = Path(__file__).parents[1] / "cases/authz.csv"
# Paths that no class answers.
FUNCTIONS: MappingProxyType[Any, dict[str, Operation]] = MappingProxyType(
    {
        waiting.state: views.State.operations,
        system.alive: {"GET": Operation("system.live")},
        system.ready: {"GET": Operation("system.ready")},
    }
)
CONVERTER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True, slots=True)
class Route:
    """An operation with its place."""

    name: str
    method: str
    path: str
    operation: Operation


def walk(patterns: list[URLPattern | URLResolver], before: str = "/") -> Iterator[Route]:
    """Every operation of the API; pages have a matrix of their own."""
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if pattern.url_patterns is not web.urls.urlpatterns:
                yield from walk(pattern.url_patterns, path)
            continue
        view = getattr(pattern.callback, "cls", None)
        operations = view.operations if view else FUNCTIONS[pattern.callback]
        for method, operation in operations.items():
            yield Route(operation.name, method, CONVERTER.sub(r"{\1}", path), operation)


def rows() -> list[dict[str, str]]:
    """The matrix: one row an endpoint."""
    with MATRIX.open(newline="") as file:
        return list(csv.DictReader(file))


ROUTES = {route.name: route for route in walk(urls.urlpatterns)}
ROWS = {row["name"]: row for row in rows()}
