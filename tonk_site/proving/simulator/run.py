"""One run of the simulator: the world is made, lives under faults, comes to its end, is judged."""

import tempfile
import traceback
from contextlib import ExitStack
from pathlib import Path

from django.conf import settings

from eventstore import ports, wake
from games import folds
from games.rules.selfplay import SeededNumbers
from tonk_site.proving import points
from tonk_site.proving.simulator import making
from tonk_site.proving.simulator.broker import Broker
from tonk_site.proving.simulator.faults import Drawn, Listed, Menu
from tonk_site.proving.simulator.order import Order, Report
from tonk_site.proving.simulator.scheduler import Scheduler, Stuck
from tonk_site.proving.simulator.strikes import Memories, Strikes, die
from tonk_site.proving.simulator.watch import Broken, Watch

FAULTS_SECONDS_MAX = 900.0
"""In bounded mode faults stop at an instant before this one."""
UNLIMITED_SECONDS = 900.0
PROGRESS_SECONDS = 1_800.0
"""From the last fault until all is over (`trust.md` section 3)."""


class Seeded:
    """The machine of a simulation: chance from the seed, time and pauses from the scheduler."""

    def __init__(self, seed: str, scheduler: Scheduler) -> None:
        self._numbers = SeededNumbers(f"{seed}/machine")
        self._scheduler = scheduler

    def random_bytes(self, count: int) -> bytes:
        """Bytes that the seed gives."""
        return bytes(int(self._numbers.random() * 256) for _ in range(count))

    def milliseconds(self) -> int:
        """The scheduler's time."""
        return int(self._scheduler.time.timestamp() * 1000)

    def seconds(self) -> float:
        """The scheduler's time."""
        return self._scheduler.now

    def pause(self, seconds: float) -> None:
        """Let others run meanwhile."""
        self._scheduler.wait(seconds)


def run(order: Order, superuser: str) -> Report:
    """Simulate in the database that the settings lead to. Once in the life of a process."""
    with ExitStack() as stack:
        simulation = Simulation(order, superuser, stack)
        return simulation.run()


class Simulation:
    """The parts of a run, put together."""

    def __init__(self, order: Order, superuser: str, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tonk-sim-")))
        settings.LOG_KEY_FILE = folder / "log.key"
        settings.DEALER_KEY_FILE = folder / "dealer.key"
        self.order = order
        self.scheduler = Scheduler(order.seed)
        plan = Drawn(order.seed, order.only) if order.faults is None else Listed(order.faults)
        self.menu = Menu(plan)
        self.watch = Watch(superuser, self.scheduler, order.seed)
        stack.callback(self.watch.close)
        self.broker = Broker(self.scheduler, self.menu)
        self.strikes = Strikes(self.scheduler, self.menu, self.watch.set_clock)
        stack.enter_context(ports.machine(Seeded(order.seed, self.scheduler)))
        stack.enter_context(wake.messages(self.broker))
        folds.forget_all()
        self.watch.set_clock()
        self.world = making.make(order, self.scheduler, self.menu, self.watch, folder)
        self.scheduler.entering, self.scheduler.dying = Memories().enter, die
        stack.enter_context(points.hooked(self.strikes))
        self._seen = 0
        self._faults_end = FAULTS_SECONDS_MAX * SeededNumbers(f"{order.seed}/end").random()

    def run(self) -> Report:
        """Live, come to the end, be judged."""
        order = self.order
        self.menu.is_open = order.mode != "none"
        self.processes = making.start(self.world, self.broker)
        report = Report(order.seed, order.mode, order.kind, order.players)
        try:
            self.scheduler.run(self._each)
            report.progress = "not asked" if order.mode == "unlimited" else "ok"
            self.menu.is_open = False
            self._judge()
        except Stuck as stuck:
            report.progress = str(stuck)
        except Broken as broken:
            report.safety = str(broken)
        except Exception as fault:  # noqa: BLE001  # whatever a part of the product dies of
            report.safety = "".join(traceback.format_exception(fault)[-6:])
        self._tell(report)
        return report

    def _each(self) -> bool:
        """After every step what was committed is checked; whether all is over."""
        if self.strikes.commits != self._seen:
            self._seen = self.strikes.commits
            self.watch.look()
        now = self.scheduler.now
        if self.order.mode == "unlimited":
            self.world.is_over = now >= UNLIMITED_SECONDS
            return self.world.is_over
        if self.menu.is_open and now >= self._faults_end and self.order.mode == "bounded":
            self.menu.is_open = False
            self.broker.calm()
        if now > self._last_fault() + PROGRESS_SECONDS:
            raise Stuck(f"not over {PROGRESS_SECONDS:.0f} s after the last fault: {self._rest()}")
        self.world.is_over = self._is_over()
        return self.world.is_over

    def _last_fault(self) -> float:
        return 0.0 if self.order.mode == "none" else self._faults_end

    def _is_over(self) -> bool:
        """Everything has come to its end: nothing is due, nothing waits in a queue.

        A message that a fault made late may be left: what it is for was done without it.
        """
        return (
            making.is_ended(self.world)
            and not self.watch.is_due()
            and not self.broker.is_waited_for()
            and self.watch.placed == self.watch.events
        )

    def _rest(self) -> str:
        return "; ".join([
            f"{self.watch.placed} of {self.watch.events} events have a place",
            f"{len(self.broker)} messages wait",
            *self.watch.rows(),
            *(f"{name}: {fault}" for name, fault in sorted(self.processes.faults.items())),
        ])  # fmt: skip

    def _judge(self) -> None:
        """What must hold at the end."""
        self.watch.look()
        making.judge(self.world, self.order)
        self.watch.balances()
        if self.watch.parked():
            raise Broken(f"given up: {self.watch.parked()}")

    def _tell(self, report: Report) -> None:
        types = self.watch.types
        report.hands = types.get("HandDealt", 0)
        report.events = self.watch.events
        report.commands = sum(self.world.commands.values())
        report.faults = self.menu.counts()
        report.struck = self.menu.struck
        report.met = [(*pair, count) for pair, count in sorted(self.menu.met.items())]
        report.done = dict(self.world.commands + self.broker.sent)
        report.succeeded = dict(self.world.succeeded)
        report.is_ended = making.is_ended(self.world)
        report.refusals = dict(self.world.refusals)
        report.virtual_seconds = int(self.scheduler.now)
        report.steps = self.scheduler.steps
        report.digest = self.watch.digest(making.trial_balance())
