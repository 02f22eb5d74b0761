"""Who looked at what is not his own, and every export."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ledger.models import AuditAccess


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A look or an export; the hash is of what went out, where it was known beforehand."""

    id: int
    actor: str
    at: datetime
    what: str
    subject: UUID | None
    parameters: Mapping[str, object]
    rows: int
    sha256: str | None


def looks(
    *,
    actor: str | None,
    subject: UUID | None,
    between: tuple[datetime | None, datetime | None],
    below: int,
    limit: int,
) -> list[LookedAt]:
    """Looks with numbers under `below`, the newest first. One statement."""
    start, end = between
    conditions = {
        "id__lt": below,
        "actor": actor,
        "subject": subject,
        "at__gte": start,
        "at__lt": end,
    }
    given = {name: value for name, value in conditions.items() if value is not None}
    found = AuditAccess.objects.filter(**given).order_by("-id")[:limit]
    return [
        LookedAt(
            row.id,
            row.actor,
            row.at,
            row.what,
            row.subject,
            row.parameters,
            row.row_count,
            row.sha256,
        )
        for row in found
    ]
