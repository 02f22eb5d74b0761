"""The books in the order of an export: the day of effect, the place in the log, part, line.

That order depends on nothing that could be another one in a rebuild, and up to a settled size no
entry is ever added. So two exports of one range are equal to the byte.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import groupby
from operator import itemgetter
from typing import Any

from ledger import selectors
from ledger.core.accounts import unstriped
from ledger.core.entries import key_of
from ledger.core.kinds import Kind
from ledger.exports.names import name_of
from ledger.exports.records import BROUGHT_FORWARD, Head, Leg, Record, Source
from ledger.store.books import LIVE
from ledger.store.closing import Cut, trial_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to export: entries of the first `size` events of the log, a currency alone if named.

    They took effect from the day `start` on and before the day `end`, by UTC.
    """

    size: int
    start: date | None = None
    end: date | None = None
    currency: str | None = None


_ENTRIES = """
    FROM eventstore_log_leaf l JOIN eventstore_event e USING (position)
    JOIN ledger.entry n ON (n.stream, n.version) = (e.stream, e.version)
    JOIN ledger.posting p ON p.entry_id = n.id """
_CONDITIONS = {
    "size": "l.log_index < %(size)s",
    "currency": "n.currency = %(currency)s",
    "start": "n.effective_at >= %(start)s",
    "end": "n.effective_at < %(end)s",
}
_LEGS = """
    SELECT n.id, n.kind, n.stream, n.version, n.part, n.hash, n.recorded_at, n.effective_at,
        l.log_index, e.type, e.hash, r.stream, r.version, r.part, r.id,
        p.line, a.code, a.class, p.amount, a.currency ENTRIES
    JOIN ledger.account a ON a.id = p.account_id
    LEFT JOIN ledger.entry r ON r.id = n.reverses WHERE CONDITIONS
    ORDER BY (n.effective_at AT TIME ZONE 'UTC')::date, l.log_index, n.part, p.line"""
_ACCOUNTS = """
    SELECT code FROM ledger.account
    WHERE id IN (SELECT p.account_id ENTRIES WHERE CONDITIONS)"""


def head(wanted: Wanted) -> Head:
    """What is declared before the records of a range. Raises: Refused with `unknown_currency`."""
    installed = [
        currency for currency in selectors.currencies() if wanted.currency in (None, currency.code)
    ]
    codes = {unstriped(code) for (code,) in LIVE.rows(*_asked(_ACCOUNTS, wanted))}
    codes |= {leg.account for record in _brought_forward(wanted) for leg in record.legs}
    return Head(installed, sorted(codes))


def records(wanted: Wanted) -> Iterator[Record]:
    """The transactions of a range in order, what was there before it first."""
    yield from _brought_forward(wanted)
    rows = LIVE.streamed(*_asked(_LEGS, wanted))
    for _, legs in groupby(rows, key=itemgetter(0)):
        yield _record(list(legs))


def _asked(sql: str, wanted: Wanted) -> tuple[str, dict[str, object]]:
    """A statement with the conditions of a range, and their parameters."""
    given: dict[str, object] = {
        "size": wanted.size,
        "currency": wanted.currency,
        "start": _midnight(wanted.start),
        "end": _midnight(wanted.end),
    }
    asked = {name: value for name, value in given.items() if value is not None}
    conditions = " AND ".join(_CONDITIONS[name] for name in asked)
    return sql.replace("ENTRIES", _ENTRIES, 1).replace("CONDITIONS", conditions, 1), asked


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time.min, UTC)


def _brought_forward(wanted: Wanted) -> Iterator[Record]:
    """The balances before the first day, as one transaction; none where nothing was booked."""
    if wanted.start is None:
        return
    cut = Cut(size=wanted.size, effective_before=_midnight(wanted.start))
    held = sorted(
        trial_of(cut, wanted.currency), key=lambda one: (name_of(one.account), one.currency)
    )
    legs = [
        Leg(line, one.account, one.account_class, one.amount, one.currency)
        for line, one in enumerate(held, 1)
    ]
    if legs:
        yield Record(wanted.start, BROUGHT_FORWARD, legs)


def _record(rows: list[tuple[Any, ...]]) -> Record:
    number, kind, stream, version, part, entry_hash, recorded_at, effective_at = rows[0][:8]
    log_index, event_type, event_hash, *reversed_, reverses_id = rows[0][8:15]
    return Record(
        day=effective_at.astimezone(UTC).date(),
        kind=Kind(kind).word,
        legs=[_leg(*row[15:]) for row in rows],
        source=Source(
            entry_id=number,
            key=key_of(stream, version, part),
            stream=stream,
            version=version,
            part=part,
            hash=bytes(entry_hash).hex(),
            recorded_at=recorded_at,
            effective_at=effective_at,
            log_index=log_index,
            event_type=event_type,
            event_hash=bytes(event_hash).hex(),
            reverses=None if reverses_id is None else key_of(*reversed_),
            reverses_id=reverses_id,
        ),
    )


def _leg(line: int, code: str, *rest: Any) -> Leg:
    return Leg(line, unstriped(code), *rest)
