"""What the auditor sees of the checks of the books (`api.md` section 4.7)."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.core.record import time_text
from ledger.reconciliation import RunResult, is_sound, latest
from ledger.reconciliation.running import CheckResult
from players.api.base import ApiView, Operation, answer


class Reconciliation(ApiView):
    """`GET /ledger/reconciliation`."""

    operations: ClassVar = {
        "GET": Operation("ledger.reconciliation", scope="audit", staff_scope="admin")
    }

    def get(self, request: Request) -> Response:
        """The newest run: every check with its figures; no checks before the first run.

        `ok` says whether nothing that was found, by it or since the newest full one, stands.
        """
        del request
        return answer(_run(latest()))


def _run(found: RunResult | None) -> dict[str, object]:
    if found is None:
        return {"checks": []}
    return {
        "started_at": time_text(found.started_at),
        "finished_at": time_text(found.finished_at),
        "size": found.size,
        "full": found.is_full,
        "findings": found.findings,
        "ok": is_sound(),
        "checks": [_check(check) for check in found.checks],
    }


def _check(check: CheckResult) -> dict[str, object]:
    document = {
        "check": check.name,
        "ok": not check.count,
        "figures": dict(check.figures),
        "findings": list(check.findings),
        "count": check.count,
    }
    return document | ({"skipped": check.skipped} if check.skipped else {})
