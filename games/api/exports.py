"""Exports of the log over HTTP, sent as they are read (`api.md` section 4.8)."""

import logging
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, ClassVar

import msgspec
from django.http import StreamingHttpResponse
from rest_framework.request import Request

from eventstore.api.requests import Query
from eventstore.core.canonical import INTEGER_MAX
from eventstore.core.ids import subject
from eventstore.exports import LOGGER, MEDIA_TYPE, log_export, stream_export
from eventstore.readers import PUBLIC, STAFF, Reader
from ledger.services import access
from ledger.services.access import Look
from players.api.base import ApiView, Operation
from players.api.streaming import streamed

CHUNK_LINES = 200  # sent at once

logger = logging.getLogger(LOGGER)
Index = Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)]


class ExportQuery(Query, frozen=True, kw_only=True):
    """Parameters of `log.export`: records from one place to another, which is left out."""

    from_index: Index = 0
    to_index: Index | None = None


class Export(ApiView):
    """`GET /log/export`."""

    operations: ClassVar = {
        "GET": Operation("log.export", scope="audit", query=ExportQuery, staff_scope="admin")
    }
    query: ExportQuery

    def get(self, request: Request) -> StreamingHttpResponse:
        """The log as lines of JSON, to the first signed size that is not below `to_index`."""
        asked = self.query
        lines = log_export(asked.from_index, asked.to_index, STAFF)
        parameters = {"from_index": asked.from_index, "to_index": asked.to_index}
        access.note_unread(Look(access.staff(self.player(request)), "log.export", parameters))
        to = "the end" if asked.to_index is None else asked.to_index
        who = self.player(request)
        logger.info("exported records %s to %s for staff:%s", asked.from_index, to, who)
        return sent(request, lines)


def sent_stream(request: Request, stream: str, reader: Reader) -> StreamingHttpResponse:
    """The export of a stream, to a caller who may read it."""
    lines = stream_export(stream)
    player = reader.player
    if reader.staff and player is not None and not PUBLIC.may_read(stream):
        look = Look(access.staff(player), "log.stream_head", {"stream": stream}, subject(stream))
        access.note_unread(look)
    logger.info("exported %s for %s", stream, f"player:{player}" if player else "anybody")
    return sent(request, lines)


def sent(request: Request, lines: Iterator[bytes]) -> StreamingHttpResponse:
    """An answer that is read from the database as fast as its reader takes it."""
    chunks = iter(lambda: b"".join(islice(lines, CHUNK_LINES)), b"")
    return streamed(request, chunks, MEDIA_TYPE)
