"""Celery's doors to the app: each looks at the live row first, so it may run twice or late."""

import contextlib
from collections.abc import Callable
from uuid import UUID

from eventstore.core.refusal import Refused
from eventstore.tasking import task
from games.services import bots, deals, stopping, sweep


def _quietly(work: Callable[[], object]) -> None:
    """Do what is due; that it no longer is, is no fault."""
    with contextlib.suppress(Refused):
        work()


@task("games.bot_turn", idempotent="the move's key is made of table and version")
def bot_turn(table: str, version: int) -> None:
    """Play a bot's turn."""
    _quietly(lambda: bots.bot_turn(UUID(table), version))


@task("games.deal", idempotent="the deal's key is made of table and version")
def deal(table: str, version: int) -> None:
    """Deal the next hand."""
    _quietly(lambda: deals.deal_next(UUID(table), version))


@task("games.attend", idempotent="what is due is keyed by table and version")
def attend(table: str) -> None:
    """Do what is overdue at a table."""
    sweep.attend(UUID(table))


@task("games.stop", idempotent="a seat that is left is not left again")
def stop(player: str, version: int) -> None:
    """Have somebody who may not play leave his cash tables."""
    stopping.leave_tables(UUID(player), version)


@task("games.stop_sitters", idempotent="a seat that is left is not left again")
def stop_sitters() -> None:
    """Have those leave who may not play on and sit where no deal comes to stop them."""
    stopping.stop_sitters()


@task("games.sweep", idempotent="it only sends messages")
def sweep_tables() -> None:
    """Have everything overdue looked after."""
    sweep.sweep()
