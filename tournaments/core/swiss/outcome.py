"""What is published of a pairing."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import combinations

from eventstore.core.refusal import InvariantBroken
from tournaments.core.swiss.cost import Costs
from tournaments.core.swiss.field import Pairing, Ranked, Table


def outcome(
    ranks: Ranked, costs: Costs, tables: Sequence[Table], *, bye: int | None, algorithm: str
) -> Pairing:
    """The pairing by names, with its cost. Raises: InvariantBroken unless everybody is placed."""
    placed = [player for table in tables for player in table] + ([] if bye is None else [bye])
    if sorted(placed) != list(range(ranks.count)):
        raise InvariantBroken(f"round {ranks.field.round}: not everybody is placed once")
    names = ranks.field.players
    fullest = max(map(len, tables), default=0)
    short = [player for table in tables if len(table) < fullest for player in table]
    avoidable = [(pair, costs.terms(price)) for pair, price in _avoidable(tables, costs)]
    return Pairing(
        tables=tuple(tuple([names[player] for player in table]) for table in sorted(tables)),
        bye=None if bye is None else names[bye],
        short=frozenset(names[player] for player in short),
        cost=_cost(ranks, costs, tables, short),
        rematches=tuple((names[a], names[b]) for (a, b), terms in avoidable if terms.rematches),
        forbidden=tuple((names[a], names[b]) for (a, b), terms in avoidable if terms.forbidden),
        algorithm=algorithm,
        input_hash=sha256(ranks.input_bytes(algorithm)).hexdigest(),
    )


def _avoidable(tables: Sequence[Table], costs: Costs) -> Iterator[tuple[Table, int]]:
    """Pairs who should not meet and do, with the price of it, by rank."""
    for table in sorted(tables):
        if costs.table(table) >= costs.group:
            for one, other in combinations(table, 2):
                price = costs.pair(one, other)
                if price:
                    yield (one, other), price


def _cost(
    ranks: Ranked, costs: Costs, tables: Sequence[Table], short: Sequence[int]
) -> tuple[int, ...]:
    terms = costs.terms(costs.total(tables))
    shorts = sum(count**2 for count in ranks.shorts)
    shorts += sum(2 * ranks.shorts[player] + 1 for player in short)
    cost = (terms.rematches, terms.groups, terms.spread, shorts)
    if not costs.weighs_firsts:
        return cost
    return (*cost, sum(count**2 for count in ranks.firsts) + terms.firsts)
