"""Each refusal code of the rules, with its rule's number and its facts (`rules.md` section 9)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from eventstore.core.refusal import Refusal
from games.rules.state import Hand
from tests.unit.games.rules_tables import after, answer, decided, fold_of, table

PLAIN = {"A": "KC KD 5H", "B": "4C 4D 9S"}
RUN = {"m1": ("A", "5C 6C 7C")}


def hand(*moves: str, options: Mapping[str, Any] | None = None, **fields: Any) -> Hand:
    """A table where B is to act after these moves."""
    defaults: dict[str, Any] = {"hands": PLAIN, "stock": "JS", "discard": "QH"}
    return after(table(options=options, **defaults | fields), *moves)


def over() -> Hand:
    """A hand that a knock has ended."""
    return fold_of(hand(), decided(hand(), "K"))


class Refused(NamedTuple):
    """A move that is refused, and all that is said of it."""

    hand: Hand
    move: str
    code: str
    rule: str
    facts: Mapping[str, object] = MappingProxyType({})


USE = {"must_use_discard": True}
SLAP = {"slap": True}


def slappable(by: str) -> Hand:
    """A or B has thrown the eight of clubs, which fits a spread."""
    hands = {"A": "KC KD 8C", "B": "4C 4D 8C"} | {"AB"[by == "A"]: "5H 5S"}
    start = table(hands=hands, turn=by, start="drawn", melds=RUN, discard="QH", options=SLAP)
    return after(start, "D 8C")


CASES = [
    Refused(over(), "S", "hand_over", "D7"),
    Refused(hand(), "P KC", "slap_not_possible", "V16"),
    Refused(slappable(by="B"), "P 4D", "slap_not_possible", "V16", {"sheds": 0}),
    Refused(slappable(by="A"), "P", "card_not_in_hand", "V16", {"sheds": 1}),
    Refused(slappable(by="A"), "P KC", "card_not_in_hand", "V16", {"sheds": 1}),
    Refused(hand("S", "D 9S"), "S", "not_your_turn", "R14", {"to_act": 1}),
    Refused(hand("S"), "K", "knock_only_at_turn_start", "D8"),
    Refused(hand(options={"knock_from_round": 4}), "K", "knock_too_early", "V8", {"round": 4}),
    Refused(hand(options={"hit_hold_first": 1}, holds={"B": 1}), "K", "knock_held", "V7"),
    Refused(
        hand(options={"knock_max_count": 16}),
        "K",
        "knock_over_limit",
        "V8",
        {"count": 17, "limit": 16},
    ),
    Refused(hand("S"), "T", "already_drawn", "R16"),
    Refused(hand("T"), "S", "already_drawn", "R16"),
    Refused(hand(discard=""), "T", "no_discard", "R16"),
    Refused(
        hand("S", "D 9S", "T", "D KC", options={"discard_turn_cap": 1}),
        "T",
        "must_draw_stock",
        "D17",
        {"turns": 1},
    ),
    Refused(hand(options=USE), "T", "discard_unusable", "V12", {"card": "QH"}),
    Refused(hand(), "L 4C 4D 9S", "must_draw_first", "R16"),
    Refused(hand(melds=RUN), "H 4C m1", "must_draw_first", "R16"),
    Refused(hand(), "D 4C", "must_draw_first", "R16"),
    Refused(hand("S"), "L 4C 4D 4H", "card_not_in_hand", "R17", {"card": "4H"}),
    Refused(hand("S", melds=RUN), "H 8C m1", "card_not_in_hand", "R17", {"card": "8C"}),
    Refused(hand("S"), "D KC", "card_not_in_hand", "R17", {"card": "KC"}),
    Refused(hand("S"), "L 4C 4D 9S", "bad_spread", "R20", {"cards": ["4C", "4D", "9S"]}),
    Refused(hand("S", melds=RUN), "H 4D m1", "bad_hit", "R23", {"card": "4D", "meld": "m1"}),
    Refused(hand("S"), "H 4D m1", "bad_hit", "R23", {"card": "4D", "meld": "m1"}),
    Refused(hand("S", melds=RUN), "H 4C m1 high", "bad_hit", "R23", {"card": "4C", "meld": "m1"}),
    Refused(
        hand(
            "S",
            "H 4C m1",
            melds={**RUN, "m2": ("A", "9C 9D 9H")},
            options={"hits_per_turn": 1},
        ),
        "H 9S m2",
        "hit_limit",
        "V12",
        {"limit": 1},
    ),
    Refused(hand("T"), "D QH", "same_discard", "D6", {"card": "QH"}),
    Refused(
        hand("T", discard="4H", options=USE), "D 9S", "must_use_discard", "D25", {"card": "4H"}
    ),
    Refused(
        hand("T", discard="4H", options={**USE, "knock_when": "own_turn"}),
        "K",
        "must_use_discard",
        "D25",
        {"card": "4H"},
    ),
    Refused(
        hand(
            "T",
            hands={"A": "KC", "B": "4C 4D 4S 9S"},
            discard="4H",
            options={**USE, "hit_targets": "runs_only"},
        ),
        "L 4C 4D 4S",
        "must_use_discard",
        "D25",
        {"card": "4H"},
    ),
    Refused(hand("S", stock="4H", options={"must_spread": True}), "D 9S", "must_spread", "D16"),
]
CODES = (
    *("hand_over", "slap_not_possible", "not_your_turn", "knock_only_at_turn_start"),
    *("knock_too_early", "knock_held", "knock_over_limit", "already_drawn", "no_discard"),
    *("must_draw_stock", "discard_unusable", "must_draw_first", "card_not_in_hand", "bad_spread"),
    *("bad_hit", "hit_limit", "same_discard", "must_use_discard", "must_spread"),
)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}-{case.move}" for case in CASES])
def test_the_refusal_names_code_rule_and_facts(case: Refused) -> None:
    found = answer(case.hand, case.move, seat=2)
    assert found == Refusal(case.code, case.rule, case.facts)


def test_every_code_of_the_rules_is_here() -> None:
    assert {case.code for case in CASES} == set(CODES)
    assert len(CODES) == 19


@pytest.mark.parametrize(
    ("options", "moves", "move", "code"),
    [
        # Of several reasons the first in the order of section 9 is told.
        ({"knock_from_round": 4, "knock_max_count": 1}, (), "K", "knock_too_early"),
        ({"knock_from_round": 4}, ("S",), "K", "knock_only_at_turn_start"),
        ({"must_spread": True, **USE}, ("T",), "D 4H", "same_discard"),
        ({"must_spread": True, **USE}, ("T",), "D 9S", "must_use_discard"),
        ({"must_spread": True}, ("T",), "D 9S", "must_spread"),
        ({}, (), "D KC", "must_draw_first"),
        ({}, ("S",), "H KC m1", "card_not_in_hand"),
        ({}, ("S",), "L KC KD 9S", "card_not_in_hand"),
    ],
)
def test_the_first_reason_is_told(
    options: dict[str, Any], moves: tuple[str, ...], move: str, code: str
) -> None:
    found = answer(hand(*moves, discard="4H", options=options), move)
    assert isinstance(found, Refusal)
    assert found.code == code
