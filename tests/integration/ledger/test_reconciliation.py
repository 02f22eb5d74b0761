"""The reconciliation: clean books pass, what is wrong is found by the check it is for."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from eventstore import store
from eventstore.core.chain import START
from eventstore.core.ids import player_stream, table_stream, tournament_stream
from eventstore.core.refusal import refuse
from ledger import lag
from ledger.cashier.base import Line
from ledger.cashier.sandbox import Sandbox
from ledger.models import PaymentOrder, ReconciliationRun
from ledger.reconciliation import RunResult, also_check, latest, outside, reconcile, tools
from ledger.reconciliation.found import Found, Scope, finding
from ledger.reconciliation.running import _others
from ledger.services import post_inline, settle_due
from tests.integration.ledger.commands import (
    Facts,
    cashed_out,
    command,
    deposit,
    hand_ended,
    sealed,
    sit,
)
from tests.integration.ledger.payments import let_go
from tests.integration.ledger.test_payment_rows import NOBODYS, keep
from tests.sealing import seal_log
from tonk_site.proving.acting.factories import a_player, a_withdrawal, pays_in

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def settled(played: tuple[UUID, UUID]) -> tuple[UUID, UUID]:
    settle_due()
    seal_log()
    return played


def found(result: RunResult) -> dict[str, int]:
    """Checks with findings, and how many; R11 depends on which programs are installed."""
    counts = {check.name: check.count for check in result.checks if check.name != "R11"}
    return {name: count for name, count in counts.items() if count}


def places(result: RunResult, name: str) -> list[object]:
    (check,) = (check for check in result.checks if check.name == name)
    return [one["where"] for one in check.findings]


def test_clean_books_have_no_findings(settled: object) -> None:
    result = reconcile(is_full=True)
    assert found(result) == {}
    figures = {check.name: dict(check.figures) for check in result.checks}
    assert figures["R2"] == {"entries": 13}
    assert figures["R4"] == {"events": 13, "entries": 13}
    assert figures["R5"] == {"ended": 2}
    assert figures["R7"] == {"tournaments": 1}
    assert latest() == result


def test_an_increment_looks_at_what_came_since(
    settled: tuple[UUID, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.reconciliation.running.SETTLING_SECONDS", 0)
    reconcile(is_full=True)
    deposit(settled[0], 100)
    seal_log()
    result = reconcile(is_full=False)
    assert found(result) == {}
    assert result.checks[1].figures == {"entries": 1}
    assert result.checks[3].figures == {"events": 1, "entries": 1}


def test_entries_that_may_not_all_be_visible_yet_are_looked_at_again(settled: object) -> None:
    reconcile(is_full=True)
    result = reconcile(is_full=False)
    assert result.checks[1].figures == {"entries": 13}
    assert result.checks[3].figures == {"events": 0, "entries": 0}


def test_what_was_not_settled_is_looked_at_by_the_next_run(settled: tuple[UUID, UUID]) -> None:
    first, second = settled
    table = uuid4()
    for player in settled:
        deposit(player, 100)
    command(
        f"wallet/{second}",
        ("WalletReleased", {"reason_code": "ok", "proposer": "s1", "approver": "s2"}),
    )
    for player in settled:
        sit(table, player, 100)
    command(table_stream(table), hand_ended({first: 10, second: -10}))
    seal_log()
    assert found(reconcile(is_full=True)) == {}
    settle_due()
    deposit(first, 5)
    seal_log()
    result = reconcile(is_full=False)
    assert found(result) == {}
    # The stream from its cursor on (two buy-ins and the hand), and the deposit.
    assert result.checks[3].figures["events"] == 4


def test_a_changed_balance(settled: tuple[UUID, UUID], tampered: psycopg.Connection) -> None:
    wallet = f"wallet:{settled[0]}:EUR"
    move = """UPDATE ledger.account_balance SET balance = balance + %s
        WHERE account_id = (SELECT id FROM ledger.account WHERE code = %s)"""
    tampered.execute(move, [1, wallet])
    tampered.commit()
    result = reconcile(is_full=True)
    assert found(result) == {"R1": 2, "R2": 1}
    assert places(result, "R1") == [wallet, wallet]
    assert places(result, "R2") == ["EUR"]
    tampered.execute(move, [-1, wallet])
    tampered.commit()


def test_two_balances_that_were_changed_against_each_other(
    settled: tuple[UUID, UUID], tampered: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No leg tells of it, and the sum is right: the next increment sees it all the same."""
    monkeypatch.setattr("ledger.reconciliation.running.SETTLING_SECONDS", 0)
    reconcile(is_full=True)
    wallets = sorted(f"wallet:{player}:EUR" for player in settled)
    move = """UPDATE ledger.account_balance SET balance = balance + %s
        WHERE account_id = (SELECT id FROM ledger.account WHERE code = %s)"""
    for amount, wallet in zip((7, -7), wallets, strict=True):
        tampered.execute(move, [amount, wallet])
    result = reconcile(is_full=False)
    assert result.checks[1].figures == {"entries": 0}
    assert found(result) == {"R1": 2}
    assert places(result, "R1") == wallets
    for amount, wallet in zip((-7, 7), wallets, strict=True):
        tampered.execute(move, [amount, wallet])


