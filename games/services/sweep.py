"""The look every two seconds at what is due: it finds whatever a lost message left behind."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from eventstore.core.refusal import Refused
from eventstore.sealing import KeyLost
from eventstore.services import Attempt, count_attempt, forgive, overdue, park
from games.rules.events import KEY_LOST
from games.services import loading
from games.services.bots import bot_turn
from games.services.deals import deal_next
from games.services.moves import play_for
from games.services.sealing import seal_next
from games.wake import look_after, tell_held

logger = logging.getLogger(__name__)
SWEPT_ROWS = 200  # of one sweep; the next is two seconds away
BOT_TRIES = 2  # then the forced move is played for the bot
# Not the table's fault: people are at its books, or its beacon is not there yet.
PASSING = frozenset({"table_parked", "unavailable"})


def sweep() -> int:
    """Have every overdue table looked after, each by a message of its own; their number.

    So one that fails holds up no other.
    """
    found = overdue(loading.RELATION, SWEPT_ROWS)
    for table_id in found:
        look_after(table_id)
    return len(found)


def attend(table_id: UUID) -> None:
    """Do what is overdue at a table. Somebody who was faster is no fault."""
    row = loading.live(table_id)
    attempt = count_attempt(row)
    if attempt is None:
        return
    try:
        with parked_without_key(table_id):
            _do(table_id, attempt)
    except Refused as refused:
        if refused.refusal.code in PASSING:
            forgive(row)


def _do(table_id: UUID, attempt: Attempt) -> None:
    if attempt.due == "deal":
        deal_next(table_id, attempt.version)
    elif attempt.due == "seal":
        seal_next(table_id, attempt.version)
    elif attempt.due == "held":
        tell_held(table_id)
    elif attempt.due == "bot" and attempt.number <= BOT_TRIES:
        bot_turn(table_id, attempt.version)
    else:
        play_for(table_id, attempt.version)


@contextmanager
def parked_without_key(table_id: UUID) -> Iterator[None]:
    """Work at a table; it is parked with an alarm where a key of the dealer is lost.

    Whether that of its hand or of its tournament's lot: no further try would find more.
    """
    try:
        yield
    except KeyLost:
        park(loading.live(table_id), KEY_LOST)
        logger.exception("table %s stands still", table_id)
