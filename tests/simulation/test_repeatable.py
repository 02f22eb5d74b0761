"""One seed is one run, on every data folder and however busy the machine is."""

import pytest

from tonk_site.proving import scratch
from tonk_site.proving.simulator.database import simulated
from tonk_site.proving.simulator.order import Order

CUTS = ("conflict", "cut", "crash", "redis_down")


@pytest.mark.slow
def test_a_seed_gives_the_same_records_on_other_servers() -> None:
    # Five people leave a seat to a bot, whose choices hang on the site's key. Faults that end
    # connections show whether what these held is free at a moment that the seed decides.
    order = Order("10", players=5, only=CUTS)
    digests = set()
    for beside in (Order("12", players=3), Order("13", players=3)):
        with scratch.shared():
            report, _ = simulated((order, beside))
        assert report.ok, (report.safety, report.progress)
        digests.add((report.digest, report.steps))
    assert len(digests) == 1
