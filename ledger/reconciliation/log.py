"""Checks of the books against the log: R4, R5, R7 in one reading of it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from eventstore import store as log
from eventstore.core.ids import subject
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal
from ledger.core.entries import INLINE, MONEY, NO_MONEY, entries_for, key_of
from ledger.core.kinds import Kind
from ledger.reconciliation.found import Finding, Found, Scope, finding, findings_of
from ledger.selectors.settlement import CATEGORIES
from ledger.store.books import LIVE, hashes_of

READ_LEAVES = 2_000  # events that are held at once
ENDS = frozenset({"TableClosed", "Settled"})  # after which an escrow is empty and closed

_ESCROW = """
SELECT a.code, b.state || ' ' || b.balance, 'closed 0'
FROM ledger.account a JOIN ledger.account_balance b ON b.account_id = a.id
WHERE a.scope = ANY(%(scopes)s::uuid[]) AND (b.balance <> 0 OR b.state <> 'closed') ORDER BY 1"""
_WITHOUT_EVENT = """
SELECT format('%%s@%%s#%%s', e.stream, e.version, e.part), encode(e.hash, 'hex'), NULL::text
FROM ledger.entry e
LEFT JOIN eventstore_event ev ON (ev.stream, ev.version) = (e.stream, e.version)
WHERE e.id >= %(first_entry)s AND (ev.position IS NULL
    OR ev.type || ' ' || ev.schema <> ALL(%(money)s::text[])
    OR split_part(ev.stream, '/', 1) || '/' <> ALL(%(categories)s::text[])) ORDER BY 1"""
_MONEY = [f"{name} {schema}" for name, schema in MONEY]
_IN = (Kind.ENTRY, Kind.RE_ENTRY, Kind.REBUY, Kind.ADD_ON, Kind.OVERLAY)
_OUT = (Kind.PRIZE, Kind.BOUNTY, Kind.REFUND, Kind.TOURNAMENT_RAKE, Kind.FEES_EARNED)


@dataclass(slots=True)
class Reading:
    """What one reading of the log collects for three checks."""

    events: int = 0
    entries: int = 0
    findings: list[Finding] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)  # ids of tables and tournaments
    tournaments: list[str] = field(default_factory=list)  # streams of those that settled


def read(scope: Scope) -> Reading:
    """Read the log from the scope's place on, as far as the books must have followed it."""
    reading = Reading()
    cursors: Mapping[str, int] = dict(
        LIVE.rows("SELECT stream, version FROM ledger.settlement_cursor")
    )
    owed: Mapping[str, int] = dict(LIVE.rows("SELECT stream, version FROM ledger.settlement_due"))
    start = scope.first_index
    while start < scope.size:
        end = min(start + READ_LEAVES, scope.size)
        events = list(_money(start, end))
        _compare(reading, [event for event in events if _is_due(event, cursors)])
        for event in events:
            if not _is_due(event, cursors) and event.version > owed.get(event.stream, 0):
                _note_unmarked(reading, event)
        start = end
    return reading


def entries(scope: Scope, reading: Reading) -> Found:
    """R4: every money event has exactly its entries, hash by hash; no entry lacks its event.

    What the settler has not posted yet it knows of, or it would never post it.
    """
    figures = {"events": reading.events, "entries": reading.entries}
    strangers = findings_of(_WITHOUT_EVENT, scope, money=_MONEY, categories=list(CATEGORIES))
    return Found(figures, reading.findings + strangers)


def escrows(scope: Scope, reading: Reading) -> Found:
    """R5: what belonged to a table or tournament that has ended is empty and closed."""
    return Found({"ended": len(reading.ended)}, findings_of(_ESCROW, scope, scopes=reading.ended))


def tournaments(_: Scope, reading: Reading) -> Found:
    """R7: what came into an ended tournament, with the overlay, is what left it."""
    sums = _flows(reading.tournaments)
    findings = [
        finding(stream, money_out, money_in)
        for stream, (money_in, money_out) in sorted(sums.items())
        if money_in != money_out
    ]
    return Found({"tournaments": len(reading.tournaments)}, findings)


def _money(start: int, end: int) -> Iterator[Stored]:
    for leaf in log.leaves(start, end):
        event = leaf.event
        if (event.type, event.schema) not in NO_MONEY and event.stream.startswith(CATEGORIES):
            yield event


def _is_due(event: Stored, cursors: Mapping[str, int]) -> bool:
    """Whether its entries must be there: the settler's are after its cursor has passed them."""
    inline = (event.type, event.schema) in INLINE
    return inline or event.version <= cursors.get(event.stream, 0)


def _note_unmarked(reading: Reading, event: Stored) -> None:
    """Of what no settler will ever look at: right for tournament chips, which are no money."""
    if event.type in ENDS:
        reading.ended.append(str(subject(event.stream)))  # without accounts, nothing to close
    elif entries_for(event) != ():
        place = f"{event.stream}@{event.version}"
        reading.findings.append(finding(place, "marked for nobody", "settled"))


def _compare(reading: Reading, events: Sequence[Stored]) -> None:
    booked = hashes_of(LIVE, events)
    for event in events:
        made = entries_for(event)
        if isinstance(made, Refusal):
            reading.findings.append(finding(f"{event.stream}@{event.version}", None, made.code))
            continue
        found = dict(booked.get((event.stream, event.version), []))
        wanted = {entry.part: entry.hash for entry in made}
        reading.findings += _parts(event, found, wanted)
        reading.events += 1
        reading.entries += len(wanted)
        if event.type in ENDS:
            reading.ended.append(str(subject(event.stream)))
        if event.type == "Settled":
            reading.tournaments.append(event.stream)


def _parts(event: Stored, found: Mapping[int, bytes], wanted: Mapping[int, bytes]) -> list[Finding]:
    return [
        finding(key_of(event.stream, event.version, part), _hex(found, part), _hex(wanted, part))
        for part in sorted(found.keys() | wanted.keys())
        if found.get(part) != wanted.get(part)
    ]


def _hex(hashes: Mapping[int, bytes], part: int) -> str | None:
    return hashes[part].hex() if part in hashes else None


def _flows(streams: Iterable[str]) -> dict[str, tuple[int, int]]:
    """What each tournament took in and gave out, by its entries' kinds."""
    rows = LIVE.rows(
        """SELECT e.stream, e.kind, sum(p.amount) FILTER (WHERE p.amount > 0)
        FROM ledger.entry e JOIN ledger.posting p ON p.entry_id = e.id
        WHERE e.stream = ANY(%s::text[]) GROUP BY e.stream, e.kind""",
        [list(streams)],
    )
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for stream, kind, amount in rows:
        for side, kinds in enumerate((_IN, _OUT)):
            if kind in kinds:
                sums[stream][side] += int(amount)
    return {stream: (money_in, money_out) for stream, (money_in, money_out) in sums.items()}
