"""Posting inside commands: what is posted, what is refused, what a second time does."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from eventstore.core.ids import HOUSE_STREAM, table_stream, tournament_stream, wallet_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import Refused
from eventstore.services import Transaction, in_transaction
from ledger import selectors
from ledger.core.currencies import BALANCE_MAX
from ledger.core.entries import Entry, entries_for
from ledger.models import Entry as EntryRow
from ledger.models import Posting
from ledger.services import open_wallet, post, post_batch, post_inline, settle
from ledger.store import books
from ledger.store.books import LIVE, Posted
from tests.integration.ledger import commands
from tests.integration.ledger.commands import command, deposit, sit, unsealed

pytestmark = pytest.mark.django_db
BESIDE_THE_LOG = True  # entries are posted by hand, without their events


@pytest.fixture
def player() -> UUID:
    return uuid4()


def only(event: Stored) -> Entry:
    found = entries_for(event)
    assert isinstance(found, tuple)
    (entry,) = found
    return entry


def grant(player: UUID, version: int, amount: int = 5) -> Entry:
    fields = {"amount": amount, "currency": "XTK", "reason_code": "test"}
    return only(unsealed(wallet_stream(player), version, "ChipsGranted", fields))


def refused_code(*events: Stored) -> str:
    with pytest.raises(Refused) as caught:
        post_inline(events, commands.unsealed("wallet/x", 1, "X", {}).at)
    return caught.value.refusal.code


def test_a_posted_entry_has_its_legs_versions_and_balances(player: UUID) -> None:
    deposit(player, 500)
    table = uuid4()
    sit(table, player, 200)
    row = EntryRow.objects.get(stream=table_stream(table))
    legs = Posting.objects.filter(entry=row).order_by("line").select_related("account")
    assert [(leg.account.role, leg.amount, leg.balance_after) for leg in legs] == [
        ("seat", -200, 200),
        ("wallet", 200, 300),
    ]
    assert [leg.account_version for leg in legs] == [1, 2]
    assert row.posting_count == 2
    assert selectors.sums() == {"EUR": 0}


def test_the_same_entry_again_is_not_fresh_and_changes_nothing(player: UUID) -> None:
    now = in_transaction(lambda tx: tx.now)
    first = post(grant(player, 1), now)
    again = post(grant(player, 1), now)
    assert (first.fresh, again.fresh) == (True, False)
    assert again.entry_id == first.entry_id
    batch = post_batch([grant(player, 1), grant(player, 2), grant(player, 1)], now)
    assert [one.fresh for one in batch] == [False, True, False]
    assert batch[0].entry_id == batch[2].entry_id == first.entry_id
    assert selectors.available(player, "XTK") == 10


@pytest.mark.parametrize("others", [[], [2]])
def test_the_same_key_with_other_content_is_a_conflict(player: UUID, others: list[int]) -> None:
    now = in_transaction(lambda tx: tx.now)
    post(grant(player, 1), now)
    entries = [grant(player, 1, amount=6), *(grant(player, version) for version in others)]
    with pytest.raises(Refused, match="entry_conflict"):
        post_batch(entries, now) if others else post(entries[0], now)


def test_a_batch_moves_an_account_once_and_numbers_its_legs(player: UUID) -> None:
    now = in_transaction(lambda tx: tx.now)
    post_batch([grant(player, version, amount=version) for version in range(1, 6)], now)
    code = f"wallet:{player}:XTK"
    legs = Posting.objects.filter(account__code=code).order_by("account_version")
    assert [leg.account_version for leg in legs] == [1, 2, 3, 4, 5]
    assert [leg.balance_after for leg in legs] == [1, 3, 6, 10, 15]
    assert post_batch([], now) == []


def test_a_batch_may_not_pass_below_a_floor_between_two_legs(player: UUID) -> None:
    """Spends before it gets: the end would be above the floor, the way there is not."""
    now = in_transaction(lambda tx: tx.now)
    table = uuid4()
    spends = only(unsealed(table_stream(table), 1, *commands.seat_taken(player, 50)))
    gets = grant(player, 1)
    cash = {
        "amount": 60,
        "currency": "EUR",
        "method": "manual",
        "reference": "r",
        "approved_by": [1, 2],
    }
    gets = only(unsealed(wallet_stream(player), 1, "DepositRecorded", cash))
    with pytest.raises(Refused, match="insufficient_funds"):
        in_transaction(lambda _: post_batch([spends, gets], now))
    in_transaction(lambda _: post_batch([gets, spends], now))
    assert selectors.available(player, "EUR") == 10


def test_a_wallet_too_small_is_refused_with_what_it_holds(player: UUID) -> None:
    deposit(player, 100)
    table = uuid4()
    sit(table, player, 40)
    command(table_stream(table), commands.cashed_out(player, 25))
    with pytest.raises(Refused) as caught:
        sit(uuid4(), player, 61)
    assert caught.value.refusal.code == "insufficient_funds"
    assert caught.value.refusal.facts == {
        "available_minor": 60,
        "pending_minor": 25,
        "currency": "EUR",
    }
    settle(table_stream(table))
    assert selectors.pending(player, "EUR") == 0
    sit(uuid4(), player, 61)


def test_a_refusal_leaves_the_transaction_usable(player: UUID) -> None:
    event = unsealed(table_stream(uuid4()), 1, *commands.seat_taken(player, 1))

    def work(tx: Transaction) -> int:
        with pytest.raises(Refused):
            post_inline([event], tx.now)
        return selectors.available(player, "EUR")

    assert in_transaction(work) == 0


def test_what_the_settler_posts_is_passed_over_inline(player: UUID) -> None:
    table = uuid4()
    event = unsealed(table_stream(table), 1, *commands.cashed_out(player, 25))
    assert post_inline([event], event.at) == []


def test_a_reversal_mirrors_its_entry_over_all_stripes(player: UUID) -> None:
    event = deposit(player, 700)[0]
    key = f"{event.stream}@1#0"
    fields = {
        "adjustment": str(uuid4()),
        "currency": "EUR",
        "reason_code": "wrong_player",
        "proposer": "s1",
        "approver": "s2",
        "reverses": key,
        "effective": None,
    }

    def reversal(version: int, amount: int, **changes: object) -> Stored:
        lines = [
            {"account": f"wallet:{player}:EUR", "amount": amount},
            {"account": "cash:manual:EUR", "amount": -amount},
        ]
        return unsealed(
            HOUSE_STREAM, version, "AdjustmentApproved", fields | {"lines": lines} | changes
        )

    assert refused_code(reversal(1, 699)) == "reversal_mismatch"
    assert refused_code(reversal(1, 700, reverses="wallet/nobody@1#0")) == "reversal_mismatch"
    # Sixteen keys use every stripe sooner or later; each is the mirror all the same.
    (done,) = post_inline([reversal(16, 700)], event.at)
    assert EntryRow.objects.get(id=done.entry_id).reverses_id is not None
    assert refused_code(reversal(17, 700)) == "already_reversed"
    assert selectors.available(player, "EUR") == 0
    assert selectors.house("cash", "EUR") == 0


def test_a_balance_has_a_limit(player: UUID) -> None:
    now = in_transaction(lambda tx: tx.now)
    many = BALANCE_MAX // 10**12
    post_batch([grant(player, version, amount=10**12) for version in range(1, many + 1)], now)
    with pytest.raises(Refused, match="balance_limit"):
        post(grant(player, many + 1), now)


def test_a_currency_that_is_not_installed_is_unknown(player: UUID) -> None:
    fields = {"seat": 1, "player": str(player), "buy_in": 5, "currency": "JPY"}
    assert refused_code(unsealed(table_stream(uuid4()), 1, "SeatTaken", fields)) == (
        "unknown_currency"
    )


@pytest.mark.parametrize("player_id", ["nobody", "", "0199C2B2-6C1F-7001-8000-00000000000A"])
def test_an_account_without_a_real_id_is_unknown(player_id: str) -> None:
    fields = {"seat": 1, "player": player_id, "buy_in": 5, "currency": "EUR"}
    assert refused_code(unsealed(table_stream(uuid4()), 1, "SeatTaken", fields)) == (
        "unknown_account"
    )


def test_a_house_account_is_never_opened_by_an_event(player: UUID) -> None:
    fields = {
        "amount": 5,
        "currency": "EUR",
        "method": "pigeon",
        "reference": "r",
        "approved_by": [],
    }
    event = unsealed(wallet_stream(player), 1, "DepositRecorded", fields)
    assert refused_code(event) == "unknown_account"
    # Cash is never granted: EUR has no account of issue.
    granted = {"amount": 5, "currency": "EUR", "reason_code": "gift"}
    event = unsealed(wallet_stream(player), 1, "ChipsGranted", granted)
    assert refused_code(event) == "unknown_account"


def test_remembered_accounts_that_are_gone_are_forgotten(player: UUID) -> None:
    """As after a restore under a running process: the whole transaction runs again."""
    LIVE.ids[f"wallet:{player}:XTK"] = 999_999
    tries = []

    def work(tx: Transaction) -> Posted:
        tries.append(tx)
        return post(grant(player, 1), tx.now)

    assert in_transaction(work).fresh
    assert len(tries) == 2


def test_a_wallet_opens_in_every_currency_once(player: UUID) -> None:
    open_wallet(player)
    open_wallet(player)
    assert [(item.currency, item.total) for item in selectors.balances(player)] == [
        ("EUR", 0),
        ("XTK", 0),
    ]


def test_a_frozen_wallet_is_frozen_in_every_currency(player: UUID) -> None:
    people = {"reason_code": "review", "proposer": "s1", "approver": "s2"}
    command(wallet_stream(player), ("WalletFrozen", people))
    deposit(player, 100)
    deposit(player, 100, "XTK")
    with pytest.raises(Refused, match="account_frozen"):
        sit(uuid4(), player, 10)
    command(wallet_stream(player), ("WalletReleased", people))
    sit(uuid4(), player, 10)


def test_a_warm_posting_is_one_statement_and_its_savepoint(player: UUID) -> None:
    deposit(player, 100, "XTK")
    now = in_transaction(lambda tx: tx.now)
    LIVE.ids.update(LIVE.rows("SELECT code, id FROM ledger.account"))
    try:
        with CaptureQueriesContext(connection) as queries:
            post_inline(
                [
                    unsealed(
                        wallet_stream(player), 9, "ChipsGranted", {"amount": 1, "currency": "XTK"}
                    )
                ],
                now,
            )
        assert len(queries) == 3
    finally:
        LIVE.ids.clear()


def test_prizes_are_one_statement(player: UUID) -> None:
    tournament = uuid4()
    deposit(player, 10_000)
    commands.entered(tournament, player, 10_000)
    winners = [uuid4() for _ in range(200)]
    for winner in winners:
        open_wallet(winner)
    command(tournament_stream(tournament), commands.prizes(*((one, 50) for one in winners)))
    with CaptureQueriesContext(connection) as queries:
        settle(tournament_stream(tournament))
    assert len(queries) <= 12
    assert selectors.escrow(tournament) == {"tournament": 0, "fees": 0, "bounty": 0}


def test_what_is_remembered_of_accounts_has_a_limit(
    player: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(books, "CACHED_ACCOUNTS_MAX", 1)
    LIVE.ids.clear()  # of what other tests have asked for
    for code in ("rake:EUR:00", "rake:EUR:01", "rake:EUR:02"):
        books.ids_of(LIVE, [code])
        assert list(LIVE.ids) == [code]


def test_a_fault_that_is_no_refusal_stays_a_fault(player: UUID) -> None:
    with pytest.raises(IntegrityError, match="entry_part_check"):
        in_transaction(lambda tx: post(replace(grant(player, 1), part=-1), tx.now))
