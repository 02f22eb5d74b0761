"""Table count and balance: sizes, who moves, where he sits."""

from hypothesis import given
from hypothesis import strategies as st

from tournaments.core import lot
from tournaments.core.balancing import (
    Candidate,
    Ring,
    Standing,
    best_seat,
    is_balanced,
    mover,
    rebalance,
    waiting_reason,
)
from tournaments.core.seating import draw_seats, table_sizes

SEED = bytes(32)


@st.composite
def rooms(draw: st.DrawFn) -> tuple[int, dict[int, Standing]]:
    seats = draw(st.integers(2, 6))
    standing = st.builds(Standing, st.integers(1, seats), st.booleans())
    tables = draw(st.lists(standing, min_size=1, max_size=12))
    return seats, dict(enumerate(tables, start=1))


@given(rooms())
def test_players_only_leave_tables_between_hands(room: tuple[int, dict[int, Standing]]) -> None:
    seats, tables = room
    answer = rebalance(tables, seats)
    sizes = {number: table.size for number, table in tables.items()}
    for move in answer.moves:
        assert tables[move.source].between_hands
        sizes[move.source] -= 1
        sizes[move.target] += 1
    assert {n: size for n, size in sizes.items() if size} == dict(answer.sizes)
    assert set(tables) - set(answer.sizes) == set(answer.broken)
    assert max(answer.sizes.values()) <= seats


@given(rooms())
def test_between_hands_everything_is_put_right(room: tuple[int, dict[int, Standing]]) -> None:
    seats, tables = room
    idle = {n: Standing(table.size, between_hands=True) for n, table in tables.items()}
    answer = rebalance(idle, seats)
    sizes = sorted(answer.sizes.values(), reverse=True)
    assert sizes == table_sizes(sum(sizes), seats)
    assert is_balanced(sizes, seats)
    again = {n: Standing(size, between_hands=True) for n, size in answer.sizes.items()}
    assert rebalance(again, seats).moves == ()


def test_who_waits() -> None:
    assert [waiting_reason(size, 6) for size in (6, 5, 4, 1)] == [None, None, "short", "alone"]


def test_hands_until_the_deal_count_players_only() -> None:
    ring = Ring(6, frozenset({1, 3, 6}), next_dealer=2)
    assert [ring.hands_until_deal(seat) for seat in (3, 6, 1)] == [0, 1, 2]
    assert [ring.hands_until_deal(seat) for seat in (2, 4, 5)] == [0, 1, 1]
    assert ring.free() == [2, 4, 5]


def test_the_mover_is_who_loses_or_gains_least() -> None:
    source = Ring(3, frozenset({1, 2, 3}), next_dealer=1)
    target = Ring(3, frozenset({1}), next_dealer=1)
    sitting = [Candidate("a", 1, 0), Candidate("b", 2, 0), Candidate("c", 3, 0)]
    chosen, seat = mover(sitting, source=source, target=target, seed=SEED, draw=1)
    assert (chosen.player, seat) == ("b", 2)
    assert best_seat(sitting[2], source, target) == (1, 2)
    out = [*sitting[:2], Candidate("c", 3, 0, sitting_out=True)]
    assert mover(out, source=source, target=target, seed=SEED, draw=1)[0].player == "c"
    moved = [Candidate("a", 1, 1), Candidate("b", 2, 1), Candidate("c", 3, 0)]
    assert mover(moved, source=source, target=target, seed=SEED, draw=1)[0].player == "c"


def test_the_lot_decides_between_equals() -> None:
    source = Ring(3, frozenset({1, 2, 3}), next_dealer=1)
    equals = [Candidate(player, 2, 0) for player in ("a", "b", "c")]
    for draw in range(1, 5):
        chosen, _ = mover(
            equals, source=source, target=Ring(3, frozenset({1}), 1), seed=SEED, draw=draw
        )
        assert chosen.player == lot.order(SEED, f"mover/{draw}", "abc")[0]


@given(st.integers(1, 60), st.integers(2, 6))
def test_everybody_has_a_seat_of_his_own(players: int, seats: int) -> None:
    names = [str(number) for number in range(players)]
    placings = draw_seats(SEED, names, seats=seats, act=1)
    assert sorted(one.player for one in placings) == sorted(names)
    assert len({(one.table_number, one.seat) for one in placings}) == players
    tables = [one.table_number for one in placings]
    sizes = [tables.count(number) for number in sorted(set(tables))]
    assert sizes == table_sizes(players, seats)
    assert all(1 <= one.seat <= seats for one in placings)
