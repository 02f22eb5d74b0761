"""Whether what is due gets done: a product that stands still raises no error by itself.

It reads relations and no queue, and runs outside the workers that it judges.
"""

import logging

from eventstore import lag as log
from eventstore.alarms import say
from eventstore.services import Idle, idle
from games.services.loading import RELATION as TABLES
from ledger import lag as books
from tournaments.services.loading import RELATION as TOURNAMENTS

IDLE_SECONDS = 120
"""Without progress on something due it is an alarm (`trust.md` section 12.9)."""


def look(seconds: int = IDLE_SECONDS) -> list[Idle]:
    """Everything due at which nothing has moved for so long; an alarm where there is any."""
    found = [*idle(TABLES, seconds), *idle(TOURNAMENTS, seconds), *books.idle(seconds)]
    behind = int(log.figures().log_lag_seconds)
    if behind and behind >= seconds:
        found.append(Idle("the log", "order", behind))
    if found:
        longest = max(one.seconds for one in found)
        say("tonk_due_overdue_seconds", logging.ERROR, f"{longest} s, {len(found)} in all")
    return found
