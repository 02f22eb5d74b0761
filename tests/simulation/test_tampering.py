"""What a superuser changes is found, and the row is named (`manage.py prove chain`)."""

import pytest

from tonk_site.proving.chain import CHECK
from tonk_site.proving.checks import Order


@pytest.mark.slow
def test_every_change_of_the_log_is_found_and_named() -> None:
    found = CHECK.run(Order(sizes=CHECK.quick, seed="suite"))
    assert found.breaches == []
    assert found.done["tamperings"] == found.done["found"] == 200
    assert all(found.done[name] >= size for name, size in CHECK.quick.items())
    # Each relation, each way.
    ways = " ".join(found.seen["ways"])
    for what in ("event.", "log_leaf.", "log_tile.", "log_checkpoint.", "deleted", "swapped",
                 "inserted", "cut tail", "rewritten stream"):  # fmt: skip
        assert what in ways
