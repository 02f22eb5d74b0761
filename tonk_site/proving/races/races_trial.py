"""The process of the check `races`: rounds of races and of pairs, and what holds after each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial

from django.test.utils import override_settings

from eventstore import wake
from games.rules.selfplay import Random, SeededNumbers, pick
from ledger import cashier
from tonk_site.proving.acting import factories
from tonk_site.proving.checks import Breach, Found
from tonk_site.proving.races import races_state
from tonk_site.proving.races.races_commands import PLACES, Pair
from tonk_site.proving.races.races_exact import RACES, THREADS_MAX, Round
from tonk_site.proving.races.races_meeting import End, Meeting, Racers
from tonk_site.proving.races.races_scenes import PROVIDERS, World
from tonk_site.proving.races.races_state import Mark, Wrong

PAIR = 2  # racers of a pair


@dataclass(frozen=True, slots=True)
class Part:
    """What one process is to do."""

    seed: str
    races: Sequence[tuple[str, int]] = ()
    """Names with their rounds."""
    pairs: Sequence[tuple[Pair, int]] = ()


class Nobody:
    """Messages that reach nobody: racers are woken by nothing but the start."""

    def send(self, task: str, arguments: tuple[str | int, ...], queue: str) -> None:
        """Nothing."""

    def publish(self, channel: str, message: int) -> None:
        """Nothing."""


@contextmanager
def surroundings() -> Iterator[None]:
    """The cashier with its sandbox, and nobody who is woken."""
    with override_settings(CASHIER_PROVIDERS=PROVIDERS), wake.messages(Nobody()):
        cashier._made.cache_clear()
        yield
    cashier._made.cache_clear()


@dataclass
class Trial:
    """The rounds of one process."""

    seed: str
    world: World = field(default_factory=World)
    found: Found = field(default_factory=Found)

    def __post_init__(self) -> None:
        self.racers = Racers(THREADS_MAX)
        self.found.seen = {"met": Counter(), "ends": Counter(), "states": Counter()}

    def race(self, name: str, rounds: int) -> None:
        """A race of `trust.md` section 6, so many times."""
        mark = Mark.now()
        for number in range(1, rounds + 1):
            before = Mark.now()
            made = RACES[name](self.world)
            ends = self._run(made)
            where = f"{name}, round {number}"
            self._tell(where, (Wrong(name, "", "", wrong) for wrong in made.wrongs(ends)))
            self._after(where, before, ends)
        self._tell(name, self._unlike(races_state.unlike_replay(mark)))
        self.found.done["races"] += 1

    def pair(self, pair: Pair, rounds: int) -> None:
        """A pair of commands, so many times; what chance decides comes from the seed."""
        mark, rng = Mark.now(), SeededNumbers(f"{self.seed}/{pair.name}")
        for number in range(1, rounds + 1):
            before = Mark.now()
            made = self._of_pair(pair, number, rng)
            self._after(f"{pair.name}, round {number}", before, self._run(made))
        self._tell(pair.name, self._unlike(races_state.unlike_replay(mark)))
        self.found.done["pairs"] += 1

    def close(self) -> None:
        """Compare the books with the log, and end the threads."""
        self.racers.close()
        self._tell("at the end", self._unlike(races_state.books_unlike_replay()))

    def _unlike(self, wrongs: Iterator[Wrong]) -> Iterator[Wrong]:
        """All but the time of rows whose time was made to pass."""
        hurried = self.world.hurried
        for one in wrongs:
            stream, _, field_name = one.where.partition("@")
            if not (stream in hurried and field_name.endswith(" due_at")):
                yield one

    def _of_pair(self, pair: Pair, number: int, rng: Random) -> Round:
        """The commands in the scene of the first, and next time in that of the second."""
        place = PLACES[pair.place]
        commands = [place.commands[name] for name in (pair.first, pair.second)]
        scene = place.scene(self.world, commands[number % PAIR].stage)
        acts = [command.prepare(scene) for command in commands]
        scene.look()
        works = [partial(act, factories.receipt()) for act in acts]
        return Round(works, pick(rng, place.points), lambda _: iter(()))

    def _run(self, made: Round) -> list[End]:
        ends, meeting = self.racers.run(made.works, made.point)
        self.found.done["rounds"] += 1
        self._count(ends, meeting)
        return ends

    def _count(self, ends: Sequence[End], meeting: Meeting) -> None:
        seen = self.found.seen
        seen["met"][f"{meeting.point.name.lower()} {meeting.together} of {meeting.count}"] += 1
        seen["ends"].update(end.code for end in ends)
        seen["states"] += meeting.states

    def _after(self, where: str, before: Mark, ends: Sequence[End]) -> None:
        faults = (Wrong("a fault", "", "a refusal", end.fault) for end in ends if end.is_fault)
        self._tell(where, faults)
        self._tell(where, races_state.wrongs_since(before))

    def _tell(self, where: str, wrongs: Iterator[Wrong]) -> None:
        rerun = f"manage.py prove races --seed {self.seed}"
        self.found.breaches += [
            Breach(one.what, f"{where} {one.where}".strip(), one.expected, one.got, rerun)
            for one in wrongs
        ]


def run(part: Part) -> Found:
    """The rounds of a part, in the empty database of this process."""
    with surroundings(), ExitStack() as stack:
        trial = Trial(part.seed)
        stack.callback(trial.close)
        for name, rounds in part.races:
            trial.race(name, rounds)
        for pair, rounds in part.pairs:
            trial.pair(pair, rounds)
    return trial.found
