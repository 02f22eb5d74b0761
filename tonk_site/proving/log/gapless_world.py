"""The processes of the trial `gapless`: writers, sequencer, follower, and who kills them.

All are forks of one process, which holds no connection and has no thread while it forks.
"""

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from multiprocessing.context import ForkProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from django.core.management import call_command
from django.db import connections

from eventstore.following import follow
from games.rules.selfplay import SeededNumbers, pick
from tonk_site.management.commands import sequencer
from tonk_site.proving.log.gapless_trial import (
    DELIVERED,
    RELATION,
    WRITERS,
    Told,
    Writer,
    at_rest,
    counts,
    hold,
    is_open,
    wrongs,
)

FORK = multiprocessing.get_context("fork")
LOOK_SECONDS = 0.02
LINE_BYTES = 47  # of a writer's note of one event, about
KILLS_UNTIL = 0.9  # of the work: the last kill is to strike before the end
VICTIMS = ("sequencer", "follower", "writer")
REST_SECONDS_MAX = 60  # until the log is opened, and from the last append until all is delivered
WORDS = {"u": "undone", "c": "conflicts", "l": "connections lost"}


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried: how many events in all, and how many kills while they are written."""

    seed: str
    events: int
    kills: int


@dataclass
class Report:
    """What the trial found."""

    counts: dict[str, int] = field(default_factory=dict)
    met: Counter[str] = field(default_factory=Counter)
    wrongs: list[dict[str, str]] = field(default_factory=list)


class Notes:
    """What writers were told, kept where a kill does not reach it: a file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, number: int) -> Path:
        """File of one writer."""
        return self._folder / str(number)

    def read(self, number: int) -> list[str]:
        """The whole lines of one writer."""
        path = self.path(number)
        return path.read_text().split("\n")[:-1] if path.exists() else []

    def size(self) -> int:
        """Bytes of all notes."""
        return sum(path.stat().st_size for path in self._folder.iterdir())

    def kept(self, number: int) -> list[tuple[str, int]]:
        """Records that this writer was told to be kept."""
        words = [line.split() for line in self.read(number)]
        return [(word[0], int(word[1])) for word in words if len(word) == 2]


def _write(trial: Trial, notes: Notes, number: int, life: int) -> None:
    """Life of a writer: until its share of the events is written."""
    share = -(-trial.events // WRITERS) - len(notes.kept(number))
    with notes.path(number).open("ab", buffering=0) as file:

        def tell(told: Told) -> None:
            lines = [f"{stream} {version}\n" for stream, version in told.records]
            file.write("".join(lines or [f"{told.kind[0]}\n"]).encode())

        Writer(trial.seed, number, life).write(share, tell)


def _hold(notes: Notes, number: int, done: Callable[[], bool]) -> None:
    told = hold(done)
    lines = [f"{stream} {version}\n" for stream, version in told.records]
    notes.path(number).write_text("".join(lines))


def _sequence() -> None:
    call_command(sequencer.Command())


def _follow() -> None:
    follow([DELIVERED], Event())


class World:
    """Everybody who takes part; whoever dies is started again."""

    def __init__(self, trial: Trial, folder: Path) -> None:
        self.trial, self.notes = trial, Notes(folder)
        self.done = FORK.Event()
        self.lives: Counter[int] = Counter()
        self.sequencer = self._fork(_sequence, "sequencer")
        wait_until(is_open, "the log is not opened")
        connections.close_all()  # before the next fork
        self.follower = self._fork(_follow, "follower")
        self.holder = self._fork(partial(_hold, self.notes, WRITERS, self.done.is_set), "holder")
        self.writers = [self._writer(number) for number in range(WRITERS)]

    def _fork(self, work: Callable[[], None], name: str) -> ForkProcess:
        process = FORK.Process(target=work, name=name)
        process.start()
        return process

    def _writer(self, number: int) -> ForkProcess:
        work = partial(_write, self.trial, self.notes, number, self.lives[number])
        self.lives[number] += 1
        return self._fork(work, f"writer {number}")

    def alive(self) -> list[int]:
        """Writers that have not finished."""
        return [number for number, writer in enumerate(self.writers) if writer.is_alive()]

    def progress(self) -> float:
        """About which part of the events is written."""
        return self.notes.size() / (LINE_BYTES * self.trial.events)

    def kill_sequencer(self) -> None:
        """SIGKILL; the next one begins at once."""
        _end(self.sequencer)
        self.sequencer = self._fork(_sequence, "sequencer")

    def kill_follower(self) -> None:
        """The same to the follower."""
        _end(self.follower)
        self.follower = self._fork(_follow, "follower")

    def kill_writer(self, number: int) -> None:
        """The same to a writer, who goes on with what is left of its share."""
        _end(self.writers[number])
        self.writers[number] = self._writer(number)

    def close(self) -> None:
        """End everybody."""
        self.done.set()
        for process in (*self.writers, self.holder, self.follower, self.sequencer):
            _end(process)


def _end(process: ForkProcess) -> None:
    process.kill()
    process.join()


def play(world: World, met: Counter[str]) -> None:
    """Let the writers finish, and kill at random points of their work."""
    rng, pause = SeededNumbers(f"{world.trial.seed}/kills"), Event()
    points = sorted(rng.random() * KILLS_UNTIL for _ in range(world.trial.kills))
    while alive := world.alive():
        pause.wait(LOOK_SECONDS)
        if not points or world.progress() < points[0]:
            continue
        name = VICTIMS[(world.trial.kills - len(points)) % len(VICTIMS)]
        points.pop(0)
        if name == "sequencer":
            world.kill_sequencer()
        elif name == "follower":
            world.kill_follower()
        else:
            world.kill_writer(pick(rng, alive))
        met[f"{name} killed"] += 1
    bad = [one.name for one in world.writers if one.exitcode]
    if bad:
        raise RuntimeError(f"ended by themselves: {', '.join(bad)}")


def settle(world: World) -> None:
    """Let the held transaction commit, and wait until all is delivered."""
    world.done.set()
    world.holder.join()
    with suppress(TimeoutError):  # what is missing then is told as a breach
        wait_until(at_rest, "not everything is delivered")


def wait_until(condition: Callable[[], bool], complaint: str) -> None:
    """Return when the condition holds. Raises: TimeoutError after a minute."""
    deadline, pause = time.monotonic() + REST_SECONDS_MAX, Event()
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(complaint)
        pause.wait(LOOK_SECONDS)


def run(trial: Trial) -> Report:
    """The whole trial, on the servers of the environment and in their empty database."""
    report = Report()
    with connections["owner"].cursor() as cursor:
        cursor.execute(RELATION)
    connections.close_all()
    with ExitStack() as stack:
        world = World(trial, Path(stack.enter_context(TemporaryDirectory())))
        stack.callback(world.close)
        play(world, report.met)
        settle(world)
        everybody = range(len(world.writers) + 1)
        kept = [record for number in everybody for record in world.notes.kept(number)]
        for number in everybody:
            report.met.update(WORDS[line] for line in world.notes.read(number) if line in WORDS)
    # As the owner, whose statements may take their time, and with what the planner must know.
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE")
    report.wrongs = [asdict(wrong) for wrong in wrongs(kept, using="owner")]
    report.counts = counts(using="owner")
    report.met["acknowledged"] = len(kept)
    connections.close_all()
    return report
