"""The hand-worked cases, section by section, and the schema that they follow."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tournaments import cases

FOLDER = Path(__file__).parents[2] / "cases" / "tournaments"
FILES = sorted(FOLDER.glob("*.yaml"))
CASES = [
    (section, case)
    for file in FILES
    for section, listed in yaml.safe_load(file.read_text(encoding="utf-8")).items()
    if section != "kind"
    for case in listed
]

# Cases that need an option which is not carried out yet.
WAITING_CASES = {"CR01": "the Swiss night: seeds by rating, check-in, a time to protest"}


def verdict(section: str, case: dict[str, Any]) -> str | None:
    ((_, why),) = cases.run({"kind": "tournaments", section: [case]})
    return why


@pytest.mark.parametrize(
    ("section", "case"),
    [one for one in CASES if one[1]["id"] not in WAITING_CASES],
    ids=[case["id"] for _, case in CASES if case["id"] not in WAITING_CASES],
)
def test_case(section: str, case: dict[str, Any]) -> None:
    assert verdict(section, case) is None


def test_what_waits_is_known_and_fails() -> None:
    for section, case in CASES:
        if case["id"] in WAITING_CASES:
            assert "out_of_range" in (verdict(section, case) or "")


def test_a_wrong_expectation_is_shown() -> None:
    wrong = {"id": "P", "pool": 10, "weights": [1, 1], "expect": [6, 4]}
    assert verdict("prizes", wrong) == "got [5, 5] expected [6, 4]"
    rising = {**wrong, "weights": [1, 2]}
    assert verdict("prizes", rising) == "broken: prizes [3, 7] of 10"


@pytest.mark.parametrize(
    ("section", "case", "why"),
    [
        ("prizes", {"id": "P", "pool": 10, "weights": [1]}, "schema: expect"),
        ("prizes", {"id": "P", "pool": 1, "weights": [1], "expect": [1], "x": 1}, "schema: x"),
        ("prizes", {"pool": 1, "weights": [1], "expect": [1]}, "schema: id"),
        ("prices", {"id": "P"}, "schema: prices"),
    ],
)
def test_schema(section: str, case: dict[str, Any], why: str) -> None:
    assert verdict(section, case) == why


def test_whose_files() -> None:
    assert cases.is_mine({"kind": "tournaments"})
    assert not cases.is_mine({"kind": "rules"})
