"""The parts of the simulator: who runs when, what strikes, what messages become of, shrinking."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from io import StringIO
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, cast

import httpx
import pytest
from django.core.management import CommandError, call_command
from kombu.exceptions import OperationalError

from clients.python.tonk_client import Problem
from tonk_site.management.commands import simulate as command
from tonk_site.proving import checks, world
from tonk_site.proving.checks import Found
from tonk_site.proving.simulator import making, people, progress
from tonk_site.proving.simulator.broker import Broker
from tonk_site.proving.simulator.coverage import Coverage
from tonk_site.proving.simulator.faults import KINDS, Drawn, Fault, Listed, Menu
from tonk_site.proving.simulator.order import Order, Report
from tonk_site.proving.simulator.people import Asked, Person, Wish, World, require_prefix
from tonk_site.proving.simulator.run import Simulation
from tonk_site.proving.simulator.scheduler import Scheduler, Stuck
from tonk_site.proving.simulator.shrinking import breach_of, shrunk
from tonk_site.proving.simulator.watch import Broken


def story(seed: str) -> list[str]:
    """Three actors who tell what they do, in the order in which it happens."""
    scheduler, told = Scheduler(seed), list[str]()

    def life(name: str) -> None:
        for step in range(5):
            told.append(f"{name}{step}")
            scheduler.wait(step)

    for name in "abc":
        scheduler.add(name, partial(life, name))
    scheduler.run(lambda: not scheduler.actors)
    return told


def test_one_seed_is_one_order() -> None:
    assert story("1") == story("1")
    assert story("1") != story("2")
    assert Counter(story("1")) == Counter(story("2"))


def test_time_leaps_to_whoever_can_run_next() -> None:
    scheduler = Scheduler("1")
    seen = []

    def sleeper() -> None:
        scheduler.wait(600)
        seen.append(scheduler.now)

    scheduler.add("sleeper", sleeper)
    scheduler.run(lambda: bool(seen))
    assert 600 <= seen[0] < 601
    assert scheduler.steps == 2


def test_a_condition_ends_a_wait() -> None:
    scheduler = Scheduler("1")
    news, seen = list[str](), list[float]()

    def reader() -> None:
        scheduler.wait(600, lambda: bool(news))
        seen.append(scheduler.now)

    def writer() -> None:
        scheduler.wait(5)
        news.append("x")

    scheduler.add("reader", reader)
    scheduler.add("writer", writer)
    scheduler.run(lambda: bool(seen))
    assert seen[0] < 6


def test_a_world_in_which_nobody_can_run_is_stuck() -> None:
    scheduler = Scheduler("1")
    scheduler.add("waits", lambda: scheduler.wait(float("inf")))
    with pytest.raises(Stuck):
        scheduler.run(lambda: False)


def test_what_an_actor_dies_of_ends_the_run() -> None:
    scheduler = Scheduler("1")
    scheduler.add("fails", lambda: next(iter(())))
    scheduler.add("waits", lambda: scheduler.wait(10))
    with pytest.raises(StopIteration):
        scheduler.run(lambda: False)
    assert scheduler.actors == ()


def drawn(seed: str, points: int = 3_000) -> list[tuple[str, float] | None]:
    plan = Drawn(seed)
    return [plan.at(point, KINDS) for point in range(points)]


def test_faults_are_of_the_seed() -> None:
    assert drawn("1") == drawn("1")
    assert drawn("1") != drawn("2")
    kinds = [{found[0] for found in drawn(str(seed)) if found} for seed in range(8)]
    assert set().union(*kinds) == set(KINDS)
    assert all(kinds_of_run < set(KINDS) for kinds_of_run in kinds)


def test_only_the_kinds_asked_for_strike_and_each_does() -> None:
    plan = Drawn("1", ("drop", "delay"))
    found = Counter(one[0] for point in range(20_000) if (one := plan.at(point, KINDS)))
    assert set(found) == {"drop", "delay"}


def test_a_closed_menu_counts_no_points() -> None:
    menu = Menu(Drawn("1"))
    assert menu.draw(KINDS, "table.move") is None
    assert menu.points == 0
    menu.is_open = True
    while not menu.struck:
        menu.draw(KINDS, "table.move")
    again = Menu(Listed(menu.struck), is_open=True)
    for _ in range(menu.points):
        again.draw(KINDS, "table.move")
    assert again.struck == menu.struck
    assert again.met == menu.met


def broker(*faults: Fault) -> tuple[Broker, Scheduler]:
    scheduler = Scheduler("1")
    return Broker(scheduler, Menu(Listed(faults), is_open=True)), scheduler


def test_messages_come_in_their_order_once() -> None:
    queues, _ = broker()
    for number in (1, 2):
        queues.send("games.deal", (number,), "bots")
    assert queues.take("settle") is None
    assert [message.arguments for message in (queues.take("bots"), queues.take("bots")) if message]
    assert queues.take("bots") is None


@pytest.mark.parametrize(
    ("kind", "argument", "copies"),
    [("drop", 0.5, 0), ("duplicate", 0.0, 2), ("duplicate", 0.999, 40), ("redis_flush", 0.5, 1)],
)
def test_what_becomes_of_a_message(kind: str, argument: float, copies: int) -> None:
    queues, _ = broker(Fault(1, kind, argument, ""))
    queues.send("games.deal", (), "bots")
    assert len(queues) == copies


def test_a_late_message_and_one_of_a_dead_worker_come_later() -> None:
    queues, scheduler = broker(Fault(1, "delay", 0.5, ""))
    queues.send("games.deal", (), "bots")
    assert queues.take("bots") is None
    assert queues.next_at("bots") == 3_600
    scheduler.now = 3_600
    message = queues.take("bots")
    assert message is not None
    queues.restore(message)
    assert queues.next_at("bots") == 3_660
    queues.calm()
    assert queues.take("bots") is not None


def test_a_broker_that_is_down_takes_and_gives_nothing() -> None:
    queues, scheduler = broker(Fault(2, "redis_down", 0.5, ""))
    queues.send("games.deal", (), "bots")
    with pytest.raises(OperationalError):
        queues.send("games.deal", (), "bots")
    assert queues.is_down
    assert queues.take("bots") is None
    scheduler.now = 151
    assert queues.take("bots") is not None


def test_a_run_shrinks_to_the_faults_that_it_takes() -> None:
    faults = [Fault(point, KINDS[point % len(KINDS)], 0.5, "") for point in range(1, 60)]
    needed = {faults[20], faults[41]}
    runs = []

    def breaks(order: Order) -> bool:
        runs.append(order)
        return needed <= set(order.faults or ()) and order.players >= 5

    found = shrunk(Order("1"), faults, breaks)
    assert set(found.faults or ()) == needed
    assert found.players == 5
    assert len(runs) < 60


def test_the_same_breach_has_the_same_name_in_another_run() -> None:
    report = Report("1", "bounded", "cash", 4, safety="table/0198f0c2-a000-7d68 has version 7")
    other = replace(report, safety="table/0198f0c2-b111-7d68 has version 12")
    assert breach_of(report) == breach_of(other) != ""
    assert breach_of(replace(report, safety="ok")) == ""
    late = replace(report, safety="ok", progress="not over 1800 s after the last fault: 3 rows")
    assert breach_of(late) == "progress not over 1800 s after the last fault"


def test_the_table_of_what_met_what() -> None:
    coverage = Coverage()
    report = Report("1", "bounded", "cash", 4)
    report.met = [("crash", "table.move", 3), ("drop", "games.deal", 1)]
    coverage.add(report)
    coverage.add(report)
    assert coverage.faults() == {"crash": 6, "drop": 2}
    assert "table.move" in coverage.table()
    assert set(coverage.missing_kinds()) == set(KINDS) - {"crash", "drop"}


# --- what a run asks, counts and tells ------------------------------------------------------------


def a_world(**more: Any) -> World:
    nothing: Any = None
    return World(nothing, nothing, nothing, nothing, "1", Path(), "cash", 3, **more)


def test_what_is_carried_out_is_counted_apart_from_what_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(people, "operation_of", lambda _: "me.limits_set")
    refused = {"type": "about:blank", "title": "", "status": 409, "code": "stale_version"}
    answers = [httpx.Response(409, json=refused), httpx.Response(200, json={})]
    person: Any = Person.__new__(Person)
    person.world, person._views, person.refused = a_world(), {}, {}
    person.wire = SimpleNamespace(answer=lambda *_, **__: answers.pop(0))
    asked = Asked(Wish("PUT", "/me/limits"), httpx.Request("PUT", people.HERE))
    assert person._settled(asked)
    assert person.refused["me.limits_set"].code == "stale_version"
    assert person._settled(asked)
    assert person.refused == {}
    assert person.world.commands == {"me.limits_set": 2}
    assert person.world.succeeded == {"me.limits_set": 1}


def test_people_are_keen_on_what_is_asked_for_until_it_was_done() -> None:
    person: Any = Person.__new__(Person)
    person.world = a_world(first=("a.b",))
    person.numbers, person._share_min = SimpleNamespace(random=lambda: 0.1), 0.0

    def wishes(operation: str) -> bool:
        act = SimpleNamespace(operation=operation, share=0.01, wish=lambda me: me.chance(0.01))
        return bool(person._wish(act))

    assert (wishes("a.b"), wishes("c.d"), person.chance(0.01)) == (True, False, False)
    person.world.succeeded["a.b"] = 1
    assert not wishes("a.b")


def test_whoever_returns_brings_what_he_was_told_to_bring() -> None:
    me: Any = SimpleNamespace(refused={}, chance=lambda _: True)
    asked = [world._buy_in(me)]
    for facts in ({"current_version": 7}, {"least": 120, "most": 1_000}, {"least": 560}):
        me.refused = {"seat.take": Problem({"code": "", "facts": facts})}
        asked.append(world._buy_in(me))
    assert asked == [world.BUY_IN, world.BUY_IN, world.BUY_IN, 560]
    me.chance = lambda _: False
    assert world._buy_in(me) == world.BUY_IN


@pytest.mark.parametrize(
    ("start", "entries", "is_started"), [(None, 4, True), (None, 3, False), ("when_full", 4, False)]
)
def test_an_organiser_starts_what_does_not_start_by_itself(
    start: str | None, entries: int, *, is_started: bool
) -> None:
    seen = {
        "tournament_id": "t", "status": "registration", "version": 3,
        "options": {"start": start, "entries_min": 4}, "counts": {"entries": entries},
    }  # fmt: skip
    me: Any = SimpleNamespace(
        world=SimpleNamespace(known={"tournament_id": "t"}), tournament=lambda _: seen,
        chance=lambda _: False,
    )  # fmt: skip
    assert bool(world._start(me)) is is_started
    me.chance = lambda _: True
    assert world._start(me)


def report_of(**more: Any) -> Report:
    return replace(Report("1", "bounded", "tournament", 3), **more)


def test_the_gate_asks_for_every_command_of_the_world() -> None:
    attempts = dict.fromkeys(progress.COMMANDS, 1)
    found, coverage = Found(), Coverage()
    progress._add(found, coverage, Order("1"), report_of(done=attempts))
    assert found.done["commands"] == 0
    carried_out = {name: 1 for name in attempts if name != "me.exclude"}
    progress._add(found, coverage, Order("1"), report_of(succeeded=carried_out))
    assert found.done["commands"] == progress.CHECK.quick["commands"] - 1
    sizes = {"commands": progress.CHECK.quick["commands"]}
    assert not progress._is_enough(checks.Order(sizes, "1"), found)
    assert progress._missing(coverage) == ("me.exclude",)
    (run,) = islice(progress._runs("1", count(1), coverage), 1)
    assert run.first == ("me.exclude",)


def test_the_line_tells_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "simulator", nullcontext)
    monkeypatch.setattr(progress, "at_once", lambda _, runs: [report_of() for _ in runs])
    found = progress.run(checks.Order({"tournaments": 1, "commands": 1}, "1"))
    assert set(found.seen["missing"]) == {*KINDS, *progress.COMMANDS}


def test_who_is_to_decide_has_something_to_decide() -> None:
    assert progress._keen_on(["adjustment.reject", "table.move"]) == (
        "adjustment.propose", "adjustment.reject",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mode", "is_ended", "counted"),
    [("unlimited", False, 0), ("unlimited", True, 1), ("bounded", True, 1)],
)
def test_a_tournament_that_did_not_end_is_none(
    mode: Literal["unlimited", "bounded"], is_ended: bool, counted: int
) -> None:
    found = Found()
    progress._add(found, Coverage(), Order("1", mode=mode), report_of(is_ended=is_ended))
    assert found.done["tournaments"] == counted


def test_a_message_that_is_due_waits_and_a_late_one_does_not() -> None:
    queues, scheduler = broker(Fault(1, "delay", 0.5, ""))
    assert not queues.is_waited_for()
    queues.send("games.deal", (), "bots")
    assert not queues.is_waited_for()
    scheduler.now = 3_600
    assert queues.is_waited_for()
    queues.take("bots")
    assert not queues.is_waited_for()


def test_a_run_is_not_over_while_a_message_waits() -> None:
    queues, _ = broker()
    simulation: Any = Simulation.__new__(Simulation)
    simulation.broker = queues
    simulation.watch = SimpleNamespace(
        types={"TableClosed": 1}, is_due=lambda: False, placed=1, events=1
    )
    simulation.world = a_world()
    simulation.world.watch = simulation.watch
    assert simulation._is_over()
    queues.send("games.deal", (), "bots")
    assert not simulation._is_over()


def test_escrow_of_what_is_over_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "seats", lambda table: {"ona": 5, "petras": 0} if table else {})
    monkeypatch.setattr(making, "escrow", lambda _: {"tournament": 7, "fees": 0})
    world = a_world(known={"table_id": "x", "tournament_id": "y"})
    world.watch = cast("Any", SimpleNamespace(types={}))
    assert making.left_in_escrow(world) == {}
    world.watch.types["TableClosed"] = 1
    assert making.left_in_escrow(world) == {"ona": 5}
    world.kind = "tournament"
    assert making.left_in_escrow(world) == {}
    world.watch.types["Settled"] = 1
    assert making.left_in_escrow(world) == {"tournament": 7}


def test_what_a_viewer_was_shown_is_a_prefix_of_what_he_is_shown_later() -> None:
    whole = {1: "opened", 2: "taken", 3: "left"}
    require_prefix("ona", {}, whole)
    require_prefix("ona", {1: "opened", 2: "taken"}, whole)
    for shown in ({1: "opened", 2: "left"}, {2: "taken"}, whole | {4: "closed"}):
        with pytest.raises(Broken):
            require_prefix("ona", shown, whole)


def a_reader(pages: Callable[[int], list[Any]]) -> Any:
    person: Any = Person.__new__(Person)
    person.name, person.served = "ona", {}
    person.wire = SimpleNamespace(get=lambda _, *, after: {"events": pages(after)})
    return person


def test_people_read_on_and_read_all_at_the_end() -> None:
    events = [{"version": version, "type": "SatOut"} for version in range(1, 6)]
    person = a_reader(lambda after: events[after : after + 2])
    person._read_on("x")
    person._read_on("x")
    assert list(person.served["x"]) == [1, 2, 3, 4]
    person.require_same()
    events[1] = events[1] | {"type": "SatIn"}
    with pytest.raises(Broken, match="SatIn"):
        person.require_same()


# --- the command ----------------------------------------------------------------------------------


def simulate(
    monkeypatch: pytest.MonkeyPatch, *arguments: str, safety: str = "broken"
) -> tuple[list[Order], str]:
    """The runs of a command line all of which break, and what it tells of them."""
    orders, told = list[Order](), StringIO()

    def simulated(asked: Iterable[Order]) -> Iterator[Report]:
        orders.extend(asked)
        for one in orders:
            yield replace(report_of(safety=safety), seed=one.seed)

    monkeypatch.setattr(command, "simulated", simulated)
    with suppress(SystemExit):
        call_command("simulate", *arguments, stdout=StringIO(), stderr=told)
    return orders, told.getvalue()


def test_each_broken_run_keeps_its_trace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    simulate(monkeypatch, "--seeds", "1..2", "--out", str(tmp_path / "trace.json"))
    traces = {path.name: json.loads(path.read_bytes()) for path in tmp_path.iterdir()}
    assert {name: one["seed"] for name, one in traces.items()} == {
        "trace-1.json": "1", "trace-2.json": "2",
    }  # fmt: skip


def test_a_repeated_trace_names_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    trace = tmp_path / "a trace.json"
    simulate(monkeypatch, "--seed", "1", "--out", str(trace))
    (order,), told = simulate(monkeypatch, "--replay", str(trace))
    assert order.faults == ()
    assert f"again: manage.py simulate --replay '{trace}'" in told


def test_where_no_trace_can_be_kept_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match="No such file"):
        simulate(monkeypatch, "--seed", "1", "--out", str(tmp_path / "none" / "trace.json"))
    simulate(monkeypatch, "--seed", "1", "--out", str(tmp_path / "trace.json"), safety="ok")
    assert list(tmp_path.iterdir()) == []


def test_the_cash_table_has_always_as_many_players(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="always 3"):
        simulate(monkeypatch, "--seed", "1", "--world", "cash", "--players", "9")
    (order,), told = simulate(monkeypatch, "--seed", "1", "--world", "cash")
    assert order.players == 3
    assert "--world cash\n" in told
    (order,), told = simulate(monkeypatch, "--seed", "1")
    assert order.players == 9
    assert "--players 9\n" in told


def test_the_line_that_repeats_a_run_says_what_people_are_keen_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (order,), told = simulate(monkeypatch, "--seed", "1", "--first", "me.exclude,wallet.freeze")
    assert order.first == ("me.exclude", "wallet.freeze")
    assert "--first me.exclude,wallet.freeze\n" in told
    with pytest.raises(CommandError, match=r"unknown: no\.thing"):
        simulate(monkeypatch, "--seed", "1", "--first", "no.thing")
