"""Two workers, and every message twice or more: nothing happens twice."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import UUID

import pytest
from django.db import connections

from games.models import Table
from games.tasks import bot_turn
from ledger.selectors import escrow, sums
from ledger.tasks import settle, sweep
from tonk_site.proving.acting.drive import hurry
from tonk_site.proving.acting.factories import a_player, a_tournament, with_bots
from tournaments.models import Tournament
from tournaments.tasks import conduct_table, step

pytestmark = pytest.mark.usefixtures("committed")
COPIES = 3  # of each message, on two threads


def messages(tournament: UUID) -> Iterator[Callable[[], None]]:
    """What is due now, as the messages that wake-ups and sweeps would send."""
    for row in Table.objects.filter(tournament=tournament, due__isnull=False):
        if row.due == "bot":
            yield partial(bot_turn, str(row.id), row.version)
        elif row.due == "held":
            hurry(row.id)
            yield partial(conduct_table, str(row.id))
    yield partial(settle, f"tournament/{tournament}")
    yield partial(step, str(tournament))
    yield sweep


def alone(work: Callable[[], None]) -> None:
    """Run a task as a worker does, on a connection of its own."""
    try:
        work()
    finally:
        connections.close_all()


@pytest.mark.slow
def test_two_workers_and_every_message_three_times() -> None:
    organiser = a_player("jonas", "organiser")
    tournament = a_tournament(organiser, entries_min=4, entries_max=4, stack_stakes=5)
    with_bots(tournament, organiser, 4, "random-0")
    with ThreadPoolExecutor(2) as workers:
        for _ in range(2_000):
            if Tournament.objects.get(id=tournament).status == "settled":
                break
            due = [work for work in messages(tournament) for _ in range(COPIES)]
            list(workers.map(alone, due))  # raises what a task raised
        workers.submit(connections.close_all).result()
    assert Tournament.objects.get(id=tournament).status == "settled"
    assert set(escrow(tournament).values()) == {0}
    assert set(sums().values()) == {0}
