"""Proposals of the staff over HTTP: what is asked for, and the second person's decision."""

from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.pages import page
from eventstore.api.requests import Body, PageQuery, read_body, receipt_for
from eventstore.core.record import time_text
from players.api.base import ApiView, Operation, answer
from players.models import Proposal
from players.selectors import proposal, proposals
from players.services.proposals import approve, reject

TEXT_CHARACTERS_MAX = 1_000
Code = Annotated[str, msgspec.Meta(max_length=40, pattern=r"^[a-z0-9_]+\Z")]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=TEXT_CHARACTERS_MAX)]
Note = Annotated[str, msgspec.Meta(max_length=TEXT_CHARACTERS_MAX)]


class NoteBody(Body, frozen=True, kw_only=True):
    """Body of a decision."""

    note: Note = ""


class ProposalsQuery(PageQuery, frozen=True, kw_only=True):
    """Filters of `proposal.list`."""

    kind: str | None = None
    status: Literal["proposed", "approved", "rejected", "expired"] | None = None


class Proposals(ApiView):
    """`GET /admin/proposals`."""

    operations: ClassVar = {
        "GET": Operation("proposal.list", scope="audit", query=ProposalsQuery, staff_scope="admin")
    }

    def get(self, request: Request) -> Response:
        """Proposals, newest first."""
        del request
        query: Any = self.query
        rows = proposals(kind=query.kind, state=query.status)
        return answer(
            page(
                rows,
                newest_by="created_at",
                limit=query.limit,
                cursor=query.cursor,
                item=show_proposal,
            )
        )


class Decision(ApiView):
    """What the second person says to a proposal."""

    act: ClassVar[Any]

    def post(self, request: Request, proposal_id: UUID) -> Response:
        """Decide."""
        caller = self.caller(request)
        body = read_body(request, NoteBody)
        receipt = receipt_for(request, caller.id, body)
        outcome = type(self).act(proposal_id, caller, body.note, receipt)
        document = show_proposal(proposal(proposal_id))
        return answer(document, status=outcome.status, replayed=outcome.replayed)


class Approve(Decision):
    """`POST /admin/proposals/{proposal_id}/approve`."""

    operations: ClassVar = {"POST": Operation("proposal.approve", scope="admin")}
    act = staticmethod(approve)


class Reject(Decision):
    """`POST /admin/proposals/{proposal_id}/reject`."""

    operations: ClassVar = {"POST": Operation("proposal.reject", scope="admin")}
    act = staticmethod(reject)


def show_proposal(row: Proposal) -> dict[str, object]:
    """A proposal as it stands."""
    return show_proposed(row) | {"status": row.state} | _decision(row)


def show_proposed(row: Proposal) -> dict[str, object]:
    """A proposal as it was made, whatever became of it."""
    return {
        "proposal_id": str(row.id),
        "kind": row.kind,
        "subject": row.subject,
        "data": row.data,
        "reason_code": row.reason_code,
        "text": row.text,
        "proposer_id": str(row.proposer_id),
        "proposed_at": time_text(row.created_at),
        "status": "proposed",
    }


def _decision(row: Proposal) -> dict[str, object]:
    document: dict[str, object] = {}
    if row.decided_by_id:
        document["decided_by"] = str(row.decided_by_id)
        document["note"] = row.note
    if row.decided_at:
        document["decided_at"] = time_text(row.decided_at)
    return document
