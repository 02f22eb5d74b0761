"""Followers: folds of the log into relations, each event once a version (`eventstore.md` 3.3).

A version of a follower has rows of its own, so it can be made anew beside the one that is read.
Its `log_index` is the number of events that it has applied, which is the index of the next one.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import OperationalError, connection
from typing_extensions import override

from eventstore import store
from eventstore.core.refusal import InvariantBroken, Retryable
from eventstore.services import Transaction, in_transaction
from eventstore.store import Leaf

BATCH_EVENTS = 500  # of one transaction
VERSIONS_OF_A_CODE = 1_000  # how often one code can be rebuilt before its numbers run out

NAME = re.compile("[a-z][a-z0-9_]{2,39}")  # long enough for the shortest key of a receipt
LIVE, BUILDING, RETIRED = "live", "building", "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """Who follows the log, and how.

    All functions get the version whose rows are meant. `handle` writes what leaves, in the order of
    the log, change in them; it runs inside the transaction that counts these leaves as applied, and
    it may get them in parts of any size, to the same rows. `checksum` is over all rows, in an order
    that the log gives. `drop` removes them.

    `version` is the first number of this code: the next thousand are its rebuilds, whose rows are
    equal. A change of what is written adds a thousand, and the product builds it by itself.
    """

    name: str
    handle: Callable[[Sequence[Leaf], int], None]
    checksum: Callable[[int], str]
    drop: Callable[[int], None]
    version: int = 1

    def owns(self, version: int) -> bool:
        """Whether a version is written by this code."""
        return self.version <= version < self.version + VERSIONS_OF_A_CODE


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a version of a follower stands, and how many events of the log it has not applied."""

    name: str
    version: int
    log_index: int
    status: str
    lag: int


@dataclass(frozen=True, slots=True)
class Promoted:
    """A version that has become the live one; its predecessor, and whether their rows are equal.

    `equal` is None where the predecessor is another code's, or there was none.
    """

    version: int
    retired: int | None
    equal: bool | None


class Parked(RuntimeError):
    """A handler raised at one event: its version stands there until the cause is gone."""

    def __init__(self, name: str, version: int, leaf: Leaf) -> None:
        super().__init__(name, version, leaf)
        self.name, self.version, self.leaf = name, version, leaf

    @override
    def __str__(self) -> str:
        event = self.leaf.event
        where = f"{event.stream}@{event.version} {event.type}"
        return f"follower {self.name} {self.version} parked at {self.leaf.index}: {where}"


class NotBuilding(RuntimeError):
    """A version that was to become live is live, retired or unknown."""


class _BatchFailed(Exception):
    """A handler raised at one of these leaves."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        super().__init__(len(leaves))
        self.leaves = leaves


# --- who follows ----------------------------------------------------------------------------------

_followers: dict[str, Follower] = {}


def register(follower: Follower) -> None:
    """Make a follower known to the product. Raises: ValueError for a bad name, or one twice."""
    if not NAME.fullmatch(follower.name):
        raise ValueError(f"a follower can not be called {follower.name!r}")
    if follower.name in _followers:
        raise ValueError(f"follower {follower.name} is registered twice")
    _followers[follower.name] = follower


def registered() -> tuple[Follower, ...]:
    """Every follower of the product, by name."""
    return tuple(_followers[name] for name in sorted(_followers))


def standings(name: str | None = None) -> tuple[Standing, ...]:
    """Every version of every follower, or of one, by name and version."""
    sql = """SELECT f.name, f.version, f.log_index, f.status, s.size - f.log_index
        FROM eventstore_follower f CROSS JOIN eventstore_log_state s
        WHERE %s::text IS NULL OR f.name = %s ORDER BY f.name, f.version"""
    return tuple(Standing(*row) for row in _rows(sql, [name, name]))


# --- following ------------------------------------------------------------------------------------


def begin(follower: Follower) -> None:
    """Give a follower its first version, live at once, or a building one where its code is newer.

    Where the live version is of a newer code than this one, nothing is begun: two products that run
    side by side during an upgrade must not take turns.
    """
    live = [one.version for one in standings(follower.name) if one.status == LIVE]
    if not live or (live[0] < follower.version and not _own(follower, BUILDING)):
        _insert(follower)


def to_advance(follower: Follower) -> tuple[int, ...]:
    """Versions that a runner takes on: this code's live one, or the one it builds to become it.

    A rebuild of the same code is left to the command that began it.
    """
    return _own(follower, LIVE) or _own(follower, BUILDING)


def apply_batch(follower: Follower, version: int) -> int:
    """Number of events applied: at most 500, in one transaction with the count of them.

    0 where nothing is left, or somebody else is at it. When the handler raises, they are applied
    one by one up to the event at fault. Raises: Parked; Retryable.
    """
    step = partial(_apply, follower=follower, version=version)
    try:
        return in_transaction(partial(step, limit=BATCH_EVENTS))
    except _BatchFailed as failed:
        suspects = failed.leaves
    for done in range(len(suspects)):
        try:
            if not in_transaction(partial(step, limit=1)):
                return done
        except _BatchFailed as failed:
            raise Parked(follower.name, version, failed.leaves[0]) from failed.__cause__
    return len(suspects)


def _apply(_: Transaction, *, follower: Follower, version: int, limit: int) -> int:
    """Apply the next leaves of a version. Locks its row."""
    found = _rows(
        """SELECT log_index FROM eventstore_follower
        WHERE name = %s AND version = %s AND status <> 'retired' FOR UPDATE SKIP LOCKED""",
        [follower.name, version],
    )
    if not found:
        return 0
    at = found[0][0]
    leaves = store.leaves(at, at + limit)
    if not leaves:
        return 0
    if [leaf.index for leaf in leaves] != list(range(at, at + len(leaves))):
        raise InvariantBroken(f"the log has a gap after {at}")
    try:
        follower.handle(leaves, version)
    except (OperationalError, Retryable):
        raise  # of the database, not of an event
    except Exception as fault:
        raise _BatchFailed(leaves) from fault
    _execute(
        """UPDATE eventstore_follower SET log_index = %s, updated_at = now()
        WHERE name = %s AND version = %s""",
        [at + len(leaves), follower.name, version],
    )
    return len(leaves)


# --- versions -------------------------------------------------------------------------------------


def start_rebuild(follower: Follower) -> int:
    """Number of a version that is built from the log's beginning: a new one, or the unfinished."""
    begin(follower)
    return (_own(follower, BUILDING) or _insert(follower))[-1]


