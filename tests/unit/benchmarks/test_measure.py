"""Figures of the benchmarks: medians, the table, the lines; and that a measured game ends."""

import json

from benchmarks.measure import Figure, line, table
from benchmarks.rules import Played, core, play

FIGURE = Figure(
    bench="rules",
    case="2 seats",
    rate=4_000,
    peer="rlcard",
    peer_rate=1_000,
    ratios=[3.0, 4.0, 8.0],
    goal=3.0,
    facts={"seats": 2},
)
ALONE = Figure(
    bench="rules", case="3 seats", rate=4_000, peer="rlcard", peer_rate=None, ratios=[], goal=3.0
)


def test_a_figure_is_the_median_of_its_rounds() -> None:
    assert FIGURE.ratio == 4.0
    assert ALONE.ratio is None


def test_a_peer_that_is_not_installed_is_shown_as_absent() -> None:
    head, measured, alone = table([FIGURE, ALONE]).splitlines()
    assert head.split()[:3] == ["bench", "case", "ours/s"]
    assert measured.split()[-3:] == ["4.00", "3.00..8.00", "3.00"]
    assert "absent" in alone
    assert json.loads(line(ALONE))["ratio"] == {"rlcard": None}


def test_a_line_holds_the_ratio_and_what_the_machine_was() -> None:
    found = json.loads(line(FIGURE))
    assert found["ratio"] == {"rlcard": 4.0}
    assert found["seats"] == 2
    assert {"load", "cores", "python", "versions"} <= set(found)


def test_stretches_of_play_add_up() -> None:
    assert Played(1, 10, 2.0) + Played(2, 20, 1.0) == Played(3, 30, 3.0)
    assert Played(3, 30, 3.0).rate == 10


def test_hands_of_the_core_are_played_to_their_end() -> None:
    for seats in (2, 3):
        played = play(core(seats), 0.02)
        assert played.games > 0
        assert played.moves > 0
