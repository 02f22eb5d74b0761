"""Hostile input gets a refusal with a code, never an error of the server, and leaves nothing behind
(`trust.md` section 11).

The corpus of `tests/corpus` is thrown at every route that can be written, as every kind of caller.
"""

from tonk_site.proving.checks import Check, Found, Order
from tonk_site.proving.silence import asking


def run(order: Order) -> Found:
    """All requests, in two processes with a database each."""
    numbers = range(1, order.sizes["requests"] + 1)
    found = asking.in_databases("inputs_world", order.seed, [numbers[::2], numbers[1::2]])
    found.done["routes"] = len(found.seen["routes"])
    return found


CHECK = Check(
    name="inputs",
    promise=0,
    quick={"requests": 2_000, "routes": 36, "errors_5xx": 0},
    full={"requests": 200_000, "routes": 36, "errors_5xx": 0},
    run=run,
)
