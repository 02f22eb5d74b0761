"""Tournaments in matches, from the first seat to the last place, without a database."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.tournaments.world import World, name
from tournaments.core import events, rounds, swiss_rounds
from tournaments.core.busts import cover_all
from tournaments.core.lifecycle import Status
from tournaments.selectors import counts

FORMATS: dict[str, dict[str, Any]] = {
    "swiss": {"format": "swiss", "seats": 3, "rounds": 4, "allow_rematches": True},
    "swiss_2": {"format": "swiss", "seats": 2, "rounds": 5, "allow_rematches": True},
    "round_robin": {"format": "round_robin", "seats": 2, "entries_max": 24},
    "round_robin_3": {"format": "round_robin", "seats": 3, "entries_max": 24},
    "groups": {"format": "groups_finals", "seats": 3, "groups": 2},
    "groups_2": {"format": "groups_finals", "seats": 2, "finals": "double_elimination"},
    "single": {"format": "single_elimination", "seats": 2, "best_of": 3},
    "single_3": {"format": "single_elimination", "seats": 3},
    "double": {"format": "double_elimination", "seats": 2},
}


def played(form: str, players: int, seed: int, no_shows: float = 0.0) -> World:
    world = World(Random(seed), no_show_odds=no_shows)
    world.open(players, entries_min=2, **FORMATS[form])
    world.begin()
    world.play()
    return world


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=12, deadline=None)
@given(players=st.integers(2, 20), seed=st.integers(0, 2**32), no_shows=st.sampled_from([0.0, 0.2]))
def test_every_field_comes_to_its_end(form: str, players: int, seed: int, no_shows: float) -> None:
    world = played(form, players, seed, no_shows)
    assert world.state.status is Status.COMPLETED
    places = [entry.place for entry in world.state.contenders()]
    assert cover_all([place for place in places if place])
    assert len(places) == players
    assert {one.round for one in world.state.rounds} == set(range(1, len(world.state.rounds) + 1))
    assert all(match.is_over for match in world.state.matches.values())
    assert not [table for table in world.tables.values() if not table.closed]
    world.finish()
    assert sum(one.amount for one in world.state.prizes) == players * 1000


def test_a_bracket_of_eight() -> None:
    world = played("single", 8, 1)
    keys = [one.match for one in world.log if isinstance(one, events.MatchStarted)]
    assert {key.split("#")[0] for key in keys} == {
        "W1.1", "W1.2", "W1.3", "W1.4", "W2.1", "W2.2", "W3.1", "third",
    }  # fmt: skip


def test_whoever_comes_late_to_a_swiss_plays_from_the_next_round_on() -> None:
    world = World(Random(4))
    options = {"format": "swiss", "seats": 2, "rounds": 5, "allow_rematches": True}
    world.open(6, late_until_round=3, **options)
    world.begin()
    while len(world.state.rounds) < 2:
        world.step()
    assert world.come_late(name(300)) is None
    world.play()
    refused = world.come_late(name(301))
    assert refused is not None
    assert refused.code == "registration_closed"
    awards = {key: one for key, one in world.state.awards.items() if key[0] == name(300)}
    assert awards[name(300), 1].points == 60
    rounds = {match.round for match in world.state.matches.values() if name(300) in match.players}
    byes = {number for (_, number), one in awards.items() if one.kind == "bye"}
    assert rounds | byes == {3, 4, 5}
    closed = [one for one in world.log if isinstance(one, events.RegistrationClosed)]
    assert len(closed) == 1


def test_the_standings_of_a_swiss_can_be_paired_again_by_a_stranger() -> None:
    world = played("swiss", 11, 9)
    first = [one.input_hash for one in world.log if isinstance(one, events.RoundPaired)]
    again = played("swiss", 11, 9)
    assert first == [one.input_hash for one in again.log if isinstance(one, events.RoundPaired)]
    assert len(set(first)) == len(first)


def test_whoever_is_out_of_a_bracket_is_alive_no_more() -> None:
    world = World(Random(2))
    world.open(8, format="single_elimination", seats=2)
    assert counts(world.state)["alive"] == 8
    world.begin()
    while len(world.state.rounds) < 2:
        world.step()
    assert counts(world.state)["alive"] == 4


def test_nobody_pays_for_rounds_that_a_small_field_does_not_have() -> None:
    world = World(Random(1))
    world.open(6, format="swiss", seats=3, rounds=4, late_until_round=2, entries_max=27)
    world.begin()
    refused = world.come_late(name(300))
    assert refused is not None
    assert refused.code == "registration_closed"
    world.play()
    world.finish()
    assert len(world.state.rounds) == 1


def test_a_late_entry_is_in_the_prizes_though_play_ends_before_its_window() -> None:
    world = World(Random(1), no_show_odds=1.0)
    options = {"format": "swiss", "seats": 2, "rounds": 9, "allow_rematches": True}
    world.open(4, late_until_round=7, **options)
    world.begin()
    assert world.come_late(name(300)) is None
    world.play()
    world.finish()
    assert sum(one.amount for one in world.state.prizes) == 5_000


def test_finalists_of_several_parts_all_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "TABLES_PER_PART", 3)
    world = World(Random(3))
    world.open(16, format="groups_finals", seats=2, groups=4, advance=2)
    world.begin()
    world.play()
    finals = {
        player
        for match in world.state.matches.values()
        if match.match.startswith(("W", "third"))
        for player in match.players
    }
    assert len(finals) == 8


def test_whoever_withdraws_has_not_withdrawn_from_rounds_before_he_came() -> None:
    world = World(Random(4))
    options = {"format": "swiss", "seats": 2, "rounds": 5, "allow_rematches": True}
    world.open(6, late_until_round=3, **options)
    world.begin()
    while len(world.state.rounds) < 2:
        world.step()
    world.come_late(name(300))
    while len(world.state.rounds) < 4:
        world.step()
    world.take((events.PlayerWithdrawn(player=name(300), reason_code="asked"),))
    world.play()
    account = swiss_rounds.standings(world.state).account(name(300))
    assert [one.points for one in account][:2] == [60, 0]
    sheet = swiss_rounds.standings(world.state)
    assert sheet.rank_of(name(300)).points == sum(one.points for one in account)
