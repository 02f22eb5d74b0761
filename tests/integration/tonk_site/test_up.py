"""`manage.py up`: it opens its doors, and however it ends, nothing of it is left."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.tonk_site.test_launcher import PATIENCE_SECONDS, processes_of, wait_for
from tonk_site.embedded_services import CHECKOUT
from tonk_site.product import HOST, ask, free_port, is_free

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def port() -> int:
    return free_port(20_000 + os.getpid() % 10_000)


@contextlib.contextmanager
def up(data: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    own = {"TONK_DATA": str(data), "PORT": str(port)}
    left_out = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    given = {name: value for name, value in os.environ.items() if name not in left_out}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "up"], cwd=CHECKOUT, env=given | own, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def doors_open(process: subprocess.Popen[str], port: int) -> None:
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(2)]
    assert f"http://{HOST}:{port}" in said[-1], said
    assert ask(port, "/readyz")[0] == 200


def pid_of_broker(data: Path) -> int:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (folder / "cmdline").read_bytes()
            if b"valkey-server" in command and bytes(data) in command:
                return int(folder.name)
    raise AssertionError("no broker runs")


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_however_it_ends_nothing_is_left(tmp_path: Path, port: int, sign: signal.Signals) -> None:
    with up(tmp_path, port) as process:
        doors_open(process, port)
        assert len(processes_of(tmp_path)) > 2
        process.send_signal(sign)
        assert process.wait(PATIENCE_SECONDS) == (0 if sign == signal.SIGINT else -sign)
        wait_for(lambda: not processes_of(tmp_path) and is_free(port))


def test_a_port_that_is_taken_is_said(tmp_path: Path, port: int) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, port))
        taken.listen()
        with up(tmp_path, port) as process:
            said, _ = process.communicate()
    assert process.returncode == 1
    assert f"port {port} is taken" in said
    assert "PORT=" in said
    assert not (tmp_path / "postgres").exists()


@pytest.mark.slow
def test_a_server_that_ends_by_itself_ends_the_product_with_its_reason(
    tmp_path: Path, port: int
) -> None:
    with up(tmp_path, port) as process:
        doors_open(process, port)
        os.kill(pid_of_broker(tmp_path), signal.SIGKILL)
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 1
    assert "valkey-server has ended" in said
    wait_for(lambda: not processes_of(tmp_path) and is_free(port))
