"""The state of a tournament after its facts: `evolve` one event, `fold` many."""

from collections.abc import Iterable
from dataclasses import replace

from eventstore.core.refusal import InvariantBroken
from tournaments.core import events
from tournaments.core.folding import ending, entry, matches, play, rulings
from tournaments.core.folding.books import Books, after
from tournaments.core.lifecycle import admits
from tournaments.core.state import NOTHING, Tournament

PARTS = (entry, play, matches, rulings, ending)
"""Modules that add the cases of `after`."""


def evolve(state: Tournament, event: events.Event) -> Tournament:
    """The state after one more event. Raises: InvariantBroken for one that can not follow."""
    return fold((event,), state)


def fold(facts: Iterable[events.Event], state: Tournament = NOTHING) -> Tournament:
    """The state after more events; equal to one `evolve` after another, in linear time."""
    books = Books(
        dict(state.entries),
        dict(state.last_entry),
        dict(state.tables),
        dict(state.matches),
        dict(state.awards),
    )
    state = replace(
        state,
        entries=books.entries,
        last_entry=books.last_entry,
        tables=books.tables,
        matches=books.matches,
        awards=books.awards,
    )
    version = state.version
    for event in facts:
        if not admits(state.status, event):
            raise InvariantBroken(f"{type(event).__name__} in state {state.status}")
        state, version = after(event, state, books), version + 1
    return replace(state, version=version)
