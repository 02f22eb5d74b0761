"""The parts of the trial `gapless`: writers, a follower that keeps a list, and who compares.

Writers append to a few streams at once. They take their transaction's id early, wait before and
after the append, and roll back much of what they did, so that rows become visible in an order that
has little to do with their positions.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.db import Error, connection, connections

from eventstore.core.chain import Fact
from eventstore.core.ids import player_stream, uuid7
from eventstore.core.refusal import Retryable, VersionConflict
from eventstore.followers import Follower
from eventstore.ports import new_id
from eventstore.services import Outcome, Receipt, Row, Transaction, in_transaction, run_command
from eventstore.store import Leaf
from games.rules.selfplay import Random, SeededNumbers, pick
from players.core.events import NameConsentSet
from tonk_site.proving.cards.random_hands import below

WRITERS, STREAMS = 16, 32
EVENTS_MAX = 4  # of one append
DELAY_SECONDS_MAX = 0.02
UNDONE = (0.1, 0.5)  # part of its transactions that a writer rolls back, by turns
FAULTS_READ = 20  # of one kind
ACTOR = "worker:trial"

RELATION = """
CREATE TABLE proving_delivered (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    follower_version integer NOT NULL,
    log_index bigint NOT NULL,
    event_id uuid NOT NULL,
    stream text NOT NULL,
    version integer NOT NULL);
GRANT SELECT, INSERT, DELETE ON proving_delivered TO tonk_app"""
"""What the follower was given, in that order. Nothing in it refuses what comes twice."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a writer tells of one transaction: its records, or why there are none."""

    kind: str  # `kept`, `undone`, `conflict`, `lost`: the connection, so nobody knows
    records: tuple[tuple[str, int], ...] = ()  # stream, version


class _Undone(Exception):
    """The writer changed its mind."""


def streams(seed: str) -> tuple[str, ...]:
    """The streams of a trial."""
    rng = SeededNumbers(f"{seed}/streams")
    ids = (uuid7(one, bytes(below(rng, 256) for _ in range(10))) for one in range(STREAMS))
    return tuple(map(player_stream, ids))


class Writer:
    """One of the writers, with chance of its own."""

    def __init__(self, seed: str, number: int, life: int = 0) -> None:
        """`life` counts how often this writer was started again."""
        self._rng: Random = SeededNumbers(f"{seed}/writer {number}/{life}")
        self._streams = streams(seed)
        self._undone = UNDONE[number % len(UNDONE)]
        self._known: dict[str, int] = {}  # a version that each stream has: loads start there

    def write(self, events: int, tell: Callable[[Told], None]) -> None:
        """Append until so many events are kept; every transaction is told at its end."""
        while events > 0:
            told = self._once()
            tell(told)
            events -= len(told.records)

    def _once(self) -> Told:
        stream, count = pick(self._rng, self._streams), 1 + below(self._rng, EVENTS_MAX)
        before, after = (self._rng.random() * DELAY_SECONDS_MAX * part for part in (0.25, 1))
        undone = self._rng.random() < self._undone

        def work(tx: Transaction, _: Row) -> Outcome:
            _wait(before)  # the receipt has taken the transaction's id by now
            loaded = tx.load(stream, from_version=self._known.get(stream, 1))
            self._known[stream] = max(loaded.head.version, 1)
            sealed = tx.append(stream, loaded.head, [_fact()] * count)
            _wait(after)
            if undone:
                raise _Undone
            return Outcome(200, {}, stream, sealed[0].version, sealed[-1].version)

        try:
            done = run_command(Receipt(ACTOR, new_id().hex, bytes(32)), None, work)
        except _Undone:
            return Told("undone")
        except (VersionConflict, Retryable):
            return Told("conflict")
        except Error:
            connection.close()
            return Told("lost")
        versions = range(done.first_version or 0, (done.last_version or 0) + 1)
        return Told("kept", tuple((stream, version) for version in versions))


def hold(until: Callable[[], bool]) -> Told:
    """Append one event to a stream of its own and commit only when `until` says so.

    Its position is among the lowest of the trial; its place in the log must be the last. On a
    starved machine the server may end a transaction that seems idle: then it begins again.
    """
    stream = player_stream(uuid7(STREAMS, bytes(10)))

    def work(tx: Transaction) -> Told:
        sealed = tx.append(stream, tx.load(stream).head, [_fact()])
        while not until():
            _wait(DELAY_SECONDS_MAX)
        return Told("kept", ((stream, sealed[0].version),))

    while True:
        try:
            return in_transaction(work)
        except Error:
            connection.close()


def _fact() -> Fact:
    return Fact(NameConsentSet(consent=True), ACTOR)


def _wait(seconds: float) -> None:
    """Pass time inside the open transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [seconds])


# --- the follower ---------------------------------------------------------------------------------


def deliver(leaves: Sequence[Leaf], version: int) -> None:
    """Add what came to the list."""
    events = [leaf.event for leaf in leaves]
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO proving_delivered
                (follower_version, log_index, event_id, stream, version)
            SELECT %s::int, * FROM unnest(%s::bigint[], %s::uuid[], %s::text[], %s::int[])""",
            [
                version,
                [leaf.index for leaf in leaves],
                [event.event_id for event in events],
                [event.stream for event in events],
                [event.version for event in events],
            ],
        )


def checksum(version: int) -> str:
    """Digest of the list of one version."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT md5(string_agg(format('%%s %%s', log_index, event_id), ',' ORDER BY seq))
            FROM proving_delivered WHERE follower_version = %s""",
            [version],
        )
        return str(cursor.fetchone()[0])


