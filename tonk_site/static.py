"""Static files by WhiteNoise, in front of everything, under WSGI and ASGI alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponseBase


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # whitenoise has no types
    """WhiteNoise's middleware, which knows threads alone: a stream would hold one.

    Under ASGI a file is read whole: ours are small, and Django warns of files in pieces.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        """As any middleware."""
        super().__init__(get_response)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:  # a response, or under ASGI one to wait for
        """The file, or the answer of what is behind."""
        return self._answer(request) if iscoroutinefunction(self) else super().__call__(request)

    async def _answer(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        found = self.find_file(path) if self.autorefresh else self.files.get(path)
        if found is None:
            response: HttpResponseBase = await self.get_response(request)
            return response
        file = self.serve(found, request)
        whole = HttpResponse(b"".join(file.streaming_content), status=file.status_code)
        whole.headers = file.headers
        file.close()
        return whole
