"""What an auditor reads of the books: entries, accounts, trial balance (`api.md` section 4.7)."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore import tree
from eventstore.api.pages import number_of, numbered, placed, places_of
from eventstore.api.requests import PageQuery, Query, field_refusal
from eventstore.core.canonical import INTEGER_MAX
from eventstore.core.ids import HOUSE_STREAM, subject, wallet_stream
from eventstore.core.record import time_text
from eventstore.core.refusal import refuse
from ledger import selectors
from ledger.api.lists import page_below
from ledger.core.accounts import OWNER, ROLES, parse
from ledger.core.kinds import Kind
from ledger.receipts import directors_of
from ledger.selectors import (
    AccountLine,
    AccountPage,
    ChartLine,
    EntryInFull,
    Filter,
    Span,
    TrialLine,
)
from ledger.services import access
from ledger.services.access import Look
from ledger.store.closing import Cut
from players.api.base import ApiView, Operation, answer
from players.core.roles import STAFF
from players.selectors import Person

Instant = Annotated[datetime, msgspec.Meta(tz=True)]
WALLETS = wallet_stream("")
KINDS = {kind.word: kind for kind in Kind}


class EntriesQuery(PageQuery, frozen=True, kw_only=True):
    """Parameters of `ledger.entries`: recorded from an instant on, before another."""

    account: str | None = None
    kind: str | None = None
    stream: str | None = None
    start: Instant | None = msgspec.field(name="from", default=None)
    end: Instant | None = msgspec.field(name="to", default=None)
    manual: bool | None = None
    reversed: bool | None = None


class AccountsQuery(PageQuery, frozen=True, kw_only=True):
    """Parameters of `ledger.accounts`."""

    kind: str | None = None
    currency: str | None = None
    state: Literal["open", "frozen", "closed"] | None = None


class AccountQuery(PageQuery, frozen=True, kw_only=True):
    """Parameters of `ledger.account`: lines recorded from an instant on, before another."""

    start: Instant | None = msgspec.field(name="from", default=None)
    end: Instant | None = msgspec.field(name="to", default=None)


class TrialQuery(Query, frozen=True, kw_only=True):
    """Parameters of `ledger.trial_balance`; without any, all that is signed and settled."""

    as_of_log_index: Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)] | None = None
    recorded_at: Instant | None = None
    effective_at: Instant | None = None
    currency: str | None = None


class Entries(ApiView):
    """`GET /ledger/entries`."""

    operations: ClassVar = {
        "GET": Operation("ledger.entries", "audit", EntriesQuery, staff_scope="admin")
    }
    query: EntriesQuery

    def get(self, request: Request) -> Response:
        """Entries with their legs and sources, the newest first.

        Those of one player's account or wallet are his statement: a look that is put on the list.
        """
        query = self.query
        asked = Filter(
            account=query.account,
            kind=_kind(query.kind),
            stream=query.stream,
            start=query.start,
            end=query.end,
            manual=query.manual,
            reversed=query.reversed,
        )
        document = page_below(
            lambda below, limit: selectors.entries(asked, below=below, limit=limit),
            query,
            item=show_entry,
        )
        owners = _owner(query.account) | _holder(query.stream)
        _note_list(self, request, "ledger.entries", document, owners)
        return answer(document)


class Entry(ApiView):
    """`GET /ledger/entries/{entry_id}`."""

    operations: ClassVar = {"GET": Operation("ledger.entry", "read")}

    def get(self, request: Request, entry_id: int) -> Response:
        """One entry: whole for staff and the event's director, to a party with its own legs."""
        found, caller = selectors.entry(entry_id), self.caller(request)
        parties = _parties(found)
        if caller.roles & STAFF:
            document = show_entry(found)
            _note(caller, parties, document)
            return answer(document)
        if str(caller.id) in directors_of(found.source.stream):
            return answer(show_entry(found))
        if caller.id not in parties:
            raise refuse("not_found")
        return answer(show_entry(found, party=caller.id))


