"""The books alone: these tests append facts of money to streams that no table or tournament has."""

from collections.abc import Iterator

import pytest

from ledger.replay import differences
from ledger.services import settle_due


@pytest.fixture(autouse=True)
def replay(request: pytest.FixtureRequest) -> Iterator[None]:
    """In place of the whole replay: the books are what the log says, as far as they are settled.

    Modules that post beside the log say `BESIDE_THE_LOG = True`; those with real commits compare
    by a rebuild of their own.
    """
    in_test = request.node.get_closest_marker("django_db") is not None
    if not in_test or getattr(request.module, "BESIDE_THE_LOG", False):
        yield
        return
    request.getfixturevalue("db")
    yield
    if request.node.get_closest_marker("no_replay") is None:
        settle_due()
        assert list(differences()) == []
