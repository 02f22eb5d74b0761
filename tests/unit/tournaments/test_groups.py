"""Groups and the cut: snake, wildcards, lot, seeds without meetings of one group, finals."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tournaments.driving import drive, generators, names, not_so_often, won
from tournaments.core.brackets import SingleElimination, first_pairs
from tournaments.core.double_elimination import DoubleElimination
from tournaments.core.groups import Candidates, FinalTable, GroupsFinals, cut, parted, snake
from tournaments.core.matches import NOTHING_PLAYED, Group, Played, Result, Schedule
from tournaments.core.meetings import circle
from tournaments.core.round_robin import RoundRobin, Row
from tournaments.core.three_seats import ThreeSeatElimination

FINALS: tuple[Callable[[Group], Schedule], ...] = (
    SingleElimination,
    DoubleElimination,
    ThreeSeatElimination,
    FinalTable,
)


def row(points: int, sonneborn: int = 0, net: int = 0, *, matches: int = 3) -> Row:
    return Row(matches, points, Fraction(sonneborn), net, 0)


def event(
    players: int,
    groups: int,
    finals: Callable[[Group], Schedule] = SingleElimination,
    *,
    advance: int = 2,
    wildcards: int = 0,
    lot: Group | None = None,
) -> GroupsFinals:
    field = names(players)
    leagues = [
        RoundRobin(tuple(field[rank - 1] for rank in ranks), circle(len(ranks)), f"G{number}.")
        for number, ranks in enumerate(snake(players, groups), start=1)
    ]
    return GroupsFinals(tuple(leagues), advance, wildcards, lot or field, finals)


# The snake


def test_the_snake_of_the_page() -> None:
    for groups in range(1, 9):
        for index, ranks in enumerate(snake(4 * groups, groups)):
            g = index + 1
            assert ranks == [g, 2 * groups + 1 - g, 2 * groups + g, 4 * groups + 1 - g]


@given(st.integers(1, 100), st.integers(1, 12))
def test_the_snake_places_everybody(players: int, groups: int) -> None:
    found = snake(players, groups)
    assert sorted(rank for ranks in found for rank in ranks) == list(range(1, players + 1))
    sizes = [len(ranks) for ranks in found]
    assert max(sizes) - min(sizes) <= 1


# The cut


def test_direct_encounter_comes_before_the_lot() -> None:
    rows = {"a": row(240), "b": row(240), "c": row(60)}
    found = cut([Candidates(rows, [("b", "a")])], advance=1, wildcards=0, lot=["a", "b"])
    assert (found.advance, found.by_lot) == ((("b",),), ())


def test_wins_that_do_not_part_all_count_for_nothing() -> None:
    rows = {one: row(240) for one in "abc"}
    candidates = Candidates(rows, [("b", "a"), ("b", "c")])
    found = cut([candidates], advance=2, wildcards=0, lot=["c", "a", "b"])
    assert (found.advance, found.by_lot) == ((("c", "a"),), ("c", "a"))


def test_equal_players_who_all_go_on_need_no_lot() -> None:
    rows = {"a": row(240), "b": row(240), "c": row(60)}
    found = cut([Candidates(rows)], advance=2, wildcards=0, lot=["b", "a"])
    assert (found.advance, found.by_lot) == ((("b", "a"),), ())


def test_equal_next_placed_of_two_groups_draw_for_the_wildcard() -> None:
    one = Candidates({"a": row(360), "b": row(200)})
    two = Candidates({"c": row(240, matches=2), "d": row(400, matches=6)})
    three = Candidates({"e": row(300), "f": row(100)})
    found = cut([one, two, three], advance=1, wildcards=1, lot=["d", "b"])
    assert found.advance == (("a",), ("d",), ("e",))
    # c has 120 a match, b and d 66 2/3 each; d was first of his group by points.
    assert (found.wildcards, found.by_lot) == (("c",), ())
    found = cut([one, three, Candidates({"g": row(400), "h": row(200)})],
                advance=1, wildcards=1, lot=["h", "b"])  # fmt: skip
    assert (found.wildcards, found.by_lot) == (("h",), ("h",))
    assert found.seeds == ("g", "a", "e", "h")


def test_wildcards_go_on_with_the_rank_after_the_next() -> None:
    groups = [
        Candidates({f"{name}{rank}": row(300 - 60 * rank) for rank in range(4)}) for name in "ab"
    ]
    found = cut(groups, advance=1, wildcards=3, lot=["b2", "a2", "b1", "a1", "b0", "a0"])
    assert found.wildcards == ("b1", "a1", "b2")
    assert found.by_lot == ("b2",)


@given(
    st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=5),
    st.integers(1, 4),
    st.integers(0, 8),
)
def test_as_many_go_on_as_there_are_places(
    points: list[list[int]], advance: int, wildcards: int
) -> None:
    groups = [
        Candidates({f"{g}.{i}": row(60 * one) for i, one in enumerate(group)})
        for g, group in enumerate(points)
    ]
    everybody = [player for group in groups for player in group.rows]
    found = cut(groups, advance=advance, wildcards=wildcards, lot=everybody)
    most = sum(min(advance, len(group)) for group in points)
    assert len(found.seeds) == len(set(found.seeds)) == min(most + wildcards, len(everybody))
    assert {player for group in found.advance for player in group} <= set(found.seeds)
    for group in groups:
        inside = [group.rows[one].points for one in group.rows if one in found.seeds]
        outside = [group.rows[one].points for one in group.rows if one not in found.seeds]
        assert not outside or not inside or min(inside) >= max(outside)
    assert set(found.by_lot) <= set(found.seeds)


# Seeds of the finals


def first_tables(seeds: Sequence[str]) -> list[Group]:
    ready = SingleElimination(tuple(seeds)).progress(NOTHING_PLAYED).ready
    return [match.players for match in ready if match.round == 1]


def clashes(seeds: Sequence[str], group_of: Mapping[str, int]) -> int:
    return sum(group_of[one] == group_of[other] for one, other in first_tables(seeds))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=10))
def test_no_two_of_a_group_meet_first_where_it_can_be_avoided(groups: list[int]) -> None:
    seeds = names(len(groups))
    group_of = dict(zip(seeds, groups, strict=True))
    found = parted(seeds, first_tables(seeds), group_of)
    assert sorted(found) == sorted(seeds)
    # The lower seeds of the pairs in every order, by brute force.
    pairs = [pair for pair in first_pairs(len(seeds)) if max(pair) <= len(seeds)]
    least = min(
        sum(
            groups[one - 1] == groups[other - 1]
            for (one, _), other in zip(pairs, lower, strict=True)
        )
        for lower in permutations([other for _, other in pairs])
    )
    assert (clashes(found, group_of) == 0) == (least == 0)
    if clashes(seeds, group_of) == 0:
        assert found == seeds
    assert found[: len(seeds) - len(pairs)] == seeds[: len(seeds) - len(pairs)]


def test_the_lower_seed_goes_down_first() -> None:
    seeds, groups = names(8), dict(zip(names(8), (1, 2, 3, 1, 1, 3, 2, 4), strict=True))
    # 4 and 5 are of group 1; 6 would be next, and meets 3 of his own group, but stands at 4 now.
    assert parted(seeds, first_tables(seeds), groups)[4:] == ("p6", "p5", "p8", "p7")


@not_so_often
@given(st.sampled_from(FINALS), st.integers(1, 5), st.integers(2, 20), generators)
def test_an_event_comes_to_its_end(
    finals: Callable[[Group], Schedule], groups: int, players: int, random: Random
) -> None:
    whole = event(max(players, groups), groups, finals, wildcards=random.randint(0, 2))
    field = [player for group in whole.groups for player in group.field]
    drive(whole, field, random, trouble=False)
    drive(whole, field, random)


def play_groups(whole: GroupsFinals) -> Played:
    """The better name wins every match of the groups."""
    played = NOTHING_PLAYED
    while (ready := whole.progress(played).ready) and ready[0].key.startswith("G"):
        results = {one.key: won(*sorted(one.players)) for one in ready}
        played = Played({**played.results, **results}, played.withdrawn)
    return played


def test_finals_follow_the_groups() -> None:
    whole = event(8, 2)  # 1 4 5 8, 2 3 6 7
    played = play_groups(whole)
    progress = whole.progress(played)
    assert [(one.key, one.round, one.players) for one in progress.ready] == [
        ("W1.1", 4, ("p1", "p3")), ("W1.2", 4, ("p2", "p4")),
    ]  # fmt: skip
    assert progress.places == {"p5": (5, 6), "p6": (5, 6), "p7": (7, 8), "p8": (7, 8)}
    assert whole.cut(played).advance == (("p1", "p4"), ("p2", "p3"))


def test_who_drops_out_after_the_cut_changes_no_standing() -> None:
    whole = event(8, 2)
    played = play_groups(whole)
    late = Played(played.results, ("p4",))
    assert whole.seeds(late) == whole.seeds(played)
    assert whole.cut(late) == whole.cut(played)
    assert [one.key for one in whole.progress(late).ready] == ["W1.1"]


def test_who_left_his_group_does_not_go_on() -> None:
    whole = event(6, 2)  # 1 4 5, 2 3 6
    results = {"G1.R1.1": won("p4", "p5"), "G1.R2.1": won("p1", "p5")}
    results |= {"G2.R1.1": won("p3", "p6"), "G2.R2.1": won("p2", "p6"), "G2.R3.1": won("p2", "p3")}
    played = Played(results, ("p1",))
    assert set(whole.seeds(played)) == {"p4", "p5", "p2", "p3"}
    assert whole.progress(played).places["p1"] == (5, 5)


def test_recorded_seeds_stand_whatever_is_corrected() -> None:
    whole = event(8, 2)
    frozen = GroupsFinals(
        whole.groups, 2, 0, whole.lot, SingleElimination, frozen=("p8", "p7", "p6", "p5")
    )
    ready = frozen.progress(play_groups(whole)).ready
    assert [one.players for one in ready] == [("p8", "p5"), ("p7", "p6")]


def test_a_final_table_ranks_by_who_was_out_last() -> None:
    final = FinalTable(("a", "b", "c"))
    assert final.progress(NOTHING_PLAYED).ready[0].players == ("a", "b", "c")
    ended = final.progress(Played({"final": Result({"a": 0, "b": 2, "c": 2})}))
    assert (ended.groups, ended.is_over) == ([["b", "c"], ["a"]], True)
    assert final.progress(Played({}, ("a", "c"))).groups == [["b"], ["a", "c"]]
    assert FinalTable(()).progress(NOTHING_PLAYED).is_over
