"""The embedded servers: as root and as anybody else, twice on one folder, killed at any moment."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
import redis

from tonk_site import embedded_services, identity
from tonk_site.embedded_services import CHECKOUT, Services, available, running, throwaway
from tonk_site.identity import Identity, ServicesError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PATIENCE_SECONDS = 20
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")


@pytest.fixture(autouse=True)
def no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """These launchers know nothing of the servers of the test run."""
    for name in ("DATABASE_URL", "REDIS_URL", "TONK_DATA"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def data() -> Iterator[Path]:
    """A closed folder whose parents anybody may pass."""
    folder = Path(tempfile.mkdtemp(prefix="tonk-test-"))
    yield folder / "var"
    shutil.rmtree(folder)


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def write(addresses: Mapping[str, str]) -> None:
    with psycopg.connect(owner_url(addresses)) as connection:
        connection.execute("CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)")
    with redis.Redis.from_url(addresses["REDIS_URL"]) as client:
        client.set("kept", "7")


def kept(addresses: Mapping[str, str]) -> tuple[object, object]:
    with psycopg.connect(owner_url(addresses)) as connection:
        row = connection.execute("SELECT id FROM kept").fetchone()
    with redis.Redis.from_url(addresses["REDIS_URL"]) as client:
        return row and row[0], client.get("kept")


def owner_url(addresses: Mapping[str, str]) -> str:
    return addresses["DATABASE_URL"].replace("tonk_app@", "tonk_owner@")


def processes_of(data: Path) -> list[str]:
    """Commands of processes that name the folder, or have it in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (folder / "cmdline").read_bytes()
            if bytes(data) in command + (folder / "environ").read_bytes():
                found.append(command.replace(b"\0", b" ").decode())
    return found


