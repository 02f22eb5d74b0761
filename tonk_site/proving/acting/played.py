"""A played world, made once a run of `prove`: the checks that read a world get copies of it."""

import contextlib
from collections.abc import Iterator

from tonk_site.proving import scratch
from tonk_site.proving.acting import played_world
from tonk_site.proving.scratch import Place, Run

NAME = "played"


@contextlib.contextmanager
def database() -> Iterator[Place]:
    """A copy of the played world, for the caller alone; its log is signed and followed.

    A hand runs at one cash table; everything else has ended and is settled.
    """
    with scratch.database(_world) as place:
        yield place


def _world(run: Run) -> Place:
    return run.world(NAME, _fill)


def _fill(place: Place) -> None:
    with scratch.fresh_processes(1, place.variables) as pool:
        pool.submit(played_world.play).result()