class Accounts(ApiView):
    """`GET /ledger/accounts`."""

    operations: ClassVar = {
        "GET": Operation("ledger.accounts", "audit", AccountsQuery, staff_scope="admin")
    }
    query: AccountsQuery

    def get(self, request: Request) -> Response:
        """The chart of accounts with balances."""
        del request
        query = self.query
        if query.kind is not None and query.kind not in ROLES:
            raise field_refusal([("invalid_field", "kind", "no kind of account")])
        found = selectors.chart(
            role=query.kind,
            currency=query.currency,
            state=query.state,
            after=number_of(query.cursor),
            limit=query.limit + 1,
        )
        shown = found[: query.limit]
        document: dict[str, object] = {"items": [_chart_line(line) for line in shown]}
        if len(found) > len(shown):
            document["next"] = numbered(shown[-1].number)
        return answer(document)


class Account(ApiView):
    """`GET /ledger/accounts/{code}`."""

    operations: ClassVar = {
        "GET": Operation("ledger.account", "audit", AccountQuery, staff_scope="admin")
    }
    query: AccountQuery

    def get(self, request: Request, code: str) -> Response:
        """The lines of one account; a look at a player's own is put on the list."""
        query = self.query
        span = Span(query.start, query.end, places_of(query.cursor), query.limit)
        found = selectors.account_lines(code, span)
        document = _account_page(found)
        _note_list(self, request, "ledger.account", document, _owner(code), code=code)
        return answer(document)


class TrialBalance(ApiView):
    """`GET /ledger/trial-balance`."""

    operations: ClassVar = {
        "GET": Operation("ledger.trial_balance", "audit", TrialQuery, staff_scope="admin")
    }
    query: TrialQuery

    def get(self, request: Request) -> Response:
        """Balances at a size of the log, or before an instant by when entries were recorded.

        `effective_at` counts of these the entries alone that took effect before it.
        """
        del request
        query = self.query
        if query.currency is not None and query.currency not in selectors.currency_kinds():
            raise refuse("unknown_currency", currency=query.currency)
        if query.recorded_at is not None:
            if query.as_of_log_index is not None:
                why = "either a size of the log or an instant"
                raise field_refusal([("invalid_field", "recorded_at", why)])
            cut = Cut(recorded_before=query.recorded_at, effective_before=query.effective_at)
            return answer(_instant(query.recorded_at) | _trial(cut, query.currency))
        size = selectors.settled_size(query.as_of_log_index)
        document: dict[str, object] = {
            "size": size,
            "checkpoint": {"size": size, "root": tree.root(size).hex()},
            "digest": selectors.digest_at(size),
        }
        return answer(
            document | _trial(Cut(size, effective_before=query.effective_at), query.currency)
        )


# --- documents ------------------------------------------------------------------------------------


def show_entry(entry: EntryInFull, *, party: UUID | None = None) -> dict[str, object]:
    """An entry; a party sees the accounts of others by their kind alone."""
    document: dict[str, object] = {
        "entry_id": entry.id,
        "key": entry.key,
        "kind": entry.kind.word,
        "currency": entry.currency,
        "recorded_at": time_text(entry.recorded_at),
        "effective_at": time_text(entry.effective_at),
        "hash": entry.hash,
        "source": show_source(entry),
        "postings": [
            {"line": leg.line, "account": _named(leg.account, party), "amount": leg.amount}
            for leg in entry.legs
        ],
    }
    for name, link in (("reverses", entry.reverses), ("reversed_by", entry.reversed_by)):
        if link is not None:
            document[name] = {"entry_id": link.entry_id, "key": link.key}
    return document


