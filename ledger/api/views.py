"""A player's own money: balances, statement, receipts (`api.md` section 4.7)."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.pages import number_of, numbered
from eventstore.api.requests import PageQuery, Query
from eventstore.core.record import time_text
from eventstore.core.refusal import refuse
from ledger import receipts, selectors
from ledger.core.currencies import EUR
from players.api.base import ApiView, Operation, answer
from players.selectors import roles_of

STAFF = frozenset({"auditor", "admin"})  # they hold no wallet

Instant = Annotated[datetime, msgspec.Meta(tz=True)]


class MeQuery(Query, frozen=True, kw_only=True):
    """Parameters of `ledger.me`."""

    as_of: Instant | None = None


class StatementQuery(PageQuery, frozen=True, kw_only=True):
    """Parameters of `ledger.statement`: lines recorded from an instant on, before another."""

    currency: str = EUR.code
    start: Instant | None = msgspec.field(name="from", default=None)
    end: Instant | None = msgspec.field(name="to", default=None)


class ReceiptQuery(Query, frozen=True, kw_only=True):
    """Parameters of `ledger.receipt`: whose claim, where an entry pays several."""

    player: UUID | None = None


class Me(ApiView):
    """`GET /ledger/me`."""

    operations = {"GET": Operation("ledger.me", "read", MeQuery)}
    query: MeQuery

    def get(self, request: Request) -> Response:
        """Available, in play and total, per currency."""
        found = selectors.balances(_holder(self.player(request)), self.query.as_of)
        return answer({"balances": [_balance(balance) for balance in found]})


class Statement(ApiView):
    """`GET /ledger/me/statement`."""

    operations = {"GET": Operation("ledger.statement", "read", StatementQuery)}
    query: StatementQuery

    def get(self, request: Request) -> Response:
        """Opening, lines with the running balance and their cause, closing."""
        player, asked = _holder(self.player(request)), self.query
        if asked.currency not in selectors.currency_kinds():
            raise refuse("unknown_currency", currency=asked.currency)
        wanted = selectors.Range(asked.start, asked.end, number_of(asked.cursor), asked.limit)
        found = selectors.statement(player, asked.currency, wanted)
        document: dict[str, object] = {
            "currency": found.currency,
            "opening": found.opening,
            "closing": found.closing,
            "items": [_line(line) for line in found.lines],
        }
        if found.next_number is not None:
            document["next"] = numbered(found.next_number)
        return answer(document)


class Receipt(ApiView):
    """`GET /ledger/entries/{entry_id}/receipt`."""

    operations = {"GET": Operation("ledger.receipt", "read", ReceiptQuery)}
    query: ReceiptQuery

    def get(self, request: Request, entry_id: int) -> Response:
        """The file that proves what an entry pays, for `clients/verify/tonk_verify.py`."""
        caller = self.caller(request)
        return answer(receipts.receipt_for(receipts.booked(entry_id), caller, self.query.player))


def _holder(player: UUID) -> UUID:
    """The player, unless he is of the staff. Raises: Refused with `staff_may_not_play`."""
    if roles_of(player) & STAFF:
        raise refuse("staff_may_not_play")
    return player


def _balance(balance: selectors.Balance) -> dict[str, object]:
    return {
        "currency": balance.currency,
        "available": balance.available,
        "in_play": balance.in_play,
        "total": balance.total,
        "display": balance.display,
    }


def _line(line: selectors.Line) -> dict[str, object]:
    return {
        "entry_id": line.entry_id,
        "kind": line.kind.word,
        "text": line.text,
        "at": time_text(line.at),
        "amount": line.amount,
        "balance": line.balance,
        "source": {"stream": line.stream, "version": line.version},
    }
