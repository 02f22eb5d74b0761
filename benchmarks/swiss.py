"""Swiss rounds: the longest pairing of an event, standings after a result and a round, ratings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING

from benchmarks.goals import at_least, at_most
from benchmarks.measure import Figure, say
from games.bots.rng import Chance
from tournaments.core.ratings import Rating, updated
from tournaments.core.results import Match
from tournaments.core.standings import Standings
from tournaments.core.swiss.field import Field
from tournaments.core.swiss.meetings import Meetings
from tournaments.core.swiss.pairing import pair_round

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SEED = bytes(range(32))
# Players, seats, rounds played, and the seconds that a pairing may take (`tournaments.md` 19).
PAIRINGS = (
    (12, 3, 4, 0.5),
    (12, 2, 10, 0.5),
    (60, 2, 10, 2.0),
    (60, 3, 10, 2.0),
    (60, 6, 8, 2.0),
    (1_000, 2, 10, 0.01),
    (1_000, 3, 10, 0.01),
    (10_000, 2, 10, 0.1),
    (10_000, 3, 10, 0.1),
)
MANY = 9_999
RESULT_SECONDS, ROUND_SECONDS, UPDATES = 0.005, 0.3, 20_000


@dataclass(frozen=True, slots=True)
class Plan:
    """Events of each size, rounds of the large one before its standings are measured, updates."""

    events: int = 3
    rounds: int = 10
    updates: int = 20_000


QUICK = Plan(events=1, rounds=5, updates=5_000)


class Event:
    """A Swiss tournament that chance plays."""

    def __init__(self, players: int, seats: int, number: int) -> None:
        self.random = Chance(f"swiss {players} {seats} {number}".encode()).random
        self.seats = seats
        self.names = [f"01890000-0000-7000-8000-{one:012}" for one in range(players)]
        self.points = dict.fromkeys(self.names, 0)
        self.met, self.shorts, self.firsts = Meetings(), Counter[str](), Counter[str]()

    def field(self, number: int) -> Field:
        """Those in rank order whom chance orders where they have equal points."""
        keys = {name: (-self.points[name], self.random()) for name in self.names}
        return Field(
            round=number, seats=self.seats, seed=SEED, act=number,
            players=tuple(sorted(self.names, key=keys.__getitem__)),
            points=self.points, met=self.met, shorts=self.shorts, firsts=self.firsts,
        )  # fmt: skip

    def play(self, rounds: int) -> Iterator[float]:
        """Processor seconds of each pairing but the first, which is only a fold."""
        for number in range(1, rounds + 1):
            field = self.field(number)
            start = process_time()
            pairing = pair_round(field)
            passed = process_time() - start
            if number > 1:
                yield passed
            self.met = self.met.after(pairing.tables)
            self.shorts.update(pairing.short)
            for table in pairing.tables:
                self.firsts[table[0]] += 1
                for place, name in enumerate(sorted(table, key=lambda _: self.random())):
                    self.points[name] += 120 * place // (len(table) - 1)


def measure(plan: Plan) -> Iterator[Figure]:
    """The goals of pairing, standings and ratings, each in a number of events."""
    for players, seats, rounds, goal in PAIRINGS:
        say(f"swiss: {players} players, {seats} seats")
        longest = [max(Event(players, seats, one).play(rounds)) for one in range(plan.events)]
        yield at_most("swiss", f"pairing, {players}, {seats} seats", longest, goal)
    say("swiss: standings and ratings")
    one, whole = zip(*(standings(plan, number) for number in range(plan.events)), strict=True)
    yield at_most("swiss", f"standings of {MANY}, a result", one, RESULT_SECONDS)
    yield at_most("swiss", f"standings of {MANY}, a round", whole, ROUND_SECONDS)
    rates = [update_rate(plan.updates) for _ in range(plan.events)]
    yield at_least("swiss", "rating updates, 3 players", rates, UPDATES)


def standings(plan: Plan, number: int) -> tuple[float, float]:
    """Seconds of the last round: for one result with the page of the first, and for all results."""
    random = Chance(f"standings {number}".encode()).random
    names = [f"01890000-0000-7000-8000-{one:012}" for one in range(MANY)]
    now = Standings().entered(names)
    results: Sequence[Match] = ()
    for round_no in range(1, plan.rounds + 1):
        now = now.after(results)
        names.sort(key=lambda _: random())
        results = [
            Match(round_no, {name: int(40 * random()) - 20 for name in names[start : start + 3]})
            for start in range(0, MANY, 3)
        ]
    start = process_time()
    now.after(results[:1]).ranks(1, 50)
    between = process_time()
    now.after(results)
    return between - start, process_time() - between


def update_rate(updates: int) -> float:
    """Updates a second of a table of three, each from the ratings before."""
    ratings = [Rating() for _ in range(3)]
    start = process_time()
    for number in range(updates):
        ratings = updated(ratings, [number % 3 + 1, (number + 1) % 3 + 1, (number + 2) % 3 + 1])
    return updates / (process_time() - start)
