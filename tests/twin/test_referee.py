"""The twin against the hand-worked cases."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.twin.referee import Referee, cut, liability, rotation, validate

Case = dict[str, Any]

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "rules"


def load() -> list[Case]:
    cases: list[Case] = []
    for path in sorted(FOLDER.glob("*.yaml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        if document["kind"] == "rules":
            cases += document["cases"]
    return cases


CASES = load()


def by_id(name: str) -> Case:
    return deepcopy(next(case for case in CASES if case["id"] == name))


def found_by_options(case: Case) -> dict[str, Any]:
    options, seats = case.get("options", {}), len(case["players"])
    code = validate(options, seats)
    if code is not None:
        return {"invalid": code}
    return {"liability": liability(options, seats, case.get("stake", 1))}


def found_by_cut(case: Case) -> dict[str, Any]:
    seat_by_cut = case.get("options", {}).get("seat_by_cut", False)
    dealer, order = cut(case["players"], case["cut"], seat_by_cut)
    return {"dealer": dealer, "order": order}


def found_by_rotation(case: Case) -> dict[str, Any]:
    redeal = case.get("options", {}).get("redeal_dealer", "next")
    dealers, following, counted = rotation(case["players"], case["dealer"], case["ends"], redeal)
    return {"dealers": dealers, "next_dealer": following, "counted": counted}


def snapshot(referee: Referee) -> Case:
    return deepcopy(referee.__dict__)


def found_by_play(case: Case) -> dict[str, Any]:
    referee = Referee.from_case(case)
    deck = sorted(referee.everything())
    results = []
    for player, verb, *arguments, _ in case.get("actions", []):
        before = snapshot(referee)
        result = referee.act(player, verb, *arguments)
        results.append(result)
        assert sorted(referee.everything()) == deck
        if result != "ok":
            assert snapshot(referee) == before
    return {
        "actions": results,
        **found_at_last(referee),
        "liability": liability(case.get("options", {}), len(case["players"]), referee.stake),
    }


def found_at_last(referee: Referee) -> dict[str, Any]:
    found = {
        "end": referee.end,
        "count": referee.counts(),
        "next_dealer": referee.next_dealer(),
        "top": referee.discard[-1] if referee.discard else None,
        "stock": len(referee.stock),
        "hands": {player: sorted(hand) for player, hand in referee.hands.items()},
        "melds": {name: sorted(meld.cards) for name, meld in referee.melds.items()},
    }
    if referee.end is None:
        found["next"] = referee.to_act
        return found
    found["net"] = referee.net()
    if referee.full["stake_mode"] == "pot":
        found["pot"] = {player: net + referee.stake for player, net in referee.net().items()}
    return found


def wanted(case: Case) -> dict[str, Any]:
    expect: dict[str, Any] = deepcopy(case["expect"])
    for key in ("hands", "melds"):
        if key in expect:
            expect[key] = {name: sorted(cards) for name, cards in expect[key].items()}
    if case["start"] in ("deal", "turn", "drawn"):
        expect["actions"] = [action[-1] for action in case.get("actions", [])]
        assert ("net" in expect) == (expect["end"] is not None)
    return expect


FOUND = {"config": found_by_options, "cut": found_by_cut, "rotation": found_by_rotation}


def differences(case: Case) -> dict[str, Any]:
    """What is expected and not found: {what: (found, expected)}. Only what is named counts."""
    found = FOUND.get(case["start"], found_by_play)(case)
    expect = wanted(case)
    for key in ("count", "hands", "melds"):
        if key in expect and key in found:
            found[key] = {name: found[key].get(name) for name in expect[key]}
    if case["start"] == "config" and "invalid" in found:
        expect.setdefault("invalid", None)
    missing = "nothing of that name"
    return {
        key: (found.get(key, missing), value)
        for key, value in expect.items()
        if found.get(key, missing) != value
    }


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: Case) -> None:
    assert differences(case) == {}


def test_every_kind_of_case_is_there() -> None:
    assert len(CASES) >= 100
    assert {case["start"] for case in CASES} == {
        "deal",
        "turn",
        "drawn",
        "config",
        "cut",
        "rotation",
    }


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("C34", "net", {"A": 2, "B": -2}),
        ("C34", "end", "knock_win"),
        ("C34", "pot", {"A": 0, "B": 0}),
        ("C54", "count", {"A": 3}),
        ("C130", "top", "AC"),
        ("C130", "hands", {"B": ["QS"]}),
        ("C130", "melds", {"m2": ["8C", "8D", "8H"]}),
        ("C189", "liability", 601),
        ("C189", "invalid", "conflict"),
        ("C197", "invalid", "conflict"),
        ("C95", "dealers", ["A", "B", "C", "B"]),
        ("C99", "order", ["B", "A", "C", "D"]),
        ("C34", "nonsense", 1),
    ],
)
def test_a_wrong_expectation_is_seen(name: str, key: str, value: Any) -> None:
    case = by_id(name)
    case["expect"][key] = value
    assert key in differences(case)


def test_a_wrong_result_of_an_action_is_seen() -> None:
    case = by_id("C52")
    case["actions"][0][-1] = "ok"
    assert set(differences(case)) == {"actions"}


def test_an_invalid_set_fails_a_case_that_does_not_expect_it() -> None:
    case = by_id("C200")
    case["expect"] = {}
    assert set(differences(case)) == {"invalid"}


def drawn(options: dict[str, Any], hand: list[str], melds: dict[str, list[str]]) -> Referee:
    """B has drawn and holds the hand; A owns the spreads."""
    return Referee.from_case(
        {
            "options": options,
            "players": ["A", "B"],
            "dealer": "A",
            "start": "drawn",
            "turn": "B",
            "hands": {"A": ["KD"], "B": hand},
            "melds": {name: {"owner": "A", "cards": cards} for name, cards in melds.items()},
            "discard": ["QD"],
        }
    )


def texts(referee: Referee, letter: str) -> set[str]:
    return {text for player, text in referee.legal() if player == "B" and text[0] == letter}


def test_legal_lists_each_meaning_of_a_joker_once() -> None:
    referee = drawn({"jokers": 2}, ["5C", "6C", "X1", "9H"], {})
    assert texts(referee, "L") == {"L X1 5C 6C", "L 5C 6C X1"}
    referee = drawn({"jokers": 2}, ["X2", "9S", "9C", "X1"], {})
    assert texts(referee, "L") == {"L 9C 9S X1", "L 9C 9S X2", "L 9C 9S X1 X2"}


def test_legal_names_the_end_only_where_there_are_two() -> None:
    melds = {"m1": ["5C", "6C", "7C"], "m2": ["JH", "QH", "KH"]}
    referee = drawn({"jokers": 2}, ["X1", "8C", "9S"], melds)
    assert texts(referee, "H") == {"H X1 m1 low", "H X1 m1 high", "H X1 m2", "H 8C m1"}
    run = ["2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC"]
    referee = drawn({"ace_runs": "high_or_low"}, ["AC", "9S"], {"m1": run})
    assert texts(referee, "H") == {"H AC m1 low", "H AC m1 high"}


def test_every_payment_is_named_in_order() -> None:
    referee = Referee.from_case(by_id("C143"))
    referee.act("B", "knock")
    assert referee.transfers == [
        ["B", "A", 2, "R31"],
        ["B", "C", 2, "R31"],
        ["B", "D", 2, "R31"],
        ["B", "A", 1, "R32"],
        ["D", "A", 1, "R32"],
        ["E", "A", 1, "R32"],
        ["B", "C", 1, "R32"],
        ["D", "C", 1, "R32"],
        ["E", "C", 1, "R32"],
    ]
