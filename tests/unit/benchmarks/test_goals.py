"""Figures beside a goal, and the histories that are measured: real hands, sealed and chained."""

import pytest

from benchmarks.fairness import Seen, check
from benchmarks.goals import at_least, at_most, percentile
from benchmarks.histories import hands, records
from clients.python.tonk_client.problem import DealNotFair
from eventstore.core.chain import verify_chain
from games.rules import events
from games.rules.table import fold

PLAYED = tuple(hands(3))
STORED = tuple(records(iter(PLAYED)))


def test_a_rate_is_judged_beside_the_rate_that_is_asked_for() -> None:
    figure = at_least("replay", "rows", [50.0, 200.0, 150.0], 100.0, events=7)
    assert (figure.rate, figure.ratio, figure.goal) == (150.0, 1.5, 1.0)
    assert figure.facts == {"events": 7}


def test_a_time_is_judged_the_other_way_round() -> None:
    figure = at_most("tree", "proof", [0.004, 0.001, 0.002], 0.002)
    assert (figure.ratio, figure.facts["milliseconds"]) == (1.0, 2.0)


@pytest.mark.parametrize(("share", "value"), [(0.0, 1), (0.5, 50), (0.95, 95), (1.0, 100)])
def test_a_percentile_is_a_value_that_was_measured(share: float, value: int) -> None:
    assert percentile(range(100, 0, -1), share) == value


def test_hands_run_from_their_commitment_to_their_reveal_in_one_chain() -> None:
    for played, stored in zip(PLAYED, STORED, strict=True):
        assert tuple(one.event for one in stored) == played.facts
        assert isinstance(played.facts[0], events.ShuffleCommitted)
        assert isinstance(played.facts[-1], events.HandRevealed)
        table = fold(stored[1:])
        assert table.hand is not None
        assert table.hand.over
    assert verify_chain(one for hand in STORED for one in hand) is None


def test_a_client_finds_a_hand_fair_and_notices_one_that_is_not() -> None:
    seen = [Seen.of(*pair) for pair in zip(PLAYED, STORED, strict=True)]
    for one in seen:
        check(one)
    seen[0].events[-1]["data"]["server_seed"] = "00" * 32
    with pytest.raises(DealNotFair):
        check(seen[0])
