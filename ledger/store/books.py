"""The books in PostgreSQL: the functions that write to them, called in the caller's transaction.

Everything takes the `Books` that it works on: the live ones, or those that a rebuild makes beside
them from the same SQL. No transaction is opened here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connections

from eventstore.core.record import Stored
from eventstore.core.refusal import Retryable, refuse
from ledger.core.accounts import OWNER, SCOPE, BadAccount, parse_stored, unstriped
from ledger.core.entries import Entry, read_key
from ledger.core.faults import UNKNOWN_ACCOUNT_STATE, Fault, account_of, code_of

SCHEMA = "ledger"
CACHED_ACCOUNTS_MAX = 20_000  # about 4 MB a process; then the cache begins anew
STREAMED_ROWS = 2_000  # of a long list that are held at once

Parameters = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Books:
    """One set of books: a schema, and the connection that writes to it.

    `ids` remembers accounts by code. It holds committed ones alone: an account that this
    transaction opened may yet be rolled back.
    """

    alias: str = "default"
    schema: str = SCHEMA
    ids: dict[str, int] = field(default_factory=dict, compare=False)

    def rows(self, sql: str, parameters: Parameters | None = None) -> list[tuple[Any, ...]]:
        """Rows of a statement that is written for the live books."""
        with connections[self.alias].cursor() as cursor:
            cursor.execute(in_schema(sql, self.schema), parameters)
            return list(cursor.fetchall()) if cursor.description else []

    def streamed(self, sql: str, parameters: Parameters | None = None) -> Iterator[tuple[Any, ...]]:
        """Rows of a statement as they are read, in the caller's transaction: for long lists."""
        self.rows("SET LOCAL cursor_tuple_fraction = 1")  # all are wanted, not the first ones soon
        with connections[self.alias].chunked_cursor() as cursor:
            cursor.execute(in_schema(sql, self.schema), parameters)
            while rows := cursor.fetchmany(STREAMED_ROWS):
                yield from rows


@dataclass(frozen=True, slots=True)
class Posted:
    """An entry in the books; `fresh` if it was not there before."""

    entry_id: int
    fresh: bool


LIVE = Books()


def in_schema(sql: str, schema: str) -> str:
    """SQL of the live books, made to speak of other ones."""
    if schema == SCHEMA:
        return sql
    renamed = sql.replace(f"{SCHEMA}.", f"{schema}.")
    return renamed.replace(f"SCHEMA {SCHEMA}", f"SCHEMA {schema}")


# --- accounts -------------------------------------------------------------------------------------


def ids_of(books: Books, codes: Sequence[str]) -> dict[str, int]:
    """Ids of accounts by code; those that are not there are opened, but never one of the house.

    Raises: Refused with `unknown_account`, `unknown_currency`.
    """
    found = {code: books.ids[code] for code in codes if code in books.ids}
    unknown = sorted({code for code in codes if code not in found})
    if unknown:
        found |= _look_up(books, unknown)
        missing = [code for code in unknown if code not in found]
        if missing:
            found |= open_accounts(books, missing)
    return found


def _look_up(books: Books, codes: Sequence[str]) -> dict[str, int]:
    rows = books.rows(
        "SELECT code, id, opened_at < now() FROM ledger.account WHERE code = ANY(%s::text[])",
        [list(codes)],
    )
    if len(books.ids) + len(rows) > CACHED_ACCOUNTS_MAX:
        books.ids.clear()
    books.ids.update((code, account_id) for code, account_id, committed in rows if committed)
    return {code: account_id for code, account_id, _ in rows}


def open_accounts(books: Books, codes: Sequence[str]) -> dict[str, int]:
    """Ids of accounts that are opened now, or were before. Raises: as `ids_of`."""
    columns = list(zip(*(_opening(code) for code in sorted(set(codes))), strict=True))
    with refusals(books):
        rows = books.rows(
            """SELECT a.code, ledger.open_account(
                a.code, a.role, a.class, a.currency, a.scope, a.owner, NULL, a.floor)
            FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::uuid[], %s::uuid[],
                %s::bigint[]) AS a (code, role, class, currency, scope, owner, floor)""",
            [list(column) for column in columns],
        )
    return dict(rows)


