"""Proposals: one of the staff asks, a second one decides, and then it is done.

For acts that have no stream of their own until they are decided. The app that can carry an act out
says so with `when_approved`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db import IntegrityError, transaction

from eventstore.core.refusal import Refused, refuse
from eventstore.ports import new_id
from eventstore.services import LiveRow, Outcome, Receipt, Row, Transaction, run_command
from players.core.proposals import decision_refusal, over_since
from players.core.roles import ADMIN
from players.models import Proposal, ProposalState
from players.selectors import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody asks for; `subject` names what it is about."""

    kind: str
    subject: str
    reason_code: str
    text: str
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """What two people want done."""

    kind: str
    subject: str
    reason_code: str
    data: Mapping[str, object]
    proposer: UUID
    approver: UUID


ApprovedWork = Callable[[Transaction, Agreed], None]
_works: dict[str, ApprovedWork] = {}


def when_approved(kind: str, work: ApprovedWork) -> None:
    """Have `work` done in the transaction that approves a proposal of this kind.

    What it refuses leaves the proposal open.
    """
    _works[kind] = work


def propose_in(tx: Transaction, wish: Wish, proposer: Person) -> UUID:
    """Id of a new proposal, in the caller's transaction.

    Raises: Refused with `not_permitted`, `already_decided` (the same is proposed already).
    """
    require_admin(proposer)
    row = Proposal(
        id=new_id(),
        kind=wish.kind,
        subject=wish.subject,
        data=dict(wish.data),
        reason_code=wish.reason_code,
        text=wish.text,
        proposer_id=proposer.id,
        created_at=tx.now,
        state=ProposalState.PROPOSED,
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as fault:
        raise refuse("already_decided", status=row.state) from fault
    return row.id


def approve(proposal: UUID, approver: Person, note: str, receipt: Receipt) -> Outcome:
    """Agree to a proposal, and have done what it asks for.

    Raises: Refused with `not_permitted`, `not_found`, `already_decided`, `four_eyes`, `too_late`,
    or whatever the act itself refuses.
    """

    def work(tx: Transaction, row: Row) -> Outcome:
        _check(tx, row, approver)
        _works[row["kind"]](tx, _agreed(proposal, approver))
        return _decided(tx, row, ProposalState.APPROVED, approver, note)

    require_admin(approver)
    return run_command(receipt, _live(proposal), work)


def reject(proposal: UUID, decider: Person, note: str, receipt: Receipt) -> Outcome:
    """Refuse a proposal. Raises: Refused as `approve`."""

    def work(tx: Transaction, row: Row) -> Outcome:
        _check(tx, row, decider)
        return _decided(tx, row, ProposalState.REJECTED, decider, note)

    require_admin(decider)
    return run_command(receipt, _live(proposal), work)


def expire_proposals(tx: Transaction) -> int:
    """End the proposals that nobody decided in time; how many there were."""
    still_open = Proposal.objects.filter(state=ProposalState.PROPOSED)
    over = still_open.filter(created_at__lte=over_since(tx.now))
    return over.update(state=ProposalState.EXPIRED, decided_at=tx.now)


def require_admin(person: Person) -> None:
    """Raises: Refused with `not_permitted`."""
    if ADMIN not in person.roles:
        raise refuse("not_permitted")


def _check(tx: Transaction, row: Row, decider: Person) -> None:
    """Nobody decides what he proposed, nor what is about himself."""
    refusal = decision_refusal(
        row["state"],
        (row["proposer_id"], decider.id),
        (row["created_at"], tx.now),
        own=[row["subject"]],
    )
    if refusal:
        raise Refused(refusal)


def _agreed(proposal: UUID, approver: Person) -> Agreed:
    row = Proposal.objects.get(id=proposal)
    return Agreed(
        kind=row.kind,
        subject=row.subject,
        reason_code=row.reason_code,
        data=row.data,
        proposer=row.proposer_id,
        approver=approver.id,
    )


def _decided(
    tx: Transaction, row: Row, state: ProposalState, decider: Person, note: str
) -> Outcome:
    changes = {
        "state": state.value,
        "decided_by_id": decider.id,
        "decided_at": tx.now,
        "note": note,
    }
    return Outcome(200, {"proposal_id": str(row["id"])}, changes=changes)


def _live(proposal: UUID) -> LiveRow:
    return LiveRow("players_proposal", proposal)
