"""A run that is told to stop: what it has started dies with it, what it has made goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.integration.tonk_site.test_launcher import PATIENCE_SECONDS, processes_of
from tonk_site.embedded_services import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAID = "stopped; nothing is left\n"
# A pool, whose child has a child: both hold on to standard output for as long as they live.
FAMILY = """
import multiprocessing, os, signal
from concurrent.futures import ProcessPoolExecutor
from tonk_site.proving.stopping import stoppable

# Whoever runs the tests in the background has it ignored, and that is inherited.
signal.signal(signal.SIGINT, signal.default_int_handler)

def waits():
    if os.fork():
        print("ready", flush=True)
    while True:
        signal.pause()

with stoppable(), ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
    tasks = [pool.submit(waits) for _ in range(9)]
    tasks[0].result()
"""
OURS = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")


@contextmanager
def started(*command: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A process that is there no longer than the block, whatever becomes of it."""
    own = {name: value for name, value in os.environ.items() if name not in OURS}
    with subprocess.Popen(
        [sys.executable, *command], cwd=CHECKOUT, env=own | variables, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everybody_whatever_is_still_to_be_done(sign: signal.Signals) -> None:
    with started("-c", FAMILY) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(sign)
        _, told = process.communicate(timeout=PATIENCE_SECONDS)  # everybody has let go
    assert (process.returncode, told) == (128 + sign, SAID)


@pytest.mark.slow
def test_a_check_that_is_stopped_leaves_no_folder_and_no_server(tmp_path: Path) -> None:
    folders = {"TMPDIR": str(tmp_path), "TONK_DATA": str(tmp_path / "data")}
    with started("manage.py", "prove", "gapless", "chain", **folders) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("gapless:")
        assert list(tmp_path.iterdir())
        process.terminate()
        lines, told = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, lines, told) == (128 + signal.SIGTERM, "", SAID)
    assert list(tmp_path.iterdir()) == []
    assert processes_of(tmp_path) == []
