"""Deposits and withdrawals over HTTP, and the door of payment providers (`api.md` section 4.7)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.pages import page
from eventstore.api.requests import Amount, Body, PageQuery, raw_body, read_body, receipt_for
from eventstore.core.refusal import refuse
from eventstore.services import Outcome
from ledger import cashier
from ledger.core.payments import AWAITED
from ledger.models import PaymentOrder
from ledger.selectors import exponents
from ledger.selectors.payments import IN, OUT, Wanted, listed, order, show
from ledger.services import deposits, withdrawals
from ledger.services.deposits import DepositSaid, DepositWish
from ledger.services.payouts import take_notices
from ledger.services.withdrawals import WithdrawalSaid, WithdrawalWish
from players.api.base import ApiView, Operation, answer
from players.core.roles import STAFF

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
Currency = Annotated[str, msgspec.Meta(max_length=12)]
Method = Annotated[str, msgspec.Meta(max_length=40)]
# Of a bank's statement: no words, so that nobody's name comes into the log with it.
Reference = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,79}\Z")]
Decision = Literal["approve", "refuse"]


class DepositBody(Body, frozen=True, kw_only=True):
    """Body of `deposit.create`."""

    amounts: ClassVar[frozenset[str]] = frozenset({"amount"})

    currency: Currency
    amount: Amount
    method: Method | None = None


class DepositDecisionBody(Body, frozen=True, kw_only=True):
    """Body of `deposit.approve`; `player_id` is whose an unassigned payment is."""

    decision: Decision
    reference: Reference | None = None
    player_id: UUID | None = None


class WithdrawalBody(Body, frozen=True, kw_only=True):
    """Body of `withdrawal.create`."""

    amounts: ClassVar[frozenset[str]] = frozenset({"amount"})

    currency: Currency
    amount: Amount
    method: Method


class WithdrawalDecisionBody(Body, frozen=True, kw_only=True):
    """Body of `withdrawal.approve`; `reference` says how it was paid, after it was let go."""

    decision: Decision
    reference: Reference | None = None


class DepositsQuery(PageQuery, frozen=True, kw_only=True):
    """Filters of `deposit.list`."""

    status: (
        Literal["requested", "unassigned", "approved_once", "recorded", "refused", "expired"] | None
    ) = None
    start: Instant | None = msgspec.field(name="from", default=None)
    end: Instant | None = msgspec.field(name="to", default=None)


class WithdrawalsQuery(PageQuery, frozen=True, kw_only=True):
    """Filters of `withdrawal.list`."""

    status: (
        Literal["requested", "approved_once", "approved", "sending", "unknown", "paid", "returned"]
        | None
    ) = None
    start: Instant | None = msgspec.field(name="from", default=None)
    end: Instant | None = msgspec.field(name="to", default=None)


class OrdersView(ApiView):
    """A view of orders: one's own, or all of them for staff."""

    direction: ClassVar[str]

    def one(self, request: Request, order_id: UUID) -> tuple[PaymentOrder, bool]:
        """The order, and whether it is shown to staff. Raises: Refused with `not_found`."""
        caller = self.caller(request)
        for_staff = bool(caller.roles & STAFF)
        found = order(order_id, self.direction, player=None if for_staff else caller.id)
        return found, for_staff

    def some(self, request: Request) -> Response:
        """A page of them, newest first."""
        caller, asked = self.caller(request), self._asked()
        for_staff = bool(caller.roles & STAFF)
        if caller.kind == "bot":  # its money is its owner's to move
            raise refuse("not_permitted")
        wanted = Wanted(
            direction=self.direction,
            player=None if for_staff else caller.id,
            status=asked.status,
            start=asked.start,
            end=asked.end,
        )
        decimals = exponents()
        return answer(
            page(
                listed(wanted),
                newest_by="created_at",
                limit=asked.limit,
                cursor=asked.cursor,
                item=lambda row: show(row, for_staff=for_staff, decimals=decimals),
            )
        )

    def _asked(self) -> Any:
        return self.query


class DecisionView(ApiView):
    """A view of what one admin says; the answer is the order as it is then."""

    def said(self, outcome: Outcome) -> Response:
        """The stored answer."""
        return answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)


class Deposits(OrdersView):
    """`GET` and `POST /ledger/deposits`."""

    direction = IN
    operations: ClassVar = {
        "GET": Operation("deposit.list", scope="read", query=DepositsQuery),
        "POST": Operation("deposit.create", scope="money"),
    }

    def get(self, request: Request) -> Response:
        """Deposits, newest first."""
        return self.some(request)

    def post(self, request: Request) -> Response:
        """Ask how to pay in; play chips are there at once."""
        caller = self.caller(request)
        body = read_body(request, DepositBody)
        wish = DepositWish(currency=body.currency, amount=body.amount, method=body.method)
        outcome = deposits.request_deposit(wish, caller, receipt_for(request, caller.id, body))
        deposit_id = UUID(str(outcome.result["deposit_id"]))
        document = dict(outcome.result) | _instructions(order(deposit_id, IN))
        response = answer(document, status=outcome.status, replayed=outcome.replayed)
        response["Location"] = f"/api/v1/ledger/deposits/{deposit_id}"
        return response


