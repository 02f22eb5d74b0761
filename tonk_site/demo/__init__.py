"""The demo: the product in a fresh folder, a tournament from registration to prizes, verified."""

import sys
import time

BEGUN = time.monotonic()


class Failed(RuntimeError):
    """The demo did not show what it promises; the message says what."""


def seconds() -> float:
    """Time since the demo began."""
    return round(time.monotonic() - BEGUN, 1)


def say(text: str) -> None:
    """Tell people; stdout is for the result."""
    sys.stderr.write(f"{seconds():5.1f}  {text}\n")
    sys.stderr.flush()
