"""Celery's way to what time does to accounts."""

from eventstore.services import in_transaction
from eventstore.tasking import task
from players.services.proposals import expire_proposals


@task("players.expire", idempotent="an expired proposal is open no more")
def expire() -> None:
    """End the proposals that nobody decided in time."""
    in_transaction(expire_proposals)
