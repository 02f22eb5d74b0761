"""Celery's way to the settler. A message is a wake-up: each task looks first at what is due."""

from eventstore.tasking import task
from ledger import services


@task("ledger.settle", idempotent="the cursor moves with the entries, whose keys are unique")
def settle(stream: str) -> None:
    """Settle one stream."""
    services.settle(stream)


@task("ledger.sweep", idempotent="it settles as `ledger.settle` does, stream by stream")
def sweep() -> None:
    """Settle what lost messages left behind."""
    services.settle_due()
