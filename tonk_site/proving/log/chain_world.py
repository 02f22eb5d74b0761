"""The processes of the check `chain`: one makes a log by real play, others tamper with copies."""

import io
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from django.db import connection, connections, transaction

from clients.verify import tonk_verify
from eventstore import tree
from eventstore.core.chain import Fact
from eventstore.core.ids import player_stream
from eventstore.core.notes import VerifierKey
from eventstore.core.refusal import Refused, VersionConflict
from eventstore.exports import log_export
from eventstore.ports import new_id
from eventstore.readers import STAFF
from eventstore.services import Transaction, in_transaction
from eventstore.tree_verification import NOBODY, Outside
from eventstore.verification import verify_log
from games.rules.selfplay import SeededNumbers
from players.core.events import NameConsentSet
from tonk_site.proving.acting import drive, factories
from tonk_site.proving.acting.sealing import seal_log
from tonk_site.proving.log.tampering import Log, Tampering, event_name, name_of, tamper

WRITERS, ROUNDS = 4, 5  # who meet at one stream
MEET_SECONDS_MAX = 30
EVENTS_MIN = 300
STEPS_A_CHECKPOINT = 8
EXPORT_EVERY = 10  # trials, of which one is also put before the stand-alone verifier
SUPERUSER = "postgres"
# A superuser is not held up by constraints either.
UNGUARDED = """
ALTER TABLE eventstore_event DISABLE TRIGGER ALL;
ALTER TABLE eventstore_log_leaf DISABLE TRIGGER ALL;
ALTER TABLE eventstore_log_tile DISABLE TRIGGER ALL;
ALTER TABLE eventstore_log_checkpoint DISABLE TRIGGER ALL;
ALTER TABLE eventstore_log_key DISABLE TRIGGER ALL;
ALTER TABLE eventstore_event ALTER position DROP IDENTITY;
ALTER TABLE eventstore_event DROP CONSTRAINT event_stream_version;
ALTER TABLE eventstore_event DROP CONSTRAINT event_id;
ALTER TABLE eventstore_log_leaf DROP CONSTRAINT log_leaf_position;
CREATE INDEX ON eventstore_event (stream, version);
CREATE INDEX ON eventstore_log_leaf (position)"""


@dataclass(frozen=True, slots=True)
class Made:
    """The log that was made: how long it is, and the key that somebody outside keeps."""

    events: int
    checkpoints: int
    key: str
    told: tuple[str, ...]
    """Rows that are named before anybody has changed one."""


@dataclass(frozen=True, slots=True)
class Part:
    """Trials of one process, in a copy of the log that is its own."""

    seed: str
    numbers: Sequence[int]
    key: str


@dataclass
class Report:
    """What became of trials; a wrong is what, where, expected, got."""

    found: int = 0
    tamperings: int = 0
    exports: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    wrongs: list[tuple[str, str, str, str]] = field(default_factory=list)


def make() -> Made:
    """A log of tournaments that bots played to their prizes, signed now and then.

    First of all writers meet at one stream.
    """
    meet(player_stream(new_id()))
    told = _names_told(NOBODY)
    if told:  # no sequencer would give such records a place
        return Made(0, 0, "", tuple(sorted(told)))
    organiser = factories.a_player("jonas", "organiser")
    while len(Log.read().rows) < EVENTS_MIN:
        tournament = factories.a_tournament(organiser, entries_min=3, entries_max=3, stack_stakes=5)
        factories.with_bots(tournament, organiser, 3, "random-0")
        steps = 0
        while drive.once(tournament):
            steps += 1
            if steps % STEPS_A_CHECKPOINT == 0:
                seal_log()
        seal_log()
    log = Log.read()
    key = tree.keys()[0].key
    told = _names_told(Outside([VerifierKey.read(key)], list(log.notes.values())))
    connections.close_all()
    return Made(len(log.rows), len(log.notes), key, tuple(sorted(told)))


def meet(stream: str) -> None:
    """Writers append to one stream, all of them on the same head, over and over.

    One of each round is to be let through: what lets two through has forked the chain.
    """
    barrier = threading.Barrier(WRITERS)

    def write(_: int) -> None:
        for _round in range(ROUNDS):
            with suppress(VersionConflict):
                in_transaction(partial(_append_together, stream=stream, barrier=barrier))
        connections.close_all()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))


def _append_together(tx: Transaction, *, stream: str, barrier: threading.Barrier) -> None:
    head = tx.load(stream).head
    barrier.wait(MEET_SECONDS_MAX)
    tx.append(stream, head, [Fact(NameConsentSet(consent=True), "worker:trial")])


def attack(part: Part) -> Report:
    """Tamper, look, take back: once for each number."""
    _become_superuser()
    log, report = Log.read(), Report()
    outside = Outside([VerifierKey.read(part.key)], list(log.notes.values()))
    assert_clean(outside)
    for number in part.numbers:
        with _undone():
            done = tamper(SeededNumbers(f"{part.seed}/{number}"), log)
            report.tamperings += 1
            report.kinds[done.what] += 1
            told, where = _names_told(outside), f"{part.seed}/{number}"
            if told & done.names:
                report.found += 1
            else:
                what = f"not named: {done.what}"
                report.wrongs.append((what, where, _few(done.names), _few(told)))
            if number % EXPORT_EVERY == 0:
                _put_before_verifier(done, part, where, report)
    connections.close_all()
    return report


def assert_clean(outside: Outside) -> None:
    """Nothing is told of the log as it was made. Raises: RuntimeError."""
    told = _names_told(outside)
    if told:
        raise RuntimeError(f"before any change: {_few(told)}")


def _become_superuser() -> None:
    connections.close_all()
    connections["default"].settings_dict.update(USER=SUPERUSER)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname FROM pg_trigger WHERE tgname = 'event_no_change' AND tgenabled = 'D'"
        )
        if cursor.fetchone() is None:
            for statement in UNGUARDED.split(";"):
                cursor.execute(statement)


@contextmanager
def _undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _names_told(outside: Outside) -> frozenset[str]:
    """The rows that `manage.py verify` names."""
    found = verify_log(outside)
    told = {event_name(fault.stream, fault.version) for fault in found.faults}
    return frozenset(told | {name_of(fault.relation, fault.row) for fault in found.tree.faults})


def _put_before_verifier(done: Tampering, part: Part, where: str, report: Report) -> None:
    """An export of the changed log does not pass, where it shows the change at all."""
    report.exports += 1
    try:
        lines = b"".join(log_export(reader=STAFF))
        tonk_verify.verify_export(io.BytesIO(lines), [part.key])
    except (tonk_verify.Failed, Refused, ValueError):
        return
    if done.in_export:
        report.wrongs.append((f"an export that passes: {done.what}", where, "refused", "verified"))


def _few(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)[:6]) or "nothing"
