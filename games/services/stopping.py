"""The end of play for whoever may not play on: excluded, or his time of the day is used up.

A running hand is played to its end, and so is a tournament that somebody is in.
"""

import contextlib
from uuid import UUID

from eventstore.core.chain import Fact
from eventstore.core.refusal import Refused
from eventstore.services import Outcome, Receipt, Transaction, fingerprint, in_transaction
from games import selectors
from games.folds import Folded
from games.rules import events
from games.services.loading import DEALER
from games.services.seats import leave_seat, stand_up
from ledger.services import who_must_stop


def stop_play(tx: Transaction, loaded: Folded) -> Outcome | None:
    """Stand up, with their stacks, the people at a cash table who may not be dealt another hand.

    None where there are none. Appends SeatLeft and SeatCashedOut. Before each deal, so that an
    exclusion holds though its wake-up was lost.
    """
    people = [place for place in loaded.table.places if place.bot is None and not place.leaving]
    stopped = who_must_stop([UUID(place.player) for place in people], tx.now) if people else set()
    facts = [
        Fact(events.SeatLeft(seat=place.seat, player=place.player, reason="asked"), DEALER)
        for place in people
        if UUID(place.player) in stopped
    ]
    return stand_up(tx, loaded, facts, {"status": "left"}) if facts else None


def stop_sitters() -> int:
    """Have those leave who may not play on and sit where no deal comes to stop them; their number.

    What `leave_tables` does where its wake-up was lost.
    """
    waiting = selectors.sitters_at_rest()
    players = {player for _, _, player in waiting}
    stopped = in_transaction(lambda tx: who_must_stop(players, tx.now)) if players else set()
    gone = [one for one in waiting if one[2] in stopped]
    for table, version, player in gone:
        _leave(table, player, version)
    return len(gone)


def leave_tables(player: UUID, version: int) -> None:
    """Have a player leave every cash table, at once or after the running hand.

    `version` is that of the event in his stream that says so: it names the commands.
    """
    for table in selectors.cash_tables_of(player):
        _leave(table, player, version)


def _leave(table: UUID, player: UUID, version: int) -> None:
    """Whoever has left it meanwhile has left it."""
    said = {"table": str(table), "player": str(player), "version": version}
    key = f"stop_{player}_{table}_{version}"
    with contextlib.suppress(Refused):
        leave_seat(table, player, Receipt(DEALER, key, fingerprint("TASK", "stop", said)))
