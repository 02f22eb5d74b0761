"""The chart of accounts, and the lines of one account. Rows of a house account are read as one."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from eventstore.core.refusal import refuse
from ledger.core.accounts import STRIPES, BadAccount, parse, unstriped
from ledger.core.entries import key_of
from ledger.core.kinds import Kind
from ledger.store.books import LIVE


@dataclass(frozen=True, slots=True)
class ChartLine:
    """An account; its balance is in its natural sign. `number` is where the next page goes on."""

    number: int
    account: str
    role: str
    account_class: str
    currency: str
    state: str
    balance: int


@dataclass(frozen=True, slots=True)
class AccountLine:
    """One line of an account: the leg, the balance after it, the accounts on the other side."""

    entry_id: int
    key: str
    kind: Kind
    at: datetime
    amount: int  # debit positive
    balance: int  # in the account's natural sign
    counter_accounts: Sequence[str]
    stream: str
    version: int


@dataclass(frozen=True, slots=True)
class AccountPage:
    """Lines of an account over a range of time; opening and closing are of the whole range."""

    account: str
    account_class: str
    currency: str
    state: str
    opening: int
    closing: int
    lines: Sequence[AccountLine]
    next_places: Sequence[int] | None  # where the next page begins; None: this is the last


@dataclass(frozen=True, slots=True)
class Span:
    """Which lines of an account are asked for: recorded from `start` on, before `end`.

    `places` say how many legs of each of its rows went before, as the page before told.
    """

    start: datetime | None = None
    end: datetime | None = None
    places: Sequence[int] | None = None
    limit: int = 100


def stored_codes(code: str) -> list[str]:
    """Codes as the books hold them of an account without a stripe: sixteen of the house's.

    Raises: Refused with `unknown_account` for what is no code.
    """
    try:
        account = parse(code)
    except BadAccount as fault:
        raise refuse("unknown_account", account=code) from fault
    if account.role.house:
        return [f"{code}:{stripe:02}" for stripe in range(STRIPES)]
    return [code]


# The first row of a house account stands for all of them.
_CHART = """
SELECT a.id, a.code, a.role, a.class, a.currency, b.state, together.balance
FROM ledger.account a JOIN ledger.account_balance b ON b.account_id = a.id
CROSS JOIN LATERAL (
    SELECT sum(x.balance)::bigint AS balance
    FROM ledger.account y JOIN ledger.account_balance x ON x.account_id = y.id
    WHERE y.code = ANY(CASE WHEN a.stripe IS NULL THEN ARRAY[a.code] ELSE ARRAY(
        SELECT left(a.code, -2) || to_char(s, 'FM00') FROM generate_series(0, %(last)s) s) END)
) AS together
WHERE a.id > %(after)s AND coalesce(a.stripe, 0) = 0
    AND a.role = coalesce(%(role)s::text, a.role)
    AND a.currency = coalesce(%(currency)s::text, a.currency)
    AND b.state = coalesce(%(state)s::text, b.state)
ORDER BY a.id LIMIT %(limit)s"""


def chart(
    *, role: str | None, currency: str | None, state: str | None, after: int, limit: int
) -> list[ChartLine]:
    """Accounts with balances, in the order of their opening, the house's last. One statement."""
    rows = LIVE.rows(
        _CHART,
        {
            "last": STRIPES - 1,
            "after": after,
            "role": role,
            "currency": currency,
            "state": state,
            "limit": limit,
        },
    )
    return [ChartLine(number, unstriped(code), *rest) for number, code, *rest in rows]


# --- the lines of one account ---------------------------------------------------------------------

