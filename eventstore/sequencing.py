"""The sequencer's process: one holder of the lock works, the others wait for it."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread

from django.conf import settings
from django.db import Error, connections

from eventstore import keys, tree
from eventstore.core.refusal import Retryable
from eventstore.sequencer import BATCH_EVENTS, LOCK, LogBehindPublished, Sequencer
from eventstore.signing import KeyMissing
from eventstore.witnesses import Witnesses, witnesses_of

logger = logging.getLogger(__name__)
POLL_SECONDS = 0.25
NOTE_SECONDS = 1.0  # the age of the last note with which a quiet event gets the next one
LOCK_SECONDS = 1.0  # between two tries
REFUSED_SECONDS = 60.0  # before another look at what people must put right
KEYS_SECONDS = 3600.0  # between two looks for keys whose days are over
USING = "sequencer"


def run(stop: Event, urgent: frozenset[str]) -> None:
    """Be the sequencer, or wait to become it, until `stop` is set.

    `urgent` are types of events after which a checkpoint is signed at once. A broken connection
    gives the lock away: everything begins again with a look at what is signed.
    """
    while not stop.is_set():
        pause = LOCK_SECONDS
        try:
            if hold():
                work(stop, urgent)
        except (LogBehindPublished, KeyMissing) as why:
            name = "log_behind_published" if isinstance(why, LogBehindPublished) else "log_key"
            logger.log(logging.ERROR, "%s: %s; nothing is ordered or signed", name, why)
            if isinstance(why, LogBehindPublished):
                stop_writers()
            pause = REFUSED_SECONDS
        except (Error, Retryable) as fault:
            logger.warning("the sequencer begins again: %s", fault)
        finally:
            connections.close_all()
        stop.wait(pause)


def hold() -> bool:
    """Whether this connection holds the lock of the sequencer, now or by this try."""
    with connections[USING].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", LOCK)
        return bool(cursor.fetchone()[0])


def stop_writers() -> None:
    """Have every command refused until a sequencer starts again: the product serves reads only."""
    with suppress(Error), connections[USING].cursor() as cursor:  # told again at the next look
        cursor.execute("UPDATE eventstore_log_state SET behind = true WHERE NOT behind")


def work(stop: Event, urgent: frozenset[str]) -> None:
    """Rounds, checkpoints and witnesses until `stop` is set, by whoever holds the lock.

    Raises: LogBehindPublished, KeyMissing, DatabaseError, Retryable.
    """
    sequencer = Sequencer(urgent=urgent, using=USING)
    sequencer.start()
    ended = Event()
    cosigning = Witnesses(witnesses_of(settings.WITNESSES), using=USING)
    thread = Thread(target=cosigning.run, args=(ended,), name="witnesses", daemon=True)
    thread.start()
    pace = Pace(sequencer)
    try:
        while not stop.is_set():
            placed = sequencer.round()
            pace.sign_if_due()
            pace.retire_keys_if_due()
            if placed < BATCH_EVENTS:
                stop.wait(pace.seconds())
    finally:
        ended.set()


class Pace:
    """When a sequencer signs (`eventstore.md` section 4.4). `clock` counts seconds."""

    def __init__(self, sequencer: Sequencer, clock: Callable[[], float] = time.monotonic) -> None:
        self._sequencer, self._clock = sequencer, clock
        newest = tree.newest(using=USING)
        self._signed_size = newest.size if newest else 0
        self._signed_at = self._keys_at = -float("inf")

    def sign_if_due(self) -> None:
        """Sign what is new: at once after an urgent event, else when the last note is old."""
        if self._sequencer.size > self._signed_size and self._wait() <= 0:
            self._sequencer.sign()
            self._signed_size, self._signed_at = self._sequencer.size, self._clock()

    def retire_keys_if_due(self) -> None:
        """End keys whose days of overlap are over; looked at once an hour."""
        if self._clock() - self._keys_at >= KEYS_SECONDS:
            at_work = self._sequencer
            keys.retire_due(at_work.stream, at_work.origin, at_work.folder, using=USING)
            self._keys_at = self._clock()

    def seconds(self) -> float:
        """How long nothing is due, at most until the next look."""
        if self._sequencer.size == self._signed_size:
            return POLL_SECONDS
        return min(POLL_SECONDS, max(0.0, self._wait()))

    def _wait(self) -> float:
        if self._sequencer.is_urgent:
            return 0
        return self._signed_at + NOTE_SECONDS - self._clock()
