"""Money under many hands at once: real commits, real locks."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import UUID, uuid4

import pytest
from django.db import connections

from eventstore.core.ids import table_stream
from eventstore.core.refusal import Refused
from eventstore.services import in_transaction
from ledger import selectors
from ledger.case_reading import AT
from ledger.core.entries import Entry
from ledger.core.kinds import Kind
from ledger.models import Entry as EntryRow
from ledger.rebuild import compare
from ledger.services import post, settle, settle_due
from tests.integration.ledger.commands import (
    cashed_out,
    command,
    deposit,
    entered,
    hand_ended,
    sit,
)

pytestmark = pytest.mark.usefixtures("committed")
THREADS = 8


def at_once(*works: Callable[[], object]) -> Counter[str]:
    """How often each way to end occurred: `done`, or a code of a refusal."""

    def run(work: Callable[[], object]) -> str:
        try:
            work()
        except Refused as refused:
            return refused.refusal.code
        finally:
            connections.close_all()
        return "done"

    with ThreadPoolExecutor(THREADS) as pool:
        return Counter(pool.map(run, works))


def test_C1_one_wallet_never_falls_below_its_floor() -> None:
    player = uuid4()
    deposit(player, 3_000)
    ends = at_once(*(partial(sit, uuid4(), player, 100) for _ in range(50)))
    assert ends == {"done": 30, "insufficient_funds": 20}
    assert selectors.available(player, "EUR") == 0


def test_C2_funds_for_one_entry_buy_one_entry() -> None:
    player = uuid4()
    deposit(player, 100)
    ends = at_once(*(partial(entered, uuid4(), player, 100) for _ in range(20)))
    assert ends == {"done": 1, "insufficient_funds": 19}


def test_A1_one_message_delivered_forty_times_posts_once() -> None:
    table, first, second = uuid4(), uuid4(), uuid4()
    stream = table_stream(table)
    for player in (first, second):
        deposit(player, 1_000)
        sit(table, player, 1_000)
    for _ in range(20):
        command(stream, hand_ended({first: 10, second: -10}))
    before = EntryRow.objects.count()
    assert at_once(*(partial(settle, stream) for _ in range(40))) == {"done": 40}
    settle(stream)
    assert EntryRow.objects.count() == before + 20
    assert selectors.seats(table) == {str(first): 1_200, str(second): 800}


def test_settlers_and_commands_of_the_same_wallets_lose_no_unit() -> None:
    players = [uuid4() for _ in range(4)]
    for player in players:
        deposit(player, 10_000)
    rounds = [partial(_round, uuid4(), players) for _ in range(8)]
    ends = at_once(*(work for one in rounds for work in (one, settle_due, settle_due)))
    assert ends == {"done": 24}
    settle_due()
    assert sum(selectors.available(player, "EUR") for player in players) == 40_000
    assert compare().difference is None


def _round(table: UUID, players: list[UUID]) -> None:
    """Everybody sits down, the first wins from the rest, all leave."""
    stream = table_stream(table)
    for player in players:
        sit(table, player, 100)
    first, *others = players
    command(stream, hand_ended({first: 30, **dict.fromkeys(others, -10)}))
    command(stream, cashed_out(first, 130), *(cashed_out(player, 90) for player in others))


def test_C7_transfers_both_ways_end_without_a_deadlock() -> None:
    """Accounts are locked in one order, whatever the direction of the money."""
    first, second = uuid4(), uuid4()
    for player in (first, second):
        deposit(player, 1_000)
    pairs = [(first, second), (second, first)]
    works = [partial(_transfer, *pair, number) for number in range(60) for pair in pairs]
    assert at_once(*works) == {"done": 120}
    assert [selectors.available(player, "EUR") for player in (first, second)] == [1_000, 1_000]


def _transfer(giver: UUID, taker: UUID, number: int) -> None:
    legs = [(f"wallet:{giver}:EUR", 1), (f"wallet:{taker}:EUR", -1)]
    entry = Entry(
        stream=f"wallet/{giver}",
        version=1_000 + number,
        part=0,
        kind=Kind.ADJUSTMENT,
        currency="EUR",
        effective_at=AT,
        reverses=None,
        legs=tuple(sorted(legs)),
    )
    in_transaction(lambda tx: post(entry, tx.now))
