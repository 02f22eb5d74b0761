"""What a test expects of an alarm."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def is_said_once(watch: Callable[[], object], said: str, caplog: pytest.LogCaptureFixture) -> None:
    """Looking three times says it once, with its level; nothing where `said` is empty."""
    for _ in range(3):
        watch()
    told = [f"{record.levelname} {record.getMessage()}" for record in caplog.records]
    if not said:
        assert told == []
        return
    (line,) = told
    assert said in line