def promote(follower: Follower, version: int) -> Promoted:
    """Make a building version the live one, once it has applied all; the old one is retired.

    One transaction: locks the rows of both, applies the rest to both where the code of both is this
    one, and compares them. The new one, made from the log alone, becomes live in any case.
    Raises: NotBuilding; Parked; Retryable.
    """
    try:
        return in_transaction(partial(_promote, follower=follower, version=version))
    except _BatchFailed as failed:
        for one in _own(follower, LIVE, BUILDING):
            apply_batch(follower, one)  # finds the event at fault
        raise Retryable(f"follower {follower.name} {version} is not promoted") from failed


def _promote(tx: Transaction, *, follower: Follower, version: int) -> Promoted:
    rows = _rows(
        """SELECT version, status FROM eventstore_follower
        WHERE name = %s AND status <> 'retired' ORDER BY version FOR UPDATE""",
        [follower.name],
    )
    states = dict(rows)
    if states.get(version) != BUILDING:
        raise NotBuilding(f"follower {follower.name} {version} is not building")
    old = next((one for one, status in states.items() if status == LIVE), None)
    while _apply(tx, follower=follower, version=version, limit=BATCH_EVENTS):
        pass
    equal = None
    if old is not None and follower.owns(old):
        _follow_to(tx, follower, old, _index_of(follower, version))
        equal = follower.checksum(old) == follower.checksum(version)
    if old is not None:
        _set_status(follower, old, RETIRED)
    _set_status(follower, version, LIVE)
    return Promoted(version, old, equal)


def _follow_to(tx: Transaction, follower: Follower, version: int, end: int) -> None:
    """Apply leaves to a locked version until it stands at `end`."""
    while (missing := end - _index_of(follower, version)) > 0:
        _apply(tx, follower=follower, version=version, limit=min(missing, BATCH_EVENTS))


def drop(follower: Follower, version: int) -> None:
    """Remove the rows of a retired version; that it was there stays known.

    Raises: ValueError for a version that is not retired.
    """
    in_transaction(partial(_drop, follower=follower, version=version))


def _drop(_: Transaction, *, follower: Follower, version: int) -> None:
    found = _rows(
        "SELECT status FROM eventstore_follower WHERE name = %s AND version = %s FOR UPDATE",
        [follower.name, version],
    )
    if not found or found[0][0] != RETIRED:
        raise ValueError(f"follower {follower.name} {version} is not retired")
    follower.drop(version)


def _own(follower: Follower, *statuses: str) -> tuple[int, ...]:
    """Versions of this code with one of these statuses, in order."""
    return tuple(
        one.version
        for one in standings(follower.name)
        if one.status in statuses and follower.owns(one.version)
    )


def _insert(follower: Follower) -> tuple[int, ...]:
    """Begin the next version of this code; whoever does the same at once begins the same one."""
    numbers = _own(follower, LIVE, BUILDING, RETIRED)
    version = numbers[-1] + 1 if numbers else follower.version
    if not follower.owns(version):
        raise InvariantBroken(f"follower {follower.name} has no number left after {version - 1}")
    _execute(
        """INSERT INTO eventstore_follower (name, version, log_index, status, updated_at)
        SELECT %s, %s, 0, CASE WHEN EXISTS (
            SELECT FROM eventstore_follower WHERE name = %s AND status = 'live')
            THEN 'building' ELSE 'live' END, now()
        ON CONFLICT DO NOTHING""",
        [follower.name, version, follower.name],
    )
    return (version,)


def _index_of(follower: Follower, version: int) -> int:
    sql = "SELECT log_index FROM eventstore_follower WHERE name = %s AND version = %s"
    return int(_rows(sql, [follower.name, version])[0][0])


def _set_status(follower: Follower, version: int, status: str) -> None:
    _execute(
        """UPDATE eventstore_follower SET status = %s, updated_at = now()
        WHERE name = %s AND version = %s""",
        [status, follower.name, version],
    )


def _execute(sql: str, parameters: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)


def _rows(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found
