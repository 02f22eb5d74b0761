"""Celery's door to the app."""

from eventstore import services
from eventstore.tasking import task


@task("eventstore.forget_receipts", idempotent="it removes what is older than 30 days")
def forget_receipts() -> None:
    """Remove old receipts."""
    services.forget_receipts()