_BOUNDS = """
SELECT a.id, a.class, a.currency, b.state, bounds.first, bounds.last,
    (SELECT p.balance_after FROM ledger.posting p
        WHERE (p.account_id, p.account_version) = (a.id, bounds.first)),
    (SELECT p.balance_after FROM ledger.posting p
        WHERE (p.account_id, p.account_version) = (a.id, bounds.last))
FROM ledger.account a JOIN ledger.account_balance b ON b.account_id = a.id
CROSS JOIN LATERAL (
    SELECT ledger.version_before(a.id, %(start)s::timestamptz) AS first,
        CASE WHEN %(end)s::timestamptz IS NULL THEN b.version
            ELSE ledger.version_before(a.id, %(end)s::timestamptz) END AS last) bounds
WHERE a.code = ANY(%(codes)s::text[]) ORDER BY a.id"""
_LINES = """
SELECT w.account_id, p.account_version, e.id, e.kind, e.recorded_at, p.amount, p.balance_after,
    e.stream, e.version, e.part
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS w (account_id, after, last)
CROSS JOIN LATERAL (
    SELECT * FROM ledger.posting p
    WHERE p.account_id = w.account_id
        AND p.account_version > w.after - 1 AND p.account_version <= w.last
    ORDER BY p.account_version LIMIT %s) p
JOIN ledger.entry e ON e.id = p.entry_id
ORDER BY w.account_id, p.account_version"""
_OTHERS = """
SELECT p.entry_id, a.code FROM ledger.posting p JOIN ledger.account a ON a.id = p.account_id
WHERE p.entry_id = ANY(%s::bigint[]) AND p.account_id <> ALL(%s::bigint[])
ORDER BY p.entry_id, p.line"""


def account_lines(code: str, span: Span) -> AccountPage:
    """A page of an account's lines, in the order in which money moved under the locks of its rows.

    Three statements. Each row's lines keep their own order; rows are merged by time, so the
    balance that runs beside them is the sum of all rows after each line.

    Raises: Refused with `unknown_account`, `bad_cursor`.
    """
    rows = LIVE.rows(_BOUNDS, {"start": span.start, "end": span.end, "codes": stored_codes(code)})
    if not rows:
        raise refuse("unknown_account", account=code)
    _, account_class, currency, state = rows[0][:4]
    held = [_Row(*row[:1], *row[4:]) for row in rows]
    places = [row.first for row in held] if span.places is None else list(span.places)
    if len(places) != len(held) or not all(
        row.first <= place <= max(row.first, row.last)
        for row, place in zip(held, places, strict=True)
    ):
        raise refuse("bad_cursor")
    lines, next_places = _merged(held, places, span.limit)
    return AccountPage(
        account=code,
        account_class=account_class,
        currency=currency,
        state=state,
        opening=sum(row.opening or 0 for row in held),
        closing=sum((row.closing if row.last > row.first else row.opening) or 0 for row in held),
        lines=lines,
        next_places=next_places,
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of an account: the versions that bound a range, and the balances there."""

    id: int
    first: int
    last: int
    opening: int | None
    closing: int | None


def _merged(
    held: Sequence[_Row], places: Sequence[int], limit: int
) -> tuple[list[AccountLine], list[int] | None]:
    """Lines after the places, and the places after these lines if there are more."""
    found = LIVE.rows(
        _LINES, [[row.id for row in held], list(places), [row.last for row in held], limit + 2]
    )
    balances, per_row = _standing(held, places, found)
    merged = list(heapq.merge(*per_row, key=lambda line: (line[4], line[2])))
    others = _others([line[2] for line in merged[:limit]], held)
    lines, after = [], dict(zip((row.id for row in held), places, strict=True))
    for line in merged[:limit]:
        account_id, version, number, kind, at, amount, balance, stream, event, part = line
        balances[account_id] = balance
        after[account_id] = version
        lines.append(
            AccountLine(
                entry_id=number,
                key=key_of(stream, event, part),
                kind=Kind(kind),
                at=at,
                amount=amount,
                balance=sum(balances.values()),
                counter_accounts=others.get(number, []),
                stream=stream,
                version=event,
            )
        )
    goes_on = len(merged) > limit
    return lines, [after[row.id] for row in held] if goes_on else None


def _standing(
    held: Sequence[_Row], places: Sequence[int], found: Sequence[Sequence[Any]]
) -> tuple[dict[int, int], list[list[Sequence[Any]]]]:
    """The balance of each row at its place, and the lines after it.

    The line at the place itself is read too: it tells the balance.
    """
    balances, lines = {}, []
    for row, place in zip(held, places, strict=True):
        own = [line for line in found if line[0] == row.id]
        balances[row.id] = next((line[6] for line in own if line[1] == place), row.opening or 0)
        lines.append([line for line in own if line[1] > place])
    return balances, lines


def _others(ids: Sequence[int], held: Sequence[_Row]) -> dict[int, list[str]]:
    """Accounts on the other side of entries, in the order of their lines."""
    found: dict[int, list[str]] = {}
    for number, code in LIVE.rows(_OTHERS, [list(ids), [row.id for row in held]]):
        found.setdefault(number, []).append(unstriped(code))
    return found
