"""Hands into which a public beacon is mixed, and what happens when it is away."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

import pytest
from django.test import override_settings

from eventstore.core.record import time_of
from games import beacon, selectors, verdict
from games.beacon import Chain
from games.models import DealerSecret
from games.rules import events, window
from games.services.deals import deal_next
from games.services.sealing import seal_next
from games.services.sweep import attend
from games.services.tables import TableSettings, open_cash_table
from players.selectors import Person
from tests.integration.games.fair_tables import (
    ONA,
    deal_due,
    of_type,
    own_times_again,
    play_out,
    refused,
    table_of,
)
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, receipt
from tonk_site.proving.acting.fair_seats import anchors, gives, time_is_up

pytestmark = pytest.mark.django_db
GENESIS, PERIOD_S = datetime(2026, 1, 1, tzinfo=UTC), 3


@dataclass
class FakeBeacon:
    """A beacon that publishes what the test lets it."""

    is_there: bool = True
    published: dict[int, bytes] = field(default_factory=dict)

    def chain(self) -> Chain | None:
        return Chain("cd" * 32, GENESIS, PERIOD_S) if self.is_there else None

    def randomness(self, number: int) -> bytes | None:
        return self.published.get(number)


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBeacon]:
    fake = FakeBeacon()
    monkeypatch.setattr(beacon, "_at", lambda _: fake)
    with override_settings(BEACON_URL="http://127.0.0.1:1/" + "cd" * 32):
        yield fake


@pytest.fixture
def people() -> list[Person]:
    return [a_player("ona"), a_player("petras")]


def committed(table: UUID) -> events.ShuffleCommitted:
    found: events.ShuffleCommitted = of_type(table, events.ShuffleCommitted)[-1]
    return found


def publish(source: FakeBeacon, table: UUID) -> bytes:
    """The beacon publishes the round that the table waits for."""
    named = committed(table).beacon
    assert named is not None
    drawn = sha256(str(named.round).encode()).digest()
    source.published[named.round] = drawn
    return drawn


def test_without_a_beacon_no_such_table_is_opened(people: list[Person]) -> None:
    wish = TableSettings(stake=10, currency="XTK", seats=2, fairness="beacon")
    with refused("bad_options"):
        open_cash_table(wish, people[0], receipt())


def test_the_named_round_is_mixed_in(people: list[Person], source: FakeBeacon) -> None:
    ona = people[0]
    table = table_of(people, fairness="beacon")
    anchors(table, ona, ONA)
    deal_due(table)
    fact = committed(table)
    assert fact.beacon is not None
    assert fact.reveal_by is not None
    closes = time_of(fact.reveal_by)
    at = GENESIS + timedelta(seconds=PERIOD_S) * (fact.beacon.round - 1)
    assert timedelta(seconds=3) <= at - closes < timedelta(seconds=3 + PERIOD_S)
    assert selectors.live_row(table).due_at == closes + timedelta(seconds=3)
    gives(table, ona, ONA.seed(1))  # all seeds are given: the round is waited for all the same
    assert selectors.live_row(table).status == "sealing"
    drawn = publish(source, table)
    time_is_up(table)
    (dealt,) = of_type(table, events.HandDealt)
    assert dealt.beacon == drawn.hex()
    play_out(table)
    proof = verdict.verification(UUID(dealt.hand))
    assert (proof["ok"], proof["beacon"]) == (True, drawn.hex())


def test_without_anchors_the_round_is_waited_for_too(
    people: list[Person], source: FakeBeacon
) -> None:
    table = table_of(people, fairness="beacon")
    deal_due(table)
    assert selectors.live_row(table).status == "sealing"
    publish(source, table)
    time_is_up(table)
    assert [one.seed for one in of_type(table, events.HandDealt)[0].players] == ["none", "none"]


def test_a_round_that_does_not_come_is_waited_for_and_then_given_up(
    people: list[Person], source: FakeBeacon, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of(people, fairness="beacon")
    deal_due(table)
    hurry(table)
    for _ in range(10):  # it is nobody's fault, so nothing is parked
        attend(table)
    row = selectors.live_row(table)
    assert (row.status, row.parked_code, row.attempts) == ("sealing", None, 0)
    monkeypatch.setattr(window, "BEACON_PATIENCE_MS", -60_000)
    seal_next(table, row.version)
    fact = of_type(table, events.ShuffleAborted)[-1]
    assert (fact.reason, fact.missing, DealerSecret.objects.count()) == (
        "beacon_unavailable",
        (),
        0,
    )
    assert selectors.live_row(table).due == "deal"
    deal_due(table)
    publish(source, table)
    time_is_up(table)
    assert of_type(table, events.HandDealt)[0].hand_no == 1


def test_nothing_is_committed_to_while_the_beacon_is_away(
    people: list[Person], source: FakeBeacon
) -> None:
    table = table_of(people, fairness="beacon")
    source.is_there = False
    hurry(table)
    with refused("unavailable"):
        deal_next(table, selectors.live_row(table).version)
    for _ in range(10):
        attend(table)
    row = selectors.live_row(table)
    assert (row.due, row.parked_code, of_type(table, events.ShuffleCommitted)) == ("deal", None, [])
    own_times_again(table)


def test_another_rounds_bytes_are_not_taken(people: list[Person], source: FakeBeacon) -> None:
    table = table_of(people, fairness="beacon")
    deal_due(table)
    named = committed(table).beacon
    assert named is not None
    source.published[named.round + 1] = bytes(32)
    with refused("unavailable"):
        time_is_up(table)
    own_times_again(table)


def test_another_chains_bytes_are_not_taken(people: list[Person], source: FakeBeacon) -> None:
    table = table_of(people, fairness="beacon")
    deal_due(table)
    publish(source, table)
    other = override_settings(BEACON_URL="http://127.0.0.1:1/" + "ef" * 32)
    with other, refused("unavailable"):
        time_is_up(table)
    time_is_up(table)
    assert of_type(table, events.HandDealt)
    own_times_again(table)