def test_what_was_found_is_an_alarm_until_a_full_run_is_clean(
    settled: tuple[UUID, UUID], tampered: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.reconciliation.running.SETTLING_SECONDS", 0)
    rename = "UPDATE ledger.entry SET version = %s WHERE version = %s AND stream = %s"
    wallet = f"wallet/{settled[0]}"
    assert lag.figures().reconcile_ok is None
    reconcile(is_full=False)
    assert lag.figures().reconcile_ok is True
    tampered.execute(rename, [99, 1, wallet])
    assert places(reconcile(is_full=True), "R4") == [f"{wallet}@1#0", f"{wallet}@99#0"]
    assert found(reconcile(is_full=False)) == {}  # it looks at what came since
    assert lag.figures().reconcile_ok is False
    tampered.execute(rename, [1, 99, wallet])
    reconcile(is_full=False)
    assert lag.figures().reconcile_ok is False
    reconcile(is_full=True)
    assert lag.figures().reconcile_ok is True


def test_a_changed_leg(settled: tuple[UUID, UUID], tampered: psycopg.Connection) -> None:
    change = """UPDATE ledger.posting SET amount = amount + %s WHERE (entry_id, account_id) = (
        SELECT min(entry_id), min(account_id) FROM ledger.posting p
        JOIN ledger.account a ON a.id = p.account_id WHERE a.code = %s)"""
    wallet = f"wallet:{settled[0]}:EUR"
    tampered.execute(change, [1, wallet])
    tampered.commit()
    result = reconcile(is_full=True)
    assert found(result) == {"R1": 2, "R2": 2}
    tampered.execute(change, [-1, wallet])
    tampered.commit()


def test_a_changed_hash_a_lost_entry_and_one_without_event(
    settled: tuple[UUID, UUID], tampered: psycopg.Connection
) -> None:
    rename = "UPDATE ledger.entry SET version = %s WHERE version = %s AND stream = %s"
    wallet = f"wallet/{settled[0]}"
    tampered.execute(rename, [99, 1, wallet])
    tampered.commit()
    result = reconcile(is_full=True)
    assert places(result, "R4") == [f"{wallet}@1#0", f"{wallet}@99#0"]
    assert [one["found"] is None for one in result.checks[3].findings] == [True, False]
    tampered.execute(rename, [1, 99, wallet])
    tampered.commit()


def test_an_entry_of_an_event_that_moves_no_money(settled: tuple[UUID, UUID]) -> None:
    """The application may post; an entry must come from an event that makes it."""
    player = settled[0]
    said: dict[str, tuple[str, Facts]] = {
        player_stream(player): ("NameConsentSet", {"consent": True}),
        tournament_stream(uuid4()): ("TournamentDrafted", {"name": "x"}),
    }
    for stream, fact in said.items():
        command(stream, fact)
        with connection.cursor() as cursor:
            cursor.execute(
                """SELECT ledger.post(21::smallint, 'EUR', %s, 1, 0, now(), now(), NULL,
                    sha256('x'), ARRAY(SELECT id FROM ledger.account
                        WHERE code IN (%s, 'promotion:EUR:00') ORDER BY id), ARRAY[-5, 5])""",
                [stream, f"wallet:{player}:EUR"],
            )
    seal_log()
    result = reconcile(is_full=True)
    assert found(result) == {"R4": 2}
    assert places(result, "R4") == [f"{stream}@1#0" for stream in said]


def test_an_event_that_the_settler_does_not_know_of(settled: tuple[UUID, UUID]) -> None:
    table, player = uuid4(), settled[0]
    deposit(player, 100)
    sit(table, player, 100)
    command(table_stream(table), cashed_out(player, 100))
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE ledger.settlement_due SET version = 1 WHERE stream = %s", [table_stream(table)]
        )
        cursor.execute(
            "UPDATE ledger.settlement_cursor SET version = 1 WHERE stream = %s",
            [table_stream(table)],
        )
    settle_due()
    seal_log()
    result = reconcile(is_full=False)
    assert found(result) == {"R4": 1}
    assert places(result, "R4") == [f"{table_stream(table)}@2"]