def drop(version: int) -> None:
    """Remove the list of one version."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM proving_delivered WHERE follower_version = %s", [version])


DELIVERED = Follower(name="delivered", handle=deliver, checksum=checksum, drop=drop)


# --- who compares ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that is not as it was promised."""

    what: str
    where: str
    expected: str
    got: str


MISSED = "an event that was not delivered"
# Each statement gives (where, expected, got) of what is wrong.
LOG_CHECKS = {
    "an event without a place": """
        SELECT e.stream || '@' || e.version, 'a place in the log', 'none'
        FROM eventstore_event e LEFT JOIN eventstore_log_leaf l USING (position)
        WHERE l.position IS NULL""",
    "a leaf that is not its event's": """
        SELECT 'leaf ' || l.log_index, encode(l.hash, 'hex'),
            coalesce(encode(e.hash, 'hex'), 'none')
        FROM eventstore_log_leaf l LEFT JOIN eventstore_event e USING (position)
        WHERE e.hash IS DISTINCT FROM l.hash""",
    "places that are not dense": """
        SELECT 'log', format('%s places from 0 on', s.size),
            format('%s, from %s to %s', count(l.*), min(l.log_index), max(l.log_index))
        FROM eventstore_log_state s LEFT JOIN eventstore_log_leaf l ON true GROUP BY s.size
        HAVING (count(l.*), coalesce(min(l.log_index), 0), coalesce(max(l.log_index), -1))
            <> (s.size, 0, s.size - 1)""",
    "a stream out of order": """
        SELECT stream || '@' || version, 'version ' || place, version::text
        FROM (SELECT e.stream, e.version,
                row_number() OVER (PARTITION BY e.stream ORDER BY l.log_index) AS place
            FROM eventstore_event e JOIN eventstore_log_leaf l USING (position)) AS placed
        WHERE version <> place""",
    "a follower that is not at the end": """
        SELECT f.name || ' ' || f.version, s.size::text, f.log_index::text
        FROM eventstore_follower f CROSS JOIN eventstore_log_state s
        WHERE f.name = 'delivered' AND f.status = 'live' AND f.log_index <> s.size""",
}
DELIVERY_CHECKS = {
    MISSED: """
        SELECT e.stream || '@' || e.version, 'delivered', 'missed'
        FROM eventstore_event e LEFT JOIN delivered d USING (event_id) WHERE d.event_id IS NULL""",
    "an event that was delivered again": """
        SELECT d.stream || '@' || d.version, '1', count(*)::text
        FROM delivered d GROUP BY d.stream, d.version HAVING count(*) > 1""",
    "a delivery that is not of the log": """
        SELECT d.stream || '@' || d.version, 'leaf ' || d.log_index,
            coalesce(e.stream || '@' || e.version, 'no event')
        FROM delivered d LEFT JOIN eventstore_log_leaf l USING (log_index)
            LEFT JOIN eventstore_event e USING (position)
        WHERE (e.event_id, e.stream, e.version)
            IS DISTINCT FROM (d.event_id, d.stream, d.version)""",
    "deliveries out of order": """
        SELECT stream || '@' || version, 'after ' || before, log_index::text
        FROM (SELECT d.*, lag(log_index) OVER (ORDER BY seq) AS before FROM delivered d) AS told
        WHERE log_index <= before""",
}
LIVE_LIST = """WITH delivered AS (
    SELECT d.* FROM proving_delivered d JOIN eventstore_follower f ON f.name = 'delivered'
        AND f.version = d.follower_version AND f.status = 'live') """
COUNTED = ("events", "streams", "late")
COUNTS = """
SELECT count(*), count(DISTINCT stream), (
    SELECT count(*) FROM (
        SELECT position, max(position) OVER (ORDER BY log_index) AS highest
        FROM eventstore_log_leaf) AS placed
    WHERE position < highest)
FROM eventstore_event"""


def wrongs(kept: Iterable[tuple[str, int]], *, using: str = "default") -> list[Wrong]:
    """What is wrong after the trial; `kept` are the records that writers were told to be kept."""
    found = []
    for what, sql in (LOG_CHECKS | DELIVERY_CHECKS).items():
        listed = LIVE_LIST if what in DELIVERY_CHECKS else ""
        rows = _rows(f"{listed}{sql} LIMIT {FAULTS_READ}", using)
        found += [Wrong(what, *map(str, row)) for row in rows]
    records = _rows("SELECT stream, version FROM eventstore_event", using)
    lost = sorted(set(kept) - {(str(stream), int(str(version))) for stream, version in records})
    found += [
        Wrong("an acknowledged event is lost", f"{stream}@{version}", "there", "absent")
        for stream, version in lost
    ]
    return found


def counts(*, using: str = "default") -> dict[str, int]:
    """How much there was: events, streams, places with a lower position than an earlier one."""
    found = _rows(COUNTS, using)[0]
    return {name: int(str(count)) for name, count in zip(COUNTED, found, strict=True)}


def is_open() -> bool:
    """Whether the sequencer has begun its work."""
    return _rows("SELECT log_id IS NOT NULL FROM eventstore_log_state") == [(True,)]


def at_rest() -> bool:
    """Whether every event has its place and was delivered."""
    sql = """SELECT (SELECT count(*) FROM eventstore_event) = s.size AND f.log_index = s.size
        FROM eventstore_log_state s JOIN eventstore_follower f
        ON f.name = 'delivered' AND f.status = 'live'"""
    return _rows(sql) == [(True,)]


def _rows(sql: str, using: str = "default") -> list[tuple[object, ...]]:
    with connections[using].cursor() as cursor:
        cursor.execute(sql)
        found: list[tuple[object, ...]] = cursor.fetchall()
        return found
