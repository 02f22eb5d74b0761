"""Celery's way to the settler. A message is a wake-up: each task looks first at what is due."""

from celery import shared_task

from ledger import services


@shared_task(name="ledger.settle")  # type: ignore[untyped-decorator]  # celery has no types
def settle(stream: str) -> None:
    """Settle one stream. Idempotent: the cursor moves with the entries, whose keys are unique."""
    services.settle(stream)


@shared_task(name="ledger.sweep")  # type: ignore[untyped-decorator]  # celery has no types
def sweep() -> None:
    """Settle what lost messages left behind. Idempotent: as `ledger.settle`, stream by stream."""
    services.settle_due()
