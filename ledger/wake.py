"""Wake-ups of the ledger: work for the settler, and word to the apps above that it is done."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from eventstore import wake

QUEUE = "settle"

Settled = Callable[[str, int], None]
_callbacks: list[Settled] = []


def when_settled(callback: Settled) -> None:
    """Have `callback(stream, version)` called after each commit that settled up to `version`.

    So higher apps learn of it without the ledger calling up. It only says "look": a callback that
    fails or a process that dies loses it, and a sweep finds the same.
    """
    if callback not in _callbacks:
        _callbacks.append(callback)


def settle(stream: str) -> None:
    """After the commit, let a worker settle the stream."""
    wake.after_commit("ledger.settle", stream, queue=QUEUE)


def attend_order(order: UUID) -> None:
    """After the commit, let a worker do what is due of a payment's order."""
    wake.after_commit("ledger.attend_order", str(order), queue=QUEUE)


def look_after_order(order: UUID) -> None:
    """Have a worker do what is due of a payment's order."""
    wake.send("ledger.attend_order", str(order), queue=QUEUE)


def tell_settled(stream: str, version: int) -> None:
    """After the commit, tell who asked to know."""
    for callback in _callbacks:
        wake.call_after_commit(partial(callback, stream, version))
