"""The follower `hands`: where each hand lies in its table's stream, and how it came out."""

from collections.abc import Sequence
from hashlib import sha256
from uuid import UUID

from eventstore import store
from eventstore.core.ids import subject
from eventstore.core.record import Stored
from eventstore.core.refusal import InvariantBroken
from eventstore.followers import Follower
from eventstore.store import Leaf
from games.models import HandPlaces, HandRow
from games.rules import events

ROWS_AT_ONCE = 2_000
VOID = "void"  # the end of a hand that was given up from outside the rules
_KEY = ("follower_version", "hand")
_TOLD = tuple(field.name for field in HandPlaces._meta.get_fields())
_OF_A_HAND = (
    events.ShuffleCommitted,
    events.ShuffleAborted,
    events.HandDealt,
    events.HandEnded,
    events.HandRevealed,
    events.HandVoided,
)
TYPES = frozenset(kind.__name__ for kind in _OF_A_HAND)


def handle(leaves: Sequence[Leaf], version: int) -> None:
    """Write what these leaves say of hands. Raises: InvariantBroken for a hand out of order."""
    ids = {UUID(str(leaf.event.payload["hand"])) for leaf in leaves if leaf.event.type in TYPES}
    kept = HandRow.objects.filter(follower_version=version, hand__in=ids)
    rows = told(leaves, {row.hand: row for row in kept}, version)
    HandRow.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=_KEY, update_fields=_TOLD
    )


def told(
    leaves: Sequence[Leaf], rows: dict[UUID, HandRow] | None = None, version: int = 0
) -> dict[UUID, HandRow]:
    """Rows of hands after these leaves, by id. Raises: InvariantBroken for a hand out of order."""
    found = {} if rows is None else rows
    for leaf in leaves:
        if leaf.event.type in TYPES:
            _tell(found, leaf, version)
    return found


def _tell(rows: dict[UUID, HandRow], leaf: Leaf, version: int) -> None:
    """Add to the rows what one event says."""
    record, event = leaf.event, leaf.event.event
    if not isinstance(event, _OF_A_HAND):
        raise InvariantBroken(f"{record.type} is no event of a hand")
    hand = UUID(event.hand)
    if isinstance(event, events.ShuffleCommitted) == (hand in rows):
        raise InvariantBroken(f"{record.stream}@{record.version}: hand {hand} out of order")
    if isinstance(event, events.ShuffleCommitted):
        rows[hand] = _committed(leaf, event, version)
    elif isinstance(event, events.HandDealt):
        _deal(rows[hand], record, event)
    elif isinstance(event, events.HandEnded):
        row = rows[hand]
        row.finished, row.end, row.by = record.at, event.end, event.by
    else:
        _close(rows[hand], record)


def _committed(leaf: Leaf, event: events.ShuffleCommitted, version: int) -> HandRow:
    stream = leaf.event.stream
    return HandRow(
        follower_version=version,
        hand=UUID(event.hand),
        table_id=subject(stream),
        hand_no=event.hand_no,
        tournament=_tournament_of(stream),
        first_version=leaf.event.version,
        log_index=leaf.index,
    )


def _tournament_of(stream: str) -> UUID | None:
    """The tournament of a table, from its first event: a rebuild reads nothing but the log."""
    opened = store.events_after(stream, 0, limit=1)[0].event
    if not isinstance(opened, events.TableOpened):
        raise InvariantBroken(f"{stream} begins without TableOpened")
    return UUID(opened.tournament) if opened.tournament else None


def _deal(row: HandRow, record: Stored, event: events.HandDealt) -> None:
    row.dealt_version, row.started = record.version, record.at
    row.preset, row.currency, row.stake = event.rules.preset, event.currency, event.stake


def _close(row: HandRow, record: Stored) -> None:
    """The seed is shown: by HandRevealed after the end, or in place of an end or of a deal."""
    row.last_version = record.version
    row.finished = row.finished or record.at
    if record.type == "HandVoided" and row.dealt_version is not None:
        row.end = VOID


def checksum(version: int) -> str:
    """SHA-256 over all rows of a version, in the order of the hands' ids."""
    summed = sha256()
    rows = HandRow.objects.filter(follower_version=version).order_by("hand")
    for row in rows.values_list("hand", *_TOLD).iterator(chunk_size=ROWS_AT_ONCE):
        summed.update(repr(row).encode())
    return summed.hexdigest()


def drop(version: int) -> None:
    """Remove the rows of a version."""
    HandRow.objects.filter(follower_version=version).delete()


HANDS = Follower(name="hands", handle=handle, checksum=checksum, drop=drop)
