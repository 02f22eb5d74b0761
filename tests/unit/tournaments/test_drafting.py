"""Options and the commands before the start: what is accepted, what is refused, in which order."""

from itertools import count
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.core import canonical
from eventstore.core.refusal import InvariantBroken, Refusal
from tests.unit.tournaments.world import SEED, SITE, World, name
from tournaments.core import closing, drafting, entering, events, lot, starting
from tournaments.core.folding import evolve, fold
from tournaments.core.folding.books import after
from tournaments.core.lifecycle import ADMITTED, COMMANDS, Status
from tournaments.core.option_table import BUILT, OPTIONS
from tournaments.core.options import (
    Freezeout,
    Site,
    from_template,
    game_rules,
    resolve,
    settings_of,
    structure_hash,
)
from tournaments.core.parts import in_parts
from tournaments.core.seating import table_sizes
from tournaments.core.state import NOTHING
from tournaments.core.swiss.rounds import rounds_cap
from tournaments.core.templates import TEMPLATES

AT = "2026-12-01T08:00:00.000000Z"


def codes(overrides: dict[str, Any], template: str | None = None) -> list[tuple[object, object]]:
    """(option, code) of every problem, in order, without what is only not built."""
    problems = from_template(template, {"dispute_minutes": 0, **overrides}, SITE).problems
    return [(problem["option"], problem["code"]) for problem in problems]


def test_a_draft_lists_its_problems() -> None:
    answer = drafting.draft(
        {"fee": -1}, organiser=name(1), name_ref=name(2), template="sim-short", site=SITE
    )
    assert refused(answer).facts["problems"] == [
        {"option": "fee", "code": "bad_amount", "value": -1, "allowed": {"min": 0, "max": 10**9}}
    ]


def test_sim_short_is_what_the_demo_plays() -> None:
    resolved = from_template("sim-short", {}, SITE)
    assert resolved.problems == ()
    settings = settings_of(resolved.options)
    assert isinstance(settings, Freezeout)
    assert (settings.buy_in, settings.fee, settings.currency) == (1_000, 100, "XTK")
    assert (settings.entries_min, settings.entries_max, settings.start) == (9, 9, "when_full")
    assert (settings.starting_chips, settings.level_hands, settings.clock) == (80, 6, "turbo")


