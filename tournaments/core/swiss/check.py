"""The check of a pairing that the director edited: as a whole, or not at all."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from eventstore.core.refusal import Refusal
from tournaments.core.seating import table_sizes
from tournaments.core.swiss.cost import Costs
from tournaments.core.swiss.field import Field, Pairing, ranked
from tournaments.core.swiss.outcome import outcome
from tournaments.core.swiss.places import has_bye

BY_HAND = "director/1"

Tables = Sequence[Sequence[str]]
Fault = tuple[str, list[str]]
"""What is wrong, and the players (or sizes) that show it."""


def check(given: Field, tables: Tables, bye: str | None) -> Pairing | Refusal:
    """The pairing with its cost; `pairing_invalid` with its first fault.

    Rematches and pairs of a group are the director's to decide, and are shown.
    """
    fault = first_fault(given, tables, bye)
    if fault:
        facts = {"round": given.round, "fault": fault[0], "shown_by": fault[1]}
        return Refusal("pairing_invalid", facts=facts)
    ranks = ranked(given)
    seated = [tuple(sorted(ranks.index[name] for name in table)) for table in tables]
    out = None if bye is None else ranks.index[bye]
    return outcome(ranks, Costs(ranks), seated, bye=out, algorithm=BY_HAND)


def first_fault(given: Field, tables: Tables, bye: str | None) -> Fault | None:
    """The first that is wrong: who is placed, who sits out, sizes of tables, forbidden pairs.

    >>> field = Field(round=2, seats=2, seed=bytes(32), act=2, players=("A", "B", "C", "D"))
    >>> first_fault(field, [["A", "B"]], None)
    ('not_placed', ['C', 'D'])
    """
    return (
        _fault_of_places(given, tables, bye)
        or _fault_of_bye(given, bye)
        or _fault_of_tables(given, tables)
    )


def _fault_of_places(given: Field, tables: Tables, bye: str | None) -> Fault | None:
    times = Counter(name for table in tables for name in table)
    times.update([] if bye is None else [bye])
    present = set(given.players)
    for fault, players in (
        ("not_present", [name for name in times if name not in present]),
        ("placed_twice", [name for name in times if times[name] > 1]),
        ("not_placed", [name for name in given.players if name not in times]),
    ):
        if players:
            return fault, players
    return None


def _fault_of_bye(given: Field, bye: str | None) -> Fault | None:
    """A bye where none is due or none where one is; a second one before everybody had his first."""
    due = has_bye(len(given.players), given.seats)
    if bye is None or not due:
        return ("bye_missing", []) if due else ("bye_not_due", [bye]) if bye else None
    fewest = min(given.byes.get(name, 0) for name in given.players)
    return ("bye_again", [bye]) if given.byes.get(bye, 0) > fewest else None


def _fault_of_tables(given: Field, tables: Tables) -> Fault | None:
    sizes = sorted(map(len, tables), reverse=True)
    if sizes != table_sizes(sum(sizes), given.seats):
        return "table_sizes", [str(size) for size in sizes]
    barred = {frozenset(pair) for names in given.forbidden for pair in combinations(names, 2)}
    for table in tables:
        for pair in combinations(table, 2):
            if frozenset(pair) in barred:
                return "forbidden_pair", list(pair)
    return None
