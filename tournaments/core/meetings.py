"""Who meets whom in which round of a round robin (`tournaments.md` 2.5). Players are 0 to n-1."""

from collections.abc import Callable, Sequence
from itertools import combinations, permutations

from eventstore.core.refusal import InvariantBroken
from tournaments.core.seating import table_sizes

Round = tuple[tuple[int, ...], ...]
"""The tables of one round, each in the order of its seats. Who is at none has the bye."""

Matrix = Sequence[Sequence[int]]
"""How often each meets each."""

FindRound = Callable[[Matrix, Sequence[int]], Round]
"""Finds a round of least `cost`, from meetings above the least and short tables so far."""

_PLANE_OF_9: tuple[Round, ...] = (
    ((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    ((0, 5, 7), (1, 3, 8), (2, 4, 6)),
    ((0, 4, 8), (1, 5, 6), (2, 3, 7)),
    ((0, 3, 6), (1, 4, 7), (2, 5, 8)),
)
_FIRST_OF_15: Round = ((14, 0, 7), (1, 2, 4), (3, 8, 12), (5, 11, 13), (6, 9, 10))


def circle(players: int, *, double: bool = False) -> tuple[Round, ...]:
    """Rounds of pairs in which each meets each once, or twice with seats swapped.

    >>> circle(4)
    (((0, 3), (1, 2)), ((0, 2), (3, 1)), ((0, 1), (2, 3)))
    """
    count = players + players % 2
    ring = list(range(count))
    rounds: list[Round] = []
    for _ in range(count - 1):
        pairs = [(ring[i], ring[-1 - i]) for i in range(count // 2)]
        # A dummy makes the number even; who meets him has the bye.
        rounds.append(tuple(pair for pair in pairs if max(pair) < players))
        ring.insert(1, ring.pop())
    swapped = [tuple((two, one) for one, two in pairs) for pairs in rounds] if double else []
    return (*rounds, *swapped)


def byes(rounds: Sequence[Round], players: int) -> list[int]:
    """Who is at no table, round by round.

    >>> byes(circle(5), 5)
    [0, 3, 1, 4, 2]
    """
    seated = [{player for table in tables for player in table} for tables in rounds]
    return [player for there in seated for player in range(players) if player not in there]


def triples_of_15() -> tuple[Round, ...]:
    """Seven rounds of 15 players at tables of three in which each meets each once."""
    return tuple(
        tuple(tuple(_turned(player, by) for player in table) for table in _FIRST_OF_15)
        for by in range(7)
    )


def triples(players: int, rounds: int, find: FindRound) -> tuple[Round, ...]:
    """At most `rounds` rounds at tables of three: known ones for 9 and 15 players, else a search.

    Raises: InvariantBroken if a round found does not seat everybody at tables of the right sizes.
    """
    known = {9: _PLANE_OF_9, 15: triples_of_15()}
    return known[players][:rounds] if players in known else search(players, rounds, find)


def search(players: int, rounds: int, find: FindRound) -> tuple[Round, ...]:
    """Rounds at tables of three, one after another, each of least cost after those before."""
    found: list[Round] = []
    short = [0] * players
    sizes = table_sizes(players, 3) if players > 1 else []
    for _ in range(rounds if sizes else 0):
        one = find(above_least(meetings(found, players)), tuple(short))
        seated = sorted(player for table in one for player in table)
        if seated != list(range(players)) or sorted(map(len, one), reverse=True) != sizes:
            raise InvariantBroken(f"round {one} of {players} players")
        found.append(one)
        for player in _at_short_tables(one):
            short[player] += 1
    return tuple(found)


def meetings(rounds: Sequence[Round], players: int) -> list[list[int]]:
    """How often each meets each; nobody meets himself.

    >>> meetings([((0, 1), (2, 3))], 4)[0]
    [0, 1, 0, 0]
    """
    matrix = [[0] * players for _ in range(players)]
    for one, other in (pair for tables in rounds for t in tables for pair in permutations(t, 2)):
        matrix[one][other] += 1
    return matrix


def span(matrix: Matrix) -> tuple[int, int]:
    """Fewest and most meetings of any pair. A lone player has none.

    >>> span(meetings(circle(5), 5))
    (1, 1)
    """
    counts = [matrix[one][other] for one, other in combinations(range(len(matrix)), 2)]
    return min(counts, default=0), max(counts, default=0)


def above_least(matrix: Matrix) -> Matrix:
    """Meetings of each pair beyond those that every pair has had."""
    least, _ = span(matrix)
    return tuple(
        tuple(count - least if one != other else 0 for other, count in enumerate(row))
        for one, row in enumerate(matrix)
    )


def cost(tables: Round, above: Matrix, short: Sequence[int]) -> tuple[int, int]:
    """What a round costs: meetings above the least, then repeated short tables.

    >>> cost(((0, 1), (2, 3)), [[0, 1, 0, 0]] + [[0] * 4] * 3, [1, 0, 0, 0])
    (1, 1)
    """
    met = sum(above[one][other] for table in tables for one, other in combinations(table, 2))
    return met, sum(short[player] for player in _at_short_tables(tables))


def _at_short_tables(tables: Round) -> list[int]:
    return [player for table in tables if len(table) < 3 for player in table]


def _turned(player: int, by: int) -> int:
    """`by` added modulo 7 inside 0 to 6 and inside 7 to 13; 14 stays."""
    return player if player == 14 else player // 7 * 7 + (player + by) % 7
