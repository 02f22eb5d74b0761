"""JSON of answers by orjson alone: a small gain and a small surface.

Bodies are read by `eventstore.api.requests`, strictly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from rest_framework.renderers import BaseRenderer
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Mapping

OPTIONS = orjson.OPT_UTC_Z


class OrjsonRenderer(BaseRenderer):
    """Bytes of a JSON document; nothing at all for an answer without a body."""

    media_type = "application/json"
    format = "json"
    charset = None  # JSON is UTF-8 and says so itself

    @override
    def render(
        self,
        data: object,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return b"" if data is None else orjson.dumps(data, option=OPTIONS)
