"""The relation of anchors: the seats' chains of seeds, kept equal to the fold of the stream."""

from collections.abc import Sequence
from uuid import UUID

from eventstore.core.record import Stored
from games.models import Anchor
from games.rules import anchors
from games.rules.anchors import ANCHORED_BY, CLOSED_BY, Anchors, Chain
from games.rules.table import Table
from games.rules.window import asked

_FIELDS = ("player", "anchor", "length", "last_link", "used", "silent_at")
_NEXT = ("next_anchor", "next_length")


def anchors_of(table_id: UUID, table: Table) -> Anchors:
    """The chains of a table as it is now. One statement."""
    rows = Anchor.objects.filter(table_id=table_id)
    return Anchors({row.seat: _chain(row) for row in rows}, table.commitment)


def keep_anchors(table_id: UUID, before: Table, sealed: Sequence[Stored]) -> None:
    """Carry the relation over records that were appended. Most of them change no chain."""
    if not _may_change(before, {one.type for one in sealed}):
        return
    known = anchors_of(table_id, before)
    after = anchors.fold((one.event for one in sealed), known)
    gone = [seat for seat in known.chains if seat not in after.chains]
    if gone:
        Anchor.objects.filter(table_id=table_id, seat__in=gone).delete()
    changed = {
        seat: chain for seat, chain in after.chains.items() if known.chains.get(seat) != chain
    }
    if changed:
        Anchor.objects.bulk_create(
            [Anchor(table_id=table_id, seat=seat, **fields(one)) for seat, one in changed.items()],
            update_conflicts=True,
            unique_fields=["table_id", "seat"],
            update_fields=[*_FIELDS, *_NEXT],
        )


def fields(chain: Chain) -> dict[str, object]:
    """A chain as its row has it."""
    following = chain.following or (None, None)
    found: dict[str, object] = {name: getattr(chain, name) for name in _FIELDS}
    return found | dict(zip(_NEXT, following, strict=True)) | {"player": UUID(chain.player)}


def _chain(row: Anchor) -> Chain:
    following = None
    if row.next_anchor is not None and row.next_length is not None:
        following = (row.next_anchor, row.next_length)
    return Chain(
        player=str(row.player),
        anchor=row.anchor,
        length=row.length,
        last_link=row.last_link,
        used=row.used,
        silent_at=row.silent_at,
        following=following,
    )


def _may_change(before: Table, types: set[str]) -> bool:
    if types & ANCHORED_BY:
        return True
    committed = before.commitment  # its end puts anchors in force that have waited for it
    return bool(types & CLOSED_BY) and committed is not None and bool(asked(committed))
