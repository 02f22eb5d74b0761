"""Manual entries: who may ask, who may decide, what is posted and what never is."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connections, transaction
from django.utils import timezone

from eventstore import store as log
from eventstore.core.ids import HOUSE, HOUSE_STREAM, wallet_stream
from eventstore.core.refusal import Refusal, Refused
from eventstore.ports import new_id
from ledger.core.adjustments import TYPES
from ledger.models import Adjustment, AdjustmentComment, Entry
from ledger.reconciliation.found import Scope
from ledger.reconciliation.manual import entries
from ledger.selectors import available, house
from ledger.services.adjustments import approve, comment, expire_due, propose, reject
from ledger.tasks import expire
from players.core.roles import ADMIN, AUDITOR, ORGANISER
from players.selectors import Person
from tests.integration.ledger.payments import code_of, funds, says_of_withdrawal
from tonk_site.proving.acting.factories import (
    a_player,
    a_tournament,
    a_wish,
    a_withdrawal,
    an_adjustment,
    freezes,
    pays_in,
    receipt,
)
from tournaments.services.entries import register as enter

pytestmark = pytest.mark.django_db
SCOPE = Scope(is_full=True, first_entry=1, first_index=0, size=0, now=timezone.now())


@pytest.fixture
def behind_the_back() -> None:
    """The test does something that no service does."""


@pytest.fixture(autouse=True)
def list_is_as_told(request: pytest.FixtureRequest, replay: None) -> Iterator[None]:
    """R9 finds nothing after a test that went through the services."""
    yield
    if "behind_the_back" not in request.fixturenames:
        assert list(entries(SCOPE).findings) == []


@pytest.fixture
def jonas() -> Person:
    return a_player("jonas", ORGANISER)


def row(adjustment: UUID) -> Adjustment:
    return Adjustment.objects.get(id=adjustment)


def entry_of(adjustment: UUID) -> Entry:
    found = row(adjustment).entry
    assert found is not None
    return found


def wallet(who: Person) -> str:
    return f"wallet:{who.id}:EUR"


def told(stream: str) -> list[str]:
    return [event.type for event in log.events_after(stream, 0, types=TYPES)]


# --- proposed, approved, rejected -----------------------------------------------------------------


def test_two_people_give_something_away(ona: Person, algis: Person, daiva: Person) -> None:
    adjustment = an_adjustment(algis, ona.id)
    kept = row(adjustment)
    assert (kept.state, kept.amount, kept.player, kept.proposer) == (
        "proposed",
        250,
        ona.id,
        algis.id,
    )
    assert available(ona.id, "EUR") == 0
    done = approve(adjustment, daiva, "so it was", receipt())
    kept = row(adjustment)
    assert (kept.state, kept.decided_by, kept.note) == ("approved", daiva.id, "so it was")
    assert done.result == {"adjustment_id": str(adjustment), "entry_id": kept.entry_id}
    assert (available(ona.id, "EUR"), house("promotion", "EUR")) == (250, 250)
    proposed, approved = log.events_after(wallet_stream(ona.id), 1)
    assert (proposed.facts["actor"], approved.facts["actor"]) == (
        f"staff:{algis.id}",
        f"staff:{daiva.id}",
    )
    assert approved.payload == proposed.payload | {"approver": str(daiva.id)}
    assert entry_of(adjustment).kind == 40


def test_a_rejected_one_moves_nothing(ona: Person, algis: Person, daiva: Person) -> None:
    adjustment = an_adjustment(algis, ona.id)
    reject(adjustment, daiva, "no", receipt())
    assert (row(adjustment).state, row(adjustment).decided_by) == ("rejected", daiva.id)
    assert told(wallet_stream(ona.id)) == ["AdjustmentProposed", "AdjustmentRejected"]
    assert available(ona.id, "EUR") == 0


def test_what_is_decided_is_decided(ona: Person, algis: Person, daiva: Person) -> None:
    first, second = an_adjustment(algis, ona.id), an_adjustment(algis, ona.id)
    approve(first, daiva, "", receipt())
    reject(second, daiva, "", receipt())
    for adjustment in (first, second):
        assert code_of(approve, adjustment, daiva, "", receipt()) == "already_decided"
        assert code_of(reject, adjustment, daiva, "", receipt()) == "already_decided"
    assert available(ona.id, "EUR") == 250


def test_without_a_player_it_lies_in_the_houses_stream(algis: Person, daiva: Person) -> None:
    charge = a_wish(
        {"payment_costs:EUR": 30, "cash:manual:EUR": -30}, reason_code="provider_charge"
    )
    adjustment = UUID(str(propose(charge, algis, receipt()).result["adjustment_id"]))
    assert (row(adjustment).stream, row(adjustment).player) == (HOUSE_STREAM, None)
    approve(adjustment, daiva, "", receipt())
    assert house("payment_costs", "EUR") == 30


def test_the_texts_stay_out_of_the_log(ona: Person, algis: Person, daiva: Person) -> None:
    adjustment = an_adjustment(algis, ona.id, text="a text of Algis")
    comment(adjustment, daiva, "a comment", receipt())
    approve(adjustment, daiva, "a note", receipt())
    said = "".join(event.data for event in log.events_after(wallet_stream(ona.id), 0))
    assert "text" not in said
    assert "note" not in said
    assert "comment" not in said


# --- one person twice -----------------------------------------------------------------------------


def test_nobody_decides_what_he_proposed(ona: Person, algis: Person, daiva: Person) -> None:
    adjustment = an_adjustment(algis, ona.id)
    assert code_of(approve, adjustment, algis, "", receipt()) == "four_eyes"
    assert code_of(reject, adjustment, algis, "", receipt()) == "four_eyes"
    assert row(adjustment).state == "proposed"


def test_nobody_has_a_hand_in_his_own_money(ona: Person, algis: Person, daiva: Person) -> None:
    """Whoever became an admin may have a wallet of old."""
    pays_in(ona)
    promoted = Person(ona.id, ona.name, ona.kind, None, frozenset({ADMIN}))
    assert code_of(an_adjustment, promoted, ona.id) == "four_eyes"
    adjustment = an_adjustment(algis, ona.id)
    assert code_of(approve, adjustment, promoted, "", receipt()) == "four_eyes"
    assert code_of(reject, adjustment, promoted, "", receipt()) == "four_eyes"
    back = a_reversal(algis, _deposited(ona))
    assert code_of(approve, back, promoted, "", receipt()) == "four_eyes"


def test_an_admin_is_needed(ona: Person, algis: Person, jonas: Person) -> None:
    adjustment = an_adjustment(algis, ona.id)
    for nobody in (ona, jonas, a_player("auste", AUDITOR)):
        assert code_of(approve, adjustment, nobody, "", receipt()) == "not_permitted"
        assert code_of(reject, adjustment, nobody, "", receipt()) == "not_permitted"
        assert code_of(an_adjustment, nobody, ona.id) == "not_permitted"


BY_HAND = [
    ("state = 'approved', decided_by = proposer", "adjustment_four_eyes"),
    ("state = 'rejected', decided_by = proposer", "adjustment_four_eyes"),
    ("state = 'approved', decided_by = player", "adjustment_four_eyes"),
    ("state = 'approved', decided_by = NULL", "adjustment_decider"),
    ("state = 'rejected', decided_by = NULL", "adjustment_decider"),
    ("state = 'expired', decided_by = '{other}'", "adjustment_decider"),
    ("state = 'rejected', decided_by = '{other}', entry_id = 1", "adjustment_posted"),
    ("state = 'approved', decided_by = '{other}', entry_id = NULL", "adjustment_posted"),
]


@pytest.mark.parametrize(("change", "constraint"), BY_HAND)
def test_the_database_wants_two_people(
    change: str, constraint: str, ona: Person, algis: Person
) -> None:
    an_adjustment(algis, ona.id)
    entry = (
        "" if "entry_id" in change else ", entry_id = CASE WHEN '{state}' = 'approved' THEN 1 END"
    )
    state = change.split("'")[1]
    sql = f"UPDATE ledger.adjustment SET decided_at = now(), {change}{entry}"
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        connections["default"].cursor().execute(sql.format(other=uuid4(), state=state))


def test_the_application_can_not_change_what_was_asked_for(ona: Person, algis: Person) -> None:
    an_adjustment(algis, ona.id)
    for column in ("proposer", "lines", "amount", "proposed_at", "reason_code"):
        sql = f"UPDATE ledger.adjustment SET {column} = {column}"
        with pytest.raises(Exception, match="permission denied"), transaction.atomic():
            connections["default"].cursor().execute(sql)


def test_what_is_decided_is_never_changed(ona: Person, algis: Person, daiva: Person) -> None:
    adjustment = an_adjustment(algis, ona.id)
    reject(adjustment, daiva, "", receipt())
    for changed in ({"state": "proposed", "decided_by": None, "decided_at": None}, {"note": "x"}):
        with pytest.raises(IntegrityError, match="for ever"), transaction.atomic():
            Adjustment.objects.filter(id=adjustment).update(**changed)


# --- the organiser --------------------------------------------------------------------------------


def test_an_organiser_asks_about_his_own_event(ona: Person, jonas: Person, algis: Person) -> None:
    tournament = a_tournament(jonas, entries_min=2, start=None)
    enter(tournament, ona, receipt())
    adjustment = an_adjustment(jonas, ona.id, tournament=tournament)
    assert row(adjustment).tournament == tournament
    assert log.events_after(wallet_stream(ona.id), 1)[-1].facts["actor"] == f"player:{jonas.id}"
    assert code_of(approve, adjustment, jonas, "", receipt()) == "not_permitted"
    approve(adjustment, algis, "", receipt())
    assert available(ona.id, "EUR") == 250


def test_an_organiser_asks_about_nothing_else(ona: Person, jonas: Person, algis: Person) -> None:
    other, petras = a_player("daiva", ORGANISER), a_player("petras")
    tournament, foreign = (a_tournament(one, entries_min=2, start=None) for one in (jonas, other))
    for event in (tournament, foreign):
        enter(event, ona, receipt())
    assert code_of(an_adjustment, jonas, ona.id) == "not_permitted"
    assert code_of(an_adjustment, jonas, ona.id, tournament=foreign) == "not_permitted"
    assert code_of(an_adjustment, jonas, petras.id, tournament=tournament) == "not_permitted"
    assert code_of(an_adjustment, jonas, jonas.id, tournament=tournament) == "not_permitted"
    assert code_of(an_adjustment, jonas, ona.id, tournament=new_id()) == "not_found"
    assert code_of(an_adjustment, algis, ona.id, tournament=new_id()) == "not_found"
    house_alone = a_wish({"promotion:EUR": 1, "adjustment:EUR": -1}, tournament=tournament)
    assert code_of(propose, house_alone, jonas, receipt()) == "not_permitted"


def test_an_organiser_may_ask_that_an_entry_of_his_event_is_taken_back(
    ona: Person, jonas: Person
) -> None:
    tournament = a_tournament(jonas, entries_min=2, start=None)
    enter(tournament, ona, receipt())
    entry = Entry.objects.get(stream=f"tournament/{tournament}")
    asked = a_reversal(jonas, entry, tournament=tournament, reason_code="duplicate")
    assert row(asked).reverses == f"{entry.stream}@{entry.version}#0"
    chips = Entry.objects.get(stream=wallet_stream(ona.id))
    assert code_of(a_reversal, jonas, chips, tournament=tournament) == "not_permitted"


# --- what may not be asked for --------------------------------------------------------------------

NOBODY = UUID("0199c2b2-6c1f-7cc6-b5e6-76fcb5034a73")
BAD: list[tuple[dict[str, int], dict[str, Any], str]] = [
    ({}, {}, "bad_entry"),
    ({"promotion:EUR": 0, "{ona}": 0}, {}, "bad_amount"),
    ({"promotion:EUR": 5, "{ona}": -5, "issue:EUR": 0}, {}, "bad_amount"),
    ({"promotion:EUR": 5, "{ona}": -4}, {}, "unbalanced"),
    ({"{ona}": 5}, {}, "unbalanced"),
    ({"promotion:EUR": 5, "wallet:{id}:XTK": -5}, {}, "currency_mismatch"),
    ({"promotion:XTK": 5, "wallet:{id}:XTK": -5}, {}, "currency_mismatch"),
    ({"nonsense:EUR": 5, "{ona}": -5}, {}, "unknown_account"),
    ({"promotion": 5, "{ona}": -5}, {}, "unknown_account"),
    ({"promotion:EUR:07": 5, "{ona}": -5}, {}, "unknown_account"),
    ({"issue:EUR": 5, "{ona}": -5}, {}, "unknown_account"),
    ({"cash:nobody:EUR": 5, "{ona}": -5}, {}, "unknown_account"),
    ({"promotion:EUR": 5, f"wallet:{NOBODY}:EUR": -5}, {}, "unknown_account"),
    ({"promotion:EUR": 5, f"receivable:{NOBODY}:EUR": -5}, {}, "unknown_account"),
    ({"rake:EUR": 5, "{ona}": -5}, {}, "not_adjustable"),
    ({f"tournament:{NOBODY}:EUR": 5, "{ona}": -5}, {}, "not_adjustable"),
    ({f"seat:{NOBODY}:{{id}}:EUR": 5, "{ona}": -5}, {}, "not_adjustable"),
    ({"withdrawal:{id}:EUR": 5, "{ona}": -5}, {}, "not_adjustable"),
    ({f"wallet:{NOBODY}:EUR": 5, "{ona}": -5}, {}, "not_adjustable"),
    ({f"receivable:{NOBODY}:EUR": 5, "{ona}": -5}, {}, "not_adjustable"),
    ({"promotion:EUR": 5, "{ona}": -5}, {"currency": "USD"}, "unknown_currency"),
    ({"promotion:EUR": 5, "{ona}": -5}, {"currency": "CHIPS"}, "unknown_currency"),
    ({"promotion:EUR": 5, "{ona}": -5}, {"reason_code": "because"}, "invalid_field"),
    ({"promotion:EUR": 5, "{ona}": -5}, {"reason_code": "duplicate"}, "invalid_field"),
    ({"promotion:EUR": 5, "{ona}": -5}, {"effective": date(9999, 1, 1)}, "invalid_field"),
    ({"promotion:EUR": 5, "{ona}": -5}, {"effective": date(1969, 12, 31)}, "invalid_field"),
]


@pytest.mark.parametrize(("lines", "more", "code"), BAD)
def test_what_nobody_may_ask_for(
    lines: dict[str, int], more: dict[str, Any], code: str, ona: Person, algis: Person
) -> None:
    named = {
        account.replace("{ona}", wallet(ona)).replace("{id}", str(ona.id)): amount
        for account, amount in lines.items()
    }
    assert code_of(propose, a_wish(named, **more), algis, receipt()) == code
    assert not Adjustment.objects.exists()
    assert told(wallet_stream(ona.id)) == []


def test_an_account_stands_once(ona: Person, algis: Person) -> None:
    wish = a_wish({"promotion:EUR": 5, wallet(ona): -5})
    twice = (*wish.lines, *wish.lines)
    wish = a_wish({}, reason_code="correction")
    object.__setattr__(wish, "lines", twice)
    assert code_of(propose, wish, algis, receipt()) == "bad_entry"


# --- when it is approved --------------------------------------------------------------------------


def test_what_the_wallet_no_longer_has(ona: Person, algis: Person, daiva: Person) -> None:
    pays_in(ona, 100)
    takes = a_wish({wallet(ona): 101, "adjustment:EUR": -101}, reason_code="correction")
    adjustment = UUID(str(propose(takes, algis, receipt()).result["adjustment_id"]))
    with pytest.raises(Refused) as refused:
        approve(adjustment, daiva, "", receipt())
    assert refused.value.refusal.code == "insufficient_funds"
    assert refused.value.refusal.facts["available_minor"] == 100
    assert (row(adjustment).state, available(ona.id, "EUR")) == ("proposed", 100)


def test_a_debt_is_not_collected_twice(ona: Person, algis: Person, daiva: Person) -> None:
    pays_in(ona, 300)
    owed = f"receivable:{ona.id}:EUR"
    steps = [
        ({owed: 200, "cash:manual:EUR": -200}, "deposit_returned", None),
        ({wallet(ona): 150, owed: -150}, "collect_debt", None),
        ({"bad_debt:EUR": 50, owed: -50}, "write_off", None),
        ({"bad_debt:EUR": 1, owed: -1}, "write_off", "floor_violated"),
    ]
    for lines, reason, code in steps:
        asked = propose(a_wish(lines, reason_code=reason), algis, receipt())
        adjustment = UUID(str(asked.result["adjustment_id"]))
        if code:
            assert code_of(approve, adjustment, daiva, "", receipt()) == code
        else:
            approve(adjustment, daiva, "", receipt())
    assert available(ona.id, "EUR") == 150


def test_a_frozen_wallet_takes_gifts_alone(ona: Person, algis: Person, daiva: Person) -> None:
    pays_in(ona, 100)
    freezes(ona.id, algis, daiva)
    takes = a_wish({wallet(ona): 10, "adjustment:EUR": -10}, reason_code="correction")
    adjustment = UUID(str(propose(takes, algis, receipt()).result["adjustment_id"]))
    assert code_of(approve, adjustment, daiva, "", receipt()) == "account_frozen"
    approve(an_adjustment(algis, ona.id), daiva, "", receipt())
    assert available(ona.id, "EUR") == 350


# --- reversals ------------------------------------------------------------------------------------


def _deposited(who: Person) -> Entry:
    return Entry.objects.filter(stream=wallet_stream(who.id), kind=30).latest("id")


def a_reversal(by: Person, entry: Entry, **more: Any) -> UUID:
    """The mirror of an entry, asked for."""
    given = {"reason_code": "wrong_player"} | more
    key = f"{entry.stream}@{entry.version}#{entry.part}"
    lines = {
        code[:-3] if code[-3] == ":" else code: -amount
        for code, amount in entry.postings.values_list("account__code", "amount")
    }
    wish = a_wish(lines, currency=entry.currency, reverses=key, **given)
    return UUID(str(propose(wish, by, receipt()).result["adjustment_id"]))


def test_a_deposit_of_somebody_else_is_taken_back(
    ona: Person, algis: Person, daiva: Person
) -> None:
    pays_in(ona, 700)
    entry = _deposited(ona)
    adjustment = a_reversal(algis, entry)
    assert row(adjustment).stream == HOUSE_STREAM
    twice = a_reversal(daiva, entry)
    approve(adjustment, daiva, "", receipt())
    made = entry_of(adjustment)
    assert (made.kind, made.reverses_id, available(ona.id, "EUR")) == (41, entry.id, 0)
    assert code_of(a_reversal, algis, entry) == "already_reversed"
    assert code_of(approve, twice, algis, "", receipt()) == "already_reversed"
    undone = a_reversal(algis, made, reason_code="wrong_reversal")
    approve(undone, daiva, "", receipt())
    assert available(ona.id, "EUR") == 700


def test_a_reversal_is_the_exact_mirror(ona: Person, algis: Person) -> None:
    pays_in(ona, 700)
    key = f"{wallet_stream(ona.id)}@{_deposited(ona).version}#0"
    cash = "cash:manual:EUR"
    cases = [
        ({wallet(ona): 699, cash: -699}, key, "reversal_mismatch"),
        ({wallet(ona): -700, cash: 700}, key, "reversal_mismatch"),
        ({wallet(ona): 700, "promotion:EUR": -700}, key, "reversal_mismatch"),
        ({wallet(ona): 700, cash: -700}, key.replace("#0", "#1"), "reversal_mismatch"),
        ({wallet(ona): 700, cash: -700}, f"wallet/{HOUSE}@9#0", "reversal_mismatch"),
        ({wallet(ona): 700, cash: -700}, "nonsense", "bad_entry"),
        ({wallet(ona): 700, cash: -700}, key.replace("@", "@0"), "bad_entry"),
        ({wallet(ona): 700, cash: -700}, key.replace("@", "@9999999999"), "bad_entry"),
        ({wallet(ona): 700, cash: -700}, f"{key}9999999999", "bad_entry"),
    ]
    for lines, reverses, code in cases:
        wish = a_wish(lines, reverses=reverses, reason_code="wrong_player")
        assert code_of(propose, wish, algis, receipt()) == code
    wish = a_wish({wallet(ona): 700, cash: -700}, reverses=key, reason_code="goodwill")
    assert code_of(propose, wish, algis, receipt()) == "invalid_field"


def test_a_reversal_overdraws_nobody(ona: Person, algis: Person, daiva: Person) -> None:
    pays_in(ona, 700)
    back = a_reversal(algis, _deposited(ona))
    spent = a_wish({wallet(ona): 1, "adjustment:EUR": -1}, reason_code="correction")
    taken = UUID(str(propose(spent, algis, receipt()).result["adjustment_id"]))
    approve(taken, daiva, "", receipt())
    assert code_of(approve, back, daiva, "", receipt()) == "insufficient_funds"


def test_what_a_withdrawal_holds_is_not_taken_back_beside_it(
    ona: Person, algis: Person, daiva: Person
) -> None:
    pays_in(ona, 5_000)
    order = a_withdrawal(ona, 2_000)
    requested, held = Entry.objects.latest("id"), f"withdrawal:{ona.id}:EUR"
    back = a_reversal(algis, requested, reason_code="wrong_amount")
    with pytest.raises(Refused) as refused:
        approve(back, daiva, "", receipt())
    assert refused.value.refusal == Refusal("floor_violated", facts={"account": held})
    for reference in (None, "bank-1"):  # let go, then said to be paid
        for admin in (algis, daiva):
            says_of_withdrawal(admin, order, reference)
    bounced = a_reversal(algis, Entry.objects.latest("id"), reason_code="wrong_player")
    for adjustment in (bounced, back):
        approve(adjustment, daiva, "", receipt())
    assert funds(ona) == (5_000, 0)


# --- time -----------------------------------------------------------------------------------------


def test_much_money_is_slept_over(ona: Person, algis: Person, daiva: Person) -> None:
    first = an_adjustment(algis, ona.id, 60_000)
    second = an_adjustment(algis, ona.id, 40_000)
    third = an_adjustment(algis, ona.id, 1)
    with pytest.raises(Refused) as refused:
        approve(third, daiva, "", receipt())
    assert refused.value.refusal.code == "cooling_off"
    until = row(third).proposed_at + timedelta(hours=24)
    assert refused.value.refusal.facts["until"] == f"{until:%Y-%m-%dT%H:%M:%S.%fZ}"
    approve(second, daiva, "", receipt())  # 1,000.00 and not above
    approve(first, daiva, "", receipt())
    assert code_of(approve, third, daiva, "", receipt()) == "cooling_off"


def test_what_was_rejected_or_is_of_others_does_not_count(
    ona: Person, algis: Person, daiva: Person
) -> None:
    reject(an_adjustment(algis, ona.id, 100_000), daiva, "", receipt())
    an_adjustment(daiva, ona.id, 100_000)
    chips = {"promotion:XTK": 100_000, f"wallet:{ona.id}:XTK": -100_000}
    propose(a_wish(chips, currency="XTK"), algis, receipt())
    approve(an_adjustment(algis, ona.id, 100_000), daiva, "", receipt())
    assert available(ona.id, "EUR") == 100_000


def test_what_has_cooled_off_takes_effect(
    ona: Person, algis: Person, daiva: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    adjustment = an_adjustment(algis, ona.id, 100_001)
    assert code_of(approve, adjustment, daiva, "", receipt()) == "cooling_off"
    monkeypatch.setattr("ledger.core.adjustments.COOLING", timedelta(0))
    approve(adjustment, daiva, "", receipt())
    assert available(ona.id, "EUR") == 100_001


def test_time_ends_what_nobody_decided(
    ona: Person, algis: Person, daiva: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    adjustment = an_adjustment(algis, ona.id)
    assert expire_due() == 0
    monkeypatch.setattr("players.core.proposals.LIFE", timedelta(0))
    assert code_of(approve, adjustment, daiva, "", receipt()) == "too_late"
    assert code_of(reject, adjustment, daiva, "", receipt()) == "too_late"
    expire()
    assert expire_due() == 0
    kept = row(adjustment)
    assert (kept.state, kept.decided_by) == ("expired", None)
    ended = log.events_after(wallet_stream(ona.id), 1)[-1]
    assert (ended.type, ended.facts["actor"]) == ("AdjustmentRejected", "worker:clock")
    assert (ended.payload["reason_code"], ended.payload["rejected_by"]) == ("expired", None)
    assert code_of(approve, adjustment, daiva, "", receipt()) == "already_decided"


def test_an_earlier_day_is_named(ona: Person, algis: Person, daiva: Person) -> None:
    day = timezone.now().date() - timedelta(days=40)
    adjustment = an_adjustment(algis, ona.id, effective=day)
    approve(adjustment, daiva, "", receipt())
    assert entry_of(adjustment).effective_at.date() == day


# --- comments -------------------------------------------------------------------------------------


def test_who_may_comment(ona: Person, algis: Person, jonas: Person) -> None:
    tournament = a_tournament(jonas, entries_min=2, start=None)
    enter(tournament, ona, receipt())
    adjustment = an_adjustment(jonas, ona.id, tournament=tournament)
    for author in (jonas, algis, a_player("auste", AUDITOR)):
        comment(adjustment, author, "seen", receipt())
    other = a_player("daiva", ORGANISER)
    assert code_of(comment, adjustment, other, "seen", receipt()) == "not_found"
    assert code_of(comment, adjustment, ona, "seen", receipt()) == "not_permitted"
    assert code_of(comment, new_id(), algis, "seen", receipt()) == "not_found"
    assert AdjustmentComment.objects.count() == 3


# --- what R9 finds --------------------------------------------------------------------------------


@pytest.mark.usefixtures("behind_the_back")
def test_a_list_that_says_otherwise_is_found(ona: Person, algis: Person) -> None:
    adjustment = an_adjustment(algis, ona.id)
    change = {"state": "rejected", "decided_by": uuid4(), "decided_at": timezone.now()}
    Adjustment.objects.filter(id=adjustment).update(**change)
    (one,) = entries(SCOPE).findings
    assert one["where"] == f"{wallet_stream(ona.id)} {adjustment}"
