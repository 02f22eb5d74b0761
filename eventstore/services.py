"""One command, one transaction: receipt and lock, load, decide, append, result, commit.

The order of locks is the same everywhere: the receipt, then live rows (a tournament's before those
of its tables, by id), then accounts by id. So nobody waits in a circle.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from django.db import DatabaseError, connection, transaction

from eventstore import store
from eventstore.core.canonical import encode
from eventstore.core.chain import Fact, Head, Loaded, seal
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken, Retryable, refuse
from eventstore.ports import new_id, pause, random_bytes

TRIES = 3
ATTEMPTS_MAX = 8  # in a row at what is due of one row; then it is left alone, ever longer
PAUSE_SECONDS = 0.02  # before the second try; doubled, with as much again at random
LOCK_TIMED_OUT = "55P03"
RETRYABLE_STATES = frozenset({"40001", "40P01", LOCK_TIMED_OUT})
RESULT_BYTES_MAX = 4_096  # public facts only: versions and ids

T = TypeVar("T")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Receipt:
    """Name of one request of one actor: the same again has the same effect, once."""

    actor: str
    key: str
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class LiveRow:
    """The row of a relation that every command on its subject locks."""

    relation: str  # a constant of the code, never input
    id: UUID


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did: the answer to store, and the new fields of its live row."""

    status: int
    result: Mapping[str, object]
    stream: str | None = None
    first_version: int | None = None
    last_version: int | None = None
    changes: Mapping[str, object] = field(default_factory=dict)
    replayed: bool = False


class Transaction:
    """An open transaction: its one reading of the clock, its loads and its appends."""

    def __init__(self) -> None:
        self._now: datetime | None = None

    @property
    def now(self) -> datetime:
        """The database's clock, read once; the first load reads it without a round trip."""
        if self._now is None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT clock_timestamp()")
                self._now = cursor.fetchone()[0].astimezone(UTC)
        return self._now

    def load(self, stream: str, *, from_version: int = 1, with_first: bool = False) -> Loaded:
        """Events of a stream, as `eventstore.store.load`."""
        loaded = store.load(stream, from_version=from_version, with_first=with_first)
        self._now = self._now or loaded.now
        return loaded

    def seal(self, stream: str, head: Head, facts: Sequence[Fact]) -> tuple[Stored, ...]:
        """Records that are ready to be appended: money is posted from these before the append."""
        ids = [new_id() for _ in range(len(facts) + 1)]
        return seal(stream, head, facts, at=self.now, ids=ids)

    def append(self, stream: str, head: Head, facts: Sequence[Fact]) -> tuple[Stored, ...]:
        """Seal and write. Raises: VersionConflict."""
        sealed = self.seal(stream, head, facts)
        store.append(sealed, head)
        return sealed

    def lock(self, rows: Sequence[LiveRow]) -> list[Row]:
        """Lock further live rows of one relation, by ascending id; those that are there."""
        found = []
        for row in sorted(rows, key=lambda row: row.id):
            sql = f"SELECT live.* FROM {row.relation} live WHERE live.id = %s FOR UPDATE"
            found += _rows(sql, [row.id])
        return found


def fingerprint(method: str, path: str, body: object) -> bytes:
    """What tells two requests with one key apart (`eventstore.md` section 1.3)."""
    parts = (b"tonk/receipt-fp/1", method.encode(), path.encode(), encode(body))
    return sha256(b"\n".join(parts)).digest()


def in_transaction(work: Callable[[Transaction], T]) -> T:
    """Result of `work` in a transaction of its own, committed.

    A serialisation failure, deadlock or lock time-out, and whatever `work` itself calls Retryable,
    runs the whole again, three times with jitter. Raises: Retryable after that.
    """
    fault: Exception | None = None
    for attempt in range(TRIES):
        if attempt:
            _pause(attempt)
        try:
            with transaction.atomic(durable=True):
                return work(Transaction())
        except Retryable as again:
            fault = again
        except DatabaseError as failed:
            if _state(failed) not in RETRYABLE_STATES:
                raise
            fault = failed
    raise Retryable(str(fault)) from fault


def _pause(attempt: int) -> None:
    """Nobody signals that a foreign lock is free; a short pause lets the other one finish."""
    pause(PAUSE_SECONDS * 2 ** (attempt - 1) * (1 + random_bytes(1)[0] / 256))


