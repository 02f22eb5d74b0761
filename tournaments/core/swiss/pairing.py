"""The pairing of a round: who sits out, who sits short, and who meets (9.2, 9.3)."""

from collections.abc import Iterable, Iterator, Sequence

from tournaments.core import lot
from tournaments.core.seating import table_sizes
from tournaments.core.swiss import places
from tournaments.core.swiss.cost import Costs
from tournaments.core.swiss.exact import EXACT_PLAYERS_MAX, best_tables
from tournaments.core.swiss.exchange import Room
from tournaments.core.swiss.field import Field, Pairing, Ranked, Table, ranked
from tournaments.core.swiss.fold import fold, keep_apart
from tournaments.core.swiss.greedy import top_down
from tournaments.core.swiss.outcome import outcome

SEARCH_PLAYERS_MAX = 60
RESTARTS = 30
VERSION = "swiss/1"
"""Raised with any change of what a field is paired to."""


def pair_round(given: Field) -> Pairing:
    """Tables and bye of a round.

    Round one is folded. Later the cost of 9.3 is made small: of up to 12 players at tables of one
    size all partitions are weighed, up to 60 players are exchanged from 30 starts, more from one.

    >>> from tournaments.core.swiss.meetings import Meetings
    >>> field = Field(round=2, seats=2, seed=bytes(32), act=2, players=("A", "B", "C", "D"),
    ...     points={"A": 120, "B": 120}, met=Meetings().after([["A", "C"], ["B", "D"]]))
    >>> pair_round(field).tables
    (('A', 'B'), ('C', 'D'))

    Raises: InvariantBroken if somebody who is present sits nowhere.
    """
    ranks = ranked(given)
    costs = Costs(ranks)
    out = places.bye(ranks, costs)
    seated = [player for player in range(ranks.count) if player != out]
    short = places.at_short_tables(seated, ranks)
    full = sorted(set(seated).difference(short)) if short else seated
    sizes = table_sizes(len(seated), given.seats)
    tables: list[Table] = []
    methods = []
    for players, size in ((full, sizes[0]), (short, sizes[-1])) if sizes else ():
        if players:
            method, found = _pair(players, size, ranks, costs)
            tables += found
            methods.append(method)
    algorithm = f"{VERSION} {'+'.join(methods) or 'nobody'}"
    return outcome(ranks, costs, tables, bye=out, algorithm=algorithm)


def _pair(
    players: Sequence[int], size: int, ranks: Ranked, costs: Costs
) -> tuple[str, Sequence[Table]]:
    """Method and tables for players who all sit at tables of one size."""
    if ranks.field.round == 1:
        return "fold", keep_apart(fold(players, size), costs)
    if len(players) <= EXACT_PLAYERS_MAX:
        return "exact", best_tables(players, size, costs.table)
    if len(players) <= SEARCH_PLAYERS_MAX:
        return "search", _improved(players, size, _orders(players, ranks.field), costs)
    return "window", _improved(players, size, [players], costs)


def _orders(players: Sequence[int], given: Field) -> Iterator[Sequence[int]]:
    """In which order the players take their companions: by rank, then by lot for each restart."""
    yield players
    for restart in range(1, RESTARTS):
        context = f"search/{given.round}/{restart}/0"
        keys = {player: lot.key(given.seed, context, given.players[player]) for player in players}
        yield sorted(players, key=keys.__getitem__)


def _improved(
    players: Sequence[int], size: int, orders: Iterable[Sequence[int]], costs: Costs
) -> Sequence[Table]:
    """The best tables that exchanges lead to, of equally good ones the first found."""
    best = min((_exchanged(top_down(order, size, costs), costs) for order in orders), key=_total)
    best.chain_all()
    if size == 2 and best.total >= costs.rematch and len(players) <= places.MATCHED_PLAYERS_MAX:
        without = places.pairs(players, costs)
        if without:
            best = _exchanged(without, costs)
            best.chain_all()
    return best.tables


def _exchanged(tables: Iterable[Table], costs: Costs) -> Room:
    room = Room(tables, costs)
    room.exchange_all()
    return room


def _total(room: Room) -> int:
    return room.total
