"""`manage.py ledger_reconcile [--full]`: the books beside themselves and the log."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from ledger.reconciliation import reconcile
from ledger.reconciliation.running import CheckResult


class Command(BaseCommand):
    """A line a check; exit code 1 on any finding. The run is kept for the auditor's page."""

    help = "Check the books: what came since the run before, or with --full everything."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--full", action="store_true", help="from the first event on")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        result = reconcile(is_full=options["full"])
        for check in result.checks:
            self.stdout.write(_line(check))
            for one in check.findings:
                self.stdout.write(f"  {one['where']}: {one['found']}, expected {one['expected']}")
        kind = "full run" if result.is_full else "increment"
        self.stdout.write(f"{kind} at log size {result.size}: {result.findings} findings")
        if result.findings:
            sys.exit(1)


def _line(check: CheckResult) -> str:
    if check.skipped:
        return f"{check.name} skipped: {check.skipped}"
    figures = ", ".join(f"{name} {value}" for name, value in check.figures.items())
    verdict = f"{check.count} findings" if check.count else "ok"
    return f"{check.name} {verdict}" + (f" ({figures})" if figures else "")
