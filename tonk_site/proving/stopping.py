"""A run that is told to stop leaves nothing behind: no process, no folder, no database.

Ctrl-C reaches all processes of a terminal, SIGTERM the one that it is sent to: both end it alike.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM)
AGAIN_SECONDS = 0.1
BY_SIGNAL = 128
"""What a shell adds to a signal's number to have an exit code."""


@contextmanager
def stoppable() -> Iterator[Sequence[int]]:
    """The first signal ends the block, and then the program; what is yielded tells whether it came.

    Whatever the block has started dies at once, and what its threads still start: else whoever
    holds a pool waits for the end of its work. So all that processes make must lie in folders and
    databases that this one takes away.
    """
    came, owner, hook = list[int](), os.getpid(), threading.excepthook

    def stop(sign: int, _: FrameType | None) -> None:
        if os.getpid() != owner:  # a fork: it has nothing to tidy up
            os._exit(BY_SIGNAL + sign)
        kill_descendants()
        if not came:  # another one does not disturb the tidying up
            came.append(sign)
            signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS, AGAIN_SECONDS)
            threading.excepthook = _forget  # whoever waits for the dead
            raise KeyboardInterrupt

    # What a script has put in the background ignores Ctrl-C, and goes on doing so.
    signs = [sign for sign in STOPS if signal.getsignal(sign) != signal.SIG_IGN]
    before = {sign: signal.signal(sign, stop) for sign in (*signs, signal.SIGALRM)}
    try:
        yield came
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        threading.excepthook = hook
        for sign, handler in before.items():
            signal.signal(sign, handler)
        if came:  # also where the tidying up met a fault of those that died
            sys.stderr.write("stopped; nothing is left\n")
            raise SystemExit(BY_SIGNAL + came[0]) from None


def kill_descendants() -> None:
    """SIGKILL to all that this process has started and to what they have, but for servers.

    They are stopped first, else they have new children meanwhile. Servers lead sessions of their
    own, and whoever started them asks them to end.
    """
    found = set[int]()
    while new := _descendants() - found:
        found |= new
        _signal(new, signal.SIGSTOP)
    _signal(found, signal.SIGKILL)


def _descendants() -> set[int]:
    """Those of this process's group, without the tracker of what Python's processes share.

    The tracker is the last to end: it takes away what the others forget.
    """
    tracker = getattr(resource_tracker._resource_tracker, "_pid", None)
    parents = {pid: parent for pid, parent, group in living() if group == os.getpgrp()}
    found, latest = set[int](), {os.getpid()}
    while latest:
        latest = {pid for pid, parent in parents.items() if parent in latest} - {tracker}
        found |= latest
    return found


def living() -> Iterator[tuple[int, int, int]]:
    """Every process that lives: its id, its parent, its group."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # "pid (name) state parent group ...": a name may hold spaces and brackets.
            state, parent, group = status.read_text().rpartition(")")[2].split()[:3]
            if state not in "ZX":
                yield int(status.parent.name), int(parent), int(group)


def _forget(_: object) -> None:
    """In place of telling what a thread died of."""


def _signal(pids: set[int], sign: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, sign)
