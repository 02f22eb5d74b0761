"""A process that stops everything when its launcher has died, by whatever death."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from signal import Signals

# The guard reads until its input closes, as it does when the launcher dies. The last line says what
# ran then: "CHILD CHILD / SIGNAL:SERVER SIGNAL:SERVER". Children get three seconds, less than a new
# launcher waits for the lock; then their whole groups go, and the servers are stopped in order.
SCRIPT = """
children= servers=
while read -r line; do children=${line%%/*} servers=${line#*/}; done
for pid in $children; do kill -TERM "$pid"; done
tries=30
for pid in $children; do
  while [ $tries -gt 0 ] && kill -0 "$pid"; do sleep 0.1; tries=$((tries - 1)); done
done
for pid in $children; do kill -KILL "-$pid"; done
for stop in $servers; do kill "-${stop%:*}" "${stop#*:}"; done
"""


class Guard:
    """The guard of one launcher; it holds the lock of the data folder until its work is done."""

    def __init__(self, lock: int, servers: Mapping[int, Signals]) -> None:
        """Watch over `servers`: pid and the signal that stops it, in the order of stopping."""
        self.lock = lock
        self._servers, self._children = _listed(servers), ""
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", SCRIPT, "tonk-guard"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd="/", start_new_session=True, pass_fds=[lock], text=True, bufsize=1,
        )  # fmt: skip
        self.watch(())

    def watch(self, children: Iterable[int]) -> None:
        """Watch over these processes too, each the leader of a group; replaces the earlier list."""
        self._children = " ".join(map(str, children))
        self._tell()

    def serve(self, servers: Mapping[int, Signals]) -> None:
        """Watch over these servers from now on: one of them was started again."""
        self._servers = _listed(servers)
        self._tell()

    def _tell(self) -> None:
        if self._process.stdin is None or self._process.poll() is not None:
            return
        self._process.stdin.write(f"{self._children} / {self._servers}\n")

    def dismiss(self) -> None:
        """End the guard: the launcher stops everything itself."""
        self._process.kill()
        self._process.communicate()


def _listed(servers: Mapping[int, Signals]) -> str:
    return " ".join(f"{sign.name[3:]}:{pid}" for pid, sign in servers.items())
