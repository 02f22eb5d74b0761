"""The end: places, prizes, settlement, cancellation."""

from dataclasses import replace

from tournaments.core import events
from tournaments.core.folding.books import GONE, Books, after
from tournaments.core.lifecycle import Status
from tournaments.core.state import Tournament


@after.register
def _(event: events.Completed, state: Tournament, books: Books) -> Tournament:
    for one in event.places:
        place = one.place_best, one.place_worst
        books.change((one.player, one.entry_no), **GONE, status="out", place=place)
    if event.part < event.parts:
        return state
    books.tables.clear()
    return replace(state, status=Status.COMPLETED)


@after.register
def _(event: events.PrizesComputed, state: Tournament, _books: Books) -> Tournament:
    whole = event.part == event.parts
    status = Status.SETTLING if whole else state.status
    return replace(state, status=status, prizes=state.prizes + event.prizes)


@after.register
def _(_event: events.Settled, state: Tournament, _books: Books) -> Tournament:
    status = Status.CANCELLED if state.status is Status.CANCELLED else Status.SETTLED
    return replace(state, status=status, closed=True)


@after.register
def _(event: events.Cancelled, state: Tournament, books: Books) -> Tournament:
    for one in event.refunds:
        books.change((one.player, one.entry_no), **GONE, status="refunded", head=0)
    if event.part < event.parts:
        return state
    books.tables.clear()
    return replace(state, status=Status.CANCELLED, left=0, collected=0, fees=0, heads=0, deal=None)


@after.register
def _(event: events.LotSeedRevealed, state: Tournament, _books: Books) -> Tournament:
    return replace(state, seed=event.seed)


@after.register
def _(_event: events.Archived, state: Tournament, _books: Books) -> Tournament:
    return replace(state, status=Status.ARCHIVED)
