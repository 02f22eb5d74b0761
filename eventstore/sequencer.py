"""The one process that gives committed events their dense place, and signs the tree (3.1, 4.4).

A round takes every visible event that has no place yet, in the order of the inserts. So a row that
commits late with a low position gets a later place, and none is lost; the horizon of the round's
own snapshot is only the lower bound of the next scan.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction

from eventstore import keys, tree, wake
from eventstore.core import merkle
from eventstore.core.chain import START, Head, fault_of
from eventstore.core.ids import log_stream
from eventstore.core.notes import BadNote, Note, checkpoint_text, parse_note
from eventstore.core.record import Stored
from eventstore.core.tiles import Edge
from eventstore.ports import new_id
from eventstore.signing import KeyFolder, KeyMissing

logger = logging.getLogger(__name__)
LOCK = (0x746F6E6B, 1)  # whoever holds this advisory lock is the sequencer
BATCH_EVENTS = 1024

_STATE = """SELECT log_id, origin, size, scan_from::text, floor, system_identifier, refused, behind
    FROM eventstore_log_state FOR UPDATE"""
# The left join keeps the snapshot of a round that finds nothing. Parameters, not a join with the
# state: the planner must know where the scan begins. The columns are the fields of `Stored`.
_FRESH = """SELECT h.low, h.high, e.* FROM (
        SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS low,
            pg_snapshot_xmax(pg_current_snapshot())::text AS high) AS h
    LEFT JOIN (
        SELECT e.position, e.stream, e.version, e.event_id, e.type, e.schema, e.data::text,
            e.meta::text, e.at, e.prev_hash, e.hash
        FROM eventstore_event e
        WHERE e.tx >= %s::text::xid8 AND e.position > %s AND e.stream <> ALL (%s::text[])
        AND NOT EXISTS (SELECT 1 FROM eventstore_log_leaf l WHERE l.position = e.position)
        ORDER BY e.position LIMIT %s) AS e ON true
    ORDER BY e.position"""
# The newest event of each stream that has its place: at most a few newer ones are passed by.
_HEADS = """SELECT w.stream, h.version, h.hash, h.at FROM unnest(%s::text[]) AS w (stream)
    CROSS JOIN LATERAL (
        SELECT e.version, e.hash, e.at FROM eventstore_event e
        WHERE e.stream = w.stream
        AND EXISTS (SELECT 1 FROM eventstore_log_leaf l WHERE l.position = e.position)
        ORDER BY e.version DESC LIMIT 1) AS h"""
_OLDEST = """SELECT e.tx::text FROM eventstore_event e
    WHERE e.tx >= %s::text::xid8 AND e.position > %s
    AND NOT EXISTS (SELECT 1 FROM eventstore_log_leaf l WHERE l.position = e.position)
    ORDER BY e.tx, e.position LIMIT 1"""


class LogBehindPublished(RuntimeError):
    """The database was set back behind what outsiders have seen signed (`eventstore.md` 3.2)."""


@dataclass(frozen=True, slots=True)
class State:
    """The row `log_state`, locked."""

    log_id: UUID | None
    origin: str | None
    size: int
    scan_from: int
    floor: int
    system_identifier: int | None
    refused: tuple[int, ...]
    behind: bool  # commands are refused


@dataclass(frozen=True, slots=True)
class _Found:
    """What a round sees: the bounds of its snapshot, and rows without a place."""

    low: int  # every transaction below has ended
    high: int  # none from here on has ended
    rows: list[tuple[int, Stored]]  # by position

    @property
    def is_full(self) -> bool:
        """Whether there may be more."""
        return len(self.rows) == BATCH_EVENTS


@dataclass(frozen=True, slots=True)
class _Restored:
    """After a restore into another cluster: rounds look at everything until this is passed."""

    floor: int  # the highest position at the start
    horizon: int  # every transaction that ran then is below it
    system_identifier: int


class Sequencer:
    """Places events and signs. Whoever uses it holds the advisory lock, or is alone."""

    def __init__(
        self,
        *,
        urgent: frozenset[str] = frozenset(),
        using: str = "sequencer",
        folder: KeyFolder | None = None,
    ) -> None:
        """`urgent` are types of events after which a checkpoint is signed at once."""
        self.folder = folder or KeyFolder()
        self.is_urgent = False
        self.stream = self.origin = ""
        self._urgent, self._using = urgent, using
        self._edge = Edge()
        self._blocked: dict[str, int] = {}  # stream: position of its refused row
        self._restored: _Restored | None = None
        self._high = 0  # every event that has its place was written below this transaction

    @property
    def size(self) -> int:
        """Number of events that have their place."""
        return self._edge.size

    def start(self) -> None:
        """Open the log at the first start, and see that the database goes on from what is signed.

        Raises: LogBehindPublished, KeyMissing.
        """
        with self._locked() as found:
            log_id, origin = self._opened(found)
            state = self._state()
            self._edge = tree.edge(state.size, using=self._using)
            self._compare_with_published(origin, state.size)
            self._compare_with_newest(state)
            self._restored = self._restore(state)
            self._blocked = self._streams_at(state.refused, upto=state.floor)
            if state.behind:  # people have put it right
                self._execute("UPDATE eventstore_log_state SET behind = false")
        self.stream, self.origin = log_stream(log_id), origin
        keys.begin(self.stream, origin, self.folder, using=self._using)

    def round(self) -> int:
        """Give a place to what is visible, at most 1,024 events; how many got one."""
        with self._locked() as state:
            if state.size != self._edge.size:  # another one was at work: it is not now
                self._edge = tree.edge(state.size, using=self._using)
            found = self._fresh(state)
            taken = self._judge(found.rows)
            edge = self._place(state.size, taken)
            self._advance(state, found, len(taken))
        self._edge = edge
        if taken:
            self.is_urgent |= any(event.type in self._urgent for _, event in taken)
            wake.tell_followers(self.size)
        return len(taken)

    def sign(self) -> tree.Checkpoint | None:
        """Sign the tree as it is, None where this size is signed already.

        Raises: LogBehindPublished where the last signed root does not lead to this one.
        """
        with self._locked() as state:
            last = tree.newest(using=self._using)
            if state.size == (last.size if last else 0) or not state.origin:
                self.is_urgent = False
                return None
            checkpoint = self._checkpoint(state.origin, state.size, last)
            # In the file before the row: what may have been seen is never forgotten.
            self.folder.keep_note(checkpoint.note)
            self._insert(checkpoint)
        self.is_urgent = False
        return checkpoint

    # --- start ---

    def _opened(self, state: State) -> tuple[UUID, str]:
        """Id and name of the log; they are given once."""
        if state.log_id is not None and state.origin is not None:
            if settings.LOG_ORIGIN not in {"", state.origin}:
                logger.error("the log is %s and keeps this name", state.origin)
            return state.log_id, state.origin
        log_id = new_id()
        origin = settings.LOG_ORIGIN or f"tonk.local/log/{log_id}"
        self._execute(
            """UPDATE eventstore_log_state SET log_id = %s, origin = %s, system_identifier = (
                SELECT system_identifier FROM pg_control_system())""",
            [log_id, origin],
        )
        return log_id, origin

    def _compare_with_published(self, origin: str, size: int) -> None:
        """Demand what the last note says, which outsiders may have seen."""
        text = self.folder.last_note()
        if text is None:
            return
        try:
            note = parse_note(text)
        except BadNote as fault:
            raise LogBehindPublished("the file of the last checkpoint is damaged") from fault
        if note.origin != origin:
            if origin.startswith(f"{note.origin}/"):
                return  # the log was continued under a new name
            raise LogBehindPublished(f"the key signs {note.origin}, the database is {origin}")
        if note.size > size:
            raise LogBehindPublished(f"signed up to {note.size}, the database has {size}")
        if tree.root(note.size, using=self._using) != note.root:
            raise LogBehindPublished(f"another root at the signed size {note.size}")
        if tree.checkpoint(note.size, using=self._using) is None:
            self._insert_lost(note, text)

    def _insert_lost(self, note: Note, text: str) -> None:
        """The row of a note that was kept in the file just before the end of the process."""
        if not any(note.is_signed_by(key) for key in keys.known(note.origin, using=self._using)):
            raise KeyMissing("no key of the log has signed the file of the last checkpoint")
        self._insert(tree.Checkpoint(note.size, note.root, text, self._now()))

    def _compare_with_newest(self, state: State) -> None:
        """Demand that the tree is the one that was signed, and its edge that of its leaves."""
        last = tree.newest(using=self._using)
        if last is not None and (
            last.size > state.size or tree.root(last.size, using=self._using) != last.root
        ):
            raise LogBehindPublished(f"the tree is not the one that was signed at {last.size}")
        (leaves,) = self._row("SELECT coalesce(max(log_index) + 1, 0) FROM eventstore_log_leaf")
        if leaves != state.size:
            raise LogBehindPublished(f"{leaves} leaves in a log of {state.size}")

    def _restore(self, state: State) -> _Restored | None:
        """What a database in another cluster must pass: transaction ids began again there."""
        cluster, floor, horizon = self._row(
            """SELECT (SELECT system_identifier FROM pg_control_system()),
            (SELECT coalesce(max(position), 0) FROM eventstore_event),
            pg_snapshot_xmax(pg_current_snapshot())::text"""
        )
        if cluster == state.system_identifier:
            return None
        logger.warning("the database is in another cluster: every event is looked at once")
        return _Restored(floor, int(horizon), cluster)

    def _streams_at(self, positions: Sequence[int], *, upto: int) -> dict[str, int]:
        """Streams of refused rows that no scan sees any more; the others are found again."""
        rows = self._execute(
            """SELECT stream, position FROM eventstore_event
            WHERE position = ANY(%s::bigint[]) AND position <= %s""",
            [list(positions), upto],
        )
        return dict(rows)

    # --- a round ---

    def _fresh(self, state: State) -> _Found:
        """What is visible without a place."""
        scan_from, floor = (0, 0) if self._restored else (state.scan_from, state.floor)
        parameters = [str(scan_from), floor, list(self._blocked), BATCH_EVENTS]
        rows = self._execute(_FRESH, parameters)
        found = [(row[2], Stored(*row[3:])) for row in rows if row[2] is not None]
        return _Found(int(rows[0][0]), int(rows[0][1]), found)

    def _judge(self, rows: Sequence[tuple[int, Stored]]) -> list[tuple[int, Stored]]:
        """The rows that are what they say; the first other one of a stream blocks the rest."""
        streams = list({event.stream for _, event in rows})
        heads = {
            stream: Head(version, hashed, at)
            for stream, version, hashed, at in self._execute(_HEADS, [streams])
        }
        taken = []
        for position, event in rows:
            if event.stream in self._blocked:
                continue
            code = fault_of(event, heads.get(event.stream, START))
            if code is None:
                heads[event.stream] = Head(event.version, event.hash, event.at)
                taken.append((position, event))
                continue
            self._blocked[event.stream] = position
            logger.error(
                "tonk_sequencer_refused: position %s, %s version %s: %s",
                position, event.stream, event.version, code,
            )  # fmt: skip
        return taken

    def _place(self, size: int, taken: Sequence[tuple[int, Stored]]) -> Edge:
        """Insert the leaves and the tiles that they complete; the edge after them."""
        edge = self._edge.copy()
        if not taken:
            return edge
        hashes = [event.hash for _, event in taken]
        self._execute(
            """INSERT INTO eventstore_log_leaf (log_index, position, hash)
            SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bytea[])""",
            [list(range(size, size + len(taken))), [position for position, _ in taken], hashes],
        )
        if done := edge.push(hashes):
            parts = [tile.level for tile in done], [tile.n for tile in done]
            self._execute(
                """INSERT INTO eventstore_log_tile (level, n, hashes)
                SELECT * FROM unnest(%s::smallint[], %s::bigint[], %s::bytea[])""",
                [*parts, [tile.hashes for tile in done]],
            )
        return edge

    def _advance(self, state: State, found: _Found, taken: int) -> None:
        """Write where the next round begins, if it is another place than before."""
        refused = sorted(self._blocked.values())
        if taken:
            self._high = found.high
        if self._restored:
            self._pass_restore(self._restored, found, state.size + taken, refused)
            return
        # A scan that begins above everything that has its place is as short as it can be.
        moves = state.scan_from < min(found.low, self._high)
        if not taken and not moves and refused == list(state.refused):
            return
        scan_from = max(found.low, state.scan_from)
        if found.is_full or refused:
            scan_from = self._not_beyond_unplaced(scan_from, state.scan_from, state.floor)
        self._execute(
            "UPDATE eventstore_log_state SET size = %s, scan_from = %s::text::xid8, refused = %s",
            [state.size + taken, str(scan_from), refused],
        )

    def _not_beyond_unplaced(self, scan_from: int, above: int, floor: int) -> int:
        """The start of a scan, or the oldest transaction whose events have no place, if lower."""
        rows = self._execute(_OLDEST, [str(above), floor])
        return min([scan_from, *(int(tx) for (tx,) in rows)])

    def _pass_restore(
        self, restored: _Restored, found: _Found, size: int, refused: list[int]
    ) -> None:
        """The same while everything is looked at: the scan moves when nothing is left behind."""
        if found.is_full or found.low < restored.horizon:
            sql = "UPDATE eventstore_log_state SET size = %s, refused = %s"
            self._execute(sql, [size, refused])
            return
        scan_from = self._not_beyond_unplaced(found.low, 0, restored.floor)
        self._execute(
            """UPDATE eventstore_log_state SET size = %s, refused = %s, floor = %s,
            scan_from = %s::text::xid8, system_identifier = %s""",
            [size, refused, restored.floor, str(scan_from), restored.system_identifier],
        )
        self._restored = None

    # --- a checkpoint ---

    def _checkpoint(self, origin: str, size: int, last: tree.Checkpoint | None) -> tree.Checkpoint:
        """The signed root of this size, after a look from the stored tiles alone."""
        root = tree.root(size, using=self._using)
        if size == self._edge.size and root != self._edge.root():
            raise LogBehindPublished(f"the tiles give another root than the leaves at {size}")
        if last is not None:
            path = tree.consistency_unsigned(last.size, size, using=self._using)
            if not merkle.is_consistent(last.size, last.root, size, root, path):
                raise LogBehindPublished(f"the root at {last.size} does not lead to that at {size}")
        text = checkpoint_text(origin, size, root)
        signers = keys.signers(origin, self.folder, using=self._using)
        lines = "".join(signer.line(text) for signer in signers)
        return tree.Checkpoint(size, root, f"{text}\n{lines}", self._now())

    def _insert(self, checkpoint: tree.Checkpoint) -> None:
        self._execute(
            """INSERT INTO eventstore_log_checkpoint (size, root, note, signed_at)
            VALUES (%s, %s, %s, %s)""",
            [checkpoint.size, checkpoint.root, checkpoint.note, checkpoint.signed_at],
        )

    # --- the connection ---

    @contextmanager
    def _locked(self) -> Iterator[State]:
        """A transaction that holds the state's row: two sequencers could not work side by side."""
        with transaction.atomic(using=self._using):
            yield self._state()

    def _state(self) -> State:
        log_id, origin, size, scan_from, floor, cluster, refused, behind = self._row(_STATE)
        return State(log_id, origin, size, int(scan_from), floor, cluster, tuple(refused), behind)

    def _now(self) -> datetime:
        found: datetime = self._row("SELECT clock_timestamp()")[0]
        return found.astimezone(UTC)

    def _row(self, sql: str) -> Any:
        return self._execute(sql)[0]

    def _execute(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        with connections[self._using].cursor() as cursor:
            cursor.execute(sql, parameters)
            return list(cursor.fetchall()) if cursor.description else []
