"""The payout twin against the hand-worked cases of prizes."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.twin import payouts

Case = dict[str, Any]

FILE = Path(__file__).resolve().parents[1] / "cases" / "tournaments" / "prizes.yaml"
SECTIONS: dict[str, list[Case]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
OPTIONS = {"guarantee": 0, "rake_bp": 0, "payout": "auto", "round_to": 1, "buy_in": 0, "fee": 0}


def cases(section: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in SECTIONS[section]]


def event(entries: int, price: int, fee: int, **options: Any) -> payouts.Event:
    paid = [{"player": str(number), "buy_in": price, "fee": fee} for number in range(entries)]
    return payouts.Event(OPTIONS | {"buy_in": price, "fee": fee} | options, paid, {}, b"")


@pytest.mark.parametrize("case", cases("prizes"))
def test_prizes(case: Case) -> None:
    found = payouts.prizes(case["pool"], case["weights"], case.get("round_to", 1))
    assert found == case["expect"]


@pytest.mark.parametrize("case", cases("paid_places"))
def test_paid_places(case: Case) -> None:
    if "counts" in case:
        assert {count: payouts.paid_places(count) for count in case["counts"]} == case["counts"]
        return
    found = event(case["entries"], case["buy_in"], case["fee"], rake_bp=case["rake_bp"])
    assert {"pool": found.pool, "prizes": found.vector()} == case["expect"]


@pytest.mark.parametrize("case", cases("ties"))
def test_ties(case: Case) -> None:
    assert payouts.paid(case["prizes"], case["ranks"]) == case["expect"]


@pytest.mark.parametrize("case", [one for one in cases("pools") if "addons" not in one.values[0]])
def test_pools(case: Case) -> None:
    terms = {name: case[name] for name in ("guarantee", "rake_bp")}
    found = event(case["entries"], case["buy_in"], case.get("fee", 0), **terms)
    got = {name: getattr(found, name) for name in ("collected", "overlay", "rake", "pool")}
    assert got == case["expect"]


@pytest.mark.parametrize("case", cases("sit_and_go"))
def test_sit_and_go(case: Case) -> None:
    found = event(case["seats"], case["buy_in"], case["fee"], payout="bp", payout_bp=case["payout"])
    prizes = payouts.paid(found.vector(), case["ranks"])
    assert {"prizes": prizes, "fees": found.fees} == case["expect"]


def test_gaps_among_places_are_told() -> None:
    found = payouts.Event(OPTIONS, [], {"a": (1, 1), "b": (3, 3)}, b"")
    found.groups()
    assert found.faults == ["places 3 to 3 for 1", "2 players on 3 places"]
