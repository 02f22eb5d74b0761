"""Alarms: what people must look at, said once a minute as long as it goes on."""

import logging
import time

REPEAT_SECONDS = 60.0

logger = logging.getLogger(__name__)
_said: dict[str, float] = {}  # when each was said last, by the name of its metric


def say(alarm: str, level: int, detail: str) -> None:
    """Log an alarm, unless it was said within the minute."""
    now = time.monotonic()
    if now - _said.get(alarm, -REPEAT_SECONDS) >= REPEAT_SECONDS:
        _said[alarm] = now
        logger.log(level, "%s: %s", alarm, detail)


def forget() -> None:
    """Say everything anew."""
    _said.clear()
