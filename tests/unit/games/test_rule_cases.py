"""The hand-worked cases of the rules, and what a wrong case is told."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from games.cases import KIND, run, run_case

FOLDER = Path(__file__).parents[2] / "cases" / "rules"
DOCUMENTS = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.yaml")]
VERDICTS = sorted(verdict for document in DOCUMENTS for verdict in run(document))
CASES = {case["id"]: case for document in DOCUMENTS for case in document["cases"]}


@pytest.mark.parametrize(("name", "why"), VERDICTS, ids=[name for name, _ in VERDICTS])
def test_case(name: str, why: str | None) -> None:
    assert why is None


def test_all_handed_cases_are_here() -> None:
    assert len(VERDICTS) == len(CASES) == 145


CASE: dict[str, Any] = {
    "id": "T1",
    "title": "one line",
    "players": ["A", "B"],
    "dealer": "A",
    "start": "turn",
    "turn": "B",
    "hands": {"A": ["2C", "3D"], "B": ["AC"]},
    "discard": ["QH"],
    "actions": [["B", "knock", "ok"]],
    "expect": {"end": "knock_win", "net": {"A": -1, "B": 1}},
}


def test_a_good_case_passes() -> None:
    assert run_case(CASE) is None


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"colour": "red"}, "unknown key"),
        ({"start": "middle"}, "start"),
        ({"start": ["turn"]}, "start"),
        ({"players": ["A", 2]}, "names"),
        ({"players": ["A"]}, "number of players"),
        ({"players": ["A", "A"]}, "twice"),
        ({"stake": 0}, "stake"),
        ({"stake": True}, "stake"),
        ({"round": -1}, "round"),
        ({"dealer": "C"}, "dealer"),
        ({"taken": "QH"}, "taken with start turn"),
        ({"hands": {"A": ["2C"]}}, "hands of all players"),
        ({"hands": {"A": ["2C"], "B": []}}, "without cards"),
        ({"hands": {"A": ["2C"], "B": ["2C"]}}, "a card twice"),
        ({"hands": {"A": ["1C"], "B": ["2C"]}}, "card '1C'"),
        ({"hands": {"A": ["X1"], "B": ["2C"]}}, "not of the deck"),
        ({"hands": {"A": "2C", "B": ["3C"]}}, "no list"),
        ({"holds": {"C": 1}}, "holds"),
        ({"holds": {"A": -1}}, "holds"),
        ({"rest": "table"}, "rest"),
        ({"melds": {"m1": {"owner": "A", "cards": ["4C", "5D", "6C"]}}}, "m1 is no spread"),
        ({"melds": {"x1": {"owner": "A", "cards": ["4C", "5C", "6C"]}}}, "meld 'x1'"),
        ({"melds": {"m1": {"owner": "A"}}}, "meld 'm1'"),
        ({"actions": {}}, "actions"),
        ({"actions": [["B", "knock"]]}, "action"),
        ({"actions": [["B", "call", "ok"]]}, "verb"),
        ({"actions": [["C", "knock", "ok"]]}, "player"),
        ({"actions": [["B", "knock", "KC", "ok"]]}, "arguments"),
        ({"actions": [["B", "hit", "KC", "ok"]]}, "arguments"),
        ({"actions": [["B", "discard", "ok"]]}, "arguments"),
        ({"actions": [["B", "slap", "KC", "KD", "ok"]]}, "arguments"),
        ({"actions": [["B", "spread", "ok"]]}, "arguments"),
        ({"actions": [["B", "discard", "X1", "ok"]]}, "not of the deck"),
        ({"options": []}, "options"),
        ({"expect": {}}, "expect"),
        ({"expect": {"next": "A"}}, "end is missing"),
        ({"expect": {"end": "won"}}, "end 'won'"),
        ({"expect": {"end": "caught"}}, "net goes with an end"),
        ({"expect": {"end": None, "net": {"A": 0, "B": 0}}}, "net goes with an end"),
        ({"expect": {"end": "caught", "net": {"A": 0}}}, "expect.net"),
        ({"expect": {"end": "caught", "net": {"A": 1, "B": 0}}}, "sum to 0"),
        ({"expect": {"end": None, "winner": "A"}}, "unknown expectation"),
        (
            {"expect": {"end": "caught", "net": {"A": 0, "B": 0}, "next": "A"}},
            "next goes without an end",
        ),
        ({"expect": {"end": None, "pot": {}}}, "pot goes with"),
    ],
)
def test_a_wrong_case_fails_by_its_schema(change: dict[str, Any], what: str) -> None:
    why = run_case(CASE | change)
    assert why is not None
    assert why.startswith("schema: ")
    assert what in why


@pytest.mark.parametrize("key", ["id", "title", "players", "start", "expect", "hands", "turn"])
def test_a_missing_field_fails_by_its_schema(key: str) -> None:
    case = {name: value for name, value in CASE.items() if name != key}
    assert (run_case(case) or "").startswith("schema: ")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"actions": [["B", "knock", "hand_over"]]}, 'action 1: got "ok" expected "hand_over"'),
        ({"actions": []}, 'end: got null expected "knock_win"'),
        (
            {"expect": {"end": "knock_win", "net": {"A": -2, "B": 2}}},
            'net: got {"A": -1, "B": 1} expected {"A": -2, "B": 2}',
        ),
        ({"expect": CASE["expect"] | {"count": {"B": 2}}}, "count B: got 1 expected 2"),
        ({"expect": CASE["expect"] | {"top": "KH"}}, 'top: got "QH" expected "KH"'),
        ({"expect": CASE["expect"] | {"stock": 1}}, "stock: got 48 expected 1"),
        ({"expect": CASE["expect"] | {"next_dealer": "A"}}, 'next_dealer: got "B" expected "A"'),
        ({"expect": CASE["expect"] | {"liability": 2}}, "liability: got 3 expected 2"),
        (
            {"expect": CASE["expect"] | {"hands": {"B": ["2D"]}}},
            'hands B: got ["AC"] expected ["2D"]',
        ),
        (
            {"expect": CASE["expect"] | {"melds": {"m1": ["2D", "2H", "2S"]}}},
            'melds m1: got [] expected ["2D", "2H", "2S"]',
        ),
    ],
)
def test_the_first_difference_is_told(change: dict[str, Any], why: str) -> None:
    assert run_case(CASE | change) == why


def test_a_drawn_case_may_name_the_taken_card() -> None:
    change = {"start": "drawn", "taken": "AC", "hands": {"A": ["2C"], "B": ["AC", "3D"]}}
    actions = [["B", "discard", "AC", "same_discard"], ["B", "discard", "3D", "ok"]]
    case = CASE | change | {"actions": actions, "expect": {"end": None, "next": "A"}}
    assert run_case(case) is None
    assert "taken is not in the hand" in (run_case(case | {"taken": "QH"}) or "")


def test_a_case_is_a_mapping_and_an_action_has_a_verb() -> None:
    (verdict,) = run({"kind": KIND, "cases": ["C1"]})
    assert verdict == ("case", "schema: a case is a mapping")
    assert "verb" in (run_case(CASE | {"actions": [["B", ["knock"], "ok"]]}) or "")


def test_an_id_twice_fails() -> None:
    verdicts = list(run({"kind": KIND, "cases": [CASE, CASE]}))
    assert verdicts == [("T1", None), ("T1", "schema: id twice")]


@pytest.mark.parametrize("document", [{}, {"kind": KIND}, {"kind": KIND, "cases": [], "more": 1}])
def test_a_file_has_kind_and_cases(document: dict[str, Any]) -> None:
    ((_, why),) = run(document)
    assert why is not None


def test_a_cut_with_too_few_cards_is_a_fault() -> None:
    case = {"id": "T", "title": "t", "players": ["A", "B"], "start": "cut", "expect": {}}
    assert "ran out" in (run_case(case | {"cut": ["KC", "KD"], "expect": {"dealer": "A"}}) or "")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"options": 0}, "schema: options"),
        (
            {
                "options": {"on_empty_stock": "reshuffle"},
                "rest": "discard",
                "actions": [["B", "draw_stock", "ok"]],
                "expect": {"end": None},
            },
            "schema: reshuffle is no order of the covered discards",
        ),
    ],
)
def test_what_a_case_leaves_out_is_a_fault_of_the_case(change: dict[str, Any], why: str) -> None:
    pot = {"end": "knock_win", "net": {"A": -1, "B": 1}, "pot": {"A": 0, "B": 2}}
    assert run_case(CASE | {"expect": pot} | change) == why