def test_a_complete_set_has_every_option_and_null_where_it_does_not_apply() -> None:
    for template in TEMPLATES:
        options = from_template(template, {}, SITE).options
        assert list(options) == list(OPTIONS)
        canonical.encode(options)
        for option, value in options.items():
            if options["format"] not in OPTIONS[option].formats:
                assert value is None


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({"colour": 1}, [("colour", "unknown_option")]),
        ({"seats": "3"}, [("seats", "bad_type")]),
        ({"seats": True}, [("seats", "bad_type")]),
        ({"hand_for_hand": 1}, [("hand_for_hand", "bad_type")]),
        ({"hand_for_hand": None}, [("hand_for_hand", "bad_type")]),
        ({"payout_bp": [1.5]}, [("payout_bp", "bad_type")]),
        ({"stakes": [True]}, [("stakes", "bad_type")]),
        ({"buy_in": 10.5}, [("buy_in", "bad_amount")]),
        ({"buy_in": "10"}, [("buy_in", "bad_amount")]),
        ({"buy_in": True}, [("buy_in", "bad_amount")]),
        ({"guarantee": -1}, [("guarantee", "bad_amount")]),
        ({"buy_in": 10**9 + 1}, [("buy_in", "out_of_range")]),
        ({"seats": 7}, [("seats", "out_of_range")]),
        ({"currency": "EEK"}, [("currency", "out_of_range")]),
        ({"game_rules": "poker"}, [("game_rules", "out_of_range")]),
        ({"game_rules": 3}, [("game_rules", "bad_type")]),
        ({"game_rules": {"hand_size": 4}}, [("game_rules", "out_of_range")]),
        ({"entries_min": 9, "entries_max": 8}, [("entries_max", "out_of_range")]),
        ({"clock": "blitz"}, [("clock", "out_of_range")]),
        ({"payout": "bp"}, [("payout_bp", "out_of_range")]),
        ({"payout": "top"}, [("payout_top", "out_of_range")]),
        ({"payout": "auto", "payout_top": 3}, [("payout_top", "out_of_range")]),
        ({"rounds": 3}, [("rounds", "option_not_for_format")]),
        ({"level_hands": 10}, [("level_hands", "level_not_multiple_of_seats")]),
        ({"payout_bp": [9_999]}, [("payout_bp", "payout_not_10000")]),
        ({"payout_bp": [4_000, 6_000]}, [("payout_bp", "payout_not_falling")]),
        ({"stakes": [10, 10]}, [("stakes", "stakes_not_rising")]),
        ({"stakes": []}, [("stakes", "out_of_range")]),
        ({"rebuys_max": 1}, [("rebuys_max", "out_of_range")]),
        ({"addon_price": 100}, [("addon_price", "out_of_range")]),
        ({"dispute_minutes": 15}, [("dispute_minutes", "out_of_range")]),
        ({"start": AT}, [("start", "out_of_range")]),
        ({"visibility": "invite"}, [("visibility", "out_of_range")]),
        ({"format": "arena"}, [("format", "out_of_range")]),
        ({"format": "bingo"}, [("format", "out_of_range")]),
        ({"format": "swiss", "seats": 7}, [("seats", "out_of_range")]),
        ({"format": "sit_and_go", "entries_max": 9}, [("entries_max", "out_of_range")]),
        ({"format": "double_elimination"}, [("seats", "seats_not_allowed")]),
        ({"format": "single_elimination", "seats": 7}, [("seats", "seats_not_allowed")]),
    ],
)
def test_refused_options(overrides: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    found = codes(overrides)
    assert found[: len(expected)] == expected
    if overrides.get("format") is None:
        assert found == expected


def test_all_problems_are_listed_in_their_order() -> None:
    overrides = {"fee": -1, "seats": 9, "colour": 1, "stakes": [5, 4], "rated": 0, "api_bots": True}
    assert [code for _, code in codes(overrides)] == [
        "unknown_option",
        "bad_type",
        "bad_amount",
        "out_of_range",
        "stakes_not_rising",
        "out_of_range",
    ]


@pytest.mark.parametrize(
    "overrides",
    [
        {"payout_bp": [5_000, 5_000]},
        {"payout_top": 4},
        {"stakes": [5, 7, 9]},
        {"game_rules": {"hand_size": 7}},
        {"game_rules": "house_low", "seats": 6},
        {"seats": 2},
        {"seats": 4, "level_by": "hands"},
        {"bots": 3},
        {"rounds": None},
        {"reentries_max": 1, "late_until_level": 3},
        {"bounty": 100, "bounty_kind": "progressive"},
        {"format": "double_elimination", "seats": 2},
        {"format": "sit_and_go", "entries_min": 3, "entries_max": 3, "clone": True},
    ],
)
def test_accepted_options(overrides: dict[str, Any]) -> None:
    assert codes(overrides) == []


def test_what_is_not_built_says_what_is() -> None:
    (problem, *_) = from_template("evening_freezeout", {}, SITE).problems
    assert problem == {
        "option": "check_in_minutes",
        "code": "out_of_range",
        "value": 15,
        "allowed": {"min": 0, "max": 0},
    }
    assert set(BUILT) <= set(OPTIONS)


def test_the_cap_of_swiss_rounds() -> None:
    assert [rounds_cap(n, 3) for n in (6, 9, 12, 15, 18)] == [1, 4, 4, 7, 7]
    assert codes({"rounds": 5, "entries_max": 9}, "swiss_night")[0] == (
        "rounds",
        "rounds_exceed_field",
    )
    assert codes({"late_until_round": 9}, "swiss_night")[0] == ("late_until_round", "out_of_range")
    assert ("rounds", "rounds_exceed_field") not in codes(
        {"rounds": 5, "entries_max": 9, "allow_rematches": True}, "swiss_night"
    )


def test_an_unknown_template_is_a_problem() -> None:
    assert codes({}, "bingo") == [("template", "unknown_option")]


def test_defaults_follow_other_options() -> None:
    def defaults(overrides: dict[str, Any]) -> dict[str, object]:
        return resolve({}, overrides, SITE).options

    assert [defaults({"seats": n})["level_hands"] for n in (2, 3, 4, 5, 6)] == [10, 9, 12, 10, 12]
    assert defaults({"buy_in": 700})["rebuy_price"] == 700
    assert defaults({"payout_bp": [10_000]})["payout"] == "bp"
    assert defaults({"format": "swiss", "entries_max": 27})["rounds"] == 5
    base = from_template("sit_and_go_3", {}, SITE).options
    assert resolve(base, {"payout": "auto"}, SITE).options["payout_bp"] is None


def test_game_rules_are_complete_and_fit_the_table() -> None:
    complete = game_rules({"game_rules": "gamerules", "seats": 6})
    assert not isinstance(complete, Refusal)
    assert complete["preset"] == "gamerules"
    options = complete["options"]
    assert isinstance(options, dict)
    assert options["max_players"] == 6
    assert isinstance(game_rules({"game_rules": {"max_players": 2}, "seats": 3}), Refusal)
    with pytest.raises(TypeError):
        game_rules({"game_rules": "gamerules", "seats": None})


@given(st.dictionaries(st.sampled_from(sorted(OPTIONS)), st.integers() | st.text() | st.booleans()))
def test_any_draft_has_an_answer(overrides: dict[str, Any]) -> None:
    answer = drafting.draft(
        overrides, organiser=name(1), name_ref=name(2), template=None, site=SITE
    )
    if isinstance(answer, Refusal):
        assert answer.code == "bad_structure"
        assert answer.facts["problems"]
    else:
        settings_of(fold(answer).options)


# Commands


def drafted() -> World:
    world = World(Random(1))
    overrides = {"dispute_minutes": 0, "bots": "none", "entries_max": 3}
    world.take(
        drafting.draft(overrides, organiser=name(1), name_ref=name(2), template=None, site=SITE)
    )
    return world


def registration(players: int = 0) -> World:
    world = World(Random(1))
    world.open(players, entries_max=3, bots="none")
    return world


def refused(decision: drafting.Decision) -> Refusal:
    assert isinstance(decision, Refusal)
    return decision


def test_publishing_fixes_everything() -> None:
    world = drafted()
    world.take(drafting.edit(world.state, {"fee": 50}, site=SITE))
    assert drafting.edit(world.state, {"fee": 50}, site=SITE) == ()
    assert refused(drafting.edit(world.state, {"fee": -5}, site=SITE)).code == "bad_structure"
    world.take(drafting.publish(world.state, seed=SEED, site=SITE))
    published = world.log[-1]
    assert isinstance(published, events.RulesPublished)
    assert published.structure_hash == structure_hash(published.options)
    assert published.options["fee"] == 50
    assert published.seed_commit == lot.commitment(SEED)
    assert refused(drafting.edit(world.state, {"fee": 1}, site=SITE)).facts == {"option": "fee"}
    assert refused(drafting.publish(world.state, seed=SEED, site=SITE)).code == "wrong_state"


def test_a_draft_that_no_longer_fits_the_site_is_not_published() -> None:
    world = drafted()
    other = Site(("EUR",), "EUR")
    assert refused(drafting.publish(world.state, seed=SEED, site=other)).code == "bad_structure"


def test_registration_is_opened_once() -> None:
    world = registration()
    assert refused(drafting.open_registration(world.state, by="organiser")).facts == {
        "status": "registration",
        "command": "open_registration",
    }


def test_who_may_enter() -> None:
    world = registration(2)
    player = name(100)
    assert refused(entering.enter(world.state, player=player)).code == "already_registered"
    house = entering.enter(world.state, player=name(7), entrant="house_bot")
    assert refused(house).code == "bots_not_admitted"
    foreign = entering.enter(world.state, player=name(7), entrant="api_bot")
    assert refused(foreign).code == "bots_not_admitted"
    world.take(entering.enter(world.state, player=name(7)))
    assert world.state.is_full
    assert refused(entering.enter(world.state, player=name(8))).code == "field_full"
    assert refused(entering.enter(world.state, player=name(7))).code == "already_registered"
    assert refused(entering.enter(NOTHING, player=name(8))).code == "registration_closed"
    world.begin()
    assert refused(entering.enter(world.state, player=name(8))).code == "registration_closed"


def test_house_bots_enter_where_they_are_admitted() -> None:
    world = World(Random(1))
    world.open(0, bots="fill")
    world.take(entering.enter(world.state, player=name(7), entrant="house_bot"))


def test_a_place_given_back_may_be_bought_again() -> None:
    world = registration(2)
    player = name(100)
    world.take(entering.withdraw(world.state, player=player))
    assert world.state.entered == 1
    assert refused(entering.withdraw(world.state, player=player)).code == "not_entered"
    world.take(entering.enter(world.state, player=player))
    entry = world.state.entry_of(player)
    assert entry is not None
    assert (entry.entry_no, entry.status) == (2, "registered")
    world.begin()
    assert refused(entering.withdraw(world.state, player=player)).code == "too_late"
    world.play()
    world.finish()
    assert sum(prize.amount for prize in world.state.prizes) == 2_000


START = starting.Start(by="organiser", ids=map(name, count(900)), seed=SEED, at=AT)


def test_too_few_players_do_not_start() -> None:
    world = registration(1)
    decision = starting.start(world.state, START)
    assert refused(decision).facts == {"entries": 1, "entries_min": 2}
    assert refused(starting.start(NOTHING_OPEN, START)).code == "wrong_state"


NOTHING_OPEN = drafted().state


@pytest.mark.parametrize(("players", "policy"), [(0, "before_start"), (3, "before_start")])
def test_cancelling_before_the_start_gives_everything_back(players: int, policy: str) -> None:
    world = registration(players)
    world.take(closing.cancel(world.state, reason_code="director", seed=SEED))
    cancelled, revealed = world.log[-2:]
    assert isinstance(cancelled, events.Cancelled)
    assert cancelled.policy == policy
    assert [(one.pool, one.fee, one.bounty) for one in cancelled.refunds] == [
        (1_000, 0, 0)
    ] * players
    assert revealed == events.LotSeedRevealed(seed=SEED.hex())
    assert world.state.status is Status.CANCELLED
    assert refused(closing.cancel(world.state, reason_code="x", seed=SEED)).code == "wrong_state"
    world.take(closing.settle(world.state, checked_version=9, escrow={}))
    assert world.state.closed
    assert world.state.status is Status.CANCELLED
    again = closing.settle(world.state, checked_version=9, escrow={})
    assert refused(again).code == "wrong_state"


def test_a_cancelled_draft_has_no_seed() -> None:
    world = drafted()
    world.take(closing.cancel(world.state, reason_code="director", seed=None))
    (cancelled,) = world.log[1:]
    assert isinstance(cancelled, events.Cancelled)
    assert cancelled.policy == "no_entries"


def test_a_wrong_seed_is_a_bug() -> None:
    world = registration()
    with pytest.raises(InvariantBroken, match="seed"):
        closing.cancel(world.state, reason_code="director", seed=bytes(32))


def test_prizes_wait_for_the_end_and_settlement_for_the_money() -> None:
    world = registration(3)
    assert refused(closing.compute_prizes(world.state)).code == "wrong_state"
    world.begin()
    assert refused(closing.cancel(world.state, reason_code="x", seed=SEED)).code == "wrong_state"
    with pytest.raises(InvariantBroken, match="places"):
        closing.final_places(world.state)
    with pytest.raises(InvariantBroken, match="places at the end"):
        closing.completed(world.state, places={name(100): (1, 1)}, seed=SEED)
    world.play()
    world.take(closing.compute_prizes(world.state))
    left = closing.settle(world.state, checked_version=9, escrow={"tournament": 0, "fees": 3})
    assert refused(left).facts == {"account": "fees", "balance": 3}


def test_long_fields_come_in_parts() -> None:
    world = World(Random(1))
    world.open(310, entries_max=700, payout_top=305, redraw_final=False)
    world.begin()
    published = [one for one in world.log if isinstance(one, events.PrizesPublished)]
    assert [(one.part, one.parts, len(one.vector)) for one in published] == [
        (1, 2, 300),
        (2, 2, 5),
    ]
    assert (published[1].places, published[1].hash) == (0, None)
    assert len(world.state.vector) == world.state.paid_places == 305
    world.play(swift=True)
    completed = [one for one in world.log if isinstance(one, events.Completed)]
    assert [len(one.places) for one in completed] == [300, 10]
    world.finish()
    computed = [one for one in world.log if isinstance(one, events.PrizesComputed)]
    assert len(computed) == 2
    assert sum(prize.amount for one in computed for prize in one.prizes) == 310_000


def test_many_refunds_come_in_parts() -> None:
    world = World(Random(1))
    world.open(301, entries_max=700)
    world.take(closing.cancel(world.state, reason_code="director", seed=SEED))
    assert world.state.status is Status.CANCELLED


def test_an_event_out_of_its_state_is_a_bug() -> None:
    with pytest.raises(InvariantBroken, match="EntryPaid"):
        fold(registration(1).log[-1:])
    with pytest.raises(InvariantBroken, match="Archived"):
        evolve(registration().state, events.Archived())


def test_the_lifecycle_speaks_of_known_things() -> None:
    assert set(ADMITTED) <= set(events.TOURNAMENT_EVENTS)
    assert all(COMMANDS.values())
    changing = set(after.registry)
    assert set(ADMITTED) - changing == {
        events.NoShowDropped,  # the refund beside it does
        events.RulingMade,
        events.OutageRecorded,
        events.CompensationPosted,
    }


def test_a_list_longer_than_all_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="64 parts"):
        in_parts(range(64 * 300 + 1))


def test_nobody_needs_no_table() -> None:
    assert table_sizes(0, 3) == []
