"""Swiss rounds: everybody is placed, byes and short tables are fair, edits are checked."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eventstore.core import canonical
from eventstore.core.refusal import InvariantBroken, Refusal
from tests.unit.tournaments.swiss_world import SEED, SwissWorld
from tournaments.core.seating import table_sizes
from tournaments.core.swiss.check import BY_HAND, check, first_fault
from tournaments.core.swiss.cost import Costs
from tournaments.core.swiss.exact import best_tables
from tournaments.core.swiss.field import Field, Pairing, ranked
from tournaments.core.swiss.matching import pair_all
from tournaments.core.swiss.meetings import Meetings
from tournaments.core.swiss.outcome import outcome
from tournaments.core.swiss.pairing import pair_round
from tournaments.core.swiss.rounds import hands_of, match_hands, rounds_cap, suggested_rounds


def names(count: int) -> tuple[str, ...]:
    return tuple(f"p{number:02}" for number in range(count))


@st.composite
def fields(draw: st.DrawFn, players_max: int = 18, seats: Sequence[int] = (2, 3, 4, 5, 6)) -> Field:
    """Any field, as it may look in any round."""
    random = Random(draw(st.integers(0, 2**32)))
    present = names(draw(st.integers(1, players_max)))
    share = draw(st.sampled_from([0.0, 0.1, 0.3, 0.6, 0.9, 1.0]))
    met = [pair for pair in combinations(present, 2) if random.random() < share]
    points = sorted((60 * random.randrange(6) for _ in present), reverse=True)

    def some(count: int) -> tuple[tuple[str, ...], ...]:
        size = min(3, len(present))
        return tuple(tuple(random.sample(present, size)) for _ in range(random.randrange(count)))

    return Field(
        round=draw(st.sampled_from([1, 2, 5])),
        seats=draw(st.sampled_from(seats)),
        seed=SEED,
        act=7,
        players=present,
        points=dict(zip(present, points, strict=True)),
        met=Meetings().after(met),
        byes={name: random.randrange(3) for name in present},
        shorts={name: random.randrange(3) for name in present},
        firsts={name: random.randrange(4) for name in present},
        groups=some(4),
        forbidden=some(3) if draw(st.booleans()) else (),
    )


@given(fields())
@example(Field(round=2, seats=3, seed=SEED, act=2, players=("a",)))
@example(Field(round=2, seats=3, seed=SEED, act=2, players=()))
def test_everybody_present_is_placed_once(field: Field) -> None:
    pairing = pair_round(field)
    placed = [name for table in pairing.tables for name in table]
    placed += [] if pairing.bye is None else [pairing.bye]
    assert sorted(placed) == sorted(field.players)
    sizes = sorted(map(len, pairing.tables), reverse=True)
    assert sizes == table_sizes(len(field.players) - bool(pairing.bye), field.seats)
    assert bool(pairing.bye) == (
        len(field.players) == 1 or (field.seats == 2 and len(field.players) % 2 == 1)
    )
    fault = first_fault(field, pairing.tables, pairing.bye)
    assert fault is None or (fault[0] == "forbidden_pair" and pairing.forbidden)
    assert pair_round(field) == pairing


@given(fields())
def test_nobody_has_a_second_bye_or_short_table_before_others(field: Field) -> None:
    pairing = pair_round(field)
    if pairing.bye:
        assert field.byes.get(pairing.bye, 0) == min(field.byes.get(x, 0) for x in field.players)
    if pairing.short:
        longest = max(field.shorts[name] for name in pairing.short)
        others = [field.shorts[name] for name in field.players if name not in pairing.short]
        assert longest <= min(others)


@given(fields())
def test_the_cost_is_what_it_says(field: Field) -> None:
    pairing = pair_round(field)
    pairs = [pair for table in pairing.tables for pair in combinations(table, 2)]
    met = [pair for pair in pairs if pair[1] in field.met.of.get(pair[0], ())]
    grouped = [pair for pair in pairs if any({*pair} <= {*group} for group in field.groups)]
    points = [[field.points[name] for name in table] for table in pairing.tables]
    shorts = [field.shorts[name] + (name in pairing.short) for name in field.players]
    assert list(pairing.rematches) == met
    assert pairing.cost[:4] == (
        len(met),
        len(grouped),
        sum((max(table) - min(table)) ** 2 for table in points),
        sum(count**2 for count in shorts),
    )
    firsts = sum(field.firsts[name] ** 2 for name in field.players)
    assert pairing.cost[4] >= firsts + len(pairing.tables)
    assert {frozenset(pair) for pair in pairing.forbidden} == {
        frozenset(pair) for pair in pairs if any({*pair} <= {*one} for one in field.forbidden)
    }


@pytest.mark.parametrize(("players", "seats"), [(63, 3), (125, 2), (132, 6), (76, 4)])
def test_large_fields_are_paired_without_rematch_round_after_round(
    players: int, seats: int
) -> None:
    for field, pairing in SwissWorld(players, seats=seats, seed=3).play(6):
        assert first_fault(field, pairing.tables, pairing.bye) is None
        assert pairing.rematches == ()
        assert len(pairing.cost) == (5 if len(field.players) <= 60 else 4)


@pytest.mark.parametrize("players", [70, 130, 250])
def test_the_only_one_left_to_meet_is_found_however_low_he_stands(players: int) -> None:
    """At two seats no rematch is made that can be avoided; from the window alone it could be."""
    present = tuple(f"p{number:03}" for number in range(players))
    met = Meetings().after([(present[0], other) for other in present[1:-1]])
    field = Field(round=9, seats=2, seed=SEED, act=9, players=present, met=met)
    pairing = pair_round(field)
    assert pairing.tables[0] == (present[0], present[-1])
    assert pairing.rematches == ()
    alone = replace(field, forbidden=((present[0], present[-1]),))
    assert len(pair_round(alone).rematches) == 1


def test_round_one_is_folded_with_the_short_tables_apart() -> None:
    field = Field(round=1, seats=3, seed=SEED, act=1, players=names(10))
    assert pair_round(field).tables == (
        ("p00", "p02", "p04"), ("p01", "p03", "p05"), ("p06", "p08"), ("p07", "p09"),
    )  # fmt: skip


def test_round_one_parts_those_who_should_not_meet_inside_their_row() -> None:
    field = Field(
        round=1, seats=3, seed=SEED, act=1, players=names(9),
        groups=(("p00", "p03"),), forbidden=(("p02", "p08"),),
    )  # fmt: skip
    tables = pair_round(field).tables
    assert tables == (("p00", "p04", "p06"), ("p01", "p03", "p08"), ("p02", "p05", "p07"))
    everybody = replace(field, groups=(names(9),), forbidden=())
    assert (
        pair_round(everybody).tables == pair_round(replace(field, groups=(), forbidden=())).tables
    )


def test_a_field_out_of_order_or_with_a_name_twice_is_a_bug() -> None:
    field = Field(round=2, seats=2, seed=SEED, act=2, players=names(2), points={"p01": 60})
    for wrong in (field, replace(field, points={}, players=("a", "a"))):
        with pytest.raises(InvariantBroken):
            pair_round(wrong)


def test_a_pairing_without_somebody_is_a_bug() -> None:
    ranks = ranked(Field(round=2, seats=2, seed=SEED, act=2, players=names(4)))
    for tables in ([(0, 1)], [(0, 1), (1, 2)]):
        with pytest.raises(InvariantBroken):
            outcome(ranks, Costs(ranks), tables, bye=None, algorithm="none")


def test_the_input_hash_covers_what_the_pairing_depends_on() -> None:
    field = Field(round=2, seats=3, seed=SEED, act=2, players=names(7))
    others = [
        replace(field, round=3),
        replace(field, act=3),
        replace(field, seats=4),
        replace(field, players=names(6)),
        replace(field, points={"p00": 60}),
        replace(field, met=Meetings().after([names(2)])),
        replace(field, byes={"p00": 1}),
        replace(field, shorts={"p00": 1}),
        replace(field, firsts={"p00": 1}),
        replace(field, groups=(names(2),)),
        replace(field, forbidden=(names(2),)),
    ]
    hashes = [pair_round(one).input_hash for one in [field, *others]]
    assert len(set(hashes)) == len(hashes)
    # What the lot is drawn with stays secret until the end.
    assert pair_round(replace(field, seed=bytes(32))).input_hash == hashes[0]
    assert pair_round(field).algorithm == "swiss/1 exact+exact"


@given(fields())
def test_the_bytes_of_the_input_are_canonical(field: Field) -> None:
    text = ranked(field).input_bytes("swiss/1").decode()
    assert canonical.is_canonical(text)


def test_meetings_do_not_depend_on_the_order_of_tables_and_seats() -> None:
    one, other = Meetings().after(["abc", "de"]), Meetings().after(["ed", "cab"])
    assert one == other
    assert one.after(["ad"]).digest != one.digest
    assert one.after(["ad"]).of["a"] == {"b", "c", "d"}


# The check of edited pairings


EDITED = Field(
    round=2, seats=2, seed=SEED, act=2, players=names(5), points={"p00": 120},
    met=Meetings().after([["p00", "p01"]]), byes={"p04": 1}, forbidden=(("p02", "p03"),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("tables", "bye", "fault"),
    [
        (["01", "2x"], "3", ("not_present", ["px"])),
        (["01", "12"], "3", ("placed_twice", ["p01"])),
        (["01", "23"], "3", ("placed_twice", ["p03"])),
        (["01"], "3", ("not_placed", ["p02", "p04"])),
        (["01", "234"], None, ("bye_missing", [])),
        (["01", "23"], "4", ("bye_again", ["p04"])),
        (["0", "124"], "3", ("table_sizes", ["3", "1"])),
        (["23", "14"], "0", ("forbidden_pair", ["p02", "p03"])),
        (["01", "24"], "3", None),
    ],
)
def test_an_edited_pairing_is_checked_as_a_whole(
    tables: list[str], bye: str | None, fault: tuple[str, list[str]] | None
) -> None:
    seated = [[f"p0{name}".replace("p0x", "px") for name in table] for table in tables]
    found = check(EDITED, seated, None if bye is None else f"p0{bye}")
    if fault is None:
        assert isinstance(found, Pairing)
        assert (found.algorithm, found.rematches) == (BY_HAND, (("p00", "p01"),))
        assert found.cost[:3] == (1, 0, 14400)
    else:
        facts = {"round": 2, "fault": fault[0], "shown_by": fault[1]}
        assert found == Refusal("pairing_invalid", facts=facts)


def test_a_bye_that_is_not_due_is_a_fault() -> None:
    field = Field(round=2, seats=3, seed=SEED, act=2, players=names(4))
    assert first_fault(field, [names(3)], "p03") == ("bye_not_due", ["p03"])


@given(fields(players_max=14))
def test_what_we_pair_ourselves_passes_the_check(field: Field) -> None:
    field = replace(field, forbidden=())
    ours = pair_round(field)
    edited = check(field, ours.tables[::-1], ours.bye)
    assert isinstance(edited, Pairing)
    assert (edited.tables, edited.cost) == (ours.tables, ours.cost)


# Parts of the search


@given(st.integers(1, 9), st.integers(0, 2**32))
def test_all_are_paired_if_there_is_a_way(half: int, seed: int) -> None:
    random, count = Random(seed), 2 * half
    barred: list[set[int]] = [set() for _ in range(count)]
    share = random.random()
    for one, other in combinations(range(count), 2):
        if random.random() < share:
            barred[one].add(other)
            barred[other].add(one)
    mates = pair_all(barred)
    assert (mates is not None) == way_exists(frozenset(range(count)), barred)
    for one, mate in enumerate(mates or []):
        assert (mates or [])[mate] == one != mate
        assert mate not in barred[one]


def way_exists(left: frozenset[int], barred: list[set[int]]) -> bool:
    if not left:
        return True
    one = min(left)
    return any(way_exists(left - {one, o}, barred) for o in left - {one} - barred[one])


def test_an_odd_number_can_not_be_paired_nor_tables_filled() -> None:
    assert pair_all([set()]) is None
    with pytest.raises(ValueError, match="do not fill"):
        best_tables([0, 1, 2], 2, sum)


@pytest.mark.parametrize(
    ("players", "tables"),
    [(6, [(0, 1), (2, 3), (4, 5)]), (2, [(0, 1)])],
)
def test_of_equal_pairings_the_smallest_list_by_rank_is_taken(
    players: int, tables: list[tuple[int, int]]
) -> None:
    assert best_tables(range(players), 2, lambda _: 1) == tuple(tables)


# Numbers of rounds and hands


def test_rounds_and_hands() -> None:
    assert [rounds_cap(n, 3) for n in (3, 6, 9, 12, 15, 16, 60)] == [1, 1, 4, 4, 7, 6, 28]
    assert [rounds_cap(n, 2) for n in (2, 3, 9, 16)] == [1, 1, 7, 14]
    assert [suggested_rounds(n, 2) for n in (2, 8, 9)] == [3, 5, 6]
    assert [match_hands(seats) for seats in (2, 3, 4, 5, 6)] == [8, 9, 8, 10, 12]
    assert [hands_of(m, 9) for m in (2, 3)] == [8, 9]
