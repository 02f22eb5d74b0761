"""Who may read which records of the log (`eventstore.md` section 4.3). Hashes are for everybody."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from eventstore.core.ids import HOUSE_STREAM, player_stream, table_stream, wallet_stream

COMMITMENT = "ShuffleCommitted"
ENDS = ("HandRevealed", "HandVoided", "ShuffleAborted")  # each shows the seed of its hand
_TABLES, _OWNED = table_stream(""), (wallet_stream(""), player_stream(""))


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who asks for records: a player, one of the staff, or nobody in particular."""

    player: UUID | None = None
    staff: bool = False

    def may_read(self, stream: str) -> bool:
        """Whether the records of a stream are for this reader, once no hand runs there.

        Wallets and accounts are for their owner and the staff, those of the house for the staff.
        """
        if self.staff or not stream.startswith(_OWNED):
            return True
        own = {wallet_stream(self.player), player_stream(self.player)} if self.player else set()
        return stream in own - {HOUSE_STREAM}


PUBLIC, STAFF = Reader(), Reader(staff=True)


def running_hands(streams: Collection[str], size: int) -> dict[str, int]:
    """Of these streams, tables whose newest hand had not ended within the first `size` leaves.

    The value is the version of its commitment: records from there on are shown to nobody. Judged
    within a size, not now, so that two exports of one range are equal for ever. One statement.
    """
    tables = [stream for stream in streams if stream.startswith(_TABLES)]
    if not tables:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT w.stream, newest.version FROM unnest(%s::text[]) AS w (stream)
            CROSS JOIN LATERAL (
                SELECT e.version, e.type FROM eventstore_event e
                JOIN eventstore_log_leaf l USING (position)
                WHERE e.stream = w.stream AND e.type = ANY(%s::text[]) AND l.log_index < %s
                ORDER BY e.version DESC LIMIT 1) AS newest
            WHERE newest.type = %s""",
            [tables, [COMMITMENT, *ENDS], size, COMMITMENT],
        )
        return dict(cursor.fetchall())


def is_shown(stream: str, version: int, reader: Reader, running: Mapping[str, int]) -> bool:
    """Whether a record is served to a reader; else its hash stands in its place."""
    hidden_from = running.get(stream)
    return reader.may_read(stream) and (hidden_from is None or version < hidden_from)
