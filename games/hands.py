"""Where a hand lies in the log, by its id."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from eventstore import store
from eventstore.core.ids import subject, table_stream
from games.models import Hand, Status
from games.models import Table as Live

DEALT, COMMITTED = "HandDealt", "ShuffleCommitted"
# Each shows the dealer's seed, but for a hand that is given up since its key was lost.
LAST = ("HandRevealed", "HandVoided", "ShuffleAborted")


@dataclass(frozen=True, slots=True)
class HandPlace:
    """Versions of a hand in its table's stream, from its commitment to the reveal of its seed.

    `dealt_version` is None while seats give their seeds, and for ever where the shuffle was
    aborted or given up: then there was no hand. `last_version` is None until the dealer's seed is
    shown, or known to be lost.
    """

    hand: UUID
    stream: str
    table: UUID
    first_version: int
    dealt_version: int | None
    last_version: int | None


def find(hand: UUID) -> HandPlace | None:
    """The place of a hand as the log is now; None for one that is not known.

    The index first. A hand that the follower has not reached yet is found while it is the newest of
    an open table.
    """
    row = Hand.objects.filter(hand=hand).first()
    if row is None:
        return _newest(hand)
    stream = table_stream(row.table_id)
    if row.last_version is None:
        return _read(hand, stream, row.first_version)
    return HandPlace(
        hand, stream, row.table_id, row.first_version, row.dealt_version, row.last_version
    )


def _newest(hand: UUID) -> HandPlace | None:
    """A hand that is the newest of an open table. Two statements, and two where it is found."""
    found = store.holding(
        list(_newest_ranges()), types=(COMMITTED, DEALT), name="hand", text=str(hand)
    )
    if not found:
        return None
    first = found[0]
    version: int | None = first.version
    if first.type == DEALT:
        version = store.version_before(first.stream, COMMITTED, first.version)
    return None if version is None else _read(hand, first.stream, version)


def _newest_ranges() -> Iterator[tuple[str, int, int]]:
    """Of each open table: its newest deal, and what came after it unless that hand runs."""
    tables = Live.objects.exclude(status=Status.CLOSED).order_by("-id")
    for table, status, deal, version in tables.values_list(
        "id", "status", "hand_version", "version"
    ):
        last = deal if deal is not None and status == Status.PLAYING else version
        yield table_stream(table), deal or 1, last


def _read(hand: UUID, stream: str, first_version: int) -> HandPlace:
    """The place of a hand that was committed to in this version, from the stream itself."""
    after = store.events_after(stream, first_version, types=(DEALT, *LAST), limit=2)
    own = [one for one in after if one.payload["hand"] == str(hand)]
    dealt = next((one.version for one in own if one.type == DEALT), None)
    last = next((one.version for one in own if one.type in LAST), None)
    return HandPlace(hand, stream, subject(stream), first_version, dealt, last)
