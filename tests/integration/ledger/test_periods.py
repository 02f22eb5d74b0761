"""Closing a month: what it demands, what it keeps, what it refuses from then on."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connections
from django.utils import timezone

from eventstore import store as log
from eventstore.core.ids import HOUSE_STREAM, table_stream, wallet_stream
from eventstore.core.record import time_text
from eventstore.core.refusal import Refused
from eventstore.services import Transaction, in_transaction
from ledger.core.periods import Month, month_of
from ledger.models import Adjustment, Entry, Period, PeriodBalance
from ledger.rebuild import compare
from ledger.reconciliation import also_check, reconcile
from ledger.reconciliation.found import Found, Scope, finding
from ledger.reconciliation.running import _others
from ledger.replay import differences
from ledger.selectors.periods import next_month, size_at_end
from ledger.services import mark_due, post_inline, settle, settle_due
from ledger.services.adjustments import approve as approve_adjustment
from ledger.services.adjustments import reject as reject_adjustment
from ledger.services.periods import propose
from players.core.roles import ADMIN, AUDITOR
from players.models import Proposal
from players.selectors import Person
from players.services.proposals import approve
from tests.api.callers import caller, refused
from tests.databases import as_replica, connected, owner
from tests.integration.ledger.commands import Facts, command, hand_ended, sealed, seat_taken, sit
from tests.integration.ledger.payments import code_of
from tests.integration.ledger.test_payment_threads import at_once
from tests.sealing import seal_log
from tonk_site.proving.acting.factories import a_player, an_adjustment, pays_in, receipt

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture(autouse=True)
def books_are_right(committed: None, request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "tampered_closing" not in request.fixturenames:
        assert list(differences()) == []
        assert compare().difference is None


@pytest.fixture
def month() -> Month:
    """The last one that is over."""
    return month_of(timezone.now().date().replace(day=1) - timedelta(days=1))


@pytest.fixture
def player(month: Month) -> UUID:
    """Somebody with 7.00 since that month, with which the log begins."""
    found = uuid4()
    deposited(found, 700, month.end - timedelta(days=3))
    return found


@pytest.fixture
def algis(player: UUID) -> Person:
    return a_player("algis", ADMIN)


@pytest.fixture
def daiva(player: UUID) -> Person:
    return a_player("daiva", ADMIN)


def happened(stream: str, at: datetime, *facts: tuple[str, Facts]) -> None:
    """Facts of the past, as the log and the books would hold them."""

    def work(tx: Transaction) -> None:
        head = tx.load(stream).head
        events = sealed(stream, head, at, *facts)
        post_inline(events, at)
        log.append(events, head)

    in_transaction(work)


def deposited(player: UUID, amount: int, at: datetime) -> None:
    people = [str(uuid4()), str(uuid4())]
    said = {"amount": amount, "currency": "EUR", "method": "manual", "reference": uuid4().hex}
    happened(wallet_stream(player), at, ("DepositRecorded", said | {"approved_by": people}))


def ready() -> None:
    """Log and books have passed the month soundly."""
    settle_due()
    seal_log()
    assert reconcile(is_full=True).findings == 0


def proposed(month: Month, by: Person) -> UUID:
    return UUID(str(propose(str(month), "", by, receipt()).result["proposal_id"]))


def closes(month: Month, first: Person, second: Person) -> Period:
    """Two people close a month."""
    approve(proposed(month, first), second, "", receipt())
    return Period.objects.get(through=month.through)


def kept(period: Period) -> dict[str, int]:
    """What was kept, by account, stripes together, without empty ones."""
    found: dict[str, int] = {}
    for code, balance in PeriodBalance.objects.filter(period=period).values_list(
        "account__code", "balance"
    ):
        name = code[:-3] if code[-3] == ":" else code
        found[name] = found.get(name, 0) + balance
    return {name: balance for name, balance in found.items() if balance}


# --- closed by two people -------------------------------------------------------------------------


def test_two_people_close_a_month(month: Month, player: UUID, algis: Person, daiva: Person) -> None:
    pays_in(a_player("ona"), 300)  # after its end
    ready()
    period = closes(month, algis, daiva)
    assert (period.closed_by, period.approved_by) == (algis.id, daiva.id)
    assert period.size == size_at_end(month) == 1
    assert kept(period) == {"cash:manual:EUR": 700, f"wallet:{player}:EUR": 700}
    (closed,) = log.events_after(HOUSE_STREAM, 0, types=["PeriodClosed"])
    assert closed.payload == {
        "through": month.through.isoformat(),
        "size": 1,
        "proposer": str(algis.id),
        "approver": str(daiva.id),
    }
    assert closed.facts["actor"] == f"staff:{daiva.id}"
    assert next_month() == month.next
    seal_log()
    assert reconcile(is_full=True).findings == 0


def test_no_entry_is_made_in_a_closed_month(
    month: Month, player: UUID, algis: Person, daiva: Person
) -> None:
    ona = a_player("ona")
    early = an_adjustment(algis, ona.id, effective=month.through)
    in_time = an_adjustment(algis, ona.id, effective=month.through)
    approve_adjustment(in_time, daiva, "", receipt())
    ready()
    closes(month, algis, daiva)
    assert code_of(approve_adjustment, early, daiva, "", receipt()) == "period_closed"
    assert Adjustment.objects.get(id=early).state == "proposed"
    asked = partial(an_adjustment, algis, ona.id)
    assert code_of(asked, effective=month.through) == "period_closed"
    assert code_of(asked, effective=month.through - timedelta(days=70)) == "period_closed"
    open_day = an_adjustment(algis, ona.id, effective=month.end.date())
    approve_adjustment(open_day, daiva, "", receipt())
    assert Entry.objects.latest("id").effective_at == month.end


def test_closed_months_are_listed(month: Month) -> None:
    before = month_of(month.through.replace(day=1) - timedelta(days=1))
    for one, amount in ((before, 5), (month, 7)):
        deposited(uuid4(), amount, one.end - timedelta(days=1))
    algis, daiva = (a_player(name, ADMIN) for name in ("algis", "daiva"))
    ready()
    first, second = closes(before, algis, daiva), closes(month, daiva, algis)
    assert (first.size, second.size) == (1, 2)
    assert kept(second)["cash:manual:EUR"] - kept(first)["cash:manual:EUR"] == 7
    auste = caller("auste", "auditor")
    (earlier, later) = log.events_after(HOUSE_STREAM, 0, types=["PeriodClosed"])
    page = auste.get("/ledger/periods?limit=1").document
    assert page["items"] == [
        {
            "period": str(month),
            "through": month.through.isoformat(),
            "size": 2,
            "closed_by": str(daiva.id),
            "approved_by": str(algis.id),
            "closed_at": time_text(later.at),
        }
    ]
    (rest,) = auste.get(f"/ledger/periods?limit=1&cursor={page['next']}").document["items"]
    assert (rest["period"], rest["closed_at"]) == (str(before), time_text(earlier.at))
    refused(auste.get("/ledger/periods?cursor=xyz"), 400, "bad_cursor")


# --- what it demands ------------------------------------------------------------------------------


def test_months_are_closed_in_order_when_they_are_over(
    month: Month, algis: Person, daiva: Person
) -> None:
    ready()
    running = month.next
    assert code_of(propose, str(running), "", algis, receipt()) == "wrong_state"
    earlier = month_of(month.through.replace(day=1) - timedelta(days=1))
    assert code_of(propose, str(earlier), "", algis, receipt()) == "wrong_state"
    for text in ("2026-13", "nonsense", ""):
        assert code_of(propose, text, "", algis, receipt()) == "not_found"
    assert code_of(propose, str(month), "", a_player("auste", AUDITOR), receipt()) == (
        "not_permitted"
    )
    proposal = proposed(month, algis)
    assert code_of(propose, str(month), "", daiva, receipt()) == "already_decided"
    assert code_of(approve, proposal, algis, "", receipt()) == "four_eyes"
    approve(proposal, daiva, "", receipt())
    for again in (month, earlier):
        assert code_of(propose, str(again), "", algis, receipt()) == "period_closed"


def status_of(proposal: UUID, by: Person) -> object:
    """What the approval misses."""
    with pytest.raises(Refused) as refused:
        approve(proposal, by, "", receipt())
    assert Proposal.objects.get(id=proposal).state == "proposed"
    assert not Period.objects.exists()
    refusal = refused.value.refusal
    return refusal.facts["status"] if refusal.code == "wrong_state" else refusal.code


def test_log_and_books_must_have_passed_it(
    month: Month, player: UUID, algis: Person, daiva: Person
) -> None:
    proposal = proposed(month, algis)
    assert status_of(proposal, daiva) == "not_yet_sealed"  # nothing has its place
    seal_log()
    assert status_of(proposal, daiva) == "not_reconciled"
    reconcile(is_full=False)  # the first one is whole anyhow, but does not say so
    assert status_of(proposal, daiva) == "not_reconciled"
    reconcile(is_full=True)
    approve(proposal, daiva, "", receipt())


@pytest.fixture
def owed(player: UUID, month: Month) -> str:
    """A table with a hand of that month, which the settler has not posted."""
    table, seats = table_stream(uuid4()), [uuid4(), uuid4()]
    at = month.end - timedelta(days=1)
    for one in seats:
        deposited(one, 500, at)
        happened(table, at, seat_taken(one, 500))
    happened(table, at, hand_ended({seats[0]: 10, seats[1]: -10}))
    in_transaction(lambda _: mark_due(table, version=3, at=at))
    return table


def test_what_the_settler_owes_is_waited_for(
    month: Month, owed: str, algis: Person, daiva: Person
) -> None:
    proposal = proposed(month, algis)
    seal_log()
    reconcile(is_full=True)
    assert status_of(proposal, daiva) == "not_yet_sealed"
    settle(owed)
    assert status_of(proposal, daiva) == "not_reconciled"  # that hand was not looked at yet
    reconcile(is_full=True)
    approve(proposal, daiva, "", receipt())
    period = Period.objects.get()
    assert sum(held for name, held in kept(period).items() if name.startswith("seat:")) == 1_000


def test_what_is_owed_of_later_days_is_not(month: Month, algis: Person, daiva: Person) -> None:
    proposal = proposed(month, algis)
    table, players = uuid4(), [a_player(name) for name in ("ona", "petras")]
    for one in players:
        pays_in(one, 500)
        sit(table, one.id, 500)
    command(table_stream(table), hand_ended({players[0].id: 10, players[1].id: -10}))
    seal_log()
    reconcile(is_full=True)
    approve(proposal, daiva, "", receipt())
    settle_due()


def test_a_parked_stream_stops_it(month: Month, algis: Person, daiva: Person) -> None:
    proposal = proposed(month, algis)
    ready()
    sql = """INSERT INTO ledger.settlement_cursor (stream, parked_code, parked_at)
        VALUES (%s, 'unbalanced', now())"""
    with connections["default"].cursor() as cursor:
        cursor.execute(sql, [table_stream(uuid4())])
    assert status_of(proposal, daiva) == "parked"


def test_findings_stop_it(month: Month, algis: Person, daiva: Person) -> None:
    proposal = proposed(month, algis)
    ready()

    def wrong(_: Scope) -> Found:
        return Found(findings=[finding("somewhere", 1, 2)])

    also_check("R8", wrong)
    try:
        reconcile(is_full=False)
        assert status_of(proposal, daiva) == "not_reconciled"
    finally:
        _others["R8"].remove(wrong)
    reconcile(is_full=False)
    assert status_of(proposal, daiva) == "not_reconciled"  # a whole run must show that it is mended
    reconcile(is_full=True)
    approve(proposal, daiva, "", receipt())


# --- by SQL ---------------------------------------------------------------------------------------


@pytest.fixture
def closed(month: Month, algis: Person, daiva: Person) -> Period:
    ready()
    return closes(month, algis, daiva)


ENTRY = """INSERT INTO ledger.entry
    (kind, currency, stream, version, part, effective_at, recorded_at, posting_count, hash)
    VALUES (40, 'EUR', 'wallet/x', 7, 0, '{day}', now(), 2, sha256('x'))"""
CLOSE = "SELECT ledger.close_period('{day}'::date {days}, 1, '{one}', '{other}')"
KEEP = """SELECT ledger.keep_period(
    {period}, ARRAY[1]::bigint[], ARRAY[5]::bigint[], ARRAY[1]::bigint[])"""
REFUSED = {
    "an entry of a closed day": (ENTRY, "LG004"),
    "the same month by others": (CLOSE.replace("{days}", ""), "LG004"),
    "an earlier month": (CLOSE.replace("{days}", "- 40"), "LG004"),
    "by one person alone": (CLOSE.replace("{days}", "+ 30").replace("{other}", "{one}"), "23514"),
    "its balances once more": (KEEP, "LG004"),
}
KINDS = {"tonk_app", "tonk_owner", "replica"}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("who", sorted(KINDS))
def test_the_database_refuses(who: str, name: str, closed: Period) -> None:
    sql, state = REFUSED[name]
    sql = sql.format(day=closed.through.isoformat(), one=uuid4(), other=uuid4(), period=closed.id)
    context = as_replica() if who == "replica" else connected(who)
    with context as connection, pytest.raises(psycopg.Error) as refused:
        connection.execute(sql)
    forbidden = who == "tonk_app" and sql.startswith("INSERT")
    assert refused.value.sqlstate == ("42501" if forbidden else state)


def test_balances_that_do_not_sum_to_zero_are_not_kept(closed: Period) -> None:
    account = PeriodBalance.objects.filter(period=closed).earliest("account_id").account_id
    people = {"one": uuid4(), "other": uuid4()}
    close = CLOSE.replace("{days}", "+ 30").format(day=closed.through, **people)
    with connected("tonk_app") as connection:
        (period,) = connection.execute(close).fetchall()[0]
        keep = KEEP.format(period=period).replace("ARRAY[1]", f"ARRAY[{account}]", 1)
        with pytest.raises(psycopg.Error) as refused:
            connection.execute(keep)
    assert refused.value.diag.constraint_name == "period_balanced"


@pytest.fixture
def tampered_closing(closed: Period) -> Iterator[None]:
    """Somebody with the owner's rights writes into the closing."""
    with owner(connections["default"].settings_dict["NAME"]) as connection:
        connection.execute("ALTER TABLE ledger.period_balance DISABLE TRIGGER no_change")
        connection.execute(
            "UPDATE ledger.period_balance SET balance = balance + 1 WHERE balance > 0"
        )
        yield
        connection.execute("ALTER TABLE ledger.period_balance ENABLE ALWAYS TRIGGER no_change")


