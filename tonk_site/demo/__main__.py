"""Start the product, hold the tournament, print what was found; leave nothing behind.

    python -m tonk_site.demo        # the last line on stdout is one JSON object

Settings are read once, from the environment; so this module starts the product before Django is
set up, and plays with what the environment says then.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import django

from clients.python.tonk_client import NoAnswer, Problem
from tonk_site.demo import Failed, say, seconds
from tonk_site.embedded_services import ADDRESSES, end_of
from tonk_site.identity import ServicesError
from tonk_site.product import HOST, NotReady, free_port, product

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tonk_site.supervisor import Supervisor

    Run = Callable[[str, Supervisor], dict[str, object]]

STOPS = (signal.SIGINT, signal.SIGTERM)
FIRST_PORT = 8100  # clear of a product that is running
INTERRUPTED = 130


def main() -> int:
    """Exit code: 0 if a tournament was held and everything about it holds."""
    for sign in STOPS:
        signal.signal(sign, _stop)
    for name in ADDRESSES:  # the folder is fresh, so the servers are its own
        os.environ.pop(name, None)
    try:
        figures = hold()
    except (Failed, NoAnswer, NotReady, Problem, ServicesError) as fault:
        say(f"FAILED: {fault}")
        return 1
    except KeyboardInterrupt:
        say("stopped; nothing is left")
        return INTERRUPTED
    sys.stdout.write(json.dumps(figures, separators=(",", ":")) + "\n")
    return 0


def hold() -> dict[str, object]:
    """What the demo found, as its last line has it. Raises: Failed, NotReady, ServicesError."""
    with fresh_folder() as data:
        port = free_port(FIRST_PORT)
        say("starting PostgreSQL, Valkey, web, worker and beat in a fresh folder")
        with logs_on_failure(data), product(data, port) as children:
            os.environ.update(children.environment)
            django.setup()
            run: Run = import_module("tonk_site.demo.tournament").run
            figures = run(f"http://{HOST}:{port}", children)
    return figures | {"seconds": seconds()}


@contextlib.contextmanager
def fresh_folder() -> Iterator[Path]:
    """A data folder that goes at the end, with whatever is in it."""
    folder = Path(tempfile.mkdtemp(prefix="tonk-demo-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def logs_on_failure(data: Path) -> Iterator[None]:
    """Show the ends of all logs if the block fails, before their folder goes."""
    try:
        yield
    except Exception:
        for log in sorted((data / "logs").glob("*.log")):
            if end := end_of(log).strip():
                say(f"--- {log.name}\n{end}")
        raise


def _stop(*_: object) -> NoReturn:
    """Everything is stopped in order; a second signal changes nothing."""
    for sign in STOPS:
        signal.signal(sign, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
