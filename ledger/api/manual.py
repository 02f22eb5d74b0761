"""Money by hand over HTTP: adjustments, wallets, periods; each needs a second person."""

from datetime import date
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.pages import number_of, numbered, page
from eventstore.api.requests import AMOUNT_MAX, Body, PageQuery, read_body, receipt_for
from eventstore.core.record import time_text
from eventstore.core.refusal import refuse
from eventstore.services import Outcome
from ledger.core.events import Line
from ledger.core.periods import month_of
from ledger.models import Adjustment, AdjustmentComment
from ledger.selectors.manual import adjustment, adjustments
from ledger.selectors.manual import comment as said
from ledger.selectors.periods import Closed, closed_periods
from ledger.services import freezing, periods
from ledger.services.adjustments import Wish, approve, comment, propose, reject
from players.api.base import ApiView, Operation, answer
from players.api.proposals import Code, NoteBody, Text, show_proposed
from players.selectors import proposal
from players.services.proposals import Wish as Proposed

LINES_MAX = 100
STAFF_SCOPES = ("audit", "admin")


class LineBody(Body, frozen=True, kw_only=True):
    """A line of `adjustment.propose`: debit above 0, credit below."""

    account: Annotated[str, msgspec.Meta(max_length=120)]
    amount: Annotated[int, msgspec.Meta(ge=-AMOUNT_MAX, le=AMOUNT_MAX)]


class AdjustmentBody(Body, frozen=True, kw_only=True):
    """Body of `adjustment.propose`."""

    amounts: ClassVar[frozenset[str]] = frozenset({"amount"})

    lines: Annotated[list[LineBody], msgspec.Meta(max_length=LINES_MAX)]
    currency: Annotated[str, msgspec.Meta(max_length=12)]
    reason_code: Code
    text: Text
    reverses: Annotated[str, msgspec.Meta(max_length=80)] | None = None
    effective: date | None = None
    tournament_id: UUID | None = None


class CommentBody(Body, frozen=True, kw_only=True):
    """Body of `adjustment.comment`."""

    text: Text


class FreezeBody(Body, frozen=True, kw_only=True):
    """Body of `wallet.freeze` and `wallet.release`."""

    reason_code: Code
    text: Text


class AdjustmentsQuery(PageQuery, frozen=True, kw_only=True):
    """Filters of `adjustment.list`."""

    status: Literal["proposed", "approved", "rejected", "expired"] | None = None
    player: UUID | None = None
    tournament: UUID | None = None


class Adjustments(ApiView):
    """`GET` and `POST /ledger/adjustments`."""

    operations: ClassVar = {
        "GET": Operation("adjustment.list", "read", AdjustmentsQuery, STAFF_SCOPES),
        "POST": Operation("adjustment.propose", "organise", staff_scope="admin"),
    }

    def get(self, request: Request) -> Response:
        """Manual entries, newest first: one's own proposals and one's own money; all for staff."""
        caller = self.caller(request)
        if caller.kind == "bot":
            raise refuse("not_permitted")
        asked: Any = self.query
        filters = {"state": asked.status, "player": asked.player, "tournament": asked.tournament}
        return answer(
            page(
                adjustments(caller, filters),
                newest_by="proposed_at",
                limit=asked.limit,
                cursor=asked.cursor,
                item=_decided,
            )
        )

    def post(self, request: Request) -> Response:
        """Ask for a manual entry."""
        caller = self.caller(request)
        body = read_body(request, AdjustmentBody)
        wish = Wish(
            lines=tuple(Line(account=line.account, amount=line.amount) for line in body.lines),
            currency=body.currency,
            reason_code=body.reason_code,
            text=body.text,
            reverses=body.reverses,
            effective=body.effective,
            tournament=body.tournament_id,
        )
        outcome = propose(wish, caller, receipt_for(request, caller.id, body))
        adjustment_id = UUID(str(outcome.result["adjustment_id"]))
        document = _proposed(adjustment(adjustment_id, caller))
        response = answer(document, status=outcome.status, replayed=outcome.replayed)
        response["Location"] = f"/api/v1/ledger/adjustments/{adjustment_id}"
        return response


class OneAdjustment(ApiView):
    """`GET /ledger/adjustments/{adjustment_id}`."""

    operations: ClassVar = {
        "GET": Operation("adjustment.show", "read", staff_scope=STAFF_SCOPES),
    }

    def get(self, request: Request, adjustment_id: UUID) -> Response:
        """A manual entry with the decision and every comment."""
        found = adjustment(adjustment_id, self.caller(request))
        comments = sorted(found.comments.all(), key=lambda one: one.id)
        return answer(_decided(found) | {"comments": [_comment(one) for one in comments]})


class Decision(ApiView):
    """What the second person says to a manual entry."""

    act: ClassVar[Any]

    def post(self, request: Request, adjustment_id: UUID) -> Response:
        """Decide."""
        caller = self.caller(request)
        body = read_body(request, NoteBody)
        receipt = receipt_for(request, caller.id, body)
        outcome = type(self).act(adjustment_id, caller, body.note, receipt)
        document = _decided(adjustment(adjustment_id, caller))
        return answer(document, status=outcome.status, replayed=outcome.replayed)


