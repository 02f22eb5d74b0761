"""The log over HTTP: checkpoints, keys, tiles, records, proofs (`eventstore.md` section 4.3).

What is public here is the same for everybody and, but for the newest note, never changes. Records
are served to whoever may read them; in the place of the others stands their hash.
"""

from typing import Annotated, ClassVar
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from eventstore import store, tree
from eventstore.api.pages import number_of, numbered
from eventstore.api.requests import PageQuery, Query
from eventstore.core.canonical import INTEGER_MAX
from eventstore.core.record import record_bytes, time_text
from eventstore.core.refusal import refuse
from eventstore.core.tiles import LEVEL_MAX, WIDTH, read_tile_path, width_at
from eventstore.readers import Reader, is_shown, running_hands
from eventstore.witnesses import published
from games.api.exports import sent_stream
from players.api.base import ApiView, Operation, answer

CATEGORIES = frozenset({"table", "tournament", "wallet", "player", "log"})
LEVELS = frozenset(map(str, range(LEVEL_MAX + 1)))
STAFF_SCOPES = frozenset({"audit", "admin"})
FOREVER = "public, max-age=31536000, immutable"
BYTES = "application/octet-stream"
LENGTH_BYTES = 2

Number = Annotated[int, msgspec.Meta(ge=0, le=INTEGER_MAX)]


class NewestQuery(Query, frozen=True, kw_only=True):
    """Parameters of `log.checkpoint`."""

    witnessed: Annotated[int, msgspec.Meta(ge=0, le=1)] = 0


class InclusionQuery(Query, frozen=True, kw_only=True):
    """Parameters of `log.inclusion`; without a size the newest signed one."""

    index: Number
    size: Number | None = None


class ConsistencyQuery(Query, frozen=True, kw_only=True):
    """Parameters of `log.consistency`; without an end the newest signed size."""

    start: Number = msgspec.field(name="from")
    end: Number | None = msgspec.field(name="to", default=None)


class HeadQuery(Query, frozen=True, kw_only=True):
    """Parameters of `log.stream_head`."""

    records: Annotated[int, msgspec.Meta(ge=0, le=1)] = 0


class Newest(ApiView):
    """`GET /log/checkpoint`."""

    operations: ClassVar = {"GET": Operation("log.checkpoint", query=NewestQuery)}
    query: NewestQuery

    def get(self, request: Request) -> HttpResponse:
        """The newest signed note, or the newest that a witness has cosigned, with all its lines."""
        del request
        found = tree.newest_witnessed() if self.query.witnessed else _newest()
        if found is None:
            raise refuse("not_found")
        return HttpResponse(
            found.note,
            content_type="text/plain; charset=utf-8",
            headers={"Cache-Control": "no-store"},
        )


class Checkpoints(ApiView):
    """`GET /log/checkpoints`."""

    operations: ClassVar = {"GET": Operation("log.checkpoints", query=PageQuery)}
    query: PageQuery

    def get(self, request: Request) -> Response:
        """Every note so far, newest first."""
        del request
        below = number_of(self.query.cursor) or INTEGER_MAX
        found = tree.checkpoints(below, self.query.limit + 1)
        shown = found[: self.query.limit]
        document: dict[str, object] = {"items": [_checkpoint(one) for one in shown]}
        if len(found) > len(shown):
            document["next"] = numbered(shown[-1].size)
        return answer(document)


class Keys(ApiView):
    """`GET /log/key`."""

    operations: ClassVar = {"GET": Operation("log.key")}

    def get(self, request: Request) -> Response:
        """Verifier keys of the log with the sizes that they may sign, and of known witnesses."""
        del request
        found = []
        known = tree.keys()
        for key in known:
            shown: dict[str, object] = {"key": key.key, "from_size": key.from_size}
            if key.to_size is not None:
                shown |= {"to_size": key.to_size, "reason": key.reason}
            found.append(shown)
        document = {
            "origin": tree.origin(),
            "keys": found,
            "witnesses": published(settings.WITNESSES),
        }
        return answer(document)


class Tile(ApiView):
    """`GET /log/tile/{level}/{tile}`."""

    operations: ClassVar = {"GET": Operation("log.tile")}

    def get(self, request: Request, level: str, tile: str) -> HttpResponse:
        """Hashes of a tile, as far as the newest checkpoint covers them."""
        del request
        place = read_tile_path(tile)
        if place is None or level not in LEVELS:
            raise refuse("not_found")
        n, width = place
        if width_at((int(level), n), _newest().size) < width:
            raise refuse("not_found")
        hashes = tree.tile(int(level), n, width)
        if hashes is None:
            raise refuse("not_found")
        return HttpResponse(hashes, content_type=BYTES, headers={"Cache-Control": FOREVER})


