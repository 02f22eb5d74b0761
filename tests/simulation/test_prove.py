"""`manage.py prove --quick`: each line is a test of its own (`trust.md` section 1).

The checks of `SWIFT` run once in `make test`; the others take longer, and run once in
`make test-full`.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tonk_site.embedded_services import CHECKOUT
from tonk_site.management.commands.prove import CHECKS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SWIFT = {
    "append-only", "balances-derived", "cards", "fast-twin", "four-eyes", "limits", "no-overdraft",
    "payout-sum", "zero-sum",
}  # fmt: skip
FIELDS = {
    "check", "promise", "ok", "mode", "seed", "live", "size", "done", "seen", "breaches_total",
    "breaches", "seconds", "version", "commit",
}  # fmt: skip
OURS = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
SEED = "suite"  # other seeds are for who looks for faults; a suite is the same every day
Line = dict[str, Any]


@pytest.fixture(scope="session")
def swift(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Line]:
    """The lines of the swift checks by their names."""
    return lines_of("swift", sorted(SWIFT), tmp_path_factory)


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Line]:
    """The lines of the other checks by their names."""
    return lines_of("others", sorted(set(CHECKS) - SWIFT), tmp_path_factory)


def lines_of(
    name: str, checks: Sequence[str], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Line]:
    """What one run of these checks says; all workers of the suite share it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    told = shared / f"{name}.ndjson"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            told.write_text(prove(checks, shared / f"{name}-data"))
    found = [json.loads(line) for line in told.read_text().splitlines()]
    return {line["check"]: line for line in found}


def prove(checks: Sequence[str], data: Path) -> str:
    """What a run says, where no database is configured and no product runs."""
    own = {
        name: value
        for name, value in os.environ.items()
        if name not in OURS and not name.startswith("TONK_")
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "prove", *checks, "--quick", "--seed", SEED],
        cwd=CHECKOUT,
        env=own | {"TONK_DATA": str(data)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in {0, 1}:
        return ""
    if len(done.stdout.splitlines()) < len(checks):  # one broke down: the tests of the rest say so
        sys.stderr.write(done.stderr)
    return done.stdout


def holds(line: Line) -> None:
    """Nothing broke, and all was done that the mode demands."""
    assert line.keys() == FIELDS
    assert line["breaches"] == []
    assert (line["mode"], line["live"]) == ("quick", None)
    quick = CHECKS[line["check"]].quick
    assert {name: line["done"][name] for name in line["size"]} == line["done"]
    assert all(line["done"][name] >= size for name, size in quick.items())
    assert line["ok"]


@pytest.mark.parametrize("name", sorted(SWIFT))
def test_a_promise_holds(swift: Mapping[str, Line], name: str) -> None:
    holds(swift[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CHECKS) - SWIFT))
def test_a_promise_holds_that_takes_longer_to_prove(lines: Mapping[str, Line], name: str) -> None:
    holds(lines[name])


def test_C4_no_account_goes_below_its_floor_under_load(swift: Mapping[str, Line]) -> None:
    line = swift["no-overdraft"]
    assert line["done"]["transfers"] >= 2_000
    assert line["seen"]["ends"]["insufficient_funds"] > 0
    assert not line["breaches_total"]


def test_C8_every_snapshot_sums_to_the_start_though_connections_are_killed(
    swift: Mapping[str, Line],
) -> None:
    done = swift["no-overdraft"]["done"]
    assert min(done["snapshots"] / 20, done["kills"] / 5) >= 1
    assert not swift["no-overdraft"]["breaches_total"]


@pytest.mark.slow
def test_tamperings_meet_each_relation_in_each_way(lines: Mapping[str, Line]) -> None:
    ways = " ".join(lines["chain"]["seen"]["ways"])
    for what in ("event.", "log_leaf.", "log_tile.", "log_checkpoint.", "deleted", "swapped",
                 "inserted", "cut tail", "rewritten stream"):  # fmt: skip
        assert what in ways


@pytest.mark.slow
def test_H1_everything_comes_to_its_end_once_faults_stop(lines: Mapping[str, Line]) -> None:
    line = lines["progress"]
    assert line["done"]["faults"] >= 120
    assert line["done"]["stuck"] == 0
    assert not line["breaches_total"]


def told(line: Line, *whats: str) -> list[str]:
    """Breaches of these kinds."""
    return [one["where"] for one in line["breaches"] if one["what"].startswith(whats)]


@pytest.mark.slow
def test_B1_work_of_killed_workers_is_done_within_a_minute(lines: Mapping[str, Line]) -> None:
    line = lines["nothing-lost"]
    assert line["seen"]["faults"]["kill workers"] == 1
    assert told(line, "not done 60 s after", "does not end") == []


@pytest.mark.slow
def test_B2_work_of_a_pool_child_that_was_killed_is_taken_again(
    lines: Mapping[str, Line],
) -> None:
    line = lines["nothing-lost"]
    assert line["seen"]["faults"]["kill pool child"] == 1
    assert told(line, "not done 60 s after", "does not end") == []


@pytest.mark.slow
def test_B6_an_emptied_broker_costs_no_tournament_its_prizes(lines: Mapping[str, Line]) -> None:
    line = lines["nothing-lost"]
    assert line["seen"]["faults"]["loss flush"] == 1
    assert line["seen"]["met"]["tournaments"] >= 1
    assert told(line, "prizes", "does not begin", "does not end") == []


@pytest.mark.slow
def test_clients_meet_the_faults_and_are_told_the_truth(lines: Mapping[str, Line]) -> None:
    line = lines["nothing-lost"]
    assert line["seen"]["met"]["unknown no answer"] > 0
    assert line["done"]["snapshots"] > 0
    assert line["done"]["acknowledged"] > 0
    assert line["done"]["lost"] == line["done"]["twice"] == 0
