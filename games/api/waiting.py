"""Waiting for news of a table without holding a thread or a connection."""

import asyncio
from collections.abc import Callable
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from games.api.views import State
from games.models import Table
from games.wake import look_after

LOOK_SECONDS = 0.25
NOT_MODIFIED = 304

_state: Callable[..., HttpResponse] = State.as_view()


async def state(request: HttpRequest, table_id: UUID) -> HttpResponse:
    """`table.state`: at once when there is something newer than `after`, else after `wait`."""
    answer = await _answer(request, table_id)
    # A refused parameter is not read again: the view has answered already.
    looks = _looks(request) if answer.status_code == NOT_MODIFIED else 0
    while looks > 0 and answer.status_code == NOT_MODIFIED:
        looks -= 1
        await asyncio.sleep(LOOK_SECONDS)
        # Compared with what was shown, not with an earlier look: whatever happens between an answer
        # and the next look is news, and for a delayed viewer so is what has grown old enough.
        if await _version(table_id) != _shown(answer):
            answer = await _answer(request, table_id)
    return answer


def _shown(answer: HttpResponse) -> int:
    """Version of the state that an answer stands for, from its entity tag `"v17.s1"`."""
    return int(answer.headers["ETag"].strip('"v').partition(".")[0])


def _looks(request: HttpRequest) -> int:
    """Looks that the caller's patience is worth; the view itself has judged the parameter."""
    return int(int(request.GET.get("wait", "0")) / LOOK_SECONDS)


@sync_to_async
def _answer(request: HttpRequest, table_id: UUID) -> HttpResponse:
    try:
        answer = _state(request, table_id=table_id)
        render = getattr(answer, "render", None)
        return render() if render is not None else answer
    finally:
        _give_back()


@sync_to_async
def _version(table_id: UUID) -> int | None:
    """Version of the live row; whoever waits for something overdue wakes its doer."""
    try:
        row = Table.objects.filter(id=table_id).first()
        if row is None:
            return None
        if row.due is not None and row.due_at is not None and row.due_at <= timezone.now():
            look_after(row.id)
        return row.version
    finally:
        _give_back()


def _give_back() -> None:
    """No connection is held while a client waits; only a caller's own transaction is left alone."""
    if not connection.in_atomic_block:
        connection.close()