def show_source(entry: EntryInFull) -> dict[str, object]:
    """The event that an entry comes from; its place in the log once it has one."""
    source = entry.source
    document: dict[str, object] = {
        "stream": source.stream,
        "version": source.version,
        "hash": source.hash,
        "type": source.type,
    }
    return document | ({} if source.log_index is None else {"log_index": source.log_index})


def _named(code: str, party: UUID | None) -> str:
    account = parse(code)
    hidden = party is not None and account.id_of(OWNER) != str(party)
    return account.role.name if hidden else code


def _kind(word: str | None) -> Kind | None:
    if word is not None and word not in KINDS:
        raise field_refusal([("invalid_field", "kind", "no kind of entry")])
    return KINDS[word] if word else None


def _parties(entry: EntryInFull) -> list[UUID]:
    owners = {parse(leg.account).id_of(OWNER) for leg in entry.legs}
    return sorted(UUID(owner) for owner in owners if owner)


def _owner(code: str | None) -> set[UUID]:
    """The player whose account a code is, if it is one's."""
    owner = parse(code).id_of(OWNER) if code else None
    return {UUID(owner)} if owner else set()


def _holder(stream: str | None) -> set[UUID]:
    """The player whose wallet a stream is about, if it is one's."""
    if not stream or not stream.startswith(WALLETS) or stream == HOUSE_STREAM:
        return set()
    try:
        return {subject(stream)}
    except ValueError:  # there is no such stream
        return set()


def _note_list(
    view: ApiView,
    request: Request,
    what: str,
    document: dict[str, Any],
    owners: set[UUID],
    **parameters: object,
) -> None:
    """A list of what one player did is on the list of looks at him."""
    given = {name: value for name, value in request.GET.items() if value}
    for owner in sorted(owners):
        look = Look(access.staff(view.player(request)), what, {**parameters, **given}, owner)
        access.note(look, document, rows=len(document["items"]))


def _note(caller: Person, parties: list[UUID], document: dict[str, object]) -> None:
    """Each player who is in an entry finds the look on his own list."""
    for player in parties:
        parameters = {"entry_id": document["entry_id"]}
        access.note(Look(access.staff(caller.id), "ledger.entry", parameters, player), document)


def _chart_line(line: ChartLine) -> dict[str, object]:
    return {
        "account": line.account,
        "role": line.role,
        "class": line.account_class,
        "currency": line.currency,
        "state": line.state,
        "balance": line.balance,
    }


def _account_page(page: AccountPage) -> dict[str, object]:
    document: dict[str, object] = {
        "account": page.account,
        "class": page.account_class,
        "currency": page.currency,
        "state": page.state,
        "opening": page.opening,
        "closing": page.closing,
        "items": [_account_line(line) for line in page.lines],
    }
    if page.next_places is not None:
        document["next"] = placed(page.next_places)
    return document


def _account_line(line: AccountLine) -> dict[str, object]:
    return {
        "entry_id": line.entry_id,
        "key": line.key,
        "kind": line.kind.word,
        "at": time_text(line.at),
        "amount": line.amount,
        "balance": line.balance,
        "counter_accounts": list(line.counter_accounts),
        "source": {"stream": line.stream, "version": line.version},
    }


def _instant(at: datetime) -> dict[str, object]:
    return {"recorded_at": time_text(at)}


def _trial(cut: Cut, currency: str | None) -> dict[str, object]:
    found = selectors.trial_balance(cut, currency)
    document: dict[str, object] = {
        "accounts": [
            {"account": line.name, "class": line.account_class} | _columns(line)
            for line in found.accounts
        ],
        "classes": [{"class": line.account_class} | _columns(line) for line in found.classes],
        "sums": [_columns(line) for line in found.currencies],
    }
    effective = cut.effective_before
    return ({} if effective is None else {"effective_at": time_text(effective)}) | document


def _columns(line: TrialLine) -> dict[str, Any]:
    return {
        "currency": line.currency,
        "debit": line.debit,
        "credit": line.credit,
        "balance": line.balance,
    }