def run_command(
    receipt: Receipt,
    live: LiveRow | None,
    work: Callable[[Transaction, Row], Outcome],
) -> Outcome:
    """Outcome of a command: of `work` now, or the stored one of the same request before.

    Locks the receipt, then the live row; `work` gets that row (empty without `live`). Result,
    versions and the row's changes are written in one statement before the commit.

    Raises: Refused with `not_found` (no such row), `idempotency_key_reused`,
    `idempotency_in_progress`, `unavailable` (the log is behind what was published), or whatever
    `work` refuses; nothing is stored then.
    """
    return in_transaction(partial(_command, receipt=receipt, live=live, work=work))


def _command(
    tx: Transaction,
    *,
    receipt: Receipt,
    live: LiveRow | None,
    work: Callable[[Transaction, Row], Outcome],
) -> Outcome:
    try:
        row = _enter(receipt, live)
    except DatabaseError as fault:
        if _state(fault) == LOCK_TIMED_OUT:
            raise refuse("idempotency_in_progress") from fault
        raise
    if row is None:
        answered = earlier(receipt)
        if answered is None:  # the receipt is new, so it is the subject that is not there
            require_writable()
            raise refuse("not_found")
        return answered
    outcome = work(tx, row)
    stored = _finish(receipt, live, outcome)
    return replace(outcome, result=msgspec.json.decode(stored))  # as a repeated request reads it


def _enter(receipt: Receipt, live: LiveRow | None) -> Row | None:
    """The locked live row after a fresh receipt.

    None where the receipt or no such row exists, or where nothing may be written.
    """
    sql = f"""WITH inserted_receipt AS (
        INSERT INTO eventstore_command_receipt (actor, key, fingerprint)
        SELECT %s, %s, %s::bytea WHERE NOT EXISTS ({_BEHIND})
        ON CONFLICT DO NOTHING RETURNING 1) """
    parameters: list[Any] = [receipt.actor, receipt.key, receipt.fingerprint]
    if live is None:
        found = _rows(sql + "SELECT 1 AS inserted FROM inserted_receipt", parameters)
        return {} if found else None
    # The receipt comes first: the row is locked only for a request that was not made before.
    sql += f"""SELECT live.* FROM {live.relation} live
        WHERE live.id = %s AND EXISTS (SELECT 1 FROM inserted_receipt) FOR UPDATE OF live"""
    found = _rows(sql, [*parameters, live.id])
    return found[0] if found else None


_BEHIND = "SELECT 1 FROM eventstore_log_state WHERE behind"


def require_writable() -> None:
    """Raises: Refused with `unavailable` where the log is behind what was published.

    What would be written then is not in the log that others have seen (`eventstore.md` 3.2).
    """
    if _rows(_BEHIND, []):
        raise refuse("unavailable")


def earlier(receipt: Receipt) -> Outcome | None:
    """Stored outcome of the same request, None if it has not been made.

    For a command that prepares something before its transaction. Raises: Refused with
    `idempotency_key_reused`.
    """
    found = _rows(
        """SELECT fingerprint, status, result::text AS result, stream, first_version, last_version
        FROM eventstore_command_receipt WHERE actor = %s AND key = %s""",
        [receipt.actor, receipt.key],
    )
    if not found or found[0]["status"] is None:
        return None
    row = found[0]
    if bytes(row["fingerprint"]) != receipt.fingerprint:
        raise refuse("idempotency_key_reused")
    return Outcome(
        status=row["status"],
        result=msgspec.json.decode(row["result"]),
        stream=row["stream"],
        first_version=row["first_version"],
        last_version=row["last_version"],
        replayed=True,
    )


def _finish(receipt: Receipt, live: LiveRow | None, outcome: Outcome) -> bytes:
    """The result's text, written to the receipt together with the changes of the live row."""
    result = encode(dict(outcome.result))
    if len(result) > RESULT_BYTES_MAX:
        raise InvariantBroken(f"a result of {len(result)} bytes")
    done = """UPDATE eventstore_command_receipt
        SET status = %s, result = %s::json, stream = %s, first_version = %s, last_version = %s
        WHERE actor = %s AND key = %s"""
    parameters: list[Any] = [
        outcome.status,
        result.decode(),
        outcome.stream,
        outcome.first_version,
        outcome.last_version,
        receipt.actor,
        receipt.key,
    ]
    with connection.cursor() as cursor:
        if live is None or not outcome.changes:
            cursor.execute(done, parameters)
            return result
        sql, more = update_sql(live, outcome.changes)
        cursor.execute(f"WITH done AS ({done}) {sql}", parameters + more)
    return result


