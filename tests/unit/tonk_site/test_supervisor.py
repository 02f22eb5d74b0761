"""Children that end, hang, leave children of their own, or are stopped on purpose."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tonk_site.supervisor import Patience, Program, Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE_SECONDS = 10
HASTY = Patience(first_seconds=0.01, longest_seconds=0.05, ends_max=3, window_seconds=60)
FOREVER = "import signal; signal.pause()"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile 1: signal.pause()"
# Says both pids, so that the test knows whom to look for.
PARENT = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {FOREVER!r}])
print(os.getpid(), child.pid, flush=True)
child.wait()
"""


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def children(tmp_path: Path) -> Callable[..., Supervisor]:
    (tmp_path / "logs").mkdir()

    def make(patience: Patience = HASTY, **scripts: str) -> Supervisor:
        programs = [Program(name, (sys.executable, "-c", text)) for name, text in scripts.items()]
        return Supervisor(programs, data=tmp_path, environment=os.environ, patience=patience)

    return make


def test_a_child_that_was_killed_is_started_again(children: Callable[..., Supervisor]) -> None:
    with children(web=FOREVER) as supervisor:
        first = supervisor.pid("web")
        supervisor.kill("web")
        wait_for(lambda: supervisor.pid("web") not in {None, first})
    assert supervisor.pid("web") is None


def test_too_many_ends_are_a_failure_with_the_log(children: Callable[..., Supervisor]) -> None:
    with children(web=FOREVER, worker="print('no database'); raise SystemExit(3)") as supervisor:
        assert supervisor.ended.wait(PATIENCE_SECONDS)
        assert supervisor.failure == "worker ended 3 times:\n" + "no database\n" * 3


def test_a_stopped_child_stays_stopped(children: Callable[..., Supervisor]) -> None:
    with children(web=FOREVER, beat=FOREVER) as supervisor:
        supervisor.stop("web")
        pid = supervisor.pid("beat")
        supervisor.kill("beat")
        wait_for(lambda: supervisor.pid("beat") not in {None, pid})  # the watcher has looked
        assert supervisor.pid("web") is None
        supervisor.start("web")
        assert supervisor.pid("web") is not None


def test_a_killed_child_leaves_no_children(children: Callable[..., Supervisor]) -> None:
    with children(worker=PARENT) as supervisor:
        wait_for(lambda: supervisor.log("worker").read_text().endswith("\n"))
        parent, child = map(int, supervisor.log("worker").read_text().split())
        assert supervisor.pid("worker") == parent
        assert lives(child)
        supervisor.kill("worker")
        wait_for(lambda: not lives(child))


def test_one_that_does_not_listen_is_killed(
    children: Callable[..., Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tonk_site.supervisor.TERMINATE_SECONDS_MAX", 0.1)
    with children(worker=STUBBORN) as supervisor:
        pid = supervisor.pid("worker")
        assert pid is not None
    assert not lives(pid)


def test_ctrl_c_does_not_reach_a_child(children: Callable[..., Supervisor]) -> None:
    with children(web=FOREVER) as supervisor:
        pid = supervisor.pid("web")
        assert pid is not None
        assert os.getpgid(pid) == pid != os.getpgrp()


def test_the_delay_doubles_up_to_its_limit() -> None:
    patience = Patience(first_seconds=1, longest_seconds=30)
    assert [patience.delay(ends) for ends in range(1, 7)] == [1, 2, 4, 8, 16, 30]


def test_children_are_stopped_in_order(children: Callable[..., Supervisor]) -> None:
    text = """
import os, signal, sys
def leave(*_):
    with open("{}", "a") as log: log.write("{} ")
    sys.exit()
signal.signal(signal.SIGTERM, leave)
print("up", flush=True)
signal.pause()
"""
    supervisor = children()
    order = supervisor.data / "order"
    names = ("web", "worker", "beat")
    with children(**{name: text.format(order, name) for name in names}) as supervisor:
        wait_for(lambda: all(supervisor.log(name).read_text() for name in names))
    assert order.read_text().split() == list(names)
