"""The books to take away over HTTP (`api.md` section 4.7)."""

from datetime import date
from typing import Annotated, ClassVar

import msgspec
from django.http import StreamingHttpResponse
from rest_framework.request import Request
from typing_extensions import override

from eventstore.api.requests import Query
from eventstore.core.canonical import INTEGER_MAX
from eventstore.core.refusal import refuse
from ledger.exports import FORMS, wanted
from ledger.services import access
from players.api.base import ApiView, Operation
from players.api.streaming import streamed


class ExportQuery(Query, frozen=True, kw_only=True):
    """Parameters of `ledger.export`: days on which entries took effect, `to` left out."""

    start: date | None = msgspec.field(name="from", default=None)
    end: date | None = msgspec.field(name="to", default=None)
    size: Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)] | None = None
    currency: str | None = None


class Export(ApiView):
    """`GET /ledger/export/{format}`."""

    operations: ClassVar = {
        "GET": Operation("ledger.export", scope="audit", query=ExportQuery, staff_scope="admin")
    }
    query: ExportQuery

    @override
    def get_format_suffix(self, **kwargs: str) -> None:
        """The format is a part of the path here, not a way to ask for a media type."""

    def get(self, request: Request, **path: str) -> StreamingHttpResponse:
        """The books up to a signed and settled size, for another program; it goes on the list."""
        name, query = path["format"], self.query
        form = FORMS.get(name)
        if form is None:
            raise refuse("not_found")
        asked = wanted(query.size, query.start, query.end, query.currency)
        chunks = access.export(name, asked, access.staff(self.player(request)))
        named = f'attachment; filename="tonk-{asked.size}.{form.ending}"'
        return streamed(request, chunks, form.media_type, {"Content-Disposition": named})
