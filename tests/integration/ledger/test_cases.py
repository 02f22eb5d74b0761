"""The hand-worked cases of the books (`ledger.md` section 8), each in a transaction of its own."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from ledger.case_reading import Case
from ledger.cases import run, run_case

FOLDER = Path(__file__).parents[2] / "cases" / "ledger"
CASES = [
    case
    for path in sorted(FOLDER.glob("*.yaml"))
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))["cases"]
]
BY_ID = {case["id"]: case for case in CASES}


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: Case) -> None:
    assert run_case(case) is None


def changed(name: str, path: list[Any], value: object) -> Case:
    """A case with one thing in it changed."""
    case: dict[str, Any] = copy.deepcopy(BY_ID[name])
    place: Any = case
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return case


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "path", "value", "why"),
    [
        ("L01", ["expect", "balances", "wallet:A"], 15001, "balance wallet:"),
        ("L01", ["expect", "entries"], 2, "entries: got 1 expected 2"),
        ("L01", ["events", 0, "entries", 0, "kind"], "top_up", "event 1 entries: got"),
        ("L01", ["events", 0, "entries", 0, "dr"], {"wallet:A": 5001}, "event 1 entries: got"),
        ("L04", ["expect", "balances"], {}, "balance rake:EUR: got 10 expected 0"),
        ("L11", ["events", 0, "refusal"], "unbalanced", 'event 1 refusal: got "floor_violated"'),
        ("L20", ["expect", "rake", "B"], 8, "rake: got"),
        ("L20", ["expect", "after", "B"], 0, "after: got"),
        ("L01", ["extra"], 1, "schema: unknown key extra"),
        ("L01", ["events", 0, "extra"], 1, "schema: unknown key extra"),
        ("L01", ["expect"], {"balances": {}}, "schema: no entries"),
        ("L01", ["expect", "balances"], [], "schema: no mapping of accounts"),
        ("L01", ["expect", "balances", "purse:A"], 1, "schema: no role purse"),
        ("L01", ["expect", "balances", "wallet"], 1, "schema: no account wallet"),
        ("L01", ["opening", "wallet:A"], "1", "schema: no amount: 1"),
        ("L01", ["events", 0, "at"], "table/T1", "schema: no version"),
        ("L01", ["events", 0, "at"], "player/A@1", "schema: no stream"),
        ("L01", ["events", 0, "data"], 5, "schema: data is no mapping"),
        ("L01", ["events", 0, "entries", 0], 5, "schema: no mapping"),
        ("L01", ["events", 0, "entries", 0, "cr", "wallet:A"], 5, "schema: an account on both"),
        ("L01", ["events", 0, "refusal"], "x", "schema: either entries or refusal"),
        ("L01", ["rake"], {}, "schema: either rake or events"),
        ("L04", ["events", 0, "data", "rake"], {"Z": 1}, "schema: Z has no net"),
    ],
)
def test_a_wrong_case_fails(name: str, path: list[Any], value: object, why: str) -> None:
    found = run_case(changed(name, path, value))
    assert found is not None
    assert found.startswith(why)


@pytest.mark.django_db
def test_a_refused_event_is_refused_again() -> None:
    assert run_case(changed("L11", ["events", 0, "deliver"], 2)) is None
    assert run_case(changed("L02", ["events", 0, "deliver"], 2)) is None


@pytest.mark.django_db
def test_openings_above_the_limit_of_a_leg_are_several_entries() -> None:
    case = changed("L01", ["opening", "wallet:A"], 3 * 10**12 + 20000)
    case["expect"]["balances"]["wallet:A"] += 3 * 10**12
    assert run_case(case) is None


@pytest.mark.django_db
def test_a_file_is_run_case_by_case() -> None:
    twice = {"kind": "ledger", "cases": [BY_ID["L01"], BY_ID["L01"], 5]}
    assert list(run(twice)) == [
        ("L01", None),
        ("L01", "schema: id twice"),
        ("case", "schema: no mapping"),
    ]
    assert [name for name, _ in run({"kind": "ledger"})] == ["file"]
    assert [name for name, _ in run({"kind": "rules", "cases": []})] == ["file"]
