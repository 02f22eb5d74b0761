"""Celery's doors to the app: each looks at the live rows first, so it may run twice or late."""

import contextlib
from uuid import UUID

from eventstore.core.refusal import Refused
from eventstore.tasking import task
from games.services.sweep import parked_without_key
from tournaments.services import conduct, steps


@task("tournaments.conduct", idempotent="once it is done the table is no longer held")
def conduct_table(table: str) -> None:
    """Conduct a table that waits."""
    with contextlib.suppress(Refused), parked_without_key(UUID(table)):
        conduct.conduct(UUID(table))


@task("tournaments.step", idempotent="once it is done the step is no longer due")
def step(tournament: str) -> None:
    """Take the tournament's own due step."""
    steps.step(UUID(tournament))


@task("tournaments.attend", idempotent="once it is done the step is no longer due")
def attend(tournament: str) -> None:
    """Take the tournament's own overdue step, and count the try."""
    steps.attend(UUID(tournament))


@task("tournaments.sweep", idempotent="it only sends messages")
def sweep() -> None:
    """Have everything overdue looked after."""
    steps.sweep()
