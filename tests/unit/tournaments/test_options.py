"""Drafts that look possible and are not."""

import pytest

from tournaments.core.options import Site, from_template

SITE = Site(("EUR", "XTK"), "XTK")


def test_rules_under_which_every_hand_is_drawn_are_refused() -> None:
    for game_rules in ({"initial_low": [[60, 2]]}, {"initial_tonk_counts": list(range(1, 50))}):
        problems = from_template("sim-short", {"game_rules": game_rules}, SITE).problems
        assert [problem["option"] for problem in problems] == ["game_rules"]


@pytest.mark.parametrize("chosen", [[], [1], {}, {"a": 1}, [None] * 300])
def test_a_format_of_a_wrong_type_is_named(chosen: object) -> None:
    problems = from_template("sim-short", {"format": chosen}, SITE).problems
    assert ("format", "bad_type") in {(one["option"], one["code"]) for one in problems}