class Approve(Decision):
    """`POST /ledger/adjustments/{adjustment_id}/approve`."""

    operations: ClassVar = {"POST": Operation("adjustment.approve", "admin")}
    act = staticmethod(approve)


class Reject(Decision):
    """`POST /ledger/adjustments/{adjustment_id}/reject`."""

    operations: ClassVar = {"POST": Operation("adjustment.reject", "admin")}
    act = staticmethod(reject)


class Comments(ApiView):
    """`POST /ledger/adjustments/{adjustment_id}/comments`."""

    operations: ClassVar = {
        "POST": Operation("adjustment.comment", "organise", staff_scope=STAFF_SCOPES)
    }

    def post(self, request: Request, adjustment_id: UUID) -> Response:
        """Say something of a manual entry."""
        caller = self.caller(request)
        body = read_body(request, CommentBody)
        receipt = receipt_for(request, caller.id, body)
        outcome = comment(adjustment_id, caller, body.text, receipt)
        document = _comment(said(outcome.result["comment_id"]))
        return answer(document, status=outcome.status, replayed=outcome.replayed)


class WalletAct(ApiView):
    """What an admin asks for about a wallet."""

    kind: ClassVar[str]

    def post(self, request: Request, player_id: UUID) -> Response:
        """Propose it."""
        caller = self.caller(request)
        body = read_body(request, FreezeBody)
        wish = Proposed(
            kind=self.kind,
            subject=str(player_id),
            reason_code=body.reason_code,
            text=body.text,
        )
        return _answer_proposed(
            freezing.propose(wish, caller, receipt_for(request, caller.id, body))
        )


class Freeze(WalletAct):
    """`POST /ledger/wallets/{player_id}/freeze`."""

    operations: ClassVar = {"POST": Operation("wallet.freeze", "admin")}
    kind = freezing.FREEZE


class Release(WalletAct):
    """`POST /ledger/wallets/{player_id}/release`."""

    operations: ClassVar = {"POST": Operation("wallet.release", "admin")}
    kind = freezing.RELEASE


class Periods(ApiView):
    """`GET /ledger/periods`."""

    operations: ClassVar = {"GET": Operation("ledger.periods", "audit", PageQuery, "admin")}

    def get(self, request: Request) -> Response:
        """Closed months, the newest first."""
        del request
        asked: Any = self.query
        found = closed_periods(number_of(asked.cursor) or None, asked.limit + 1)
        document: dict[str, object] = {"items": [_period(one) for one in found[: asked.limit]]}
        if len(found) > asked.limit:
            document["next"] = numbered(found[asked.limit - 1].number)
        return answer(document)


class Close(ApiView):
    """`POST /ledger/periods/{period}/close`."""

    operations: ClassVar = {"POST": Operation("ledger.period_close", "admin")}

    def post(self, request: Request, period: str) -> Response:
        """Ask to close a month."""
        caller = self.caller(request)
        body = read_body(request, NoteBody)
        receipt = receipt_for(request, caller.id, body)
        return _answer_proposed(periods.propose(period, body.note, caller, receipt))


def _answer_proposed(outcome: Outcome) -> Response:
    document = show_proposed(proposal(str(outcome.result["proposal_id"])))
    return answer(document, status=outcome.status, replayed=outcome.replayed)


def _proposed(row: Adjustment) -> dict[str, object]:
    """A manual entry as it was asked for, whatever became of it."""
    said = {
        "reverses": row.reverses,
        "effective": row.effective and row.effective.isoformat(),
        "player_id": row.player and str(row.player),
        "tournament_id": row.tournament and str(row.tournament),
    }
    document = {
        "adjustment_id": str(row.id),
        "status": "proposed",
        "lines": row.lines,
        "amount": row.amount,
        "currency": row.currency,
        "reason_code": row.reason_code,
        "text": row.text,
        "proposer_id": str(row.proposer),
        "proposed_at": time_text(row.proposed_at),
        "source": {"stream": row.stream, "version": row.version},
    }
    return document | {name: value for name, value in said.items() if value is not None}


def _decided(row: Adjustment) -> dict[str, object]:
    """A manual entry as it stands, without its comments."""
    document = _proposed(row) | {"status": row.state}
    if row.decided_at is not None:
        document["decided_at"] = time_text(row.decided_at)
    if row.decided_by is not None:
        document |= {"decided_by": str(row.decided_by), "note": row.note}
    if row.entry_id is not None:
        document["entry_id"] = row.entry_id
    return document


def _comment(row: AdjustmentComment) -> dict[str, object]:
    return {
        "comment_id": str(row.id),
        "author_id": str(row.author),
        "at": time_text(row.at),
        "text": row.text,
    }


def _period(one: Closed) -> dict[str, object]:
    document: dict[str, object] = {
        "period": str(month_of(one.through)),
        "through": one.through.isoformat(),
        "size": one.size,
        "closed_by": str(one.closed_by),
        "approved_by": str(one.approved_by),
    }
    return document | ({"closed_at": time_text(one.closed_at)} if one.closed_at else {})