def _opening(code: str) -> tuple[object, ...]:
    """What `ledger.open_account` must know. Accounts of the house come with a migration."""
    try:
        account, stripe = parse_stored(code)
    except BadAccount as fault:
        raise refuse("unknown_account", account=code) from fault
    if account.role.house or stripe is not None:
        raise refuse("unknown_account", account=code)
    scope, owner = account.id_of(SCOPE), account.id_of(OWNER)
    return (
        code,
        account.role.name,
        account.role.account_class,
        account.currency,
        scope and UUID(scope),
        owner and UUID(owner),
        account.role.min_balance,
    )


def set_states(books: Books, codes: Sequence[str], state: str) -> None:
    """Open, freeze or close accounts. Raises: Refused with `escrow_not_empty`, `account_closed`."""
    with refusals(books):
        for code in codes:
            books.rows("SELECT ledger.set_state(%s::text, %s::text)", [code, state])


def codes_of_scope(books: Books, scope: str) -> list[str]:
    """Accounts that belong to a table or a tournament, in the order of locks."""
    sql = "SELECT code FROM ledger.account WHERE scope = %s::uuid ORDER BY id"
    return [code for (code,) in books.rows(sql, [scope])]


def codes_of_owner(books: Books, owner: str, role: str) -> list[str]:
    """Accounts of a role that a player has, in the order of locks."""
    sql = "SELECT code FROM ledger.account WHERE owner = %s::uuid AND role = %s ORDER BY id"
    return [code for (code,) in books.rows(sql, [owner, role])]


def installed_currencies(books: Books) -> list[str]:
    """Codes of all currencies."""
    return [code for (code,) in books.rows("SELECT code FROM ledger.currency ORDER BY code")]


# --- entries --------------------------------------------------------------------------------------


def post(books: Books, entry: Entry, recorded_at: datetime) -> Posted:
    """Post one entry: one statement. Raises: Refused, see `refusals`."""
    ids = ids_of(books, [code for code, _ in entry.legs])
    legs = sorted((ids[code], amount, line) for line, (code, amount) in enumerate(entry.legs, 1))
    with refusals(books, ids):
        rows = books.rows(
            """SELECT entry_id, fresh FROM ledger.post(%s::smallint, %s::text, %s::text, %s::int,
                %s::int, %s::timestamptz, %s::timestamptz, %s::bigint, %s::bytea,
                %s::bigint[], %s::bigint[], %s::int[])""",
            [
                int(entry.kind),
                entry.currency,
                entry.stream,
                entry.version,
                entry.part,
                entry.effective_at,
                recorded_at,
                _reversed_id(books, entry),
                entry.hash,
                *map(_integers, zip(*legs, strict=True)),
            ],
        )
    return Posted(*rows[0])


def post_batch(books: Books, entries: Sequence[Entry], recorded_at: datetime) -> list[Posted]:
    """Post entries in order: one statement, each account updated once. Raises: as `post`."""
    if not entries:
        return []
    ids = ids_of(books, [code for entry in entries for code, _ in entry.legs])
    legs = [
        (number, line, ids[code], amount)
        for number, entry in enumerate(entries, 1)
        for line, (code, amount) in enumerate(entry.legs, 1)
    ]
    heads = [
        (
            int(entry.kind),
            entry.currency,
            entry.stream,
            entry.version,
            entry.part,
            entry.effective_at,
            _reversed_id(books, entry),
            entry.hash,
        )
        for entry in entries
    ]
    kinds, currencies, streams, versions, parts, effective_ats, reverses, hashes = map(
        list, zip(*heads, strict=True)
    )
    with refusals(books, ids):
        rows = books.rows(
            """SELECT entry_id, fresh FROM ledger.post_batch(%s::smallint[], %s::text[], %s::text[],
                %s::int[], %s::int[], %s::timestamptz[], %s::timestamptz, %s::bigint[], %s::bytea[],
                %s::int[], %s::int[], %s::bigint[], %s::bigint[])""",
            [
                _integers(kinds),
                currencies,
                streams,
                _integers(versions),
                _integers(parts),
                effective_ats,
                recorded_at,
                _integers(reverses),
                hashes,
                *map(_integers, zip(*legs, strict=True)),
            ],
        )
    return [Posted(*row) for row in rows]


