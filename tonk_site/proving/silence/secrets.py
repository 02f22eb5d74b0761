"""Secrets are where they belong and nowhere else (`trust.md` section 1).

Tokens, passwords, seeds, salts, hidden cards and keys are searched for in the database, in Redis,
in messages, logs, answers, error pages and static files, after accounts, hands and a tournament. A
second factor and metrics are searched once the product has them.
"""

from tonk_site.proving.checks import Check, Found, Order
from tonk_site.proving.silence import asking


def run(order: Order) -> Found:
    """One played world, in a process and a database of its own."""
    found = asking.in_databases("secrets_world", order.seed, [[0]])
    order.say(f"{found.done['canaries']} kinds, {found.done['bytes']:,} bytes")
    return found


SIZES = {"canaries": 10, "bytes": 500_000}
CHECK = Check(name="secrets", promise=6, quick=SIZES, full=SIZES, run=run)
