"""No entry of the books makes or loses anything (`trust.md` section 1).

Live: every entry, summed here in Python and not by the SQL of the trigger. Trial: random hands,
each through `entries_for`; then raw SQL attacks the books, and those of the played world are read.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from eventstore.core.chain import START, Fact, seal
from eventstore.core.ids import table_stream, uuid7
from eventstore.core.refusal import InvariantBroken, Refusal
from games.rules.dealing import deal
from games.rules.liability import most_moved
from games.rules.result import Result, hand_ended
from games.rules.selfplay import Random, SeededNumbers, pick
from games.rules.state import Hand
from ledger.core.entries import Entry, entries_for
from ledger.core.fees import RakeTerms, rake
from tonk_site.proving import live
from tonk_site.proving.acting import played
from tonk_site.proving.cards.random_hands import (
    below,
    random_deal,
    random_overrides,
    repaired,
    walk,
)
from tonk_site.proving.checks import Breach, Check, Found, Order, in_processes
from tonk_site.proving.differing import FAULTS, breach, same
from tonk_site.proving.money import legs
from tonk_site.proving.money.book_attacks import attack, pairs_of

NAME = "zero-sum"
INVARIANTS = "I1 I2 I3 I4 I9"  # of `ledger.md` section 1: sums, lines, amounts, currency
AT = datetime(2026, 1, 1, tzinfo=UTC)
RAKE_BP_MAX = 1_000
RAKE_CAPS = (None, 1, 30)


# --- the live books -------------------------------------------------------------------------------


def look() -> Found:
    """Every entry is 0 in one currency and has the lines that it states; all together are 0."""
    found, sums = Found(), Counter[str]()
    for entry in legs.entries():
        found.done["entries"] += 1
        found.done["postings"] += len(entry.lines)
        found.breaches += _faults(entry)
        for amount, currency in entry.lines:
            sums[str(currency)] += amount
    found.breaches += [
        live.told("the books are not 0", currency, expected=0, got=total)
        for currency, total in sorted(sums.items())
        if total
    ]
    return found


def _faults(entry: legs.Entry) -> Iterator[Breach]:
    total, count = sum(amount for amount, _ in entry.lines), len(entry.lines)
    if total:
        yield live.told("an entry is not 0", entry.key, expected=0, got=total)
    if count != entry.lines_stated:
        yield live.told("lines", entry.key, expected=entry.lines_stated, got=count)
    strange = {currency for _, currency in entry.lines} - {entry.currency}
    if strange:
        yield live.told(
            "a currency", entry.key, expected=entry.currency, got=sorted(map(str, strange))
        )


# --- the trial ------------------------------------------------------------------------------------


def run(order: Order) -> Found:
    """Hands, then attacks and the live part on the played world."""
    found = in_processes(play_hands, order)
    if order.only is not None:
        return found
    rerun = f"manage.py prove {NAME} --seed {order.seed}"
    with played.database() as place:
        found.add(attack(place.superuser_url, INVARIANTS, rerun))
        found.add(live.read_there(look, place, rerun))
    return found


def play_hands(seed: str, numbers: range) -> Found:
    """Random hands of these numbers, and the entries that they make."""
    found = Found()
    for number in numbers:
        try:
            found.add(play(f"{seed}/{number}"))
        except FAULTS as error:
            found.breaches.append(breach(error, NAME, seed, number))
        found.done["hands"] += 1
    return found


def play(hand_seed: str) -> Found:
    """One random hand, its rake and its entries. Raises: Differs, InvariantBroken."""
    rng, found = SeededNumbers(hand_seed), Found()
    seats, overrides = 2 + below(rng, 5), random_overrides(rng)
    setup = random_deal(rng, repaired(overrides, seats), seats, hand=hand_seed)
    players = tuple(str(uuid7(seat, bytes(10))) for seat in setup.seats)
    dealt = deal(msgspec.structs.replace(setup, players=players, currency="EUR"))
    hand, result = dealt.hand, dealt.result
    for _, _, decision, after in walk(hand, rng):
        hand, result = after, decision.result
    if result is None:
        raise InvariantBroken("a hand is over without a result")
    same("sum of a hand", 0, sum(result.net.values()))
    most = most_moved(setup.rules.options, seats, setup.stake)
    same("beyond the worst case", [], [one for one in result.net.values() if abs(one) > most])
    rakes = _rakes(rng, hand, result)
    wins = {seat: net - rakes.get(seat, 0) for seat, net in result.net.items()}
    moved = Counter[str]()
    for entry in _entries(hand, result, rakes):
        same("sum of the entry", 0, sum(amount for _, amount in entry.legs))
        moved.update({code.split(":")[-2]: -amount for code, amount in entry.legs})
        found.done.update(entries=1, postings=len(entry.legs))
    booked = {seat: moved[player] for seat, player in zip(setup.seats, players, strict=True)}
    same("what the seats got", wins, booked)
    return found


def _rakes(rng: Random, hand: Hand, result: Result) -> dict[int, int]:
    """As a table of random terms takes it."""
    terms = RakeTerms(below(rng, RAKE_BP_MAX + 1), pick(rng, RAKE_CAPS))
    order = [hand.setup.seats[index] for index in hand.setup.from_left]
    return rake(terms, result.end, result.net, order)


def _entries(hand: Hand, result: Result, rakes: dict[int, int]) -> tuple[Entry, ...]:
    """What the books make of the end. Raises: InvariantBroken."""
    fact = Fact(hand_ended(hand, result, rake=rakes), "worker:dealer")
    stream, ids = table_stream(uuid7(0, bytes(10))), [uuid7(one, bytes(10)) for one in (1, 2)]
    made = entries_for(*seal(stream, START, [fact], at=AT, ids=ids))
    if isinstance(made, Refusal):
        raise InvariantBroken(f"the books refuse a hand: {made.code}")
    return made


CHECK = Check(
    name=NAME,
    promise=1,
    quick={"hands": 3_000, "entries": 2_500, "postings": 7_500, "refused": pairs_of(INVARIANTS)},
    full={
        "hands": 1_000_000,
        "entries": 800_000,
        "postings": 2_400_000,
        "refused": pairs_of(INVARIANTS),
    },
    run=run,
    live=look,
)