def test_a_changed_closing_is_found(tampered_closing: None) -> None:
    result = reconcile(is_full=True)
    assert {check.name: check.count for check in result.checks if check.count} == {"R1": 2}


@pytest.fixture
def tampered_period(tampered_closing: None) -> None:
    with owner(connections["default"].settings_dict["NAME"]) as connection:
        connection.execute("ALTER TABLE ledger.period DISABLE TRIGGER no_change")
        connection.execute("UPDATE ledger.period SET size = size + 1")
        connection.execute("ALTER TABLE ledger.period ENABLE ALWAYS TRIGGER no_change")


def test_a_changed_period_is_found(tampered_period: None, month: Month) -> None:
    difference = compare().difference
    assert difference is not None
    assert difference.name == f"period through {month.through}"
    assert [one.field for one in differences()] == [f"period {month.through}"]


# --- at once --------------------------------------------------------------------------------------


def test_of_parallel_approvals_one_closes(month: Month, algis: Person, daiva: Person) -> None:
    ready()
    proposal = proposed(month, algis)
    others = [daiva, *(a_player(f"admin{number}", ADMIN) for number in range(3))]
    works = [partial(approve, proposal, one, "", receipt()) for one in others]
    assert at_once(*works) == {"done": 1, "already_decided": 3}
    assert Period.objects.count() == 1


