"""Late entries and re-entries in a freezeout that runs: seats, places, money."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.tournaments.world import World, chips_in_play, name
from tournaments.core import events
from tournaments.core.busts import cover_all
from tournaments.core.lifecycle import Status

LATE = {
    "late_until_level": 3,
    "level_by": "hands",
    "level_hands": 6,
    "reentries_max": 2,
    "bounty": 200,
}


def running(players: int, seed: int, **options: object) -> World:
    world = World(Random(seed))
    world.open(players, **{**LATE, **options})
    world.begin()
    return world


def play_with_comers(world: World, comers: int, random: Random) -> None:
    """To the end; now and then somebody enters, or enters again."""
    new = map(name, range(300, 300 + comers))
    for _ in range(20_000):
        if world.state.status is not Status.RUNNING:
            return
        if random.random() < 0.05:
            out = [one.player for one in world.state.contenders() if one.status == "out"]
            player = random.choice(out) if out and random.random() < 0.5 else next(new, None)
            if player is not None:
                world.come_late(player)
        assert chips_in_play(world) == world.state.chips_total
        world.step()
    raise AssertionError("no end")


@settings(max_examples=25, deadline=None)
@given(
    players=st.integers(2, 12),
    comers=st.integers(0, 6),
    seed=st.integers(0, 2**32),
    kind=st.sampled_from(["plain", "progressive"]),
)
def test_late_fields_come_to_their_end(players: int, comers: int, seed: int, kind: str) -> None:
    world = running(players, seed, bounty_kind=kind)
    play_with_comers(world, comers, Random(seed))
    state = world.state
    assert state.status is Status.COMPLETED
    places = [entry.place for entry in state.contenders()]
    assert cover_all([place for place in places if place])
    assert len(places) == len({entry.player for entry in state.living_entries()})
    world.finish()
    _adds_up(world)


def _adds_up(world: World) -> None:
    """What was paid in is what was paid out, by the events alone."""
    entries = [one for one in world.log if isinstance(one, events.EntryPaid | events.ReEntered)]
    heads = [one for one in world.log if isinstance(one, events.BountyPaid)]
    (computed,) = [one for one in world.log if isinstance(one, events.PrizesComputed)]
    paid_in = sum(one.buy_in + one.fee + one.bounty for one in entries)
    out = sum(one.amount for one in computed.prizes) + computed.rake + computed.fees
    out += sum(one.amount for head in heads for one in head.paid)
    assert paid_in + computed.overlay == out
    assert len(entries) == world.state.entered


def test_nobody_enters_inside_the_money() -> None:
    world = running(9, 3)
    while world.state.is_late_entry_open:
        world.step(swift=True)
    refused = world.come_late(name(300))
    assert refused is not None
    assert refused.code == "registration_closed"
    paid = world.state.paid_places
    assert world.state.left <= paid + 1 or world.state.level > 3


@pytest.mark.parametrize(("again", "code"), [(True, "already_registered"), (False, None)])
def test_who_lives_does_not_enter_again(again: bool, code: str | None) -> None:
    world = running(6, 5)
    player = name(100) if again else name(300)
    refused = world.come_late(player)
    assert (refused and refused.code) == code
