"""The books as an auditor reads them over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from eventstore.core.ids import player_stream, table_stream, tournament_stream, wallet_stream
from eventstore.core.record import time_text
from eventstore.services import in_transaction
from ledger import selectors
from ledger.core.kinds import Kind
from ledger.models import AuditAccess
from ledger.selectors import Filter, Span
from ledger.services import settle_due
from ledger.store.closing import Cut, balances_at, balances_of
from tests.api.callers import Caller, caller, refused
from tests.integration.ledger.commands import (
    cashed_out,
    command,
    deposit,
    entered,
    hand_ended,
    prizes,
    sit,
)
from tests.sealing import seal_log

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def auditor(committed: None) -> Caller:
    return caller("auste", "auditor")


@pytest.fixture
def ona(committed: None) -> Caller:
    return caller("ona")


def now() -> str:
    return time_text(in_transaction(lambda tx: tx.now))


def reversal(player: UUID, key: str, amount: int) -> None:
    fields = {
        "adjustment": str(uuid4()),
        "lines": [
            {"account": f"wallet:{player}:EUR", "amount": amount},
            {"account": "cash:manual:EUR", "amount": -amount},
        ],
        "currency": "EUR",
        "reason_code": "wrong_player",
        "proposer": str(uuid4()),
        "approver": str(uuid4()),
        "reverses": key,
        "effective": None,
    }
    command(wallet_stream(UUID(int=0)), ("AdjustmentApproved", fields))


@contextmanager
def statements(at_most: int) -> Iterator[None]:
    with CaptureQueriesContext(connection) as found:
        yield
    assert len(found) <= at_most, [query["sql"][:100] for query in found]


def pages(who: Caller, path: str) -> list[Any]:
    """All items of a list, two at a time."""
    items, cursor, join = [], "", "&" if "?" in path else "?"
    while True:
        document = who.get(f"{path}{join}limit=2{cursor}").document
        assert len(document["items"]) <= 2
        items += document["items"]
        if "next" not in document:
            return items
        cursor = f"&cursor={document['next']}"


# --- entries --------------------------------------------------------------------------------------


def test_an_entry_in_full(auditor: Caller, ona: Caller) -> None:
    (event,) = deposit(ona.who.id, 700)
    first = selectors.entries(Filter(stream=event.stream, manual=False), limit=1)[0]
    reversal(ona.who.id, first.key, 700)
    seal_log()
    document = auditor.get(f"/ledger/entries/{first.id}").document
    back = selectors.entries(Filter(manual=True), limit=1)[0]
    assert document == {
        "entry_id": first.id,
        "key": f"{event.stream}@{event.version}#0",
        "kind": "deposit",
        "currency": "EUR",
        "recorded_at": time_text(first.recorded_at),
        "effective_at": time_text(event.at),
        "hash": first.hash,
        "source": {
            "stream": event.stream,
            "version": event.version,
            "hash": event.hash.hex(),
            "type": "DepositRecorded",
            "log_index": selectors.entry(first.id).source.log_index,
        },
        "postings": [
            {"line": 1, "account": "cash:manual:EUR", "amount": 700},
            {"line": 2, "account": f"wallet:{ona.who.id}:EUR", "amount": -700},
        ],
        "reversed_by": {"entry_id": back.id, "key": back.key},
    }
    other = auditor.get(f"/ledger/entries/{back.id}").document
    assert other["reverses"] == {"entry_id": first.id, "key": first.key}
    refused(auditor.get("/ledger/entries/99999999999999999999"), 404, "not_found")


def test_a_party_sees_its_own_legs_and_the_kinds_of_the_others(ona: Caller) -> None:
    petras, table = caller("petras"), uuid4()
    for one in (ona, petras):
        deposit(one.who.id, 1_000)
        sit(table, one.who.id, 500)
    nets = {ona.who.id: 100, petras.who.id: -100}
    command(table_stream(table), hand_ended(nets, {ona.who.id: 5}))
    settle_due()
    hand = selectors.entries(Filter(stream=table_stream(table)), limit=1)[0]
    seats = {who: f"seat:{table}:{who.who.id}:EUR" for who in (ona, petras)}
    for who, seat in seats.items():
        document = who.get(f"/ledger/entries/{hand.id}").document
        assert {posting["account"] for posting in document["postings"]} == {
            seat,
            "seat",
            "rake",
        }
        assert "log_index" not in document["source"]
    refused(caller("zigmas").get(f"/ledger/entries/{hand.id}"), 404, "not_found")
    assert not AuditAccess.objects.exists()


def test_a_look_of_the_staff_is_on_the_list_of_each_party(auditor: Caller, ona: Caller) -> None:
    deposit(ona.who.id, 700)
    number = selectors.entries(Filter(), limit=1)[0].id
    answer = auditor.get(f"/ledger/entries/{number}")
    (look,) = auditor.get(f"/admin/access-log?subject={ona.who.id}").document["items"]
    assert look == {
        "access_id": look["access_id"],
        "actor": f"staff:{auditor.who.id}",
        "at": look["at"],
        "what": "ledger.entry",
        "parameters": {"entry_id": number},
        "rows": 1,
        "subject": str(ona.who.id),
        "sha256": sha256(answer.content).hexdigest(),
    }


def test_a_list_of_what_one_player_did_is_a_look_at_him(auditor: Caller, ona: Caller) -> None:
    player = ona.who.id
    deposit(player, 700)
    account, stream = f"account=wallet:{player}:EUR", f"stream=wallet/{player}"
    for query in ("", "?account=cash:manual:EUR", f"?stream={wallet_stream(UUID(int=0))}",
                  "?stream=wallet/x"):  # fmt: skip
        assert auditor.get(f"/ledger/entries{query}").status == 200
    assert not AuditAccess.objects.exists()
    for query, rows in ((account, 1), (stream, 2), (f"{account}&{stream}&limit=1", 1)):
        answer = auditor.get(f"/ledger/entries?{query}")
        look = AuditAccess.objects.latest("id")
        assert (look.what, look.subject, look.row_count) == ("ledger.entries", player, rows)
        assert look.parameters == dict(pair.split("=") for pair in query.split("&"))
        assert look.sha256 == sha256(answer.content).hexdigest()
    assert AuditAccess.objects.count() == 3


def test_filters_of_entries(auditor: Caller, ona: Caller) -> None:
    player, table = ona.who.id, uuid4()
    deposit(player, 1_000)
    between = now()
    sit(table, player, 300)
    deposit(player, 7)
    seven = selectors.entries(Filter(), limit=1)[0]
    reversal(player, seven.key, 7)

    def kinds(query: str) -> list[str]:
        return [item["kind"] for item in pages(auditor, f"/ledger/entries{query}")]

    everything = kinds("")
    assert everything[:4] == ["reversal", "deposit", "buy_in", "deposit"]
    assert set(everything[4:]) == {"grant"}
    assert kinds("?kind=deposit") == ["deposit", "deposit"]
    assert kinds(f"?stream=table/{table}") == ["buy_in"]
    assert kinds(f"?account=wallet:{player}:EUR") == ["reversal", "deposit", "buy_in", "deposit"]
    assert kinds("?account=cash:manual:EUR") == ["reversal", "deposit", "deposit"]
    assert kinds(f"?from={between}") == ["reversal", "deposit", "buy_in"]
    assert kinds(f"?to={between}&kind=deposit") == ["deposit"]
    assert kinds("?manual=true") == ["reversal"]
    assert "reversal" not in kinds("?manual=false")
    assert kinds("?reversed=true") == ["deposit"]
    assert kinds("?reversed=false&kind=deposit") == ["deposit"]
    for query, status, code in (
        ("?kind=theft", 400, "invalid_field"),
        ("?account=nonsense", 404, "unknown_account"),
        ("?cursor=MDE", 400, "bad_cursor"),
        ("?player=x", 400, "unknown_field"),
    ):
        refused(auditor.get(f"/ledger/entries{query}"), status, code)


# --- accounts -------------------------------------------------------------------------------------


def test_the_chart_of_accounts(auditor: Caller, ona: Caller) -> None:
    deposit(ona.who.id, 1_000)
    found = pages(auditor, "/ledger/accounts")
    codes = [item["account"] for item in found]
    assert len(codes) == len(set(codes))
    chart = {item["account"]: item for item in found}
    assert chart["cash:manual:EUR"] == {
        "account": "cash:manual:EUR",
        "role": "cash",
        "class": "A",
        "currency": "EUR",
        "state": "open",
        "balance": 1_000,
    }
    assert chart[f"wallet:{ona.who.id}:EUR"]["balance"] == 1_000
    assert chart["issue:XTK"]["balance"] == -10_000
    wallets = pages(auditor, "/ledger/accounts?kind=wallet&currency=XTK&state=open")
    assert [item["account"] for item in wallets] == [f"wallet:{ona.who.id}:XTK"]
    assert pages(auditor, "/ledger/accounts?state=closed") == []
    refused(auditor.get("/ledger/accounts?kind=purse"), 400, "invalid_field")
    refused(auditor.get("/ledger/accounts?state=gone"), 400, "invalid_field")


def test_the_lines_of_a_wallet(auditor: Caller, ona: Caller) -> None:
    player = ona.who.id
    deposit(player, 1_000)
    between = now()
    table = uuid4()
    sit(table, player, 300)
    deposit(player, 5)
    code = f"wallet:{player}:EUR"
    document = auditor.get(f"/ledger/accounts/{code}").document
    assert (document["opening"], document["closing"], document["class"]) == (0, 705, "L")
    assert [(line["amount"], line["balance"]) for line in document["items"]] == [
        (-1_000, 1_000),
        (300, 700),
        (-5, 705),
    ]
    assert document["items"][1]["counter_accounts"] == [f"seat:{table}:{player}:EUR"]
    assert pages(auditor, f"/ledger/accounts/{code}") == document["items"]
    later = auditor.get(f"/ledger/accounts/{code}?from={between}").document
    assert (later["opening"], later["closing"], len(later["items"])) == (1_000, 705, 2)
    before = auditor.get(f"/ledger/accounts/{code}?to={between}").document
    assert (before["opening"], before["closing"], len(before["items"])) == (0, 1_000, 1)
    look = AuditAccess.objects.latest("id")
    assert (look.what, look.subject, look.row_count) == ("ledger.account", player, 1)
    assert look.parameters == {"code": code, "to": between}


def test_the_rows_of_a_house_account_are_read_as_one(auditor: Caller, ona: Caller) -> None:
    for amount in range(1, 30):
        deposit(ona.who.id, amount)
    found = pages(auditor, "/ledger/accounts/cash:manual:EUR")
    assert [line["amount"] for line in found] == list(range(1, 30))
    assert [line["balance"] for line in found] == [n * (n + 1) // 2 for n in range(1, 30)]
    assert not AuditAccess.objects.exists()
    for path, status, code in (
        ("cash:nowhere:EUR", 404, "unknown_account"),
        ("cash", 404, "unknown_account"),
        ("cash:manual:EUR:00", 404, "unknown_account"),
        ("cash:manual:EUR?cursor=WzFd", 400, "bad_cursor"),
        ("cash:manual:EUR?cursor=e30", 400, "bad_cursor"),
    ):
        refused(auditor.get(f"/ledger/accounts/{path}"), status, code)


# --- the trial balance ----------------------------------------------------------------------------


def test_the_trial_balance_in_three_senses(auditor: Caller, ona: Caller) -> None:
    player = ona.who.id
    deposit(player, 1_000)
    seal_log()
    size, between = auditor.get("/ledger/trial-balance").document["size"], now()
    deposit(player, 200)
    gift = {
        "adjustment": str(uuid4()),
        "lines": [
            {"account": "promotion:EUR", "amount": 30},
            {"account": f"wallet:{player}:EUR", "amount": -30},
        ],
        "currency": "EUR",
        "reason_code": "goodwill",
        "proposer": str(uuid4()),
        "approver": str(uuid4()),
        "reverses": None,
        "effective": "2026-11-01",
    }
    command(wallet_stream(player), ("AdjustmentApproved", gift))
    seal_log()

    def wallet(query: str) -> int:
        document = auditor.get(f"/ledger/trial-balance?currency=EUR{query}").document
        found = {line["account"]: line for line in document["accounts"]}
        assert sum(line["balance"] for line in document["accounts"]) == 0
        (total,) = document["sums"]
        assert (total["balance"], total["debit"]) == (0, total["credit"])
        return int(found[f"wallet:{player}:EUR"]["credit"])

    assert wallet("") == 1_230
    assert wallet(f"&as_of_log_index={size}") == 1_000
    assert wallet(f"&recorded_at={between}") == 1_000
    assert wallet(f"&effective_at={between}") == 1_030
    assert wallet(f"&recorded_at={between}&effective_at={between}") == 1_000
    document = auditor.get("/ledger/trial-balance").document
    assert document["checkpoint"]["size"] == document["size"] > size
    assert document["digest"] == selectors.digest_at(document["size"]) == selectors.digest()
    assert document["classes"][0] == {
        "class": "A",
        "currency": "EUR",
        "debit": 1_200,
        "credit": 0,
        "balance": 1_200,
    }
    for query, status, code in (
        ("?currency=JPY", 400, "unknown_currency"),
        ("?as_of_log_index=99999", 400, "bad_proof_range"),
        (f"?as_of_log_index=1&recorded_at={between}", 400, "invalid_field"),
        ("?as_of=x", 400, "unknown_field"),
    ):
        refused(auditor.get(f"/ledger/trial-balance{query}"), status, code)


def test_balances_at_every_size_are_the_sums_of_their_entries(
    committed: None, played: tuple[UUID, UUID]
) -> None:
    settle_due()
    seal_log()
    last = selectors.settled_size()
    expected: list[Any] = []
    for size in range(last + 1):
        with connection.cursor() as cursor:
            cursor.execute(
                """SELECT p.account_id, sum(p.amount * b.sign)::bigint, count(*)
                FROM ledger.entry n JOIN eventstore_event e USING (stream, version)
                JOIN eventstore_log_leaf l USING (position)
                JOIN ledger.posting p ON p.entry_id = n.id
                JOIN ledger.account_balance b USING (account_id)
                WHERE l.log_index < %s GROUP BY 1 ORDER BY 1""",
                [size],
            )
            expected = cursor.fetchall()
        found = [(one.account_id, one.balance, one.version) for one in balances_at(size)]
        assert found == expected
    deposit(played[0], 3)  # has no place yet
    assert [(one.account_id, one.balance, one.version) for one in balances_at(last)] == expected
    assert sum(one.version for one in balances_of(Cut())) == sum(row[2] for row in expected) + 2


def test_a_digest_goes_on_where_it_stood(ona: Caller) -> None:
    deposit(ona.who.id, 5)
    seal_log()
    first = selectors.settled_size()
    before = selectors.digest_at(first)
    deposit(ona.who.id, 6)
    seal_log()
    second = selectors.settled_size()
    after = selectors.digest_at(second)
    assert selectors.digest_at(first) == before != after
    assert selectors.digest_at(second) == after == selectors.digest()


# --- payouts --------------------------------------------------------------------------------------


@pytest.fixture
def paid(committed: None, ona: Caller) -> tuple[UUID, UUID]:
    """A tournament that ona won, and a table that she left."""
    petras, tournament, table = caller("petras"), uuid4(), uuid4()
    for one in (ona, petras):
        deposit(one.who.id, 5_000)
        entered(tournament, one.who.id, 1_000, fee=100)
    sit(table, ona.who.id, 500)
    command(table_stream(table), cashed_out(ona.who.id, 500))
    given = prizes((ona.who.id, 1_200), (petras.who.id, 600), rake=200, fees=200)
    command(tournament_stream(tournament), given)
    settle_due()
    return tournament, table


def test_the_list_of_payouts(ona: Caller, paid: tuple[UUID, UUID]) -> None:
    tournament, table = paid
    stranger = Caller()
    found = pages(stranger, "/ledger/payouts")
    assert sorted((item["kind"], item["amount"]) for item in found) == [
        ("cash_out", 500),
        ("prize", 600),
        ("prize", 1_200),
    ]
    first = next(item for item in found if item["amount"] == 1_200)
    assert first == {
        "entry_id": first["entry_id"],
        "kind": "prize",
        "player_id": str(ona.who.id),
        "name": f"player-{ona.who.id.hex[-4:]}",
        "amount": 1_200,
        "currency": "EUR",
        "at": first["at"],
        "reversed": False,
        "tournament_id": str(tournament),
        "place": 1,
    }

    def amounts(query: str) -> list[int]:
        return sorted(item["amount"] for item in pages(stranger, f"/ledger/payouts?{query}"))

    assert amounts(f"tournament={tournament}") == [600, 1_200]
    assert amounts(f"table={table}") == [500]
    assert amounts(f"player={ona.who.id}") == [500, 1_200]
    assert amounts("amount_min=600&amount_max=600") == [600]
    assert amounts("currency=XTK") == []
    assert amounts(f"to={first['at']}") == [500]
    assert amounts(f"from={first['at']}") == [600, 1_200]
    assert amounts("reversed=true") == []
    assert amounts("reversed=false") == [500, 600, 1_200]
    refused(stranger.get("/ledger/payouts?cursor=WzFd"), 400, "bad_cursor")
    refused(stranger.get("/ledger/payouts?amount_min=-1"), 400, "invalid_field")


def test_names_of_payouts_are_those_of_players_who_agreed(
    ona: Caller, paid: tuple[UUID, UUID]
) -> None:
    def name() -> str:
        item = Caller().get(f"/ledger/payouts?player={ona.who.id}&limit=1").document["items"][0]
        shown = Caller().get(f"/ledger/payouts/{item['entry_id']}").document
        assert shown["name"] == item["name"]
        return str(item["name"])

    for consent, expected in (
        (True, "Ona"),
        (False, f"player-{ona.who.id.hex[-4:]}"),
    ):
        command(player_stream(ona.who.id), ("NameConsentSet", {"consent": consent}))
        assert name() == expected


def test_a_payout_in_full(ona: Caller, paid: tuple[UUID, UUID]) -> None:
    tournament, table = paid
    found = pages(Caller(), f"/ledger/payouts?player={ona.who.id}")
    prize, cash_out = (
        Caller().get(f"/ledger/payouts/{item['entry_id']}").document
        for item in sorted(found, key=lambda item: item["kind"], reverse=True)
    )
    assert prize["source"]["type"] == "PrizesComputed"
    assert prize["prizes"] == {
        "currency": "EUR",
        "entries": 2,
        "collected": 2_000,
        "rake": 200,
        "overlay": 0,
        "pool": 1_800,
        "fees": 200,
        "heads": 0,
        "bounties": 0,
        "refunds": 0,
        "heads_to_pool": 0,
        "prizes": [
            {"place": 1, "player_id": str(ona.who.id), "amount": 1_200},
            {"place": 2, "player_id": prize["prizes"]["prizes"][1]["player_id"], "amount": 600},
        ],
        "escrow": {"tournament": 0, "fees": 0, "bounty": 0},
        "final": True,
    }
    assert prize["links"]["event"] == f"/api/v1/tournaments/{tournament}"
    assert (cash_out["table_id"], cash_out["hands"]) == (str(table), [])
    assert "prizes" not in cash_out
    refused(Caller().get("/ledger/payouts/99999999999999999999"), 404, "not_found")
    buy_in = selectors.entries(Filter(stream=table_stream(table)), limit=2)[1]
    refused(Caller().get(f"/ledger/payouts/{buy_in.id}"), 404, "not_found")


# --- how many statements --------------------------------------------------------------------------


def test_lists_are_read_in_a_few_statements(auditor: Caller, ona: Caller) -> None:
    for amount in range(1, 40):
        deposit(ona.who.id, amount)
    with statements(2):
        assert len(selectors.entries(Filter(), limit=30)) == 30
    with statements(1):
        assert len(selectors.chart(role=None, currency=None, state=None, after=0, limit=12)) == 12
    with statements(3):
        assert len(selectors.account_lines("cash:manual:EUR", Span(limit=30)).lines) == 30
    with statements(2):
        selectors.trial_balance(Cut(size=3))
    for path, most in (
        ("/ledger/entries", 8),
        ("/ledger/accounts", 8),
        ("/ledger/payouts", 8),
        ("/admin/access-log", 8),
    ):
        with statements(most):
            assert auditor.get(f"{path}?limit=100").status == 200


# --- looks that are listed elsewhere --------------------------------------------------------------


def test_receipts_and_exports_of_the_log_are_listed_too(auditor: Caller, ona: Caller) -> None:
    player = ona.who.id
    deposit(player, 700)
    seal_log()
    number = selectors.entries(Filter(kind=Kind.DEPOSIT), limit=1)[0].id
    receipt = auditor.get(f"/ledger/entries/{number}/receipt")
    assert ona.get(f"/ledger/entries/{number}/receipt").status == 200
    assert auditor.get("/log/export?from_index=1").status == 200
    assert auditor.get(f"/log/streams/wallet/{player}?records=1").status == 200
    assert ona.get(f"/log/streams/wallet/{player}?records=1").status == 200
    found = [
        (item["what"], item.get("subject"), item["parameters"], item.get("sha256"))
        for item in pages(auditor, "/admin/access-log")
    ]
    assert found == [
        ("log.stream_head", str(player), {"stream": f"wallet/{player}"}, None),
        ("log.export", None, {"from_index": 1, "to_index": None}, None),
        (
            "ledger.receipt",
            str(player),
            {"entry_id": number},
            sha256(receipt.content).hexdigest(),
        ),
    ]
    actor = f"staff:{auditor.who.id}"
    assert len(pages(auditor, f"/admin/access-log?actor={actor}")) == 3
    assert pages(auditor, "/admin/access-log?actor=nobody") == []
    assert pages(auditor, f"/admin/access-log?from={now()}") == []
    assert len(pages(auditor, f"/admin/access-log?to={now()}")) == 3