class ReadersView(ApiView):
    """A path that serves records."""

    def reader(self, request: Request) -> Reader:
        """What the caller may read: by the token's scopes, not by those it could have had."""
        player = self.viewer(request)
        if player is None:
            return Reader()
        _, token = self.holder(request)
        return Reader(player, staff=bool(STAFF_SCOPES & set(token.scopes)))


class Entries(ReadersView):
    """`GET /log/entries/{tile}`."""

    operations: ClassVar = {"GET": Operation("log.entries")}

    def get(self, request: Request, tile: str) -> HttpResponse:
        """Records of a tile's leaves; a hash stands for what the caller may not read."""
        place, signed = read_tile_path(tile), _newest().size
        if place is None or width_at((0, place[0]), signed) < place[1]:
            raise refuse("not_found")
        first = place[0] * WIDTH
        leaves = store.leaves(first, first + place[1])
        running = running_hands({leaf.event.stream for leaf in leaves}, signed)
        reader = self.reader(request)
        bundle = b"".join(
            _entry(leaf, shown=is_shown(leaf.event.stream, leaf.event.version, reader, running))
            for leaf in leaves
        )
        headers = {"Cache-Control": "private, no-cache"}
        return HttpResponse(bundle, content_type=BYTES, headers=headers)


class Inclusion(ApiView):
    """`GET /log/proofs/inclusion`."""

    operations: ClassVar = {"GET": Operation("log.inclusion", query=InclusionQuery)}
    query: InclusionQuery

    def get(self, request: Request) -> Response:
        """That a leaf lies in the tree of a size; with its note where that size was signed."""
        del request
        index, size = self.query.index, _size(self.query.size)
        path = tree.inclusion(index, size)
        (leaf,) = tree.leaf_hashes(index, 1)
        signed = tree.checkpoint(size)
        document = {
            "index": index,
            "size": size,
            "leaf": leaf.hex(),
            "path": [one.hex() for one in path],
            "root": (signed.root if signed else tree.root(size)).hex(),
            "checkpoint": signed.note if signed else None,
        }
        return answer(document)


class Consistency(ApiView):
    """`GET /log/proofs/consistency`."""

    operations: ClassVar = {"GET": Operation("log.consistency", query=ConsistencyQuery)}
    query: ConsistencyQuery

    def get(self, request: Request) -> Response:
        """That the tree of one size begins with that of another."""
        del request
        start, end = self.query.start, _size(self.query.end)
        path = tree.consistency(start, end)
        document = {
            "from": start,
            "to": end,
            "path": [one.hex() for one in path],
            "root_from": tree.root(start).hex(),
            "root_to": tree.root(end).hex(),
        }
        return answer(document)


class StreamHead(ReadersView):
    """`GET /log/streams/{category}/{stream_id}`."""

    operations: ClassVar = {"GET": Operation("log.stream_head", query=HeadQuery)}
    query: HeadQuery

    def get(self, request: Request, category: str, stream_id: UUID) -> HttpResponseBase:
        """The newest version that has its place, and the place of each; or the whole stream."""
        stream = f"{category}/{stream_id}"
        if category not in CATEGORIES or not self.reader(request).may_read(stream):
            raise refuse("not_found")
        if self.query.records:
            return sent_stream(request, stream, self.reader(request))
        version = store.version_within(stream, INTEGER_MAX)
        if not version:
            raise refuse("not_found")
        (head,) = store.events_after(stream, version - 1, limit=1)
        document = {
            "stream": stream,
            "version": version,
            "hash": head.hash.hex(),
            "log_index": tree.indexes_of(stream, 1, version),
        }
        return answer(document)


def _newest() -> tree.Checkpoint:
    """The newest checkpoint. Raises: Refused with `not_yet_sealed`."""
    found = tree.newest()
    if found is None:
        raise refuse("not_yet_sealed")
    return found


def _size(asked: int | None) -> int:
    return _newest().size if asked is None else asked


def _checkpoint(found: tree.Checkpoint) -> dict[str, object]:
    return {
        "size": found.size,
        "root": found.root.hex(),
        "signed_at": time_text(found.signed_at),
        "note": found.note,
    }


def _entry(leaf: store.Leaf, *, shown: bool) -> bytes:
    """An entry of a bundle: the record with its length, or no length and the hash."""
    if not shown:
        return bytes(LENGTH_BYTES) + leaf.hash
    record = record_bytes(leaf.event)
    return len(record).to_bytes(LENGTH_BYTES, "big") + record
