"""Entries as an auditor reads them: every leg, the event behind it, what took it back."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from eventstore.core.refusal import refuse
from ledger.core.accounts import unstriped
from ledger.core.entries import key_of
from ledger.core.kinds import Kind
from ledger.selectors.accounts import stored_codes
from ledger.store.books import LIVE

ID_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Link:
    """Another entry."""

    entry_id: int
    key: str


@dataclass(frozen=True, slots=True)
class Leg:
    """One line, debit positive; the account's code is without a stripe."""

    line: int
    account: str
    amount: int


@dataclass(frozen=True, slots=True)
class Event:
    """The event that an entry comes from; without a place while the log has not ordered it."""

    stream: str
    version: int
    hash: str
    type: str
    log_index: int | None


@dataclass(frozen=True, slots=True)
class EntryInFull:
    """An entry with all that belongs to it."""

    id: int
    key: str
    part: int
    kind: Kind
    currency: str
    recorded_at: datetime
    effective_at: datetime
    hash: str
    source: Event
    legs: Sequence[Leg]
    reverses: Link | None
    reversed_by: Link | None


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries are asked for, recorded from `start` on, before `end`; None asks nothing."""

    account: str | None = None
    kind: Kind | None = None
    stream: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    manual: bool | None = None
    reversed: bool | None = None


_REVERSED = "EXISTS (SELECT FROM ledger.entry r WHERE r.reverses = n.id)"
_ENTRIES = """
SELECT n.id, n.kind, n.currency, n.stream, n.version, n.part, n.recorded_at, n.effective_at,
    n.hash, e.hash, e.type, l.log_index,
    r.id, r.stream, r.version, r.part, b.id, b.stream, b.version, b.part
FROM (SELECT * FROM ledger.entry n WHERE CONDITIONS ORDER BY n.id DESC LIMIT %(limit)s) n
JOIN eventstore_event e ON (e.stream, e.version) = (n.stream, n.version)
LEFT JOIN eventstore_log_leaf l USING (position)
LEFT JOIN ledger.entry r ON r.id = n.reverses
LEFT JOIN ledger.entry b ON b.reverses = n.id
ORDER BY n.id DESC"""
_LEGS = """
SELECT p.entry_id, p.line, a.code, p.amount
FROM ledger.posting p JOIN ledger.account a ON a.id = p.account_id
WHERE p.entry_id = ANY(%s::bigint[]) ORDER BY p.entry_id, p.line"""


def entries(asked: Filter, *, below: int = ID_MAX, limit: int) -> list[EntryInFull]:
    """Entries with ids under `below`, the newest first. Two statements."""
    conditions = {"n.id < %(below)s", *_conditions(asked)}
    return _read(
        sorted(conditions),
        {
            "below": below,
            "limit": limit,
            "codes": stored_codes(asked.account) if asked.account else [],
            "kind": asked.kind,
            "stream": asked.stream,
            "start": asked.start,
            "end": asked.end,
            "manual": Kind.ADJUSTMENT,
        },
    )


def entry(entry_id: int) -> EntryInFull:
    """One entry. Two statements. Raises: Refused with `not_found`."""
    found = _read(["n.id = %(id)s"], {"id": min(entry_id, ID_MAX), "limit": 1})
    if not found:
        raise refuse("not_found")
    return found[0]


def entry_id_of(stream: str, version: int) -> int | None:
    """Id of the first entry that an event made, None as long as there is none."""
    sql = """SELECT id FROM ledger.entry WHERE (stream, version) = (%s::text, %s::int)
        ORDER BY part LIMIT 1"""
    rows = LIVE.rows(sql, [stream, version])
    return int(rows[0][0]) if rows else None


def legs_of(ids: Collection[int]) -> dict[int, list[Leg]]:
    """Legs of entries, in their order. One statement."""
    legs: dict[int, list[Leg]] = {number: [] for number in ids}
    for number, line, code, amount in LIVE.rows(_LEGS, [list(ids)]):
        legs[number].append(Leg(line, unstriped(code), amount))
    return legs


def _conditions(asked: Filter) -> Iterator[str]:
    if asked.account is not None:
        yield (
            "n.id IN (SELECT p.entry_id FROM ledger.posting p JOIN ledger.account a"
            " ON a.id = p.account_id WHERE a.code = ANY(%(codes)s::text[]))"
        )
    if asked.kind is not None:
        yield "n.kind = %(kind)s"
    if asked.stream is not None:
        yield "n.stream = %(stream)s"
    if asked.start is not None:
        yield "n.recorded_at >= %(start)s"
    if asked.end is not None:
        yield "n.recorded_at < %(end)s"
    if asked.manual is not None:
        yield f"n.kind {'>=' if asked.manual else '<'} %(manual)s"
    if asked.reversed is not None:
        yield _REVERSED if asked.reversed else f"NOT {_REVERSED}"


def _read(conditions: Sequence[str], parameters: dict[str, object]) -> list[EntryInFull]:
    sql = _ENTRIES.replace("CONDITIONS", " AND ".join(conditions), 1)
    rows = LIVE.rows(sql, parameters)
    legs = legs_of([row[0] for row in rows])
    return [_entry(row, legs[row[0]]) for row in rows]


def _entry(row: Sequence[Any], legs: Sequence[Leg]) -> EntryInFull:
    number, kind, currency, stream, version, part, recorded_at, effective_at, digest = row[:9]
    event_hash, event_type, log_index = row[9:12]
    return EntryInFull(
        id=number,
        key=key_of(stream, version, part),
        part=part,
        kind=Kind(kind),
        currency=currency,
        recorded_at=recorded_at,
        effective_at=effective_at,
        hash=bytes(digest).hex(),
        source=Event(stream, version, bytes(event_hash).hex(), event_type, log_index),
        legs=legs,
        reverses=_link(row[12:16]),
        reversed_by=_link(row[16:20]),
    )


def _link(found: Sequence[Any]) -> Link | None:
    number, stream, version, part = found
    return None if number is None else Link(number, key_of(stream, version, part))
