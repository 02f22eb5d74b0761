"""Whatever comes twice has its effect once (`trust.md` section 1).

16 parallel copies of each command with one key, 40 deliveries of each Celery task to 8 threads, and
five of each kind of notice of a payment. Compared with what one alone does in a scene that is
alike: events, entries with their accounts and amounts, and rows are the same, and every caller gets
the first result or a documented conflict. The registry of tasks is asked, so a new one fails until
it is tried here too.
"""

from collections.abc import Mapping
from contextlib import ExitStack

import django

from tonk_site.proving.checks import Check, Found, Order
from tonk_site.proving.races import once_trial
from tonk_site.proving.races.once_trial import (
    COPIES,
    DELIVERIES,
    NOTICE_KINDS,
    NOTICES,
    TASKS,
    keyed,
)
from tonk_site.proving.races.races import SETTINGS
from tonk_site.proving.scratch import database, fresh_processes

TIMES_FULL = 50
WITH_EFFECT = 50
"""Of all that is tried: the others only look, send messages or change a row."""


def run(order: Order) -> Found:
    """The trial: commands in one process, messages in another, each with a database."""
    times = -(-order.sizes["commands"] // len(keyed()))
    found = Found()
    with ExitStack() as stack:
        tasks = []
        for part in (once_trial.run_commands, once_trial.run_messages):
            place = stack.enter_context(database())
            pool = stack.enter_context(fresh_processes(1, {**place.variables, **SETTINGS}))
            pool.submit(django.setup).result()
            tasks.append(pool.submit(part, order.seed, times))
        for task in tasks:
            found.add(task.result())
    return found


def _sizes(times: int) -> Mapping[str, int]:
    each = {"commands": len(keyed()), "tasks": len(TASKS), "notices": len(NOTICE_KINDS)}
    copies = len(keyed()) * COPIES + len(TASKS) * DELIVERIES + len(NOTICE_KINDS) * NOTICES
    counted = {**each, "copies": copies, "effects": WITH_EFFECT}
    return {name: count * times for name, count in counted.items()}


CHECK = Check(name="once", promise=3, quick=_sizes(1), full=_sizes(TIMES_FULL), run=run)