@contextlib.contextmanager
def launcher(
    data: Path, *command: str, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A launcher in a process of its own, with its addresses."""
    command = command or (sys.executable,)
    process = subprocess.Popen(
        [*command, "-m", "tonk_site.embedded_services", str(data)],
        cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})},
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@pytest.mark.slow
def test_rows_and_keys_are_kept(data: Path) -> None:
    services = Services(data)
    with services:
        write(services.addresses)
        assert running(data) == services.addresses
    assert running(data) is None
    with services:
        assert kept(services.addresses) == (7, b"7")
    assert processes_of(data) == []


@pytest.mark.slow
def test_the_servers_are_safe_and_closed(data: Path) -> None:
    with Services(data) as services, psycopg.connect(services.superuser_url) as connection:
        for name in ("fsync", "full_page_writes", "synchronous_commit", "data_checksums"):
            assert connection.execute(f"SHOW {name}").fetchone() == ("on",)
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        assert services.sockets.stat().st_mode & 0o777 == 0o700
        assert (data / "keys/secret").stat().st_mode & 0o777 == 0o600


def test_a_second_launcher_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_services, "LOCK_SECONDS_MAX", 0.1)
    with Services(data), pytest.raises(ServicesError, match=f"launcher {os.getpid()}"):
        Services(data).__enter__()


def test_a_command_uses_the_servers_that_run(data: Path) -> None:
    with Services(data) as services, available(data) as addresses:
        assert addresses == services.addresses
    with available(data) as addresses:
        assert running(data) == addresses
    assert running(data) is None


@pytest.mark.slow
def test_a_command_waits_for_a_launcher_that_starts(data: Path) -> None:
    starting = subprocess.Popen(
        [sys.executable, "-m", "tonk_site.embedded_services", str(data)],
        cwd=CHECKOUT, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    wait_for(lambda: embedded_services._is_locked(data))
    with available(data) as addresses:
        assert (data / "lock").read_text() == str(starting.pid)
        write(addresses)
    starting.terminate()
    assert starting.wait(PATIENCE_SECONDS) == 0


def test_a_given_address_starts_no_server(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://tonk_app@db/tonk")
    with available(data) as addresses:
        assert addresses["DATABASE_URL"] == "postgres://tonk_app@db/tonk"
        assert not (data / "postgres").exists()
    monkeypatch.setenv("REDIS_URL", "redis://cache/0")
    with available(data / "none") as addresses:
        assert addresses["REDIS_URL"] == "redis://cache/0"
    assert not (data / "none").exists()


def test_a_launcher_that_is_killed_leaves_nothing(data: Path) -> None:
    with launcher(data) as (process, addresses):
        write(addresses)
        process.kill()
        process.wait()
        with Services(data) as services:  # at once: the guard is still at work
            assert kept(services.addresses) == (7, b"7")
    wait_for(lambda: not processes_of(data))


@pytest.mark.slow
def test_a_long_path_moves_the_sockets(data: Path) -> None:
    long = data.parent / ("x" * 140)
    with Services(long) as services:
        assert services.sockets.parent == Path(tempfile.gettempdir())
        write(services.addresses)
    shutil.rmtree(services.sockets)


def test_half_an_initdb_is_no_cluster(data: Path) -> None:
    (data / "postgres.new").mkdir(parents=True)
    (data / "postgres.new/PG_VERSION").write_text("half")
    with Services(data) as services:
        write(services.addresses)
    assert not (data / "postgres.new").exists()


def test_a_cluster_of_another_version_is_refused(data: Path) -> None:
    with Services(data):
        pass
    (data / "postgres/PG_VERSION").write_text("9\n")
    with pytest.raises(ServicesError, match=r"PostgreSQL 9, .* dump and restore"):
        Services(data).__enter__()
    assert processes_of(data) == []


@pytest.mark.slow
def test_a_failed_second_server_stops_the_first(data: Path) -> None:
    (data / "valkey").mkdir(parents=True)
    (data / "valkey/appendonlydir").write_text("no folder")
    with pytest.raises(ServicesError, match="valkey-server gives no answer"):
        Services(data).__enter__()
    assert processes_of(data) == []


def test_a_large_log_is_put_aside(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_services, "LOG_BYTES_MAX", 4)
    (data / "logs").mkdir(parents=True)
    for generation in range(6):
        embedded_services.log_file(data, "web").write_text(f"log {generation}")
    names = {path.name: path.read_text() for path in (data / "logs").iterdir()}
    assert names == {
        "web.log": "log 5",
        "web.log.1": "log 4",
        "web.log.2": "log 3",
        "web.log.3": "log 2",
    }


def test_a_throwaway_leaves_no_folder() -> None:
    with throwaway() as services:
        folder = services.data
        assert folder.exists()
    assert not folder.exists()


@pytest.mark.slow
@as_root
def test_root_without_namespaces_becomes_nobody(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder changes its owner there and back, whichever way is open, and keeps its rows."""
    with Services(data) as services:
        write(services.addresses)
    reaches = Identity.reaches

    def only_dropped(self: Identity, bindir: Path, folder: Path) -> bool:
        return self.drop and reaches(self, bindir, folder)

    home = data.parent / "home"
    with monkeypatch.context() as patch:
        patch.setattr(Identity, "reaches", only_dropped)
        patch.setattr(identity, "ROOT_HOME", home)
        data.parent.chmod(0o711)
        with Services(data) as services:
            assert services.identity.drop
            if services.home == data:  # else the wheel lies in somebody's closed home
                assert kept(services.addresses) == (7, b"7")
    if services.home == data:
        with Services(data) as services:
            assert kept(services.addresses) == (7, b"7")


@pytest.mark.slow
@as_root
def test_root_in_a_closed_home_gets_a_cluster_elsewhere(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = data.parent / "home"
    data.parent.chmod(0o711)
    monkeypatch.setattr(identity, "ROOT_HOME", home)
    with monkeypatch.context() as patch:
        patch.setattr(Identity, "reaches", lambda *_: False)
        with Services(data) as services:
            assert services.home.parent == home
            assert services.bindir.is_relative_to(home) or identity.own_binaries()
            write(services.addresses)
    with Services(data) as services:  # it stays there, once it lies there
        assert services.home.parent == home
        assert kept(services.addresses) == (7, b"7")


@as_root
def test_an_ordinary_user_starts_them(data: Path) -> None:
    user = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    packages = str(Path(psycopg.__file__).parents[1])
    interpreters = (sys.executable, "/usr/bin/python3")
    environment = {"PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/"}
    probe = "import psycopg, redis, sys; sys.exit(sys.version_info[:2] != {})"
    usable = [
        path
        for path in interpreters
        if not subprocess.run(
            [*user, path, "-c", probe.format(tuple(sys.version_info[:2]))],
            env={**os.environ, **environment}, capture_output=True, cwd=CHECKOUT, check=False,
        ).returncode
    ]  # fmt: skip
    if not usable:
        pytest.skip("no Python here that an ordinary user may run")
    data.parent.chmod(0o700)
    os.chown(data.parent, 65534, 65534)
    for expected in (None, (7, b"7")):
        with launcher(data, *user, usable[0], environment=environment) as (_, addresses):
            assert data.stat().st_uid == 65534
            if expected is None:
                write(addresses)
            assert kept(addresses) == (7, b"7")


@pytest.mark.slow
@pytest.mark.parametrize("prefix", [(), ("env", "--ignore-signal=INT")], ids=["front", "back"])
def test_a_signal_ends_it_cleanly(data: Path, prefix: tuple[str, ...]) -> None:
    """Also where a shell started it in the background, with SIGINT ignored."""
    with launcher(data, *prefix, sys.executable) as (process, _):
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_SECONDS) == 0
        assert processes_of(data) == []
