"""The loop of all followers: woken by the sequencer, and once a second whatever is lost."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.db import Error, connection
from redis import Redis, RedisError

from eventstore import followers
from eventstore.core.refusal import InvariantBroken, Retryable
from eventstore.followers import BATCH_EVENTS, Follower, NotBuilding, Parked
from eventstore.wake import LOG_CHANNEL

logger = logging.getLogger(__name__)
POLL_SECONDS = 1.0
REST_SECONDS, REST_SECONDS_MAX = 1.0, 60.0  # of a follower that failed; doubled each time
LOOK_SECONDS = 0.1  # at a version that somebody else is building
FAULTS = (Parked, Error, Retryable, InvariantBroken)


@dataclass(frozen=True, slots=True)
class _Rest:
    """A follower that failed: how often in a row, and until when it is left alone."""

    failures: int
    until: float  # of the runner's clock


class Runner:
    """Advances followers in turn, a batch each, so that none waits for another.

    One that fails is reported and rests, longer each time; the others go on. Any number of runners
    may work at once. `clock` counts seconds.
    """

    def __init__(
        self, following: Sequence[Follower], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._followers = tuple(following)
        self._clock = clock
        self._rests: dict[str, _Rest] = {}

    def poll(self, stop: Event | None = None) -> int:
        """Number of events applied, over all followers, until nothing is left or `stop` is set."""
        total = 0
        while not (stop and stop.is_set()):
            applied = sum(self._turn(follower) for follower in self._followers)
            if not applied:
                break
            total += applied
        return total

    def _turn(self, follower: Follower) -> int:
        """Events that one follower applied in its turn: 0 too while it rests, or when it fails."""
        rest = self._rests.get(follower.name, _Rest(0, self._clock()))
        if self._clock() < rest.until:
            return 0
        try:
            applied = _advance(follower)
        except FAULTS as fault:
            self._report(follower, fault)
            self._rests[follower.name] = self._longer(rest)
            return 0
        self._rests.pop(follower.name, None)
        return applied

    def _report(self, follower: Follower, fault: Exception) -> None:
        if isinstance(fault, Parked):
            logger.error("%s", fault, exc_info=fault)
        else:
            logger.error("follower %s: %s", follower.name, fault)
        if isinstance(fault, Error):
            connection.close()  # it may be the connection: the next turn opens another

    def _longer(self, rest: _Rest) -> _Rest:
        seconds = min(REST_SECONDS * 2**rest.failures, REST_SECONDS_MAX)
        return _Rest(rest.failures + 1, self._clock() + seconds)


def _advance(follower: Follower) -> int:
    """Apply a batch of each version that is this runner's; one that has caught up becomes live."""
    followers.begin(follower)
    applied = 0
    for version in followers.to_advance(follower):
        applied += followers.apply_batch(follower, version)
    if not applied:
        _promote_if_ready(follower)
    return applied


def _promote_if_ready(follower: Follower) -> None:
    """Make live what this code has built in place of an older one."""
    ready = [one for one in followers.standings(follower.name) if one.lag < BATCH_EVENTS]
    for one in ready:
        if one.status == followers.BUILDING and one.version in followers.to_advance(follower):
            with suppress(NotBuilding):  # another runner was first
                followers.promote(follower, one.version)


class Ear:
    """Hears that the log has grown. Without Redis it hears nothing, and only waits."""

    def __init__(self, stop: Event) -> None:
        self._stop = stop
        self._redis: Redis | None = None
        self._heard: Any = None

    def __enter__(self) -> Self:
        """Nothing is opened before the first wait."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self._close()

    def wait(self, seconds: float) -> bool:
        """Whether the log has grown since the last wait; False after so many seconds without it."""
        try:
            listening = self._listening()
            heard = listening.get_message(timeout=seconds)
            while listening.get_message():  # many messages mean one look
                pass
        except RedisError:
            self._close()
            self._stop.wait(seconds)
            return False
        return heard is not None

    def _listening(self) -> Any:
        if self._heard is None:
            self._redis = Redis.from_url(settings.REDIS_URL, socket_connect_timeout=POLL_SECONDS)
            begin: Callable[..., Any] = self._redis.pubsub
            self._heard = begin(ignore_subscribe_messages=True)
            self._heard.subscribe(LOG_CHANNEL)
            self._heard.get_message(timeout=POLL_SECONDS)  # that it is subscribed
        return self._heard

    def _close(self) -> None:
        if self._redis is not None:
            self._redis.close()
        self._redis = self._heard = None


def follow(following: Sequence[Follower], stop: Event) -> None:
    """Advance these followers until `stop` is set."""
    runner = Runner(following)
    with Ear(stop) as ear:
        while not stop.is_set():
            runner.poll(stop)
            ear.wait(POLL_SECONDS)


def rebuild(follower: Follower) -> followers.Promoted:
    """Make a follower anew from the log's beginning, and the result live, while all goes on.

    Raises: Parked; Retryable; NotBuilding where somebody else has made the same version live.
    """
    version, pause = followers.start_rebuild(follower), Event()
    while _lag(follower, version) >= BATCH_EVENTS:
        if not followers.apply_batch(follower, version):
            pause.wait(LOOK_SECONDS)
    return followers.promote(follower, version)


def _lag(follower: Follower, version: int) -> int:
    return next(one.lag for one in followers.standings(follower.name) if one.version == version)
