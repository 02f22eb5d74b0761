"""The onlooker: reads what was committed after every step, and says what must never be."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

from games.rules.selfplay import SeededNumbers
from tonk_site.proving.simulator.scheduler import NEVER, Scheduler

if TYPE_CHECKING:
    import datetime as dt

EVENTS = """SELECT position, stream, version, type, tx::text, meta->>'actor'
    FROM eventstore_event WHERE position > %s ORDER BY position"""
# A receipt is written and completed by the transaction that appends its events, and never after.
RECEIPTS = """SELECT xmin::text, actor || ' ' || key, status, stream, first_version, last_version
    FROM eventstore_command_receipt WHERE xmin::text::bigint > %s ORDER BY xmin::text::bigint"""
ENTRIES = """SELECT e.id, e.posting_count, count(p.*), coalesce(sum(p.amount), 0)
    FROM ledger.entry e LEFT JOIN ledger.posting p ON p.entry_id = e.id
    WHERE e.id > %s GROUP BY e.id ORDER BY e.id"""
BALANCES = """SELECT a.code, b.balance, b.min_balance,
        (SELECT b.sign * coalesce(sum(p.amount), 0) FROM ledger.posting p
            WHERE p.account_id = a.id)
    FROM ledger.account_balance b JOIN ledger.account a ON a.id = b.account_id"""
TOUCHED = """SELECT a.code, b.balance, b.min_balance, last.balance_after
    FROM (SELECT DISTINCT account_id FROM ledger.posting WHERE entry_id > %s) AS touched
    JOIN ledger.account a ON a.id = touched.account_id
    JOIN ledger.account_balance b USING (account_id)
    CROSS JOIN LATERAL (SELECT p.balance_after FROM ledger.posting p
        WHERE p.account_id = b.account_id ORDER BY p.account_version DESC LIMIT 1) AS last
    ORDER BY a.id"""
HEADS = """SELECT (SELECT coalesce(max(position), 0) FROM eventstore_event),
    (SELECT coalesce(max(xmin::text::bigint), 0) FROM eventstore_command_receipt),
    (SELECT coalesce(max(id), 0) FROM ledger.entry),
    (SELECT size FROM eventstore_log_state),
    (SELECT min(due_at) FROM (
        SELECT due_at FROM games_table WHERE due IS NOT NULL AND parked_code IS NULL
        UNION ALL SELECT due_at FROM tournaments_tournament
            WHERE due IS NOT NULL AND parked_code IS NULL
        UNION ALL SELECT due_at FROM ledger.payment_order WHERE due_at IS NOT NULL
        UNION ALL SELECT event_at FROM ledger.settlement_due d WHERE EXISTS (
            SELECT FROM ledger.settlement_cursor c
            WHERE c.stream = d.stream AND c.version < d.version AND c.parked_code IS NULL)
    ) AS everything)"""
PARKED = """SELECT 'table', id::text, parked_code FROM games_table WHERE parked_code IS NOT NULL
    UNION ALL SELECT 'tournament', id::text, parked_code FROM tournaments_tournament
        WHERE parked_code IS NOT NULL
    UNION ALL SELECT 'settlement', stream, parked_code FROM ledger.settlement_cursor
        WHERE parked_code IS NOT NULL"""
ROWS = """SELECT concat_ws(' ', 'table', id, status, version, due, attempts, parked_code)
        FROM games_table UNION ALL
    SELECT concat_ws(' ', 'tournament', id, status, version, due, attempts, parked_code)
        FROM tournaments_tournament UNION ALL
    SELECT concat_ws(' ', 'settlement', c.stream, c.version, d.version, c.attempts, c.parked_code)
        FROM ledger.settlement_cursor c JOIN ledger.settlement_due d USING (stream)
        WHERE c.version < d.version"""
RECEIPT = "SELECT status FROM eventstore_command_receipt WHERE key = %s"
BY_COMMANDS = ("table/", "tournament/")
"""Streams in which what a person does is an event of his command: a receipt names it."""
DAY_SECONDS = 86_400.0
DIGEST = "SELECT stream, version, hash FROM eventstore_event ORDER BY stream, version"


class Broken(Exception):
    """Something is that must never be."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a client was told of a keyed request."""

    operation: str
    key: str
    is_done: bool
    """Done, or refused."""


@dataclass(frozen=True, slots=True)
class Made:
    """Who made an event, and in which transaction."""

    transaction: str
    actor: str


