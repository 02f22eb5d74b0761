"""Order and signature in this process: what the sequencer does in the product."""

from eventstore.sequencer import Sequencer
from eventstore.tree import Checkpoint
from ledger.core.entries import MONEY

URGENT = frozenset(name for name, _ in MONEY)


def seal_log() -> Checkpoint | None:
    """Every committed event has its place, and the tree is signed; None if nothing was new.

    Signs with the key of the data folder, made where there is none.
    """
    at_work = Sequencer(urgent=URGENT)
    at_work.start()
    while at_work.round():
        pass
    return at_work.sign()
