"""What a viewer may not know changes no byte that he can fetch (`trust.md` section 7).

*Pure*: random hands under random options, one viewer each; views, events, texts, a bot's view and
refusals are those of the hand with all that he may not know put elsewhere, and so is the log.
*HTTP*: the same of a running hand in a database, asked by every kind of caller at every route; what
is accepted is answered alike too, and so is who looks after it.
"""

import os
from dataclasses import replace

from tonk_site.proving.checks import Check, Found, Order, in_processes
from tonk_site.proving.silence import asking, pure_silence

JOBS = min(2, os.cpu_count() or 1)


def run(order: Order) -> Found:
    """Both trials; the second on servers of its own, in processes with a database each."""
    pure = replace(order, sizes={"hands": order.sizes["pairs_pure"]})
    found = in_processes(pure_silence.pairs, pure)
    order.say(f"{found.done['pairs_pure']:,} pure pairs, {found.done['logs']:,} with their log")
    numbers = range(1, order.sizes["pairs_http"] + 1)
    # Neighbours stay together: viewers and routes go by the number.
    share = -(-len(numbers) // JOBS)
    parts = [numbers[at : at + share] for at in range(0, len(numbers), share)]
    found.add(asking.in_databases("silent_world", order.seed, parts))
    found.done["routes"] = len(found.seen.get("routes", ()))
    return found


CHECK = Check(
    name="no-leak",
    promise=6,
    quick={
        "pairs_pure": 2_000,
        "pairs_http": 30,
        "accepted": 100,
        "routes": 90,
        "bytes": 10_000_000,
    },
    full={
        "pairs_pure": 100_000,
        "pairs_http": 2_000,
        "accepted": 7_000,
        "routes": 90,
        "bytes": 500_000_000,
    },
    run=run,
)