def test_an_escrow_that_is_open_after_the_end(
    settled: object, tampered: psycopg.Connection
) -> None:
    change = """UPDATE ledger.account_balance SET state = %s WHERE account_id IN (
        SELECT id FROM ledger.account WHERE role = 'bounty' OR role = 'fees')"""
    tampered.execute(change, ["open"])
    tampered.commit()
    result = reconcile(is_full=True)
    assert found(result) == {"R5": 1}  # fees: without bounties there is no such account
    tampered.execute(change, ["closed"])
    tampered.commit()


def test_a_balance_below_its_floor_in_the_past(
    settled: tuple[UUID, UUID], tampered: psycopg.Connection
) -> None:
    change = """UPDATE ledger.account_balance SET min_balance = %s
        WHERE account_id = (SELECT id FROM ledger.account WHERE code = %s)"""
    wallet = f"wallet:{settled[0]}:EUR"
    tampered.execute(change, [3_000, wallet])  # he once had 2900
    tampered.commit()
    result = reconcile(is_full=True)
    assert found(result) == {"R3": 2}  # by version, and in the order of the log
    tampered.execute(change, [0, wallet])
    tampered.commit()


def test_a_stream_that_is_behind_and_one_that_is_parked(settled: tuple[UUID, UUID]) -> None:
    table = uuid4()
    deposit(settled[0], 100)
    sit(table, settled[0], 100)
    command(table_stream(table), ("TableClosed", {"reason": "late"}))
    settle_due()
    stands = f"table/{table}@2"
    result = reconcile(is_full=False)
    assert places(result, "R10") == [stands]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE ledger.settlement_cursor SET parked_code = NULL, parked_at = NULL")
        cursor.execute(
            """UPDATE ledger.settlement_due SET event_at = event_at - interval '61 s'
            WHERE stream = %s""",
            [f"table/{table}"],
        )
    assert places(reconcile(is_full=False), "R10") == [f"table/{table}"]


def test_payments_that_wait_too_long(sandbox: Sandbox) -> None:
    ona, admins = a_player("ona"), [a_player(name, "admin") for name in ("algis", "daiva")]
    pays_in(ona)
    young, old = (a_withdrawal(ona, 1_000) for _ in range(2))
    for order in (young, old):
        let_go(order, *admins)
    now, orders = timezone.now(), PaymentOrder.objects
    for hours in (25, 23):
        keep(**NOBODYS, created_at=now - timedelta(hours=hours))
    orders.filter(id=old).update(updated_at=now - timedelta(hours=2))
    assert found(reconcile(is_full=False)) == {"R10": 1, "R12": 1}


def test_a_withdrawal_whose_money_is_not_there(tampered: psycopg.Connection) -> None:
    ona = a_player("ona")
    pays_in(ona)
    a_withdrawal(ona, 1_000)
    assert found(reconcile(is_full=True)) == {}
    move = """UPDATE ledger.account_balance SET balance = balance + %s WHERE account_id = (
        SELECT id FROM ledger.account WHERE role = 'withdrawal' AND currency = 'EUR')"""
    tampered.execute(move, [-1])
    tampered.commit()
    assert places(reconcile(is_full=True), "R12") == [f"withdrawal:{ona.id}:EUR"]
    tampered.execute(move, [1])
    tampered.commit()


def test_other_apps_add_their_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_others, "R8", [])

    def wrong(scope: Scope) -> Found:
        return Found({"tables": 1}, [finding("table/x", 5, 4)])

    also_check("R8", wrong)
    also_check("R8", wrong)
    result = reconcile(is_full=False)
    assert found(result) == {"R8": 1}


