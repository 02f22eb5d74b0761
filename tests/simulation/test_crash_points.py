"""`prove crash-points` on few points, and on products that are made to break the promise."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import django
import pytest

from tonk_site.proving import scratch
from tonk_site.proving.crash import crash_points
from tonk_site.proving.crash.crash_points import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CALLS_OF_SITTING_OUT = 6


def in_its_process(plant: str, part: Part) -> Any:
    """What a function of `crash_plants` finds, in a process whose settings make calls points."""
    django.setup()
    return getattr(import_module("tests.simulation.crash_plants"), plant)(part)


@pytest.fixture(scope="module")
def tried() -> Iterator[Callable[..., Any]]:
    """Runs a function on an act, in the process and from the database that the module shares."""
    with scratch.database() as place:
        variables = {**place.variables, "DJANGO_SETTINGS_MODULE": crash_points.SETTINGS}
        with scratch.fresh_processes(1, variables) as pool:

            def run(plant: str, name: str = "", deaths: int = 1) -> Any:
                keys = place.folder / "keys"
                part = Part("a seed", place.superuser_url, keys, name, deaths)
                return pool.submit(in_its_process, plant, part).result()

            yield run


@pytest.mark.slow
def test_a_death_at_each_call_changes_nothing(tried: Callable[..., Any]) -> None:
    report = tried("try_out", "table: sit out", deaths=2)
    assert report.wrongs == []
    assert len(report.calls) == CALLS_OF_SITTING_OUT
    assert report.calls[-1] == "commit default"
    sides = 2 * CALLS_OF_SITTING_OUT + 2  # a commit may be unknown, too
    deaths = sides - 2  # whoever lives on asks again himself
    assert report.counts["pairs"] >= deaths * 2
    assert report.counts["points"] > sides


@pytest.mark.slow
def test_B5_a_message_before_its_commit_is_found(tried: Callable[..., Any]) -> None:
    report = tried("told_at_once", "table: leave")
    assert "ledger.settle is sent before its commit" in {one.got for one in report.wrongs}


@pytest.mark.slow
def test_A7_a_receipt_in_a_transaction_of_its_own_is_found(tried: Callable[..., Any]) -> None:
    report = tried("receipt_apart", "table: sit out")
    assert "refused: not_found {}" in {one.got.removeprefix("answer: ") for one in report.wrongs}


@pytest.mark.slow
def test_a_live_row_that_is_written_after_the_commit_is_found(tried: Callable[..., Any]) -> None:
    report = tried("row_apart", "table: sit out")
    assert any("live row" in one.got or "version" in one.got for one in report.wrongs)


@pytest.mark.slow
def test_the_way_back_is_exact(tried: Callable[..., Any]) -> None:
    assert tried("there_and_back") == []