class Watch:
    """Looks on over a connection of its own, as the server's superuser, outside every point."""

    def __init__(self, url: str, scheduler: Scheduler, seed: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._scheduler = scheduler
        self.numbers = SeededNumbers(f"{seed}/watch")
        self.versions: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.events = self.placed = 0
        self._position = self._entry = self._transaction = 0
        self._due: dt.datetime | None = None
        self._told: list[Answered] = []

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def set_clock(self) -> None:
        """Let the database's clock show the scheduler's time."""
        self._connection.execute("UPDATE simulated.clock SET now = %s", [self._scheduler.time])

    def told(self, answered: Answered) -> None:
        """Note what a client was told, to be compared with what is kept."""
        self._told.append(answered)

    def due_at(self) -> float:
        """When something is due next, in seconds of the scheduler; never: nothing is."""
        if self._due is None:
            return NEVER
        ahead = (self._due - self._scheduler.time).total_seconds()
        return self._scheduler.now + ahead

    def look(self) -> None:
        """Check what was committed since the last look. Raises: Broken."""
        ((position, transaction, entry, self.placed, self._due),) = self._rows(HEADS)
        made = self._look_at_events() if position > self._position else {}
        if made or transaction > self._transaction:
            self._look_at_receipts(made)
        if entry > self._entry:
            self._look_at_entries()
        self._compare_told()

    def _look_at_events(self) -> dict[tuple[str, int], Made]:
        """Versions are 1..n. What is new, by stream and version."""
        found = {}
        for position, stream, version, name, transaction, actor in self._rows(
            EVENTS, self._position
        ):
            expected = self.versions.get(stream, 0) + 1
            if version != expected:
                raise Broken(f"{stream} has version {version} where {expected} follows")
            self.versions[stream] = version
            self.types[name] = self.types.get(name, 0) + 1
            self._position, self.events = position, self.events + 1
            found[stream, version] = Made(transaction, actor)
        return found

    def _look_at_receipts(self, made: dict[tuple[str, int], Made]) -> None:
        """What a command made is named by its receipt, and by no other one.

        A receipt that is changed afterwards is met again, and what it names is not new then.
        """
        left = dict(made)
        for transaction, name, status, stream, first, last in self._rows(
            RECEIPTS, self._transaction
        ):
            if status is None:
                raise Broken(f"receipt {name} has no answer")
            named = range(first, last + 1) if stream else ()
            for version in named:
                one = left.pop((stream, version), None)
                if one is None or one.transaction != transaction:
                    raise Broken(f"receipt {name} names {stream}@{version}, which it did not make")
            self._transaction = int(transaction)
        for (stream, version), one in left.items():
            if stream.startswith(BY_COMMANDS) and one.actor.startswith("player:"):
                raise Broken(f"no receipt names {stream}@{version} by {one.actor}")

    def _look_at_entries(self) -> None:
        """Entries sum to nothing; the accounts that they touched are not below their floors."""
        before = self._entry
        for entry, stated, found, total in self._rows(ENTRIES, before):
            if total or stated != found:
                raise Broken(f"entry {entry}: {found} postings of {stated}, their sum is {total}")
            self._entry = entry
        _require_sound(self._rows(TOUCHED, before))

    def _compare_told(self) -> None:
        """Whoever was told that it is done finds it; whoever was refused finds nothing."""
        for one in self._told:
            kept = [status for (status,) in self._rows(RECEIPT, one.key)]
            if len(kept) != int(one.is_done):
                told = "done" if one.is_done else "refused"
                raise Broken(f"{one.operation} {one.key} was {told}; kept: {kept}")
        self._told.clear()

    def balances(self) -> None:
        """Every balance is the sum of its postings, and not below its floor. Raises: Broken."""
        _require_sound(self._rows(BALANCES))

    def parked(self) -> list[tuple[str, str, str]]:
        """What was given up: kind, name, why."""
        return self._rows(PARKED)

    def rows(self) -> list[str]:
        """Every live row in words."""
        return [text for (text,) in self._rows(ROWS)]

    def is_due(self) -> bool:
        """Whether anything waits for its time; what is due on another day is let alone."""
        return self.due_at() < self._scheduler.now + DAY_SECONDS

    def digest(self, more: Iterable[object]) -> str:
        """SHA-256 of every record, and of what else is to be repeatable."""
        found = hashlib.sha256()
        for stream, version, hashed in self._rows(DIGEST):
            found.update(f"{stream}@{version} {bytes(hashed).hex()}\n".encode())
        for one in more:
            found.update(f"{one}\n".encode())
        return found.hexdigest()

    def _rows(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, parameters).fetchall()


def _require_sound(rows: Iterable[tuple[str, int, int | None, int]]) -> None:
    """Balances are what was posted, and not below their floors. Raises: Broken."""
    for code, balance, floor, posted in rows:
        if balance != posted or (floor is not None and balance < floor):
            raise Broken(f"{code}: {balance}, postings {posted}, floor {floor}")
