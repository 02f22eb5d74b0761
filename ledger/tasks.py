"""Celery's way to the settler. A message is a wake-up: each task looks first at what is due."""

from uuid import UUID

from eventstore.tasking import task
from ledger import lag, services
from ledger.reconciliation import reconcile as check_books
from ledger.services import adjustments, payouts


@task("ledger.settle", idempotent="the cursor moves with the entries, whose keys are unique")
def settle(stream: str) -> None:
    """Settle one stream."""
    services.settle(stream)


@task("ledger.sweep", idempotent="it settles as `ledger.settle` does, stream by stream")
def sweep() -> None:
    """Settle what lost messages left behind."""
    services.settle_due()


@task("ledger.attend_order", idempotent="it looks first whether the order's row is still due")
def attend_order(order: str) -> None:
    """Do what is due of a payment's order."""
    payouts.attend_order(UUID(order))


@task("ledger.sweep_orders", idempotent="it only sends messages")
def sweep_orders() -> None:
    """Have every order that is due looked after."""
    payouts.sweep_orders()


@task("ledger.expire", idempotent="an expired proposal is open no more")
def expire() -> None:
    """End the manual entries that nobody decided in time."""
    adjustments.expire_due()


@task("ledger.reconcile", idempotent="it reads, and keeps one more row about what it found")
def reconcile() -> None:
    """Check what came into the books since the run before."""
    check_books(is_full=False)


@task("ledger.reconcile_fully", idempotent="as `ledger.reconcile`")
def reconcile_fully() -> None:
    """Check the whole books against the whole log."""
    check_books(is_full=True)


@task("ledger.watch", idempotent="it looks, and says what it sees")
def watch() -> None:
    """Log the alarms of the books."""
    lag.watch()