class Deposit(OrdersView):
    """`GET /ledger/deposits/{deposit_id}`."""

    direction = IN
    operations: ClassVar = {"GET": Operation("deposit.show", scope="read")}

    def get(self, request: Request, deposit_id: UUID) -> Response:
        """A deposit; as long as it is awaited, with how to pay it for its player."""
        found, for_staff = self.one(request, deposit_id)
        awaited = found.state in AWAITED and not for_staff
        more = _instructions(found) if awaited else {}
        return answer(show(found, for_staff=for_staff) | more)


class DepositDecision(DecisionView):
    """`POST /ledger/deposits/{deposit_id}/approve`."""

    operations: ClassVar = {"POST": Operation("deposit.approve", scope="admin")}

    def post(self, request: Request, deposit_id: UUID) -> Response:
        """Say that a payment came, or whose it is, or that it is not to be credited."""
        caller = self.caller(request)
        body = read_body(request, DepositDecisionBody)
        said = DepositSaid(body.decision == "approve", body.reference, body.player_id)
        receipt = receipt_for(request, caller.id, body)
        return self.said(deposits.decide_deposit(deposit_id, said, caller, receipt))


class Withdrawals(OrdersView):
    """`GET` and `POST /ledger/withdrawals`."""

    direction = OUT
    operations: ClassVar = {
        "GET": Operation("withdrawal.list", scope="read", query=WithdrawalsQuery),
        "POST": Operation("withdrawal.create", scope="money"),
    }

    def get(self, request: Request) -> Response:
        """Withdrawals, newest first."""
        return self.some(request)

    def post(self, request: Request) -> Response:
        """Ask for money to be paid out; it leaves the wallet at once."""
        caller = self.caller(request)
        body = read_body(request, WithdrawalBody)
        wish = WithdrawalWish(currency=body.currency, amount=body.amount, method=body.method)
        receipt = receipt_for(request, caller.id, body)
        outcome = withdrawals.request_withdrawal(wish, caller, receipt)
        response = answer(dict(outcome.result), status=outcome.status, replayed=outcome.replayed)
        response["Location"] = f"/api/v1/ledger/withdrawals/{outcome.result['withdrawal_id']}"
        return response


class Withdrawal(OrdersView):
    """`GET /ledger/withdrawals/{withdrawal_id}`."""

    direction = OUT
    operations: ClassVar = {"GET": Operation("withdrawal.show", scope="read")}

    def get(self, request: Request, withdrawal_id: UUID) -> Response:
        """A withdrawal."""
        found, for_staff = self.one(request, withdrawal_id)
        return answer(show(found, for_staff=for_staff))


class Cancellation(DecisionView):
    """`POST /ledger/withdrawals/{withdrawal_id}/cancel`."""

    operations: ClassVar = {"POST": Operation("withdrawal.cancel", scope="money")}

    def post(self, request: Request, withdrawal_id: UUID) -> Response:
        """Take one's withdrawal back."""
        caller = self.caller(request)
        receipt = receipt_for(request, caller.id, read_body(request, Body))
        return self.said(withdrawals.cancel_withdrawal(withdrawal_id, caller, receipt))


class WithdrawalDecision(DecisionView):
    """`POST /ledger/withdrawals/{withdrawal_id}/approve`."""

    operations: ClassVar = {"POST": Operation("withdrawal.approve", scope="admin")}

    def post(self, request: Request, withdrawal_id: UUID) -> Response:
        """Let a withdrawal go, refuse it, or say what came of it."""
        caller = self.caller(request)
        body = read_body(request, WithdrawalDecisionBody)
        said = WithdrawalSaid(body.decision == "approve", body.reference)
        receipt = receipt_for(request, caller.id, body)
        return self.said(withdrawals.decide_withdrawal(withdrawal_id, said, caller, receipt))


class ProviderCallback(ApiView):
    """`POST /ledger/provider-callback`: the signature says who calls, so no token is looked at."""

    operations: ClassVar = {"POST": Operation("ledger.provider_callback")}
    authentication_classes: Sequence[type[BaseAuthentication]] = ()

    def post(self, request: Request) -> Response:
        """Do what a provider says of payments; the same answer for what is known already."""
        take_notices(cashier.read_callback(request.headers, raw_body(request)))
        return answer({})


def _instructions(found: PaymentOrder) -> dict[str, object]:
    """How to pay an order."""
    told = deposits.instructions(found)
    if told is None:
        return {}
    return {"instructions": {"text": told.text} | ({"url": told.url} if told.url else {})}
