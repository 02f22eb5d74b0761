"""What moved on a player's wallet within a time, and what is asked for and not yet there."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from ledger.core.accounts import account
from ledger.core.kinds import Kind
from ledger.core.limits import Movement
from ledger.core.payments import AWAITED
from ledger.store.books import LIVE

# Of two transactions that met, the later line may carry the earlier reading of the clock; none of
# them waits so long for the other.
SLACK = timedelta(minutes=1)


def movements(
    player: UUID, currency: str, kinds: Collection[Kind], since: datetime
) -> list[Movement]:
    """Legs of these kinds on a wallet that were recorded after `since`; what left it is positive.

    One statement; it reads the wallet's lines from then on and no others.
    """
    rows = LIVE.rows(
        """SELECT e.recorded_at, p.amount
        FROM ledger.account a
        JOIN ledger.posting p ON p.account_id = a.id
            AND p.account_version > ledger.version_before(a.id, %s)
        JOIN ledger.entry e ON e.id = p.entry_id
        WHERE a.code = %s AND e.recorded_at > %s AND e.kind = ANY(%s::smallint[])
        ORDER BY p.account_version""",
        [
            since - SLACK,
            account("wallet", str(player), currency=currency),
            since,
            [int(kind) for kind in kinds],
        ],
    )
    return [Movement(at, int(amount)) for at, amount in rows]


def awaited(player: UUID, currency: str) -> int:
    """Sum of the player's open orders to pay in."""
    rows = LIVE.rows(
        """SELECT coalesce(sum(amount), 0) FROM ledger.payment_order
        WHERE player = %s AND currency = %s AND direction = 'in' AND state = ANY(%s::text[])""",
        [player, currency, [str(state) for state in sorted(AWAITED)]],
    )
    return int(rows[0][0])
