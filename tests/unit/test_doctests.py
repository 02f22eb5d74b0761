"""Every example in a docstring is true."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("eventstore", "players", "ledger", "games", "tournaments", "web", "tonk_site", "clients",
         "tools")  # fmt: skip


def with_examples() -> list[str]:
    """Names of the modules that hold an example."""
    paths = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    found = (path.relative_to(ROOT).with_suffix("") for path in paths if ">>> " in path.read_text())
    return sorted(".".join(path.parts) for path in found)


@pytest.mark.parametrize("name", with_examples())
def test_the_examples_are_true(name: str) -> None:
    outcome = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert outcome.attempted > 0
    assert outcome.failed == 0
