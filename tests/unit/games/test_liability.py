"""The worst case is exact: on each path of `rules.md` section 5 some hand loses just that."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from eventstore.core.refusal import Refusal
from games.rules.dealing import judged
from games.rules.liability import liability, most_moved
from games.rules.options import complete
from tests.unit.games.rules_tables import ended, table

STAKE = 7
NO_CLAIMS: dict[str, Any] = {"initial_tonk_counts": [], "caught_rule": "single_each"}
DIFFERENCE: dict[str, Any] = {"settlement": "difference", "difference_cap": 10}


class Path(NamedTuple):
    """A hand that loses all that the options allow, and how it does."""

    options: Mapping[str, Any]
    stakes: int
    hands: Mapping[str, str]
    moves: tuple[str, ...]
    fields: Mapping[str, Any] = MappingProxyType({})


OUT = {"A": "KC KD KH", "B": "8C 8D"}
TIED = {"A": "5C", "B": "KC", "C": "5D", "D": "5H"}
CLAIM = {"A": "2C 7D 9H 5S KC", "B": "TC JD QH KS KD"}
EMPTY = {"rest": "discard", "discard": "QH"}
PATHS = {
    "tonk out": Path(NO_CLAIMS, 2, OUT, ("S", "L 8C 8D 8H"), {"stock": "8H"}),
    "claim": Path(
        {"initial_tonk_multiplier": 4, "caught_rule": "single_each"},
        4,
        CLAIM,
        (),
        {"start": "deal"},
    ),
    "tier": Path({**NO_CLAIMS, "drop_low": [[9, 4]]}, 4, {"A": "KC", "B": "5C"}, ("K",)),
    "dealt tier": Path(
        {**NO_CLAIMS, "initial_low": [[9, 4]]},
        4,
        {"A": "2C 7D 9H 5S KC", "B": "AC AD AH 2D 3D"},
        (),
        {"start": "deal"},
    ),
    "stock out": Path(NO_CLAIMS, 3, TIED, ("S",), EMPTY),
    "seed, all": Path({}, 9, TIED, ("K",)),
    "seed, others only": Path({"caught_bonus_from": "others_only"}, 6, TIED, ("K",)),
    "low only": Path({"caught_rule": "low_only"}, 6, TIED, ("K",)),
    "knocker pays table": Path({"caught_rule": "knocker_pays_table"}, 3, TIED, ("K",)),
    "single each": Path(NO_CLAIMS, 3, TIED, ("K",)),
    "difference, tonk out": Path(
        {**DIFFERENCE, "initial_tonk_counts": []}, 20, OUT, ("S", "L 8C 8D 8H"), {"stock": "8H"}
    ),
    "difference, claim": Path(
        {**DIFFERENCE, "initial_tonk_multiplier": 4}, 40, CLAIM, (), {"start": "deal"}
    ),
    "difference, tier": Path(
        {**DIFFERENCE, "drop_low": [[9, 4]]}, 40, {"A": "KC KD", "B": "5C"}, ("K",)
    ),
    "difference, stock out": Path(DIFFERENCE, 30, {**TIED, "B": "KC KD"}, ("S",), EMPTY),
    "difference, caught": Path(DIFFERENCE, 30, {**TIED, "B": "KC KD"}, ("K",)),
}


@pytest.mark.parametrize("name", PATHS)
def test_some_hand_loses_exactly_the_worst_case(name: str) -> None:
    path = PATHS[name]
    players = "".join(path.hands)
    hand = table(players, hands=path.hands, options=path.options, stake=STAKE, **path.fields)
    result = ended(hand, *path.moves) if path.moves else judged(hand).result
    assert result is not None
    worst = liability(hand.setup.rules.options, len(players), STAKE)
    assert (-min(result.net.values()), worst) == (path.stakes * STAKE, path.stakes * STAKE)


@pytest.mark.parametrize(
    ("chosen", "stakes"),
    [
        ({}, 6),  # who is caught pays 3 to each of 2
        ({"initial_tonk_multiplier": 4}, 8),  # each of 2 pays 4
        (DIFFERENCE | {"initial_tonk_multiplier": 4}, 80),
        (NO_CLAIMS, 4),  # each of 2 pays for a tonk out
        (NO_CLAIMS | {"drop_low": [[9, 3]]}, 6),
    ],
)
def test_most_is_moved_to_who_wins_or_from_who_is_caught(
    chosen: Mapping[str, Any], stakes: int
) -> None:
    options = complete(chosen, 3)
    assert not isinstance(options, Refusal)
    assert most_moved(options, 3, STAKE) == stakes * STAKE
