"""The deck was fixed before anybody could know it, and every order is as likely (`trust.md` 8).

The trial puts decks by the product's own shuffle before the battery, and shuffles with a known
fault, which it must reject. The live part proves every deal of the log.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from uuid import UUID

from eventstore.core.record import Stored
from games import dealer
from games.replay import deal_differences
from games.rules import events
from games.rules.openings import shown
from tonk_site.proving import live
from tonk_site.proving.acting import played
from tonk_site.proving.cards import battery, shuffles
from tonk_site.proving.cards.battery import Tally
from tonk_site.proving.cards.dealt_hands import deal_of, hands_of, records_of, tables
from tonk_site.proving.cards.shuffles import Shuffle
from tonk_site.proving.checks import Breach, Check, Found, Order

NAME = "fair-deal"
SEED_BYTES = 32  # 256 bits (`trust.md` section 8), whatever the product's constant says
TASK_DECKS = 5_000
SAY_TASKS = 20
SEEDS = 300_000
"""Seeds drawn by the dealer: of 2**32 possible ones ten would come twice (F1)."""


def run(order: Order) -> Found:
    """The product's shuffle, the faulty ones, the dealer's seeds, deals of a played world."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = judged(Sample(pool, order), order)
    seeds = seeds_drawn(order.sizes["seeds"])
    found.done["seeds"] = len(seeds)
    if len(seeds) < order.sizes["seeds"]:
        found.breaches.append(_breach(order.seed, "a seed drawn twice", "the dealer"))
    if {len(seed) for seed in seeds} != {SEED_BYTES}:
        found.breaches.append(_breach(order.seed, "a seed of another size", "the dealer"))
    with played.database() as place:
        found.add(live.read_there(look, place, f"manage.py prove {NAME} --seed {order.seed}"))
    return found


def judged(sample: "Sample", order: Order) -> Found:
    """Decks by the product's shuffle, which must pass, and by the faulty ones, which must not."""
    found = Found()
    for test in sample.failures(shuffles.product, order.sizes["decks"]):
        found.breaches.append(_breach(order.seed, f"shuffle: {test}", "decks"))
    found.done["decks"] = sample.decks
    for mutant, size in shuffles.MUTANTS.items():
        if sample.failures(mutant, size):
            found.done["mutants_rejected"] += 1
        else:
            found.breaches.append(_breach(order.seed, "not rejected", mutant.__name__))
    return found


def _breach(seed: str, what: str, where: str) -> Breach:
    return Breach(what, where, "", "", f"manage.py prove {NAME} --seed {seed}")


class Sample:
    """Decks by a shuffle before the battery, made in the processes of a pool."""

    def __init__(self, pool: Executor, order: Order) -> None:
        self._pool, self._order, self.decks = pool, order, 0

    def failures(self, shuffle: Shuffle, size: int) -> list[str]:
        """Tests that fail twice, on fresh seeds the second time; a deck that comes twice at once.

        Fewer decks than asked for are counted as they are.
        """
        first = self.tally(shuffle, size)
        self.decks = first.decks
        doubted = battery.suspicious(first)
        if not doubted or "distinct" in doubted:
            return sorted(doubted & {"distinct"})
        self._order.say(f"{shuffle.__name__}: {', '.join(sorted(doubted))}; once more")
        return sorted(doubted & battery.suspicious(self.tally(shuffle, size, "/again")))

    def tally(self, shuffle: Shuffle, size: int, again: str = "") -> Tally:
        """What so many decks come to; `again` makes others of the same seed."""
        seed = f"{self._order.seed}/{shuffle.__name__}{again}"
        parts = [range(size)[start : start + TASK_DECKS] for start in range(0, size, TASK_DECKS)]
        count, sums = len(parts), Tally()
        tallies = self._pool.map(tally_of, [shuffle] * count, [seed] * count, parts)
        for number, one in enumerate(tallies, start=1):
            sums.add(one)
            if number % SAY_TASKS == 0:
                self._order.say(f"{sums.decks:,} of {size:,} decks by {shuffle.__name__}")
        return sums


def tally_of(shuffle: Shuffle, seed: str, numbers: range) -> Tally:
    """What the decks of these numbers come to."""
    return battery.tally(shuffles.decks(shuffle, seed, numbers), numbers.start)


def seeds_drawn(count: int) -> set[bytes]:
    """Different seeds among so many that the dealer draws."""
    hand = UUID(int=0)
    return {dealer.commit(hand).server_seed for _ in range(count)}


# --- the log --------------------------------------------------------------------------------------


def look() -> Found:
    """Every hand of every table, from its commitment to its reveal."""
    found, commitments = Found(), Counter[str]()
    for stream in tables():
        stored = list(records_of(stream))
        found.breaches += wrong(stored)
        deals = [deal_of(hand)[1] for hand in hands_of(stored)]
        found.done["hands"] += len(deals)
        commitments.update(dealt.commit for dealt in deals)
    for commit, times in commitments.items():
        if times > 1:
            found.breaches.append(live.told("a commitment again", commit, expected=1, got=times))
    return found


def wrong(stored: Sequence[Stored]) -> Iterator[Breach]:
    """What is wrong with the deals of a whole table."""
    for one in deal_differences(stored):
        what, where = f"{one.field} is not what the seeds give", f"{one.stream}@{one.version}"
        yield live.told(what, where, expected=one.log, got=one.live)
    for hand in hands_of(stored):
        yield from out_of_order(hand)


def out_of_order(hand: Sequence[Stored]) -> Iterator[Breach]:
    """What breaks the order of commitment, seeds, deal, cards, end and reveal."""
    first, (deal, _) = hand[0], deal_of(hand)
    if not isinstance(first.event, events.ShuffleCommitted):
        yield live.told(
            "no commitment before the deal",
            _where(deal),
            expected="ShuffleCommitted",
            got=first.type,
        )
    for one in hand:
        if isinstance(one.event, events.SeedRevealed) and one.version > deal.version:
            yield live.told(
                "a seed after the deal",
                _where(one),
                expected=f"before {deal.version}",
                got=one.version,
            )
        if one.version < deal.version and any(shown(one.event)):
            yield live.told(
                "a card before the deal",
                _where(one),
                expected=f"from {deal.version}",
                got=one.version,
            )
    ends = [one.version for one in hand if isinstance(one.event, events.HandEnded)]
    reveals = [one.version for one in hand if isinstance(one.event, events.HandRevealed)]
    if reveals != [version + 1 for version in ends]:
        yield live.told(
            "no reveal right after the end", _where(deal), expected=f"end {ends}", got=reveals
        )


def _where(one: Stored) -> str:
    return f"{one.stream}@{one.version}"


CHECK = Check(
    name=NAME,
    promise=5,
    quick={"decks": 50_000, "mutants_rejected": len(shuffles.MUTANTS), "seeds": SEEDS, "hands": 20},
    full={
        "decks": 1_000_000,
        "mutants_rejected": len(shuffles.MUTANTS),
        "seeds": SEEDS,
        "hands": 20,
    },
    run=run,
    live=look,
)
