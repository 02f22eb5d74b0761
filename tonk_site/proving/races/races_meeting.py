"""Threads that meet at a named point inside their transactions, and how each of them ended."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from threading import Barrier, Condition
from time import monotonic
from typing import Any

import psycopg
from django.db import DatabaseError, connection, connections

from eventstore.core.refusal import Refused, Retryable, VersionConflict
from tonk_site.refusals import MEANINGS

LOOK_SECONDS = 0.005
WAIT_SECONDS_MAX = 2.0  # well under what an idle transaction may last (`roles.sql`)
DONE = "done"
SERVER_ERROR = 500
_BLOCKED = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted AND pid = ANY(%s)"

Work = Callable[[], object]


class Point(Enum):
    """Where threads meet: just before the first statement of a kind."""

    BEGIN = r""
    """Any statement: nothing is locked yet, nothing read."""
    LOCK = r"FOR (NO KEY )?UPDATE|FOR KEY SHARE|INSERT|UPDATE"
    """The first that locks or writes: the receipt with the live row, where there is one."""
    MONEY = r"ledger\.post"
    """Wallets are about to be debited; live rows are locked by now."""
    APPEND = r"INSERT INTO eventstore_event"
    """All is decided, and nothing is written of it."""

    def is_at(self, sql: str) -> bool:
        """Whether a statement is of the kind."""
        return re.search(self.value, sql) is not None


@dataclass(frozen=True, slots=True)
class End:
    """How a thread ended: `done` with a result, or the code that a client would get."""

    code: str
    result: Any = None
    fault: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether a client would get a server's error."""
        return self.code != DONE and MEANINGS[self.code].status >= SERVER_ERROR


@dataclass
class Meeting:
    """A point that opens once everybody is there, has ended, or waits for a lock of who is there.

    So nobody waits for somebody whom he blocks himself.
    """

    count: int
    point: Point
    pids: list[int] = field(default_factory=list)
    here: int = 0
    gone: int = 0
    together: int | None = None
    """How many had come when it opened."""
    states: Counter[str] = field(default_factory=Counter)
    """SQLSTATEs that statements ended with."""
    _changed: Condition = field(default_factory=Condition)

    def arrive(self, raw: psycopg.Connection[Any]) -> None:
        """Wait here, in an open transaction, until the point opens."""
        until = monotonic() + WAIT_SECONDS_MAX
        with self._changed:
            self.here += 1
            self._open_if_all()
            while self.together is None:
                if not self._changed.wait(LOOK_SECONDS) and self.together is None:
                    row = raw.execute(_BLOCKED, [self.pids]).fetchone()
                    self._open_if_all(row[0] if row else 0, is_late=monotonic() > until)

    def leave(self) -> None:
        """Somebody has ended without having come by."""
        with self._changed:
            self.gone += 1
            self._open_if_all()

    def _open_if_all(self, blocked: int = 0, *, is_late: bool = False) -> None:
        if self.together is None and (self.here + self.gone + blocked >= self.count or is_late):
            self.together = self.here
            self._changed.notify_all()

    @contextmanager
    def visited(self, start: Barrier) -> Iterator[None]:
        """The block is the work of one thread, which begins when all are ready."""
        visitor = _Visitor(self)
        connection.ensure_connection()
        with self._changed:
            self.pids.append(connection.connection.info.backend_pid)
        start.wait()
        try:
            with connection.execute_wrapper(visitor):
                yield
        finally:
            if not visitor.has_come:
                self.leave()


class _Visitor:
    """Looks at the statements of one thread, for Django's `execute_wrapper`."""

    def __init__(self, meeting: Meeting) -> None:
        self._meeting, self.has_come = meeting, False

    def __call__(
        self,
        execute: Callable[..., Any],
        sql: str,
        *arguments: Any,
    ) -> Any:
        if not self.has_come and self._meeting.point.is_at(sql):
            self.has_come = True
            self._meeting.arrive(connection.connection)
        try:
            return execute(sql, *arguments)
        except DatabaseError as fault:
            self._meeting.states[getattr(fault.__cause__, "sqlstate", None) or "none"] += 1
            raise


class Racers:
    """Threads with a connection each, for any number of rounds."""

    def __init__(self, count: int) -> None:
        self._count, self._pool = count, ThreadPoolExecutor(count)

    def run(self, works: Sequence[Work], point: Point) -> tuple[list[End], Meeting]:
        """The ends of works that run at the same time, and how they met."""
        if len(works) > self._count:
            raise ValueError(f"{len(works)} works for {self._count} threads")
        meeting, start = Meeting(len(works), point), Barrier(len(works))

        def run(work: Work) -> object:
            with meeting.visited(start):
                return work()

        tasks = [self._pool.submit(run, work) for work in works]
        return [_end(task.exception(), task) for task in tasks], meeting

    def close(self) -> None:
        """Close the connections, and end the threads."""
        everybody = Barrier(self._count)

        def leave() -> None:
            everybody.wait()
            connections.close_all()

        for task in [self._pool.submit(leave) for _ in range(self._count)]:
            task.result()
        self._pool.shutdown()


def _end(fault: BaseException | None, task: Any) -> End:
    if fault is None:
        return End(DONE, task.result())
    if isinstance(fault, Refused) and fault.refusal.code in MEANINGS:
        return End(fault.refusal.code, fault=str(fault.refusal))
    if isinstance(fault, VersionConflict):
        return End("stale_version", fault=str(fault))
    # What was retried in vain is a server's error like any other: a client may see neither here.
    return End("unavailable" if isinstance(fault, Retryable) else "internal", fault=repr(fault))
