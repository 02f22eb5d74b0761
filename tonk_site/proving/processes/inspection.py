"""Looks at the data of a product from a process of its own: is all done, does everything hold.

Functions for `scratch.fresh_processes`: none keeps a connection, which a fault would cut.
"""

import contextlib
from collections.abc import Iterator

from django.db import OperationalError, connections

from eventstore import followers, store
from eventstore.verification import verify_log
from ledger import rebuild
from ledger.reconciliation import reconcile
from players.services import Registration, issue_token, register
from tonk_site import watchdog
from tonk_site.proof import prove_log
from tonk_site.proving.processes.history_checks import Record, Wrong

SOUND = "sound"


def host(username: str, password: str) -> str:
    """The token of an organiser, whose account is opened."""
    with _connected():
        who = Registration(username=username, password=password, display_name=username.title())
        account = register(who, extra_roles=("organiser",))
        return issue_token(account, device="trial").secret


def undone(seconds: int) -> list[str]:
    """What has been due for so long, and followers that have not read the whole log."""
    try:
        return _undone(seconds)
    except OperationalError as fault:  # it may be recovering still
        return [f"the database: {fault}"]


def _undone(seconds: int) -> list[str]:
    with _connected():
        idle = [f"{one.subject}: {one.due}, {one.seconds} s" for one in watchdog.look(seconds)]
        behind = [one for one in followers.standings() if one.lag and one.status == "live"]
        return idle + [f"follower {one.name}: {one.lag} events" for one in behind]


def records() -> list[Record]:
    """The log, as histories are compared with it."""
    with _connected():
        return [
            Record(
                one.stream,
                one.version,
                one.type,
                str(one.facts["actor"]),
                str(one.facts["cmd"]),
                one.payload,
            )
            for name in store.streams()
            for one in store.load(name).events
        ]


def unsound() -> list[Wrong]:
    """What does not hold of data at rest: the log, its replay, the books, their reconciliation."""
    with _connected():
        return list(_unsound())


def _unsound() -> Iterator[Wrong]:
    proof = prove_log()
    for difference in proof.differences:
        yield Wrong("live is not as replayed", difference.stream, SOUND, str(difference))
    verified = verify_log()
    for fault in (*verified.faults, *verified.tree.faults):
        yield Wrong("the log does not verify", "chain and tree", SOUND, str(fault))
    difference_of_books = rebuild.compare().difference
    if difference_of_books is not None:
        yield Wrong("the books are not as rebuilt", "books", SOUND, str(difference_of_books))
    for check in reconcile(is_full=True).checks:
        for finding in check.findings:
            yield Wrong("the reconciliation has a finding", check.name, SOUND, str(finding))


@contextlib.contextmanager
def _connected() -> Iterator[None]:
    try:
        yield
    finally:
        connections.close_all()
