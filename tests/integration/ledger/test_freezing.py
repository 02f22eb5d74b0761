"""Proposals of the staff, and the wallets that they freeze and release."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import IntegrityError, connections, transaction

from eventstore import store as log
from eventstore.core.ids import wallet_stream
from eventstore.core.refusal import Refused
from eventstore.ports import new_id
from eventstore.services import in_transaction
from ledger.services.freezing import FREEZE, RELEASE
from ledger.store.manual import wallet_states
from players.core.roles import ADMIN, AUDITOR
from players.models import Proposal
from players.selectors import Person
from players.services.proposals import approve, expire_proposals, reject
from players.tasks import expire
from tests.integration.ledger.payments import code_of
from tonk_site.proving.acting.factories import (
    a_freeze,
    a_player,
    a_withdrawal,
    freezes,
    pays_in,
    receipt,
)

pytestmark = pytest.mark.django_db


def row(proposal: UUID) -> Proposal:
    return Proposal.objects.get(id=proposal)


def test_two_people_freeze_a_wallet_and_release_it(
    ona: Person, algis: Person, daiva: Person
) -> None:
    pays_in(ona)
    proposal = a_freeze(ona.id, algis)
    assert wallet_states(ona.id) == {"open"}
    approve(proposal, daiva, "seen", receipt())
    kept = row(proposal)
    assert (kept.state, kept.decided_by_id, kept.note) == ("approved", daiva.id, "seen")
    assert wallet_states(ona.id) == {"frozen"}
    assert code_of(a_withdrawal, ona) == "account_frozen"
    pays_in(ona)
    freezes(ona.id, daiva, algis, RELEASE)
    assert wallet_states(ona.id) == {"open"}
    a_withdrawal(ona)
    frozen, released = log.events_after(
        wallet_stream(ona.id), 0, types=["WalletFrozen", "WalletReleased"]
    )
    assert frozen.payload == {
        "reason_code": "review",
        "proposer": str(algis.id),
        "approver": str(daiva.id),
    }
    assert (frozen.facts["actor"], released.payload["approver"]) == (
        f"staff:{daiva.id}",
        str(algis.id),
    )


def test_what_is_so_already_or_proposed_is_not_asked_for(
    ona: Person, algis: Person, daiva: Person
) -> None:
    assert code_of(a_freeze, ona.id, algis, RELEASE) == "already_decided"
    a_freeze(ona.id, algis)
    assert code_of(a_freeze, ona.id, daiva) == "already_decided"
    approve(Proposal.objects.get().id, daiva, "", receipt())
    assert code_of(a_freeze, ona.id, daiva) == "already_decided"
    a_freeze(ona.id, daiva, RELEASE)


def test_a_rejected_proposal_does_nothing_and_leaves_room(
    ona: Person, algis: Person, daiva: Person
) -> None:
    proposal = a_freeze(ona.id, algis)
    reject(proposal, daiva, "no cause", receipt())
    assert (row(proposal).state, wallet_states(ona.id)) == ("rejected", {"open"})
    for decide in (approve, reject):
        assert code_of(decide, proposal, daiva, "", receipt()) == "already_decided"
    a_freeze(ona.id, algis)


def test_one_person_is_not_two(ona: Person, algis: Person) -> None:
    proposal = a_freeze(ona.id, algis)
    promoted = Person(ona.id, ona.name, ona.kind, None, frozenset({ADMIN}))
    for decide in (approve, reject):
        for one in (algis, promoted):
            assert code_of(decide, proposal, one, "", receipt()) == "four_eyes"
    reject(proposal, a_player("daiva", ADMIN), "", receipt())
    assert code_of(a_freeze, ona.id, promoted) == "four_eyes"


def test_who_may_ask_and_decide(ona: Person, algis: Person) -> None:
    auste = a_player("auste", AUDITOR)
    for nobody in (ona, auste):
        assert code_of(a_freeze, a_player(f"p{nobody.name}").id, nobody) == "not_permitted"
    proposal = a_freeze(ona.id, algis)
    for decide in (approve, reject):
        assert code_of(decide, proposal, auste, "", receipt()) == "not_permitted"
        assert code_of(decide, new_id(), algis, "", receipt()) == "not_found"


def test_only_a_wallet_is_frozen(algis: Person, daiva: Person) -> None:
    assert code_of(a_freeze, new_id(), algis) == "not_found"
    assert code_of(a_freeze, daiva.id, algis) == "unknown_account"  # the staff has none


def test_time_ends_a_proposal(
    ona: Person, algis: Person, daiva: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = a_freeze(ona.id, algis)
    assert in_transaction(expire_proposals) == 0
    monkeypatch.setattr("players.core.proposals.LIFE", timedelta(0))
    assert code_of(approve, proposal, daiva, "", receipt()) == "too_late"
    expire()
    assert (row(proposal).state, row(proposal).decided_by) == ("expired", None)
    assert code_of(approve, proposal, daiva, "", receipt()) == "already_decided"


def test_what_the_act_refuses_leaves_the_proposal_open(
    ona: Person, algis: Person, daiva: Person
) -> None:
    """Somebody froze the wallet by another way meanwhile."""
    proposal = a_freeze(ona.id, algis)
    Proposal.objects.filter(id=proposal).update(
        state="expired", decided_at=row(proposal).created_at
    )
    freezes(ona.id, algis, daiva)
    other = Proposal.objects.get(state="approved")
    sql = "UPDATE players_proposal SET state = 'proposed', decided_at = NULL WHERE id = %s"
    connections["default"].cursor().execute(sql, [proposal])
    with pytest.raises(Refused, match="already_decided"):
        approve(proposal, daiva, "", receipt())
    assert (row(proposal).state, row(other.id).state) == ("proposed", "approved")


BY_HAND = [
    ("state = 'approved', decided_by_id = proposer_id, decided_at = now()", "four_eyes"),
    ("state = 'rejected', decided_by_id = proposer_id, decided_at = now()", "four_eyes"),
    ("state = 'approved', decided_at = now()", "decider"),
    ("state = 'expired', decided_by_id = '{other}', decided_at = now()", "decider"),
    ("state = 'approved', decided_by_id = '{other}'", "decided"),
    ("decided_at = now()", "decided"),
    ("state = 'done', decided_by_id = '{other}', decided_at = now()", "decider|state_known"),
]


@pytest.mark.parametrize(("change", "constraint"), BY_HAND)
def test_the_database_wants_two_people(
    change: str, constraint: str, ona: Person, algis: Person, daiva: Person
) -> None:
    a_freeze(ona.id, algis)
    sql = f"UPDATE players_proposal SET {change.format(other=daiva.id)}"
    with pytest.raises(IntegrityError, match=f"proposal_({constraint})"), transaction.atomic():
        connections["default"].cursor().execute(sql)


def test_the_application_can_not_change_what_was_asked_for(ona: Person, algis: Person) -> None:
    a_freeze(ona.id, algis)
    for column in ("kind", "subject", "data", "proposer_id", "created_at"):
        sql = f"UPDATE players_proposal SET {column} = {column}"
        with pytest.raises(Exception, match="permission denied"), transaction.atomic():
            connections["default"].cursor().execute(sql)
    with pytest.raises(Exception, match="permission denied"), transaction.atomic():
        connections["default"].cursor().execute("DELETE FROM players_proposal")


def test_a_wallet_has_one_open_proposal_of_a_kind(ona: Person, algis: Person) -> None:
    kept = row(a_freeze(ona.id, algis, FREEZE))
    kept.id = new_id()
    with pytest.raises(IntegrityError, match="proposal_open_once"), transaction.atomic():
        kept.save(force_insert=True)
