"""Every row of `tests/cases/authz.csv` is asked over HTTP by every kind of caller; a route of the
URL configuration without a row fails (`trust.md` section 1).

Rows whose route is not built yet are counted by `tests/api/test_authz.py`.
"""

from tonk_site.proving.checks import Check, Found, Order
from tonk_site.proving.silence import asking


def run(order: Order) -> Found:
    """All cells, in two processes with a database each."""
    found = asking.in_databases("authz_world", order.seed, [[0, 1], [2]])
    order.say(f"{found.done['cells']} cells of {found.done['routes']} routes")
    return found


SIZES = {"cells": 880, "routes": 88}
CHECK = Check(name="authz", promise=6, quick=SIZES, full=SIZES, run=run)