def update_sql(live: LiveRow, changes: Mapping[str, object]) -> tuple[str, list[Any]]:
    """Statement and parameters that write fields of a live row."""
    assignments = ", ".join(f"{name} = %s" for name in changes)
    return f"UPDATE {live.relation} SET {assignments} WHERE id = %s", [*changes.values(), live.id]


def update_live(live: LiveRow, changes: Mapping[str, object]) -> None:
    """Write fields of a live row that is locked."""
    if changes:
        with connection.cursor() as cursor:
            cursor.execute(*update_sql(live, changes))


@dataclass(frozen=True, slots=True)
class Attempt:
    """A try at what is due of a live row, counted before it is made."""

    version: int
    due: str
    number: int


def rested(since: str) -> str:
    """Condition of SQL: a row that has failed so often has been left alone long enough.

    Eight tries come as fast as sweeps do; the next follow 1, 2, 4.. minutes after the instant
    `since` at which the work became due. So a poison row does not loop, and one that failed because
    the database or its workers were away is done some time after they are back.
    """
    most = 20  # two years: more would be beyond every clock
    rest = f"interval '1 minute' * power(2, least(attempts - {ATTEMPTS_MAX}, {most}))"
    return f"(attempts < {ATTEMPTS_MAX} OR {since} + {rest} <= clock_timestamp())"


_READY = f"due_at <= clock_timestamp() AND parked_code IS NULL AND {rested('due_at')}"


def overdue(relation: str, limit: int) -> list[UUID]:
    """Ids of live rows whose due work is to be tried now, the longest waiting first."""
    sql = f"""SELECT id FROM {relation} WHERE due IS NOT NULL AND {_READY}
        ORDER BY due_at LIMIT %s"""
    return [row["id"] for row in _rows(sql, [limit])]


@dataclass(frozen=True, slots=True)
class Idle:
    """Something that is due and that nobody has done."""

    subject: str
    due: str
    seconds: int  # since when


def idle(relation: str, seconds: int) -> list[Idle]:
    """Live rows where what is due has waited so long, the longest first; parked ones too."""
    sql = f"""SELECT id, due, floor(extract(epoch FROM clock_timestamp() - due_at))::bigint AS age
        FROM {relation}
        WHERE due IS NOT NULL AND due_at <= clock_timestamp() - make_interval(secs => %s)
        ORDER BY due_at"""
    return [
        Idle(f"{relation} {row['id']}", row["due"], row["age"]) for row in _rows(sql, [seconds])
    ]


def count_attempt(live: LiveRow) -> Attempt | None:
    """Count a try at what is overdue of a live row; None where nothing is any more.

    Counted before the work, so that work which kills its worker is counted too. After eight tries
    in a row the next ones come ever later (`rested`).
    """
    return in_transaction(partial(_count_attempt, live=live))


def _count_attempt(_: Transaction, *, live: LiveRow) -> Attempt | None:
    sql = f"""UPDATE {live.relation} SET attempts = attempts + 1 WHERE id = %s AND {_READY}
        RETURNING version, due, attempts"""
    found = _rows(sql, [live.id])
    return Attempt(*found[0].values()) if found else None


def forgive(live: LiveRow) -> None:
    """Count from the beginning again: the last try failed for a reason that will pass."""
    in_transaction(lambda _: update_live(live, {"attempts": 0, "parked_code": None}))


def park(live: LiveRow, code: str) -> None:
    """Leave a live row out of the sweep: what is due there can not be done until people have acted.

    They say so by `unpark`.
    """
    in_transaction(lambda _: update_live(live, {"parked_code": code}))


def unpark(relation: str, code: str) -> int:
    """Take the rows that were parked under a code into the sweep again; their number."""
    return in_transaction(lambda _: _unpark(relation, code))


def _unpark(relation: str, code: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {relation} SET attempts = 0, parked_code = NULL WHERE parked_code = %s",
            [code],
        )
        return int(cursor.rowcount)


def forget_receipts() -> int:
    """Number of receipts older than 30 days that were removed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT eventstore_forget_receipts()")
        return int(cursor.fetchone()[0])


def _rows(sql: str, parameters: Sequence[Any]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _state(fault: DatabaseError) -> str | None:
    return getattr(fault.__cause__, "sqlstate", None)