def test_an_entry_comes_before_the_closing_or_not_at_all(
    month: Month, player: UUID, algis: Person, daiva: Person
) -> None:
    ona = a_player("ona")
    asked = [an_adjustment(algis, ona.id, 1, effective=month.through) for _ in range(3)]
    ready()
    proposal = proposed(month, algis)
    works = [partial(approve_adjustment, one, daiva, "", receipt()) for one in asked]
    ends = at_once(*works, partial(approve, proposal, daiva, "", receipt()))
    assert set(ends) <= {"done", "period_closed"}
    (closed,) = log.events_after(HOUSE_STREAM, 0, types=["PeriodClosed"])
    done = Adjustment.objects.filter(state="approved").count()
    assert ends["done"] == 1 + done
    assert not Entry.objects.filter(kind=40, recorded_at__gt=closed.at + timedelta(seconds=5))


def test_of_parallel_decisions_one_counts(month: Month, algis: Person, daiva: Person) -> None:
    ona = a_player("ona")
    adjustment = an_adjustment(algis, ona.id)
    others = [daiva, *(a_player(f"admin{number}", ADMIN) for number in range(3))]
    decide = [approve_adjustment, approve_adjustment, reject_adjustment, reject_adjustment]
    works = [
        partial(act, adjustment, one, "", receipt())
        for act, one in zip(decide, others, strict=True)
    ]
    assert at_once(*works) == {"done": 1, "already_decided": 3}
    state = Adjustment.objects.get(id=adjustment).state
    assert Entry.objects.filter(kind=40).count() == (state == "approved")


def test_parallel_approvals_of_one_wallet_all_count(
    month: Month, algis: Person, daiva: Person
) -> None:
    ona = a_player("ona")
    asked = [an_adjustment(algis, ona.id) for _ in range(6)]
    works = [partial(approve_adjustment, one, daiva, "", receipt()) for one in asked]
    assert at_once(*works) == {"done": 6}
    assert Entry.objects.filter(kind=40).count() == 6
