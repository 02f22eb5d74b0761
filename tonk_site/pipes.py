"""Standard output that somebody else reads, and may close."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def while_read() -> Iterator[None]:
    """Whatever is written there goes out; a reader that has enough is no fault."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # what Python holds back goes nowhere
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
