"""How good pairings are: none is better up to twelve players, networkx has hardly a better one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import combinations

import pytest
from hypothesis import given

from tests.unit.tournaments.swiss_world import SwissWorld
from tests.unit.tournaments.test_swiss import fields
from tournaments.core import lot
from tournaments.core.swiss.field import Field, Pairing
from tournaments.core.swiss.pairing import pair_round

networkx = import_module("networkx")  # it has no types

Table = tuple[str, ...]


def partitions(players: Sequence[str], size: int) -> Iterator[list[Table]]:
    """All ways to fill tables of one size."""
    if not players:
        yield []
        return
    for others in combinations(players[1:], size - 1):
        rest = [name for name in players[1:] if name not in others]
        for tables in partitions(rest, size):
            yield [(players[0], *others), *tables]


def weights(field: Field, tables: Sequence[Table]) -> tuple[int, ...]:
    """What 9.3 makes small, term by term; forbidden pairs are the first."""
    pairs = [frozenset(pair) for table in tables for pair in combinations(table, 2)]
    points = [[field.points[name] for name in table] for table in tables]
    dealers = [lot.order(field.seed, f"seat/{field.act}", table)[0] for table in tables]
    return (
        sum(any(pair <= {*one} for one in field.forbidden) for pair in pairs),
        sum(max(pair) in field.met.of.get(min(pair), ()) for pair in pairs),
        sum(any(pair <= {*group} for group in field.groups) for pair in pairs),
        sum((max(table) - min(table)) ** 2 for table in points),
        sum(2 * field.firsts[name] + 1 for name in dealers),
    )


@given(fields(players_max=9).filter(lambda field: field.round > 1))
def test_up_to_twelve_players_no_pairing_is_better(field: Field) -> None:
    pairing = pair_round(field)
    for short in (False, True):
        players = [
            name for name in field.players
            if name != pairing.bye and (name in pairing.short) is short
        ]  # fmt: skip
        if players:
            ours = [table for table in pairing.tables if table[0] in players]
            # Names are in rank order, so the smallest list is that by rank.
            ways = partitions(players, len(ours[0]))
            assert ours == min(ways, key=lambda tables: (weights(field, tables), tables))


@pytest.mark.parametrize("seed", range(2))
def test_twelve_players_have_no_rematch_that_can_be_avoided(seed: int) -> None:
    for field, pairing in SwissWorld(12, seats=2, seed=seed).play(10):
        if field.round > 6 and pairing.rematches:
            least = min(weights(field, one)[1] for one in partitions(field.players, 2))
            assert pairing.cost[0] == least


@given(fields(players_max=9, seats=(2,)).filter(lambda field: field.round > 1))
def test_the_bye_goes_to_the_lowest_whose_rest_can_be_paired_anew(field: Field) -> None:
    bye = pair_round(field).bye
    if bye is None:
        return
    fewest = min(field.byes[name] for name in field.players)
    able = [name for name in reversed(field.players) if field.byes[name] == fewest]
    free = [
        name for name in able
        if any(
            weights(field, one)[:2] == (0, 0)
            for one in partitions([other for other in field.players if other != name], 2)
        )
    ]  # fmt: skip
    assert bye == [*free, *able][0]


# Two seats, with networkx as the reference


def least_spread(field: Field, pairing: Pairing) -> int:
    """Term 3 of the best pairing without rematch, which ours is too.

    No pairing as good as ours has two at a table who differ by more than all of ours together.
    """
    players = [name for name in field.players if name != pairing.bye]
    graph = networkx.Graph()
    for one, other in combinations(players, 2):
        spread = (field.points[one] - field.points[other]) ** 2
        if spread <= pairing.cost[2] and other not in field.met.of.get(one, ()):
            graph.add_edge(one, other, weight=-spread)
    matched = networkx.max_weight_matching(graph, maxcardinality=True)
    assert 2 * len(matched) == len(players)
    return sum((field.points[one] - field.points[other]) ** 2 for one, other in matched)


def assert_close(field: Field, pairing: Pairing) -> None:
    assert pairing.rematches == ()
    assert 100 * pairing.cost[2] <= 105 * least_spread(field, pairing)


@given(fields(players_max=12, seats=(2,)).filter(lambda field: field.round > 1))
def test_up_to_twelve_players_cost_what_networkx_says(field: Field) -> None:
    field = replace(field, groups=(), forbidden=())
    pairing = pair_round(field)
    players = [name for name in field.players if name != pairing.bye]
    graph = networkx.Graph()
    heavy = 13 * 300**2
    for one, other in combinations(players, 2):
        met = other in field.met.of.get(one, ())
        spread = (field.points[one] - field.points[other]) ** 2
        graph.add_edge(one, other, weight=-(heavy * met + spread))
    matched = networkx.max_weight_matching(graph, maxcardinality=True)
    least = -sum(graph[one][other]["weight"] for one, other in matched)
    assert (pairing.cost[0], pairing.cost[2]) == divmod(least, heavy)


@pytest.mark.parametrize(("players", "rounds"), [(14, 10), (23, 7), (34, 5), (60, 3)])
def test_searched_pairings_are_close_to_the_best(players: int, rounds: int) -> None:
    for field, pairing in SwissWorld(players, seats=2, seed=players, missing=0.05).play(rounds):
        if field.round > 1:
            assert_close(field, pairing)


@pytest.mark.parametrize("players", [70, 100, 200])
def test_windowed_pairings_are_close_to_the_best(players: int) -> None:
    for field, pairing in SwissWorld(players, seats=2, seed=players).play(8):
        if field.round == 8 and len(field.players) > 60:
            assert_close(field, pairing)


@pytest.mark.slow
@pytest.mark.parametrize("players", [64, 100, 151, 200])
def test_windowed_pairings_are_close_to_the_best_in_every_round(players: int) -> None:
    for field, pairing in SwissWorld(players, seats=2, seed=players, missing=0.03).play(10):
        if field.round > 1 and len(field.players) > 60:
            assert_close(field, pairing)
