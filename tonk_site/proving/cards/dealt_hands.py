"""Hands of the log, each with all its records."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from eventstore import store
from eventstore.core.ids import table_stream
from eventstore.core.record import Stored
from games.rules import events

REVEALS = (events.HandRevealed, events.HandVoided)


def tables() -> list[str]:
    """Streams of all tables."""
    return store.streams(table_stream(""))


def records_of(stream: str) -> Iterator[Stored]:
    """A whole stream, however long it is."""
    return chain.from_iterable(store.pages_of(stream))


def hands_of(stored: Iterable[Stored]) -> Iterator[list[Stored]]:
    """The records of each hand that was dealt, from its commitment to its reveal, or to now."""
    hand: list[Stored] = []
    for one in stored:
        if isinstance(one.event, events.ShuffleCommitted):
            if is_dealt(hand):  # its reveal never came
                yield hand
            hand = []
        hand.append(one)
        if isinstance(one.event, REVEALS) and is_dealt(hand):
            yield hand
            hand = []
    if is_dealt(hand):
        yield hand


def is_dealt(hand: Sequence[Stored]) -> bool:
    """Whether a deal is among these records."""
    return any(isinstance(one.event, events.HandDealt) for one in hand)


def deal_of(hand: Sequence[Stored]) -> tuple[Stored, events.HandDealt]:
    """The deal of a hand. Raises: StopIteration where there is none."""
    return next((one, one.event) for one in hand if isinstance(one.event, events.HandDealt))
