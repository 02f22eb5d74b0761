"""Runs of the reconciliation, kept."""

from collections.abc import Sequence

from django.db import transaction

from ledger.models import ReconciliationCheck, ReconciliationRun


def keep(run: ReconciliationRun, checks: Sequence[ReconciliationCheck]) -> None:
    """Store a run with its checks, in a transaction of its own."""
    with transaction.atomic(durable=True):
        run.save(force_insert=True)
        for check in checks:
            check.run_id = run.id
        ReconciliationCheck.objects.bulk_create(checks)
