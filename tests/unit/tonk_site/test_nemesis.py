"""The faults of a seed, and what a client's history keeps of its requests."""

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from clients.python.tonk_client import NoAnswer, Problem, Tonk
from tonk_site.product import programs
from tonk_site.proving.processes.fragile import children_of, with_two_workers
from tonk_site.proving.processes.history import REPEATED_OK, Recorder
from tonk_site.proving.processes.nemesis import KILLS, LOSSES, Kind, plan

EVERY_KILL = [what for row in KILLS for what in row]
COUNTS: dict[Kind, int] = {"kill": 2 * len(EVERY_KILL), "loss": 4, "cut": 5}


def test_the_same_seed_has_the_same_faults() -> None:
    faults = plan("a", COUNTS, (1, 3))
    assert faults == plan("a", COUNTS, (1, 3))
    assert faults != plan("b", COUNTS, (1, 3))
    assert all(1 <= fault.then <= 3 for fault in faults)


def test_every_way_to_kill_comes_before_one_comes_again() -> None:
    faults = plan("a", COUNTS, (1, 3))
    kinds = Counter(fault.kind for fault in faults)
    assert kinds == {**COUNTS, "pause": 2 * len(EVERY_KILL) // 3}
    killed = Counter(fault.what for fault in faults if fault.kind == "kill")
    assert killed == dict.fromkeys(EVERY_KILL, 2)
    lost = Counter(fault.what for fault in faults if fault.kind == "loss")
    assert lost == dict.fromkeys([what for row in LOSSES for what in row], 2)
    assert all(0.5 <= fault.stopped <= 30 for fault in faults if fault.kind == "pause")


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_a_brief_trial_has_the_worst(seed: str) -> None:
    counts: dict[Kind, int] = {"kill": len(KILLS[0]), "loss": 1, "cut": 0}
    faults = {fault.what for fault in plan(seed, counts, (1, 3)) if fault.kind != "pause"}
    assert faults == {*KILLS[0], "flush"}


def test_a_second_worker_runs_beside_the_first(tmp_path: Path) -> None:
    single = programs(tmp_path, 1)
    found = {one.name: one for one in with_two_workers(single)}
    assert set(found) == {*(one.name for one in single), "worker-2"}
    assert "worker-2@%h" in found["worker-2"].command
    assert found["worker"] in single


def test_the_children_of_a_process_are_found() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert child.pid in children_of(os.getpid())
        assert children_of(child.pid) == []
        child.communicate()
    assert child.pid not in children_of(os.getpid())


def a_problem(status: int, code: str, *, retryable: bool = False) -> httpx.Response:
    document = {"code": code, "title": code, "status": status, "retryable": retryable}
    media = {"Content-Type": "application/problem+json"}
    return httpx.Response(status, json=document, headers=media)


Answer = httpx.Response | Exception


def a_player(*answers: Answer) -> tuple[Tonk, Recorder]:
    """A client whose wire answers so, one after the other; an exception breaks it."""
    left = iter(answers)

    def handle(request: httpx.Request) -> httpx.Response:
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    recorder = Recorder("ona", lambda: httpx.MockTransport(handle))
    return Tonk("http://tonk.test", "a-token", transport=recorder), recorder


def test_every_attempt_at_a_write_is_noted_with_its_one_key() -> None:
    well = httpx.Response(201, json={"version": 2}, headers={"Idempotency-Replayed": "true"})
    tonk, recorder = a_player(
        httpx.ReadError("cut"), a_problem(503, "unavailable", retryable=True), well
    )
    assert tonk.sit_down("t", buy_in=5, version=1) == {"version": 2}
    assert [call.outcome for call in recorder.calls] == ["unknown", "unknown", "ok"]
    assert len({call.key for call in recorder.calls}) == 1
    last = recorder.calls[-1]
    assert (last.player, last.method, last.path) == ("ona", "POST", "/tables/t/seat")
    assert (last.body, last.answer) == ({"buy_in": 5, "version": 1}, {"version": 2})
    assert last.is_replayed
    assert last.began <= last.ended


def test_a_refusal_is_one_and_what_may_be_tried_again_is_none() -> None:
    tonk, recorder = a_player(
        a_problem(409, "idempotency_in_progress", retryable=True), a_problem(409, "no_hand")
    )
    with pytest.raises(Problem):
        tonk.move("t", "K", 1)
    assert [call.outcome for call in recorder.calls] == ["unknown", "refused"]
    assert recorder.calls[-1].answer["code"] == "no_hand"


def test_what_has_no_answer_is_asked_again_until_it_has_one() -> None:
    lost = a_problem(500, "internal")
    tonk, recorder = a_player(
        lost, httpx.ConnectError("away"), httpx.Response(200, json={"version": 9})
    )
    with pytest.raises((NoAnswer, Problem)):
        tonk.move("t", "K", 1)
    recorder.repeat(time.monotonic() + 60)
    assert [call.outcome for call in recorder.calls] == ["unknown", "unknown", "ok"]
    assert len({call.key for call in recorder.calls}) == 1


def test_some_of_what_went_well_is_asked_once_more() -> None:
    count = REPEATED_OK + 1
    well = [httpx.Response(200, json={"version": one}) for one in (*range(count), 0, count - 1)]
    tonk, recorder = a_player(*well)
    for version in range(count):
        tonk.move("t", "K", version)
    recorder.repeat(time.monotonic() + 60)
    keys = [call.key for call in recorder.calls]
    assert keys[count:] == [keys[0], keys[count - 1]]