def _integers(values: Iterable[int | None]) -> str:
    """An array as PostgreSQL writes it: the driver would look at each of its elements.

    >>> _integers([1, None, -3])
    '{1,NULL,-3}'
    """
    return "{" + ",".join("NULL" if one is None else str(one) for one in values) + "}"


def _reversed_id(books: Books, entry: Entry) -> int | None:
    """Id of the entry that this one takes back. Raises: Refused with `reversal_mismatch`."""
    if entry.reverses is None:
        return None
    sql = "SELECT id FROM ledger.entry WHERE (stream, version, part) = (%s::text, %s::int, %s::int)"
    rows = books.rows(sql, read_key(entry.reverses))
    if not rows:
        raise refuse("reversal_mismatch", reverses=entry.reverses)
    return int(rows[0][0])


def record_payment(books: Books, event: Stored, direction: str) -> None:
    """Book the payment that an event names. Raises: Refused with `duplicate_reference`."""
    with refusals(books):
        books.rows(
            "SELECT ledger.record_payment(%s::text, %s::text, %s::text, %s::text, %s::int)",
            [
                event.payload["method"],
                event.payload["reference"],
                direction,
                event.stream,
                event.version,
            ],
        )


def close_period(books: Books, event: Stored) -> None:
    """Close the days that an event names. Raises: Refused with `period_closed`."""
    said = event.payload
    with refusals(books):
        books.rows(
            "SELECT ledger.close_period(%s::date, %s::bigint, %s::uuid, %s::uuid)",
            [said["through"], said.get("size", 0), said["proposer"], said["approver"]],
        )


def hashes_of(
    books: Books, events: Sequence[Stored]
) -> dict[tuple[str, int], list[tuple[int, bytes]]]:
    """Part and hash of each entry that the books hold of these events, by stream and version."""
    rows = books.rows(
        """SELECT e.stream, e.version, e.part, e.hash
        FROM unnest(%s::text[], %s::int[]) AS w (stream, version)
        JOIN ledger.entry e USING (stream, version) ORDER BY e.part""",
        [[event.stream for event in events], [event.version for event in events]],
    )
    found: dict[tuple[str, int], list[tuple[int, bytes]]] = {}
    for stream, version, part, entry_hash in rows:
        found.setdefault((stream, version), []).append((part, bytes(entry_hash)))
    return found


# --- what a fault means ---------------------------------------------------------------------------


@contextmanager
def refusals(books: Books, ids: Mapping[str, int] = MappingProxyType({})) -> Iterator[None]:
    """Turn what the constraints refuse into Refused; other faults pass as they are.

    `ids` are the accounts of the statement. Raises: Retryable for an id that was remembered from
    books that are no longer there.
    """
    try:
        yield
    except DatabaseError as error:
        diagnosis = getattr(error.__cause__, "diag", None)
        fault = Fault(
            getattr(diagnosis, "sqlstate", None) or "",
            getattr(diagnosis, "constraint_name", None),
            getattr(diagnosis, "message_detail", None),
        )
        if fault.state == UNKNOWN_ACCOUNT_STATE and any(code in books.ids for code in ids):
            books.ids.clear()
            raise Retryable(str(error)) from error
        culprit = account_of(fault)
        account = next((code for code, known in ids.items() if known == culprit), None)
        code = code_of(fault, account and account.partition(":")[0])
        if code is None:
            raise
        raise refuse(code, **({"account": unstriped(account)} if account else {})) from error
