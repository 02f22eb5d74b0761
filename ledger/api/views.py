"""A player's own money: balances, statement, receipts (`api.md` section 4.7)."""

from collections.abc import Callable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.http import HttpResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from typing_extensions import override

from eventstore.api.pages import number_of, numbered
from eventstore.api.requests import PageQuery, Query
from eventstore.core.record import time_text
from eventstore.core.refusal import refuse
from ledger import receipts, selectors
from ledger.core.currencies import EUR
from ledger.core.words import Language, title
from ledger.services import access
from ledger.services.access import Look
from ledger.statements import LINES_MAX, PDF_LINES_MAX, Folder, as_csv, as_pdf, folder_of
from players.api.base import ApiView, Operation, answer
from players.core.roles import STAFF
from players.selectors import roles_of

# Files of a statement: media type, the most lines, and who writes it.
FILES: Mapping[str, tuple[str, int, Callable[[Folder], bytes]]] = MappingProxyType(
    {
        "csv": ("text/csv; charset=utf-8", LINES_MAX, as_csv),
        "pdf": ("application/pdf", PDF_LINES_MAX, as_pdf),
    }
)
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


class Csv(BaseRenderer):
    """A form of the statement, to be asked for; the view itself writes it."""

    media_type, format = "text/csv", "csv"


class Pdf(BaseRenderer):
    """As `Csv`."""

    media_type, format = "application/pdf", "pdf"


class Statement(ApiView):
    """`GET /ledger/me/statement`."""

    operations = {"GET": Operation("ledger.statement", "read", StatementQuery)}
    renderer_classes = [*ApiView.renderer_classes, Csv, Pdf]
    query: StatementQuery

    @override
    def perform_content_negotiation(
        self, request: Request, force: bool = False
    ) -> tuple[BaseRenderer, str]:
        """The form that `Accept` asks for; a problem is JSON in any case."""
        self.form = super().perform_content_negotiation(request, force)[0].format
        json = self.get_renderers()[0]
        return json, json.media_type or ""

    def get(self, request: Request) -> Response | HttpResponse:
        """Opening, lines with the running balance and their cause, closing."""
        player, asked = _holder(self.player(request)), self.query
        if self.form in FILES:
            return self._file(request, player)
        if asked.currency not in selectors.currency_kinds():
            raise refuse("unknown_currency", currency=asked.currency)
        wanted = selectors.Range(asked.start, asked.end, number_of(asked.cursor), asked.limit)
        found = selectors.statement(player, asked.currency, wanted)
        document: dict[str, object] = {
            "currency": found.currency,
            "opening": found.opening,
            "closing": found.closing,
            "items": [_line(line, self.language(request)) for line in found.lines],
        }
        if found.next_number is not None:
            document["next"] = numbered(found.next_number)
        return answer(document)

    def _file(self, request: Request, player: UUID) -> HttpResponse:
        """The whole range as one file; pages are for JSON."""
        media_type, lines, write = FILES[self.form]
        asked, language = self.query, self.language(request)
        span = selectors.Range(asked.start, asked.end, limit=lines)
        name = self.caller(request).name
        made = write(folder_of(player, name, currency=asked.currency, span=span, language=language))
        named = f'attachment; filename="tonk-{asked.currency.lower()}.{self.form}"'
        headers = {
            "Cache-Control": "private, no-cache",
            "Content-Disposition": named,
            "Content-Language": language,
        }
        return HttpResponse(made, content_type=media_type, headers=headers)


class Receipt(ApiView):
    """`GET /ledger/entries/{entry_id}/receipt`."""

    operations = {"GET": Operation("ledger.receipt", "read", ReceiptQuery)}
    query: ReceiptQuery

    def get(self, request: Request, entry_id: int) -> Response:
        """The file that proves what an entry pays, for `clients/verify/tonk_verify.py`."""
        caller = self.caller(request)
        made = receipts.receipt_for(receipts.booked(entry_id), caller, self.query.player)
        if caller.roles & STAFF:
            look = Look(
                access.staff(caller.id), "ledger.receipt", {"entry_id": entry_id}, _paid(made)
            )
            access.note(look, made)
        return answer(made)


def _holder(player: UUID) -> UUID:
    """The player, unless he is of the staff. Raises: Refused with `staff_may_not_play`."""
    if roles_of(player) & STAFF:
        raise refuse("staff_may_not_play")
    return player


def _paid(receipt: dict[str, Any]) -> UUID:
    return UUID(receipt["claim"]["player"])


def _balance(balance: selectors.Balance) -> dict[str, object]:
    return {
        "currency": balance.currency,
        "available": balance.available,
        "in_play": balance.in_play,
        "total": balance.total,
        "display": balance.display,
    }


def _line(line: selectors.Line, language: Language) -> dict[str, object]:
    return {
        "entry_id": line.entry_id,
        "kind": line.kind.word,
        "text": title(line.kind, language),
        "at": time_text(line.at),
        "amount": line.amount,
        "balance": line.balance,
        "source": {"stream": line.stream, "version": line.version},
    }
