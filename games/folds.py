"""Tables as they are now: folds of their streams, kept in memory as long as they are true.

A kept fold is a cache and nothing else: it is used only where the log still holds the very record
at which it stands, and goes on from there. It knows the deck of the running hand, so only
`games/rules/views.py` may show anything of it.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from types import MappingProxyType
from uuid import UUID

from eventstore import store
from eventstore.core.chain import Head, Loaded, head_of
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken
from games import dealer
from games.rules import events
from games.rules.shuffles import Deck
from games.rules.table import Table, evolve, fold

KEPT_MAX = 512  # tables of one process; a fold with its hand's records is some 100 kB
LOOKS_MAX = 3  # a hand that ends between two statements is seen ended at the next look
_ENDS = frozenset({"HandEnded", "HandVoided"})
_NO_DECKS: Mapping[str, Deck] = MappingProxyType({})

Load = Callable[..., Loaded]


@dataclass(frozen=True, slots=True)
class Folded:
    """A table, where its stream stands, and the records that lead there from the newest deal."""

    id: UUID
    table: Table
    head: Head
    stored: tuple[Stored, ...]  # `TableOpened`, then all from the newest deal on

    @property
    def stream(self) -> str:
        """Name of the table's stream."""
        return table_stream(self.id)


_kept: OrderedDict[UUID, Folded] = OrderedDict()
_lock = Lock()


def current(table_id: UUID, hand_version: int | None, load: Load = store.load) -> Folded:
    """The table as its stream is now. `hand_version` is where its newest deal lies, if known.

    One statement, and one more where a deal is new to this process. Raises: ValueError for a
    table without events.
    """
    return at_clock(table_id, hand_version, load)[0]


def at_clock(
    table_id: UUID, hand_version: int | None, load: Load = store.load
) -> tuple[Folded, datetime]:
    """The table as its stream is now, and the clock as the same statement read it."""
    for _ in range(LOOKS_MAX):
        found, now = _look(table_id, hand_version, load)
        hand = found.table.hand
        if hand is None or hand.over or hand.setup.deck is not None:
            keep(found)
            return found, now
    raise InvariantBroken(f"the running hand of table {table_id} has no deck")


def without_deck(table_id: UUID, hand_version: int | None, load: Load = store.load) -> Folded:
    """The table as its stream is now, as one who knows no deck folds it; kept by nobody.

    For a running hand whose seed can not be read any more. One statement.
    """
    loaded = load(table_stream(table_id), from_version=hand_version or 1, with_first=True)
    return Folded(table_id, fold(loaded.events), loaded.head, loaded.events)


def keep(folded: Folded) -> None:
    """Remember a fold, in place of the table's older one."""
    with _lock:
        _kept[folded.id] = folded
        _kept.move_to_end(folded.id)
        if len(_kept) > KEPT_MAX:
            _kept.popitem(last=False)


def forget_all() -> None:
    """Forget every fold: for tests, whose databases go back."""
    with _lock:
        _kept.clear()


def with_more(folded: Folded, newer: Sequence[Stored]) -> Folded:
    """The fold after further records."""
    if not newer:
        return folded
    table: Table = folded.table
    decks = decks_of(newer)
    stored = list(folded.stored)
    for one in newer:
        table = evolve(table, one, decks)
        if one.type == "HandDealt":
            stored = stored[:1]
        stored.append(one)
    return Folded(folded.id, table, head_of(newer), tuple(stored))


def _look(table_id: UUID, hand_version: int | None, load: Load) -> tuple[Folded, datetime]:
    stream = table_stream(table_id)
    kept = _kept.get(table_id)
    if kept is not None and kept.head.version >= (hand_version or 1):
        loaded = load(stream, from_version=kept.head.version)
        if loaded.events and loaded.events[0].hash == kept.head.hash:
            return with_more(kept, loaded.events[1:]), loaded.now
    loaded = load(stream, from_version=hand_version or 1, with_first=True)
    table = fold(loaded.events, decks_of(loaded.events))
    return Folded(table_id, table, loaded.head, loaded.events), loaded.now


def decks_of(stored: Sequence[Stored]) -> Mapping[str, Deck]:
    """The deck of the hand that runs at the end of these records, by the hand's id."""
    for one in reversed(stored):
        if one.type in _ENDS:
            return _NO_DECKS
        if isinstance(one.event, events.HandDealt):
            seed = dealer.seed_of(UUID(one.event.hand))
            return (
                _NO_DECKS if seed is None else {one.event.hand: dealer.deck_from(one.event, seed)}
            )
    return _NO_DECKS
