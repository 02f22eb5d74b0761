"""Replay equals live: after a test, everything that it left behind is what its log says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection
from psycopg.pq import TransactionStatus

from ledger.services import settle_due
from tonk_site.proof import Proof, prove_log
from tournaments.models import Tournament
from tournaments.services.steps import step

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOMS = frozenset({"integration", "api", "simulation"})
ROUNDS_MAX = 100
FAULTS_SHOWN = 10


@pytest.fixture(autouse=True)
def replay(request: pytest.FixtureRequest) -> Iterator[None]:
    """On by default for tests on a database; `@pytest.mark.no_replay(reason)` leaves one out."""
    database = _database_of(request)
    if database is None or request.node.get_closest_marker("no_replay"):
        yield
        return
    # Set up before this fixture, so that the data is still there when this one ends.
    request.getfixturevalue(database)
    yield
    if not _broken():
        settle_everything()
        check(prove_log())


def settle_everything() -> None:
    """Settle, and take every due step of tournaments, until nothing is due. Plays no hand."""
    for _ in range(ROUNDS_MAX):
        settled = [result for result in settle_due() if result.events]
        due = Tournament.objects.filter(due__isnull=False).values_list("id", flat=True)
        stepped = [tournament for tournament in due if step(tournament)]
        if not settled and not stepped:
            return
    raise AssertionError("what is due does not come to an end")


def check(proof: Proof) -> None:
    """Fail with the stream, version and field of what differs."""
    faults = [f"{fault.stream}@{fault.version}: {fault.code}" for fault in proof.faults]
    found = faults + [str(difference) for difference in proof.differences]
    if found:
        raise AssertionError("live is not as replayed:\n" + "\n".join(found[:FAULTS_SHOWN]))


def _database_of(request: pytest.FixtureRequest) -> str | None:
    """The fixture that gives the test its database, if it is in a room that is replayed."""
    if request.path.relative_to(request.config.rootpath / "tests").parts[0] not in ROOMS:
        return None
    if "committed" in request.fixturenames:
        return "committed"
    marked = request.node.get_closest_marker("django_db") is not None
    return "db" if marked or "db" in request.fixturenames else None


def _broken() -> bool:
    """Whether the test broke its transaction on purpose; nothing can be read in it then."""
    wrapped = connection.connection
    return connection.needs_rollback or (
        wrapped is not None and wrapped.info.transaction_status == TransactionStatus.INERROR
    )
