"""Pages of lists that run from the newest row back, by ids."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from eventstore.api.pages import NUMBER_DIGITS_MAX, number_of, numbered
from eventstore.api.requests import PageQuery


class Numbered(Protocol):
    """A row with an id."""

    @property
    def id(self) -> int:
        """Its number; newer rows have higher ones."""


R = TypeVar("R", bound=Numbered)


def page_below(
    read: Callable[[int, int], Sequence[R]],
    query: PageQuery,
    item: Callable[[R], dict[str, object]],
) -> dict[str, object]:
    """One page of what `read` gives under an id, and the next page's cursor.

    Raises: Refused with `bad_cursor`.
    """
    below = number_of(query.cursor) or 10**NUMBER_DIGITS_MAX
    found = read(below, query.limit + 1)
    document: dict[str, object] = {"items": [item(row) for row in found[: query.limit]]}
    if len(found) > query.limit:
        document["next"] = numbered(found[query.limit - 1].id)
    return document
