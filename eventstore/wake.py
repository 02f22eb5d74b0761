"""Wake-ups after a commit. A message only says "look"; losing one costs time, nothing else."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Protocol

from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import Redis, RedisError

logger = logging.getLogger(__name__)
LOG_CHANNEL = "tonk:log"  # of Redis; a message is the number of events that have a place
COMPLAIN_SECONDS = 60  # a broker that is down is said once a minute
PUBLISH_SECONDS_MAX = 1  # a broker that hangs costs the sender no more than this


class Messages(Protocol):
    """The port of all messages, as `eventstore.ports` describes what a port is."""

    def send(self, task: str, arguments: tuple[str | int, ...], queue: str) -> None:
        """Have a worker of the queue run a task. Raises: OperationalError without a broker."""

    def publish(self, channel: str, message: int) -> None:
        """Tell whoever listens to the channel. Raises: RedisError without a broker."""


class Brokers:
    """The real side: Celery for work, Redis for whoever listens."""

    def send(self, task: str, arguments: tuple[str | int, ...], queue: str) -> None:
        """Send a task by name. Raises: OperationalError."""
        current_app.send_task(task, args=arguments, queue=queue, retry=False, ignore_result=True)

    def publish(self, channel: str, message: int) -> None:
        """Publish within some tenths of a second. Raises: RedisError."""
        limits = {
            "socket_timeout": PUBLISH_SECONDS_MAX,
            "socket_connect_timeout": PUBLISH_SECONDS_MAX,
        }
        with Redis.from_url(settings.REDIS_URL, **limits) as to:
            to.publish(channel, message)


class _Used:
    """The side that the whole process uses, and when its silence was last complained about."""

    messages: Messages = Brokers()
    complained = -float("inf")


@contextmanager
def messages(other: Messages) -> Iterator[None]:
    """Let messages go another way within the block."""
    before, _Used.messages = _Used.messages, other
    try:
        yield
    finally:
        _Used.messages = before


def after_commit(task: str, *arguments: str | int, queue: str) -> None:
    """Send a task by name once the transaction is committed; a broker that is down is no error.

    Arguments are ids and versions alone.
    """
    transaction.on_commit(partial(_send, task, arguments, queue), robust=True)


def call_after_commit(work: Callable[[], None]) -> None:
    """Run `work` once the transaction is committed; its failure does not undo what is done."""
    transaction.on_commit(work, robust=True)


def send(task: str, *arguments: str | int, queue: str) -> None:
    """Send a task now, from code that holds no transaction."""
    _send(task, arguments, queue)


def tell_followers(size: int) -> None:
    """Say how far the log has grown. A broker that is down costs the followers a second."""
    with suppress(RedisError):
        _Used.messages.publish(LOG_CHANNEL, size)


def _send(task: str, arguments: tuple[str | int, ...], queue: str) -> None:
    try:
        _Used.messages.send(task, arguments, queue)
    except OperationalError as fault:
        if time.monotonic() - _Used.complained > COMPLAIN_SECONDS:
            _Used.complained = time.monotonic()
            logger.warning("no broker: the sweep will find what is due (%s)", fault)
