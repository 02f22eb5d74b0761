"""What happens at once happens one after the other, in some order (`trust.md` sections 1 and 6).

Threads with a connection each meet at a named point inside their transactions: in the races of the
page, each with its exact outcome, and in every pair of commands that can meet at one table, one
player, one event, one payment or one decision. After each round the books, floors and versions hold
and nobody has got a server's error; after each race everything that it changed is as replayed.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import django

from games.rules.selfplay import SeededNumbers, shuffled
from tonk_site.proving.checks import Check, Found, Order
from tonk_site.proving.races import races_trial
from tonk_site.proving.races.races_commands import pairs
from tonk_site.proving.races.races_exact import RACES
from tonk_site.proving.races.races_trial import Part
from tonk_site.proving.scratch import database, fresh_processes

JOBS = 2
ROUNDS_A_PART = 2_000  # in one database: what is compared with its replay stays in memory
ROUNDS_EACH, ROUNDS_EACH_FULL = 20, 200
PAIRS_QUICK = 30  # drawn by the seed
SETTINGS = {"DJANGO_SETTINGS_MODULE": "tonk_site.proving.settings"}


def run(order: Order) -> Found:
    """The rounds, in processes that have a database each."""
    found, parts = Found(), parts_of(order)
    for start in range(0, len(parts), JOBS):
        for report in reports(parts[start : start + JOBS]):
            found.add(report)
        order.say(f"{found.done['rounds']:,} of {order.sizes['rounds']:,} rounds")
    return found


def reports(parts: Sequence[Part]) -> Iterator[Found]:
    """What came of parts that run side by side."""
    with ExitStack() as stack:
        tasks = []
        for part in parts:
            place = stack.enter_context(database())
            pool = stack.enter_context(fresh_processes(1, {**place.variables, **SETTINGS}))
            pool.submit(django.setup).result()
            tasks.append(pool.submit(races_trial.run, part))
        for task in tasks:
            yield task.result()


@dataclass(frozen=True, slots=True)
class Rounds:
    """How often each race is run, how many pairs there are, and how often each of them."""

    race: int
    pairs: int
    pair: int


def rounds_of(asked: int) -> Rounds:
    """How so many rounds are spent: races come first, then each pair once, then all alike.

    >>> quick = len(RACES) * ROUNDS_EACH + PAIRS_QUICK
    >>> rounds_of(quick)
    Rounds(race=20, pairs=30, pair=1)
    """
    known, races = len(pairs()), len(RACES)
    each = asked // (known + races)
    race = max(each, ROUNDS_EACH)
    left = max(asked - races * race, 0)
    if left < known:
        return Rounds(race, left, 1)
    return Rounds(race, known, -(-left // known))


def parts_of(order: Order) -> list[Part]:
    """The work of an order in parts of about the same size."""
    rounds = rounds_of(order.sizes["rounds"])
    chosen = shuffled(SeededNumbers(f"{order.seed}/pairs"), pairs())[: rounds.pairs]
    races = [(name, rounds.race) for name in RACES]
    drawn = [(pair, rounds.pair) for pair in chosen]
    count = max(JOBS, -(-order.sizes["rounds"] // ROUNDS_A_PART))
    return [
        Part(f"{order.seed}/{number}", races[number::count], drawn[number::count])
        for number in range(count)
    ]


CHECK = Check(
    name="races",
    promise=1,
    quick={
        "races": len(RACES),
        "pairs": PAIRS_QUICK,
        "rounds": len(RACES) * ROUNDS_EACH + PAIRS_QUICK,
    },
    full={
        "races": len(RACES),
        "pairs": len(pairs()),
        "rounds": (len(RACES) + len(pairs())) * ROUNDS_EACH_FULL,
    },
    run=run,
)
