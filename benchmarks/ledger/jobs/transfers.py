"""Transfers by `ledger.services`: an entry of two legs, hashed and posted in a transaction."""

from functools import partial
from time import perf_counter

from benchmarks.ledger.databases import CURRENCY, player
from eventstore.core.ids import tournament_stream
from eventstore.ports import new_id
from eventstore.services import Transaction, in_transaction
from games.bots.rng import Chance
from ledger import services
from ledger.core.accounts import account
from ledger.core.entries import Entry, Leg
from ledger.core.kinds import Kind
from ledger.store.books import LIVE, ids_of


def transfer(seconds: float, wallets: int, number: int) -> tuple[int, float]:
    """Transfers between random wallets for some seconds: how many, in how long."""
    chance, done, stream = Chance(b"%d" % number), 0, tournament_stream(new_id())
    known = [account("wallet", str(player(1 + one)), currency=CURRENCY) for one in range(wallets)]
    ids_of(LIVE, known)  # as a process that runs knows them
    start = perf_counter()
    while (passed := perf_counter() - start) < seconds:
        first = chance.below(wallets)
        second = (first + 1 + chance.below(wallets - 1)) % wallets
        done += 1
        legs = tuple(sorted([(known[first], 1), (known[second], -1)]))
        in_transaction(partial(_post, stream=stream, version=done, legs=legs))
    return done, passed


def _post(tx: Transaction, *, stream: str, version: int, legs: tuple[Leg, ...]) -> None:
    entry = Entry(stream, version, 0, Kind.COMPENSATION, CURRENCY, tx.now, None, legs)
    services.post(entry, tx.now)
