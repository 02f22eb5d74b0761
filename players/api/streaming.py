"""Answers that are sent piece by piece, as fast as their reader takes them."""

from collections.abc import AsyncIterator, Iterator, Mapping
from types import MappingProxyType

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import connection
from django.http import StreamingHttpResponse
from rest_framework.request import Request

_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


def streamed(
    request: Request,
    chunks: Iterator[bytes],
    media_type: str,
    headers: Mapping[str, str] = _NO_HEADERS,
) -> StreamingHttpResponse:
    """An answer of its caller alone whose pieces are made while it is sent."""
    apart = isinstance(request._request, ASGIRequest)
    return StreamingHttpResponse(
        _in_threads(chunks) if apart else chunks,
        content_type=media_type,
        headers={"Cache-Control": "private, no-cache", **headers},
    )


async def _in_threads(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces, made off the loop; no connection is held while the reader is slow."""
    while chunk := await sync_to_async(_next)(chunks):
        yield chunk


def _next(chunks: Iterator[bytes]) -> bytes:
    try:
        return next(chunks, b"")
    finally:
        if not connection.in_atomic_block:
            connection.close()
