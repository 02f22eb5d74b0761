"""What every answer carries: the server's time and the id of the request (`api.md` section 1)."""

import re
from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from eventstore.core.record import time_text
from eventstore.ports import new_id

_REQUEST_ID = re.compile(r"[A-Za-z0-9-]{16,64}\Z")
Answer = HttpResponseBase | Awaitable[HttpResponseBase]


class RequestId:
    """Gives each request an id, the caller's own where it has the form, and stamps the answer."""

    async_capable = sync_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Answer]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Answer:
        """The stamped answer."""
        given = request.headers.get("X-Request-Id", "")
        request.request_id = given if _REQUEST_ID.match(given) else str(new_id())  # type: ignore[attr-defined]  # for log lines and problem documents
        answer = self.get_response(request)
        if isinstance(answer, HttpResponseBase):
            return _stamped(request, answer)
        return _stamped_later(request, answer)


async def _stamped_later(
    request: HttpRequest, answer: Awaitable[HttpResponseBase]
) -> HttpResponseBase:
    return _stamped(request, await answer)


def _stamped(request: HttpRequest, answer: HttpResponseBase) -> HttpResponseBase:
    answer.headers["Server-Time"] = time_text(timezone.now())
    answer.headers["X-Request-Id"] = request.request_id  # type: ignore[attr-defined]  # set above
    return answer