def test_the_command_tells_each_check_and_fails_on_a_finding(
    settled: tuple[UUID, UUID], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("ledger_reconcile", "--full")
    lines = capsys.readouterr().out.splitlines()
    assert "R2 ok (entries 13)" in lines
    assert lines[-1].startswith("full run at log size ")
    assert lines[-1].endswith(": 0 findings")
    table = uuid4()
    deposit(settled[0], 100)
    sit(table, settled[0], 100)
    command(table_stream(table), ("TableClosed", {"reason": "late"}))
    settle_due()
    with pytest.raises(SystemExit) as ended:
        call_command("ledger_reconcile")
    assert ended.value.code == 1
    told = capsys.readouterr().out.splitlines()
    assert f"  table/{table}@2: escrow_not_empty, expected settled" in told
    assert told[-1].endswith(": 1 findings")
    assert ReconciliationRun.objects.count() == 2


class Bank:
    """A provider that tells these payments of every day that it is asked for."""

    methods = ("manual",)

    def __init__(self, *lines: Line) -> None:
        self.lines = lines

    def statement(self, day: date) -> list[Line]:
        return [line for line in self.lines if line.happened_at.date() == day]


def yesterdays(player: UUID, amount: int) -> Line:
    """A deposit of yesterday, by the product's own function, as the provider tells it."""
    reference, yesterday = uuid4().hex, timezone.now() - timedelta(days=1)
    facts = {"amount": amount, "method": "manual", "reference": reference,
             "currency": "EUR", "approved_by": ["s1", "s2"]}  # fmt: skip
    made = sealed(f"wallet/{player}", START, yesterday, ("DepositRecorded", facts))
    with transaction.atomic():
        post_inline(made, yesterday)
        store.append(made, START)
    return Line(reference, yesterday, amount, "EUR")


def test_payments_are_those_that_the_provider_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [yesterdays(uuid4(), amount) for amount in (500, 600, 700)]
    other = replace(lines[1], amount=601)
    stranger = Line("of-nobody", lines[0].happened_at, 900, "EUR")
    bank = Bank(*lines)
    monkeypatch.setattr(outside, "providers", lambda: {"manual": bank})
    assert "R6" not in found(reconcile(is_full=False))
    bank.lines = (lines[0], other, stranger)
    result = reconcile(is_full=True)
    expected = sorted([lines[1].reference, lines[2].reference, "of-nobody"])
    assert places(result, "R6") == [f"manual {reference}" for reference in expected]


def test_a_payment_near_midnight_is_of_either_day(monkeypatch: pytest.MonkeyPatch) -> None:
    line = yesterdays(uuid4(), 500)
    bank = Bank(replace(line, happened_at=line.happened_at + timedelta(days=1)))
    monkeypatch.setattr(outside, "providers", lambda: {"manual": bank})
    assert "R6" not in found(reconcile(is_full=False))
    bank.lines = (replace(line, happened_at=line.happened_at - timedelta(days=2)),)
    assert places(reconcile(is_full=False), "R6") == [f"manual {line.reference}"]


def test_a_payment_that_went_twice_or_in_another_currency(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (yesterdays(uuid4(), amount) for amount in (500, 600))
    bank = Bank(first, replace(first, happened_at=first.happened_at - timedelta(hours=1)), second)
    monkeypatch.setattr(outside, "providers", lambda: {"manual": bank})
    (check,) = (one for one in reconcile(is_full=True).checks if one.name == "R6")
    assert list(check.findings) == [
        finding(f"manual {first.reference}", "500 EUR", "1000 EUR"),
    ]
    bank.lines = (first, replace(second, currency="XTK"))
    assert places(reconcile(is_full=True), "R6") == [f"manual {second.reference}"]


def test_a_payment_of_nobody_is_of_the_day_on_which_it_came(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was booked yesterday, when two people had named its player; the bank told of it before."""
    line, came = yesterdays(uuid4(), 500), timezone.now() - timedelta(days=5)
    said = {name: uuid4() for name in ("named_player", "first_approver", "second_approver")}
    keep(**said, state="recorded", paid=500, reference=line.reference, created_at=came)
    bank = Bank(replace(line, happened_at=came))
    monkeypatch.setattr(outside, "providers", lambda: {"manual": bank})
    for is_full in (False, True):
        assert "R6" not in found(reconcile(is_full=is_full))


def test_a_provider_that_tells_nothing_today(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(day: date) -> list[Line]:
        raise refuse("unavailable")

    bank = Bank()
    monkeypatch.setattr(bank, "statement", fails)
    monkeypatch.setattr(outside, "providers", lambda: {"manual": bank})
    assert places(reconcile(is_full=True), "R6") == ["manual"]


def test_an_export_that_comes_to_something_else(
    settled: tuple[UUID, UUID], tampered: psycopg.Connection
) -> None:
    wallet = f"wallet:{settled[0]}:EUR"
    move = """UPDATE ledger.account_balance SET balance = balance + %s
        WHERE account_id = (SELECT id FROM ledger.account WHERE code = %s)"""
    tampered.execute(move, [1, wallet])
    result = reconcile(is_full=True)
    tampered.execute(move, [-1, wallet])
    assert places(result, "R11") == [f"export {wallet}"]


def test_an_export_that_a_program_refuses(
    settled: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert places(reconcile(is_full=True), "R11") == []
    program = tmp_path / "judge"
    program.write_text("#!/bin/sh\necho 'Balance failed' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(tools, "COMMANDS", {"beancount": (str(program),)})
    result = reconcile(is_full=True)
    assert places(result, "R11") == ["export beancount"]
    monkeypatch.setattr(tools, "COMMANDS", {"beancount": ("no-such-program",)})
    skipped = {check.name: check.skipped for check in reconcile(is_full=True).checks}
    assert skipped["R11"] == "neither bean-check nor hledger is installed"
