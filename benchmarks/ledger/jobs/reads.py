"""Reads by the selectors, timed one by one."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from time import perf_counter

from benchmarks.ledger.databases import CURRENCY
from games.bots.rng import Chance
from ledger import selectors
from ledger.store.books import LIVE
from ledger.store.closing import Cut


def balance(player: str, first: str, last: str, times: int) -> list[float]:
    """Seconds of the balance at random instants."""
    instants = _instants(first, last, times)
    return [_seconds(partial(selectors.balances, player, at)) for at in instants]


def page(player: str, first: str, last: str, times: int) -> list[float]:
    """Seconds of a page of the statement that begins at random instants."""
    ranges = [selectors.Range(start=at) for at in _instants(first, last, times)]
    return [_seconds(partial(selectors.statement, player, CURRENCY, one)) for one in ranges]


def trial(instant: str | None) -> float:
    """Seconds of the trial balance, as it stands or as it was at an instant."""
    cut = Cut(recorded_before=None if instant is None else datetime.fromisoformat(instant))
    return _seconds(partial(selectors.trial_balance, cut))


def legs() -> float:
    """Seconds of the sum of all legs."""
    return _seconds(partial(LIVE.rows, "SELECT sum(amount) FROM ledger.posting"))


def _instants(first: str, last: str, times: int) -> Iterator[datetime]:
    chance, start = Chance(b"instants"), datetime.fromisoformat(first)
    length = datetime.fromisoformat(last) - start
    for _ in range(times):
        yield start + length * chance.random()


def _seconds(read: Callable[[], object]) -> float:
    start = perf_counter()
    read()
    return perf_counter() - start
