"""The flow of a case refuses what a case may not say, and money that stays behind."""

from typing import Any

import pytest

from tests.unit.tournaments.test_cases import verdict

CONFIG = {"buy_in": 1000, "fee": 100, "bounty": 0, "rake_bp": 0, "guarantee": 0}
LINES: dict[str, list[object]] = {"entries": [], "escrow": []}


@pytest.mark.parametrize(
    ("config", "events", "why"),
    [
        ({**CONFIG, "bonus": 1}, [], "broken: config: bonus"),
        ({"buy_in": 1000}, [], "broken: config: bounty"),
        (CONFIG, [["dance", "A"]], "broken: no event: dance"),
        (CONFIG, [["entry", "A"]], "broken: left in escrow: {'fees': 100, 'tournament': 1000}"),
        (
            {**CONFIG, "addon_price": 10**13},
            [["entry", "A"], ["addon", "A"]],
            "broken: AddOnBought: bad_amount",
        ),
    ],
)
def test_faults(config: dict[str, int], events: list[Any], why: str) -> None:
    case = {"id": "MF", "config": config, "events": events, "expect": LINES}
    assert verdict("money_flows", case) == why


def test_an_event_without_money_has_no_line() -> None:
    events = [["entry", "A"], ["entry", "B"], ["bust", "B", ["A"]], ["finish", [["A"], ["B"]]]]
    free = dict.fromkeys(CONFIG, 0)
    case = {"id": "MF", "config": free, "events": events, "expect": LINES}
    assert verdict("money_flows", case) is None
