"""The parts of the simulator: who runs when, what strikes, what messages become of, shrinking."""

from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
from kombu.exceptions import OperationalError

from tonk_site.proving.simulator.broker import Broker
from tonk_site.proving.simulator.coverage import Coverage
from tonk_site.proving.simulator.faults import KINDS, Drawn, Fault, Listed, Menu
from tonk_site.proving.simulator.order import Order, Report
from tonk_site.proving.simulator.scheduler import Scheduler, Stuck
from tonk_site.proving.simulator.shrinking import breach_of, shrunk


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
