"""What must hold after every round: of what changed since a mark, and of everything at the end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from eventstore.verification import Difference
from ledger import replay as books
from ledger.core.kinds import Kind
from ledger.services import settle_due
from tonk_site.proof import Proof, prove_streams

# Each statement gives (where, expected, got) of what is wrong since the mark.
CHECKS = {
    "an entry that is not zero": """
        SELECT 'entry ' || entry_id, '0', sum(amount)::text FROM ledger.posting
        WHERE entry_id > %(entry)s GROUP BY entry_id HAVING sum(amount) <> 0""",
    "an account below its floor": """
        SELECT a.code, b.min_balance::text, p.balance_after::text FROM ledger.posting p
        JOIN ledger.account a ON a.id = p.account_id
        JOIN ledger.account_balance b ON b.account_id = p.account_id
        WHERE p.entry_id > %(entry)s AND p.balance_after < b.min_balance""",
    "a stream whose versions are not 1..n": """
        SELECT stream, '1..' || count(*), min(version) || '..' || max(version)
        FROM eventstore_event WHERE stream IN (
            SELECT stream FROM eventstore_event WHERE position > %(event)s)
        GROUP BY stream HAVING min(version) <> 1 OR max(version) <> count(*)""",
    "a receipt without its answer": """
        SELECT actor || ' ' || key, 'a status', 'none' FROM eventstore_command_receipt
        WHERE status IS NULL AND created_at >= %(at)s""",
}
_MARK = """SELECT coalesce((SELECT max(position) FROM eventstore_event), 0),
    coalesce((SELECT max(id) FROM ledger.entry), 0), clock_timestamp()"""
_LEGS = """SELECT e.id, e.kind, a.owner, format('%%s %%s %%s', a.role, a.currency, p.amount)
    FROM ledger.entry e JOIN ledger.posting p ON p.entry_id = e.id
    JOIN ledger.account a ON a.id = p.account_id
    WHERE e.id > %s ORDER BY e.id, a.role, a.currency, p.amount"""
_CHANGED = "SELECT DISTINCT stream FROM eventstore_event WHERE position > %s ORDER BY 1"


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that is not as it was promised."""

    what: str
    where: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Mark:
    """How far log and books had come."""

    event: int
    entry: int
    at: object

    @classmethod
    def now(cls) -> "Mark":
        """How far they have come."""
        return cls(*rows(_MARK)[0])

    def streams(self) -> list[str]:
        """Streams with events since then."""
        return [stream for (stream,) in rows(_CHANGED, [self.event])]

    def events(self) -> list[tuple[str, int, str]]:
        """Stream, version and type of the events since then."""
        sql = """SELECT stream, version, type FROM eventstore_event
            WHERE position > %s ORDER BY position"""
        return rows(sql, [self.event])

    def entries(self) -> int:
        """Number of entries since then."""
        return int(rows("SELECT count(*) FROM ledger.entry WHERE id > %s", [self.entry])[0][0])

    def booked(self) -> list[str]:
        """The entries since then in words, apart from ids: kind, then accounts and amounts.

        Those of one owner stand together, so it is told whether it was the same player's money.
        """
        found: dict[tuple[int, int], dict[object, list[str]]] = {}
        for entry, kind, owner, leg in rows(_LEGS, [self.entry]):
            found.setdefault((entry, kind), {}).setdefault(owner, []).append(leg)
        return [
            f"{Kind(kind).word}: {'; '.join(sorted(map(', '.join, legs.values())))}"
            for (_, kind), legs in found.items()
        ]


def wrongs_since(mark: Mark) -> Iterator[Wrong]:
    """What constraints and the order of versions should not have let happen."""
    at = {"event": mark.event, "entry": mark.entry, "at": mark.at}
    for what, sql in CHECKS.items():
        for where, expected, got in rows(sql, at):
            yield Wrong(what, str(where), str(expected), str(got))


def unlike_replay(mark: Mark) -> Iterator[Wrong]:
    """Streams changed since the mark whose chain is broken, or whose live side is otherwise."""
    yield from _told(prove_streams(mark.streams()))


def books_unlike_replay() -> Iterator[Wrong]:
    """The same of the books and of what is done to bring them up to date."""
    mark = Mark.now()
    settle_everything()
    yield from unlike_replay(mark)
    for one in (*books.differences(), *books.parked()):
        yield _difference(one)


def settle_everything() -> None:
    """Settle until nothing is due."""
    while any(result.events for result in settle_due()):
        pass


def _told(proof: Proof) -> Iterator[Wrong]:
    for fault in proof.faults:
        yield Wrong("a broken chain", f"{fault.stream}@{fault.version}", "whole", fault.code)
    yield from map(_difference, proof.differences)


def _difference(one: Difference) -> Wrong:
    where = f"{one.stream}@{one.version} {one.field}"
    return Wrong("live is not as replayed", where, str(one.log), str(one.live))


def rows(sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
    """Rows of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found
