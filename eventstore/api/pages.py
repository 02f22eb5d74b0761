"""Pages of lists by keyset cursors: rows that arrive meanwhile are neither lost nor doubled."""

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from django.db.models import Model, Q, QuerySet

from eventstore.core.refusal import refuse

M = TypeVar("M", bound=Model)


class _Mark(msgspec.Struct, frozen=True, array_like=True):
    """Where a page ended."""

    at: datetime
    id: UUID


def page(
    rows: QuerySet[M],
    *,
    newest_by: str,
    limit: int,
    cursor: str | None,
    item: Callable[[M], dict[str, object]],
) -> dict[str, object]:
    """One page of rows ordered by (`newest_by`, id), newest first, with the next page's cursor.

    Raises: Refused with `bad_cursor`.
    """
    if cursor is not None:
        mark = _read(cursor)
        earlier = Q(**{f"{newest_by}__lt": mark.at})
        rows = rows.filter(earlier | Q(**{newest_by: mark.at, "id__lt": mark.id}))
    found = list(rows[: limit + 1])
    document: dict[str, object] = {"items": [item(row) for row in found[:limit]]}
    if len(found) > limit:
        document["next"] = _write(found[limit - 1], newest_by)
    return document


def _write(row: Any, newest_by: str) -> str:
    mark = msgspec.json.encode(_Mark(getattr(row, newest_by), row.id))
    return base64.urlsafe_b64encode(mark).decode().rstrip("=")


def _read(cursor: str) -> _Mark:
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        return msgspec.json.decode(raw, type=_Mark)
    except (binascii.Error, ValueError, msgspec.DecodeError) as fault:
        raise refuse("bad_cursor") from fault
