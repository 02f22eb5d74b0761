"""Wake-ups after a commit. A message only says "look"; losing one costs time, nothing else."""

import logging
import time
from collections.abc import Callable
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)
LOG_CHANNEL = "tonk:log"  # of Redis; a message is the number of events that have a place
COMPLAIN_SECONDS = 60  # a broker that is down is said once a minute


class _Complaints:
    """When the broker was last complained about."""

    last = 0.0


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


def _send(task: str, arguments: tuple[str | int, ...], queue: str) -> None:
    try:
        current_app.send_task(task, args=arguments, queue=queue, retry=False, ignore_result=True)
    except OperationalError as fault:
        if time.monotonic() - _Complaints.last > COMPLAIN_SECONDS:
            _Complaints.last = time.monotonic()
            logger.warning("no broker: the sweep will find what is due (%s)", fault)
