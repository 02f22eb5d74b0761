"""Celery's doors to the app: each looks at the live rows first, so it may run twice or late."""

import contextlib
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from eventstore.core.refusal import Refused
from games import selectors
from tournaments.services import conduct, money


@shared_task(name="tournaments.conduct")
def conduct_table(table: str) -> None:
    """Conduct a table that waits. Idempotent: done, it is no longer held."""
    with contextlib.suppress(Refused):
        conduct.conduct(UUID(table))


@shared_task(name="tournaments.step")
def step(tournament: str) -> None:
    """Take the tournament's own due step. Idempotent: done, it is no longer due."""
    money.step(UUID(tournament))


@shared_task(name="tournaments.sweep")
def sweep() -> None:
    """Look at everything overdue. Idempotent: as the two above."""
    for table, _ in selectors.due_held(timezone.now()):
        with contextlib.suppress(Refused):
            conduct.conduct(table)
    money.sweep()
