"""Reading the live data as the auditor: one snapshot, nothing changed (`trust.md` section 1)."""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

from django.db import connections, transaction

from tonk_site.embedded_services import data_folder, running
from tonk_site.proving import scratch
from tonk_site.proving.checks import Breach, Found

AUDITOR, DEFAULT = "auditor", "default"


def configured() -> bool:
    """Whether there is a database to read: a named one, or that of a launcher that runs."""
    return bool(os.environ.get("DATABASE_URL")) or running(data_folder()) is not None


@contextlib.contextmanager
def snapshot() -> Iterator[None]:
    """Within it everything that this thread reads is of one instant, read by the auditor.

    The product's own code reads by the default alias, so that one leads to the auditor's
    connection meanwhile. A write is refused by the transaction, by the role and by its grants.
    """
    before, auditor = connections[DEFAULT], connections[AUDITOR]
    connections[DEFAULT] = cast("Any", auditor)
    try:
        with transaction.atomic(AUDITOR), auditor.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    finally:
        connections[DEFAULT] = cast("Any", before)
        auditor.close()


def told(what: str, where: str, *, expected: object, got: object) -> Breach:
    """A breach of the live data; whoever asked says how it is seen again."""
    return Breach(what, where, str(expected), str(got), rerun="")


def read(look: Callable[[], Found], rerun: str) -> Found:
    """What the live part of a check finds in the configured database."""
    with snapshot():
        found = look()
    return replace(found, breaches=[replace(one, rerun=rerun) for one in found.breaches])


def read_there(look: Callable[[], Found], place: scratch.Place, rerun: str) -> Found:
    """The same in the database of a trial, so that live parts are tried too."""
    with scratch.fresh_processes(1, place.variables) as pool:
        return pool.submit(read, look, rerun).result()
