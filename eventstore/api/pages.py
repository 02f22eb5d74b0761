"""Pages of lists by keyset cursors: rows that arrive meanwhile are neither lost nor doubled."""

import base64
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

import msgspec
from django.db.models import Model, Q, QuerySet

from eventstore.core.refusal import refuse

M = TypeVar("M", bound=Model)
NUMBER_DIGITS_MAX = 18  # of a column of 64 bits
_Place = Annotated[int, msgspec.Meta(ge=0, le=10**NUMBER_DIGITS_MAX - 1)]


class _Mark(msgspec.Struct, frozen=True, array_like=True):
    """Where a page ended."""

    at: Annotated[datetime, msgspec.Meta(tz=True)]
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
    return _text_of(msgspec.json.encode(_Mark(getattr(row, newest_by), row.id)))


def _read(cursor: str) -> _Mark:
    try:
        mark = msgspec.json.decode(_bytes_of(cursor), type=_Mark)
    except msgspec.DecodeError as fault:
        raise refuse("bad_cursor") from fault
    if _text_of(msgspec.json.encode(mark)) != cursor:
        raise refuse("bad_cursor")
    return mark


def numbered(number: int) -> str:
    """The cursor of a page that begins at a row with a number of its own.

    >>> number_of(numbered(7))
    7
    """
    return _text_of(b"%d" % number)


def number_of(cursor: str | None) -> int:
    """The number in such a cursor, 0 without one. Raises: Refused with `bad_cursor`."""
    if cursor is None:
        return 0
    digits = _bytes_of(cursor)
    number = int(digits) if digits.isdigit() and len(digits) <= NUMBER_DIGITS_MAX else 0
    if number < 1 or numbered(number) != cursor:
        raise refuse("bad_cursor")
    return number


def placed(places: Sequence[int]) -> str:
    """The cursor of a page that goes on behind several places at once.

    >>> places_of(placed([7, 0]))
    [7, 0]
    """
    return _text_of(msgspec.json.encode(list(places)))


def places_of(cursor: str | None) -> list[int] | None:
    """The places in such a cursor, None without one. Raises: Refused with `bad_cursor`."""
    if cursor is None:
        return None
    try:
        places = msgspec.json.decode(_bytes_of(cursor), type=list[_Place])
    except msgspec.DecodeError as fault:
        raise refuse("bad_cursor") from fault
    if placed(places) != cursor:
        raise refuse("bad_cursor")
    return places


def page_of_list(
    items: Sequence[dict[str, object]], *, limit: int, cursor: str | None
) -> dict[str, object]:
    """One page of a list that never changes while the product runs."""
    start = number_of(cursor)
    document: dict[str, object] = {"items": list(items[start : start + limit])}
    if start + limit < len(items):
        document["next"] = numbered(start + limit)
    return document


def _text_of(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _bytes_of(cursor: str) -> bytes:
    """Raises: Refused with `bad_cursor`."""
    try:
        return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError as fault:
        raise refuse("bad_cursor") from fault
