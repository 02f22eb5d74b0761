"""The list of looks at what is not one's own, and of exports (`api.md` section 4.10)."""

from datetime import datetime
from typing import Annotated, ClassVar
from uuid import UUID

import msgspec
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore.api.requests import PageQuery
from eventstore.core.record import time_text
from ledger import selectors
from ledger.api.lists import page_below
from ledger.selectors.looks import LookedAt
from players.api.base import ApiView, Operation, answer

Instant = Annotated[datetime, msgspec.Meta(tz=True)]


class LooksQuery(PageQuery, frozen=True, kw_only=True):
    """Parameters of `admin.access_log`: looks from an instant on, before another."""

    actor: str | None = None
    subject: UUID | None = None
    start: Instant | None = msgspec.field(name="from", default=None)
    end: Instant | None = msgspec.field(name="to", default=None)


class AccessLog(ApiView):
    """`GET /admin/access-log`."""

    operations: ClassVar = {
        "GET": Operation("admin.access_log", "audit", LooksQuery, staff_scope="admin")
    }
    query: LooksQuery

    def get(self, request: Request) -> Response:
        """Who looked at what, and every export, the newest first."""
        del request
        query = self.query
        return answer(
            page_below(
                lambda below, limit: selectors.looks(
                    actor=query.actor,
                    subject=query.subject,
                    between=(query.start, query.end),
                    below=below,
                    limit=limit,
                ),
                query,
                item=_look,
            )
        )


def _look(look: LookedAt) -> dict[str, object]:
    document: dict[str, object] = {
        "access_id": look.id,
        "actor": look.actor,
        "at": time_text(look.at),
        "what": look.what,
        "parameters": dict(look.parameters),
        "rows": look.rows,
    }
    if look.subject is not None:
        document["subject"] = str(look.subject)
    if look.sha256 is not None:
        document["sha256"] = look.sha256
    return document
