"""Whole freezeouts played through `conduct`, and the single steps that matter."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eventstore.core.refusal import InvariantBroken
from games.rules.payment import Transfer
from tests.unit.tournaments.world import SEED, TableWorld, World, chips_in_play, name
from tournaments.core import events, plan
from tournaments.core.busts import cover_all
from tournaments.core.closing import final_places, pool_of_entries
from tournaments.core.conduct import conduct
from tournaments.core.folding import evolve, fold
from tournaments.core.lifecycle import Status
from tournaments.core.state import NOTHING

PAYOUTS: st.SearchStrategy[dict[str, object]] = st.sampled_from(
    [{}, {"payout_top": 8}, {"payout_bp": [5000, 2500, 2500]}]
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    seats = draw(st.integers(2, 6))
    world = World(Random(draw(st.integers(0, 2**32))))
    world.open(
        draw(st.integers(2, 40)),
        seats=seats,
        stack_stakes=draw(st.sampled_from([5, 8, 20])),
        level_by=draw(st.sampled_from(["hands", "clock"])),
        level_seconds=60,
        fee=draw(st.sampled_from([0, 100])),
        rake_bp=draw(st.sampled_from([0, 300])),
        guarantee=draw(st.sampled_from([0, 20_000])),
        round_to=draw(st.sampled_from([1, 100])),
        redraw_final=draw(st.booleans()),
        hand_for_hand=draw(st.booleans()),
        **draw(PAYOUTS),
    )
    return world


@given(worlds())
@settings(max_examples=30, deadline=None)
def test_a_freezeout_reaches_one_winner(world: World) -> None:
    world.begin()
    chips = world.state.chips_total
    while world.state.status is Status.RUNNING:
        world.step()
        assert chips_in_play(world) == chips or world.state.status is not Status.RUNNING
        seated = [player for one in world.state.tables.values() for player in one.players]
        assert len(seated) == len(set(seated)) == world.state.left or not seated
        sizes = [len(one.players) for one in world.state.tables.values()]
        for table, one in world.tables.items():
            if one.hand and world.deals[-1].table == table and not world.state.hand_for_hand:
                assert len(one.hand) >= 2
                assert max(sizes) <= world.state.settings.seats
    world.finish()
    state = world.state
    assert state.status is Status.SETTLED
    places = final_places(state)
    assert len(places) == state.entered
    assert cover_all(list(places.values()))
    assert sum(prize.amount for prize in state.prizes) == pool_of_entries(state).amount
    assert all(prize.amount > 0 for prize in state.prizes)
    assert state.seed == SEED.hex()


@given(worlds())
@settings(max_examples=10, deadline=None)
def test_a_fold_is_its_events_one_by_one(world: World) -> None:
    world.begin()
    world.play()
    world.finish()
    state = NOTHING
    for event in world.log:
        state = evolve(state, event)
    assert state == world.state == fold(world.log)
    cut = len(world.log) // 2
    assert fold(world.log[cut:], fold(world.log[:cut])) == state


def quiet_round(world: World) -> None:
    """Every table ends the hand that it plays without a bust, and all that is due is done."""
    for one in world.tables.values():
        if one.hand:
            world.end_hand(one_id(world, one), owed=[])
    while pending := [key for key, one in world.tables.items() if one.ended]:
        world.run(pending[0])
    for table in list(world.due):
        world.run(table)


def one_id(world: World, wanted: TableWorld) -> str:
    return next(key for key, one in world.tables.items() if one is wanted)


@given(st.integers(3, 6), st.integers(7, 40), st.integers(0, 2**32))
@settings(max_examples=12, deadline=None)
def test_sizes_are_within_one_after_a_hand_of_each_table(
    seats: int, players: int, draw: int
) -> None:
    world = World(Random(draw))
    world.open(players, seats=seats, hand_for_hand=False, redraw_final=False, stack_stakes=8)
    world.begin()
    while world.state.status is Status.RUNNING:
        world.step()
        if world.random.random() < 0.2:
            quiet_round(world)  # whose hands may have ended with a bust before
            quiet_round(world)
            sizes = [len(one.players) for one in world.state.tables.values()]
            assert max(sizes, default=0) - min(sizes, default=0) <= 1


def three_tables(**overrides: object) -> World:
    world = World(Random(7))
    world.open(9, level_by="hands", level_hands=3, **overrides)
    world.begin()
    for table in list(world.due):
        world.run(table)
    return world


def bust(world: World, table: str, losers: int) -> None:
    seats = [one.seat for one in world.tables[table].hand or ()]
    owed = [Transfer(seat, seats[-1], 10**6) for seat in seats[:losers]]
    world.end_hand(table, owed=owed)


def test_the_first_deals() -> None:
    world = three_tables()
    assert [deal.table for deal in world.deals] == [name(900), name(901), name(902)]
    assert {deal.stake for deal in world.deals} == {10}
    assert [len(one.hand or ()) for one in world.tables.values()] == [3, 3, 3]


def test_a_bust_is_placed_and_captured() -> None:
    world = three_tables()
    bust(world, name(901), 1)
    (busted,) = world.run(name(901)).events
    assert isinstance(busted, events.PlayerBusted)
    assert (busted.place_best, busted.place_worst) == (9, 9)
    assert busted.chips_at_start == 300
    assert busted.capturers == (world.tables[name(901)].seats[3][0],)


def test_two_busts_of_one_hand_share_a_place() -> None:
    world = three_tables()
    bust(world, name(901), 2)
    out = [one for one in world.run(name(901)).events if isinstance(one, events.PlayerBusted)]
    assert [(one.place_best, one.place_worst) for one in out] == [(8, 9), (8, 9)]
    assert world.state.tables[name(901)].waiting == "alone"


def test_level_by_hands_follows_the_fastest_table() -> None:
    world = three_tables()
    plans = []
    for _ in range(3):
        world.end_hand(name(900), owed=[Transfer(1, 2, 1)])
        plans.append(world.run(name(900)).events)
    assert plans == [(), (), (events.LevelRaised(level=2, stake=15, by="hands"),)]
    world.end_hand(name(901), owed=[])
    world.run(name(901))
    assert world.deals[-1].stake == 15


def test_a_broken_table_and_a_waiting_one() -> None:
    """Nine players, one out at each table: the highest of the smallest tables is broken."""
    world = three_tables(hand_for_hand=False)
    for table in (name(900), name(901)):
        bust(world, table, 1)
        world.run(table)
    bust(world, name(902), 1)
    answer = world.run(name(902))
    assert [type(one).__name__ for one in answer.events] == [
        "PlayerBusted",
        "PlayerMoved",
        "PlayerMoved",
        "TableBroken",
    ]
    assert answer.actions[-1] == plan.Close(name(902), "broken")
    assert [len(one.players) for one in world.state.tables.values()] == [3, 3]


def test_the_final_table_is_drawn_anew_and_rests() -> None:
    world = three_tables(hand_for_hand=False)
    while len(world.state.tables) > 1 or not world.state.final_table:
        world.step()
    (table,) = world.state.tables.values()
    assert table.waiting == "break"
    assert sorted(table.players.values()) == list(range(1, len(table.players) + 1))
    assert world.plans[-1].actions[-1] == plan.MarkDue(table.table, 60)
    answer = world.run(table.table)
    assert answer.events[-1] == events.TableReleased(table=table.table, reason="break")
    assert isinstance(answer.actions[-1], plan.Deal)
    assert answer.actions[-1].refill_bank


def test_a_round_of_hand_for_hand_is_one_moment() -> None:
    """Nine players, three paid: with four left at two tables both lose one in the same round."""
    world = three_tables()
    for table in (name(900), name(901), name(902)):
        bust(world, table, 1)
        world.run(table)
    first, second = world.state.tables
    bust(world, first, 1)
    world.run(first)
    bust(world, second, 1)
    answer = world.run(second)
    assert events.HandForHandSet(on=True, remaining=4, paid_places=3) in answer.events
    assert answer.actions[-1] == plan.Hold(second, "hand_for_hand")
    world.end_hand(first, owed=[])
    begun = world.run(first)
    assert events.TableReleased(table=second, reason="hand_for_hand") in begun.events
    assert world.deals[-1].clock == "turbo"
    world.run(second)
    bust(world, second, 1)
    waits = world.run(second)
    (out,) = [one for one in waits.events if isinstance(one, events.PlayerBusted)]
    assert out.place_best is None
    bust(world, first, 1)
    over = world.run(first)
    assert events.HandForHandSet(on=False, remaining=2, paid_places=3) in over.events
    last = [entry for entry in world.state.entries.values() if (entry.place or (9, 9)) <= (4, 4)]
    chips = {entry.chips_at_start: entry.place for entry in last}
    assert chips in ({300: (3, 4)}, {300: (4, 4), 600: (3, 3)})


def test_no_hand_for_hand_where_one_table_is_enough() -> None:
    """Four players at two tables of two, one prize: the bubble falls on the last table."""
    world = World(Random(7))
    world.open(4, seats=2, payout_bp=[10_000])
    world.begin()
    world.play()
    assert not [one for one in world.log if isinstance(one, events.HandForHandSet)]


def test_a_bust_in_a_hand_dealt_before_the_bubble_ends_it_at_once() -> None:
    """Hands that ran when hand-for-hand was set are no round: their busts rank by time."""
    world = World(Random(7))
    world.open(8, seats=2, payout_top=5)
    world.begin()
    for table in list(world.due):
        world.run(table)
    first, second, third, fourth = world.state.tables
    bust(world, first, 1)
    world.run(first)
    bust(world, second, 1)
    assert events.HandForHandSet(on=True, remaining=6, paid_places=5) in world.run(second).events
    bust(world, third, 1)
    answer = world.run(third)
    assert isinstance(answer.events[0], events.PlayerBusted)
    assert answer.events[0].place_best == 6
    assert answer.events[1] == events.HandForHandSet(on=False, remaining=5, paid_places=5)
    assert world.tables[fourth].hand


def test_a_run_that_comes_twice_plans_nothing_new() -> None:
    world = three_tables()
    bust(world, name(901), 2)
    ended = world.tables[name(901)].ended
    world.run(name(901))
    again = conduct(world.state, world.room(name(901), ended), seed=SEED)
    assert again.events == ()
    assert again.actions == (plan.Hold(name(901), "alone"),)


def test_a_table_that_is_gone_plans_nothing() -> None:
    world = three_tables()
    assert conduct(world.state, world.room(name(999), None), seed=SEED) == plan.Plan()
    assert conduct(NOTHING, world.room(name(900), None), seed=SEED) == plan.Plan()


def test_lost_chips_and_strangers_are_found() -> None:
    world = three_tables()
    one = world.tables[name(900)]
    player, chips = one.seats[1]
    one.seats[1] = player, chips - 1
    with pytest.raises(InvariantBroken, match="chips"):
        conduct(world.state, world.room(name(900), None), seed=SEED)
    one.seats[1] = name(5), chips
    with pytest.raises(InvariantBroken, match="table"):
        conduct(world.state, world.room(name(900), None), seed=SEED)


def test_no_chips_without_an_ended_hand_is_a_bug() -> None:
    world = three_tables()
    bust(world, name(900), 1)
    with pytest.raises(InvariantBroken, match="no hand ended"):
        conduct(world.state, world.room(name(900), None), seed=SEED)
