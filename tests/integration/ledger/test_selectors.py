"""Reads of the books: balances, statements, the wallet of a new player."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from eventstore import store as log
from eventstore.core.ids import table_stream, tournament_stream, wallet_stream
from eventstore.services import in_transaction
from ledger import selectors
from ledger.core.kinds import Kind
from ledger.models import (
    Account,
    AccountBalance,
    DeadLetter,
    Entry,
    ExternalPayment,
    Posting,
    SettlementCursor,
    SettlementDue,
)
from ledger.selectors import Line, Range
from ledger.services import settle, welcome
from tests.integration.ledger.commands import (
    cashed_out,
    command,
    deposit,
    entered,
    prizes,
    sit,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def player() -> UUID:
    return uuid4()


def now() -> datetime:
    return in_transaction(lambda tx: tx.now)


def test_available_in_play_and_total(player: UUID) -> None:
    deposit(player, 1_000)
    deposit(player, 70, "XTK")
    sit(uuid4(), player, 300)
    asked = {"withdrawal": str(uuid4()), "amount": 50, "currency": "EUR"}
    command(wallet_stream(player), ("WithdrawalRequested", asked))
    entered(uuid4(), player, 100)
    euros, chips = selectors.balances(player)
    assert (euros.available, euros.in_play, euros.total) == (550, 350, 900)
    assert euros.display == "9.00 EUR"
    assert (chips.available, chips.total, chips.display) == (70, 70, "70 XTK")
    assert selectors.available(player, "EUR") == 550


def test_a_stranger_has_nothing(player: UUID) -> None:
    assert [item.total for item in selectors.balances(player)] == [0, 0]
    assert selectors.available(player, "EUR") == 0
    assert selectors.statement(player, "EUR", Range()).lines == ()


def test_balances_as_of_an_instant(player: UUID) -> None:
    deposit(player, 1_000)
    between = now()
    sit(uuid4(), player, 300)
    assert [item.total for item in selectors.balances(player, between)] == [1_000, 0]
    assert selectors.balances(player, between)[0].in_play == 0
    assert selectors.balances(player, now())[0].in_play == 300
    assert selectors.balances(player, between - timedelta(days=1))[0].total == 0


def test_a_statement_runs_from_opening_to_closing(player: UUID) -> None:
    deposit(player, 1_000)
    start = now()
    tables = [uuid4() for _ in range(5)]
    for table in tables:
        sit(table, player, 100)
    end = now()
    deposit(player, 7)
    found = selectors.statement(player, "EUR", Range(start, end))
    assert (found.opening, found.closing, found.next_number) == (1_000, 500, None)
    assert [line.amount for line in found.lines] == [-100] * 5
    assert [line.balance for line in found.lines] == [900, 800, 700, 600, 500]
    line = found.lines[0]
    assert (line.kind, line.stream, line.version) == (
        Kind.BUY_IN,
        table_stream(tables[0]),
        1,
    )
    everything = selectors.statement(player, "EUR", Range())
    assert (everything.opening, everything.closing) == (0, 507)
    assert len(everything.lines) == 7
    nothing = selectors.statement(player, "EUR", Range(end, end))
    assert (nothing.opening, nothing.closing, nothing.lines) == (500, 500, ())


def test_pages_of_a_statement_join_without_a_gap(player: UUID) -> None:
    for amount in range(1, 8):
        deposit(player, amount)
    lines: list[Line] = []
    first = 0
    while True:
        page = selectors.statement(player, "EUR", Range(first_number=first, limit=3))
        assert (page.opening, page.closing) == (0, 28)
        lines += page.lines
        if page.next_number is None:
            break
        first = page.next_number
    assert [line.amount for line in lines] == [1, 2, 3, 4, 5, 6, 7]


def test_what_is_on_its_way_counts_only_this_player_and_currency(player: UUID) -> None:
    other, tournament, table = uuid4(), uuid4(), uuid4()
    for one in (player, other):
        deposit(one, 100)
        entered(tournament, one, 50)
    sit(table, player, 30)
    command(table_stream(table), cashed_out(player, 20))
    command(tournament_stream(tournament), prizes((player, 60), (other, 40)))
    assert selectors.pending(player, "EUR") == 80
    assert selectors.pending(other, "EUR") == 40
    assert selectors.pending(player, "XTK") == 0
    settle(tournament_stream(tournament))
    assert selectors.pending(player, "EUR") == 20
    command(table_stream(table), ("Nonsense", {}))
    assert selectors.pending(player, "EUR") == 20


def test_sums_and_digest(player: UUID) -> None:
    assert selectors.sums() == {}
    deposit(player, 100)
    assert selectors.sums() == {"EUR": 0}
    assert selectors.balance_sums() == {"EUR": 0, "XTK": 0}
    assert selectors.account_count() > 1
    before = selectors.digest()
    deposit(player, 100)
    assert selectors.digest() != before


def test_a_new_player_has_wallets_and_the_first_chips(player: UUID) -> None:
    in_transaction(lambda tx: welcome(tx, player))
    assert [item.total for item in selectors.balances(player)] == [0, 10_000]
    assert [event.type for event in log.load(wallet_stream(player)).events] == ["ChipsGranted"]


def test_rows_say_what_they_are(player: UUID) -> None:
    deposit(player, 100)
    table = uuid4()
    sit(table, player, 50)
    command(table_stream(table), ("Nonsense", {}), cashed_out(player, 50))
    settle(table_stream(table))
    wallet = AccountBalance.objects.select_related("account").get(
        account=Account.objects.get(code=f"wallet:{player}:EUR")
    )
    stream = table_stream(table)
    texts = [
        str(wallet.account),
        str(wallet),
        str(Entry.objects.get(stream=stream)),
        str(Posting.objects.filter(account=wallet.account).latest("account_version"))[-4:],
        str(SettlementDue.objects.get(stream=stream)),
        str(SettlementCursor.objects.get(stream=stream)),
        str(DeadLetter.objects.get(stream=stream)),
        str(ExternalPayment.objects.get())[:9],
    ]
    assert texts == [
        f"wallet:{player}:EUR",
        "50 EUR",
        f"{stream}@1#0",
        ": 50",
        f"{stream}@3",
        f"{stream}@1",
        f"{stream}@2: unknown_event",
        "manual/r-",
    ]
