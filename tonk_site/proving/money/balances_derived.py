"""A balance is the sum of its lines, now and at any instant of the past (`trust.md` section 1).

The sums are made here, line by line; compared are what is stored, and what the product answers when
it is asked what somebody or everybody held.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from eventstore.ports import random_bytes
from games.rules.selfplay import Random, SeededNumbers, pick
from ledger.core.accounts import OWNER, parse, unstriped
from ledger.selectors import balances
from ledger.selectors.trial import trial_balance
from ledger.store.books import LIVE
from ledger.store.closing import Cut
from tonk_site.proving import live
from tonk_site.proving.acting import played
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.money import legs
from tonk_site.proving.money.book_attacks import attack, pairs_of

NAME = "balances-derived"
INVARIANTS = "I6"  # of `ledger.md` section 1
INSTANTS = 20  # of the live part
_SPAN = "SELECT min(recorded_at), max(recorded_at) FROM ledger.entry"


def look(instants: int = INSTANTS, seed: str = "") -> Found:
    """Every account now, and everybody at random instants: what is answered is what is summed."""
    found, rng = Found(), SeededNumbers(seed or random_bytes(8).hex())
    asked = _instants(rng, instants)
    sums = {instant: Counter[str]() for instant in asked}
    for account in legs.accounts():
        found.done["accounts"] += 1
        found.breaches += _faults(account)
        for move in account.moves:
            for instant in asked:
                if move.recorded_at < instant:
                    sums[instant][unstriped(account.code)] += move.amount
    for instant, held in sums.items():
        found.done["instants"] += 1
        found.breaches += [*_everybody(instant, held), *_somebody(rng, instant, held)]
    return found


def _instants(rng: Random, count: int) -> list[datetime]:
    """Instants between the first and the last entry; none where there are none."""
    first, last = LIVE.rows(_SPAN)[0]
    return [first + (last - first) * rng.random() for _ in range(count)] if first else []


def _faults(account: legs.Account) -> Iterator[Breach]:
    """What is stored, at each line and now, against the running sum."""
    running = 0
    for number, move in enumerate(account.moves, start=1):
        running += account.sign * move.amount
        if (move.version, move.after) != (number, running):
            where, got = f"{account.code} line {number}", (move.version, move.after)
            yield live.told("a running balance", where, expected=(number, running), got=got)
    wanted, got = (len(account.moves), running), (account.version, account.balance)
    if wanted != got:
        yield live.told("a stored balance", account.code, expected=wanted, got=got)


def _everybody(instant: datetime, held: Counter[str]) -> Iterator[Breach]:
    """The trial balance of an instant."""
    lines = trial_balance(Cut(recorded_before=instant)).accounts
    told = {line.name: line.balance for line in lines}
    for code in sorted(told.keys() | held.keys()):
        if told.get(code, 0) != held[code]:
            where = f"{code} before {instant.isoformat()}"
            yield live.told("a past balance", where, expected=held[code], got=told.get(code, 0))


def _somebody(rng: Random, instant: datetime, held: Counter[str]) -> Iterator[Breach]:
    """What one player had, as he is told it himself."""
    wallets = sorted(code for code in held if code.startswith("wallet:"))
    if not wallets:
        return
    wallet = parse(pick(rng, wallets))
    player = wallet.id_of(OWNER) or ""
    for balance in balances(player, instant):
        code = f"wallet:{player}:{balance.currency}"
        if balance.available != -held[code]:
            where = f"{code} before {instant.isoformat()}"
            yield live.told("a past wallet", where, expected=-held[code], got=balance.available)


def run(order: Order) -> Found:
    """The played world looked at; then raw SQL tries to part a balance from its lines."""
    rerun = f"manage.py prove {NAME} --seed {order.seed}"
    with played.database() as place:
        found = attack(place.superuser_url, INVARIANTS, rerun)
        asked = partial(look, order.sizes["instants"], order.seed)
        found.add(live.read_there(asked, place, rerun))
    return found


CHECK = Check(
    name=NAME,
    promise=1,
    quick={"accounts": 100, "instants": 20, "refused": pairs_of(INVARIANTS)},
    full={"accounts": 100, "instants": 100, "refused": pairs_of(INVARIANTS)},
    run=run,
    live=look,
)
