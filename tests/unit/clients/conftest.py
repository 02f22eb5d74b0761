"""Fixtures of the client's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.clients.croupier import Croupier
from tests.unit.clients.seated import Play

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def croupier(tmp_path: Path) -> Croupier:
    return Croupier(tmp_path)


@pytest.fixture
def play(croupier: Croupier) -> Play:
    """A client whose anchor is in force, as is that of the opponent."""
    found = Play(croupier)
    found.look()
    croupier.anchor_other()
    found.look()
    return found
