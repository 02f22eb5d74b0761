"""Figures of `rules.md` section 12."""

import msgspec
import pytest

from games.rules.odds import claim_odds
from games.rules.options import DEFAULTS


@pytest.mark.parametrize(
    ("most", "percent"), [(9, 0.014), (11, 0.068), (13, 0.224), (15, 0.589), (20, 3.97)]
)
def test_low_hands_are_as_rare_as_the_rules_say(most: int, percent: float) -> None:
    options = msgspec.structs.replace(DEFAULTS, initial_tonk_counts=(), initial_low=((most, 2),))
    assert float(claim_odds(options, 3)) * 100 == pytest.approx(percent, rel=0.02)


def test_a_claim_that_every_hand_makes_is_certain() -> None:
    assert claim_odds(msgspec.structs.replace(DEFAULTS, initial_low=((60, 2),)), 3) == 1
