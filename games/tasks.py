"""Celery's doors to the app: each looks at the live row first, so it may run twice or late."""

import contextlib
from collections.abc import Callable
from uuid import UUID

from celery import shared_task

from eventstore.core.refusal import Refused
from games.services import bots, deals, moves, sweep


def _quietly(work: Callable[[], object]) -> None:
    """Do what is due; that it no longer is, is no fault."""
    with contextlib.suppress(Refused):
        work()


@shared_task(name="games.bot_turn", soft_time_limit=2, time_limit=5)
def bot_turn(table: str, version: int) -> None:
    """Play a bot's turn. Idempotent: the move's key is made of table and version."""
    bots.bot_turn(UUID(table), version)


@shared_task(name="games.deal")
def deal(table: str, version: int) -> None:
    """Deal the next hand. Idempotent: the deal's key is made of table and version."""
    _quietly(lambda: deals.deal_next(UUID(table), version))


@shared_task(name="games.time_out")
def time_out(table: str, version: int) -> None:
    """Play for whoever let his time run out. Idempotent: keyed by table and version."""
    _quietly(lambda: moves.play_for(UUID(table), version))


@shared_task(name="games.sweep")
def sweep_tables() -> None:
    """Look at everything overdue. Idempotent: rows are claimed, each act is keyed by version."""
    sweep.sweep()
