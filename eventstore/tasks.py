"""Celery's door to the app."""

from eventstore import lag, services
from eventstore.tasking import task


@task("eventstore.forget_receipts", idempotent="it removes what is older than 30 days")
def forget_receipts() -> None:
    """Remove old receipts."""
    services.forget_receipts()


@task("eventstore.watch", idempotent="it looks, and says what it sees")
def watch() -> None:
    """Log the alarms of the log."""
    lag.watch()
