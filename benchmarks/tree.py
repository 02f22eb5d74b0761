"""The tree of a long log: order, proofs, and how soon a commit is covered by a signature.

A million leaves are made of hashes of nothing; all that reads and signs them is the product's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from threading import Event
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import psycopg
from django.db import connections

from benchmarks.append import appends
from benchmarks.goals import at_least, at_most, percentile
from benchmarks.measure import Figure, say
from benchmarks.servers import sequencer
from eventstore import store, tree
from eventstore.core.chain import START, Fact, seal
from eventstore.core.ids import table_stream
from eventstore.ports import new_id
from eventstore.sequencer import Sequencer
from games.bots.rng import Chance
from games.rules.events import CardDiscarded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tonk_site.embedded_services import Services

SEQUENCER_GOAL = 2.0  # times the rate of the writers in the same run
CLIENTS = 8
COVERED_SECONDS, PROOF_SECONDS = 1.5, 0.002
FAR_POSITION = 1 << 40  # positions of leaves that have no event
LEAVES_A_CHUNK = 65_536
POLL_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Plan:
    """Seconds that writers write, commits that wait for their signature, leaves, proofs, rounds."""

    seconds: int = 3
    commits: int = 100
    leaves: int = 1_000_000
    proofs: int = 500
    rounds: int = 5


QUICK = Plan(seconds=1, commits=10, leaves=100_000, proofs=100, rounds=2)


def measure(services: Services, plan: Plan) -> Iterator[Figure]:
    """The sequencer beside the writers, the wait for a signature, proofs."""
    yield _order(plan)
    yield _covered(plan)
    yield from _proofs(services, plan)


def _order(plan: Plan) -> Figure:
    """Events that the sequencer places for a second of its own, beside what writers write."""
    rates, written = [], []
    sequencing = Sequencer()
    sequencing.start()
    while sequencing.round():
        pass
    with appends(CLIENTS, 1) as trial:
        for number in range(1, plan.rounds + 1):
            say(f"tree: order, round {number} of {plan.rounds}")
            written.append(trial(plan.seconds).rate)
            start, placed = process_time(), 0
            while found := sequencing.round():
                placed += found
            sequencing.sign()
            rates.append(placed / (process_time() - start))
    ratios = [ours / theirs for ours, theirs in zip(rates, written, strict=True)]
    figure = at_least("tree", f"order, beside {CLIENTS} writers", rates, SEQUENCER_GOAL)
    return Figure(
        bench=figure.bench, case=figure.case, rate=figure.rate, peer="writers",
        peer_rate=sorted(written)[len(written) // 2], ratios=ratios, goal=SEQUENCER_GOAL,
    )  # fmt: skip


def _covered(plan: Plan) -> Figure:
    """Seconds from a commit to a checkpoint that covers it, at random moments."""
    random, pause, waits = Chance(b"covered").random, Event(), []
    with sequencer():
        for number in range(plan.commits):
            if number % 10 == 0:
                say(f"tree: commit {number} of {plan.commits}")
            pause.wait(random())
            stream = table_stream(new_id())
            fact = Fact(CardDiscarded(seat=2, card="5H", place=17), "worker:bench")
            sealed = seal(stream, START, [fact], at=datetime.now(UTC), ids=[new_id(), new_id()])
            store.append(sealed, START)
            start = perf_counter()
            while (index := tree.index_of(stream, 1)) is None or tree.covering(index) is None:
                pause.wait(POLL_SECONDS)
            waits.append(perf_counter() - start)
    return at_most(
        "tree", "commit to checkpoint, p99", [percentile(waits, 0.99)], COVERED_SECONDS,
        commits=plan.commits,
    )  # fmt: skip


def _proofs(services: Services, plan: Plan) -> Iterator[Figure]:
    """Seconds of an inclusion proof of a random leaf: by the clock, and of this process's own."""
    size = _grow(services, plan.leaves)
    random, by_clock, own = Chance(b"proofs").random, [], []
    for number in range(1, plan.rounds + 1):
        say(f"tree: proofs, round {number} of {plan.rounds}")
        taken = []
        for _ in range(plan.proofs):
            index = int(random() * size)
            start, spent = perf_counter(), process_time()
            tree.inclusion(index, size)
            taken.append((perf_counter() - start, process_time() - spent))
        by_clock.append(percentile([seconds for seconds, _ in taken], 0.95))
        own.append(percentile([seconds for _, seconds in taken], 0.95))
    case = f"inclusion proof, p95, {size:,} leaves"
    yield at_most("tree", case, by_clock, PROOF_SECONDS)
    yield at_most("tree", f"{case}, own processor", own, PROOF_SECONDS)


def _grow(services: Services, leaves: int) -> int:
    """The tree with leaves more, up to a number in all, signed; its size."""
    size = tree.size()
    edge = tree.edge(size)
    address = f"host={services.sockets} user=tonk_owner dbname=tonk"
    with psycopg.connect(address) as connection, connection.cursor() as cursor:
        for first in range(size, leaves, LEAVES_A_CHUNK):
            say(f"tree: {first:,} leaves of {leaves:,}")
            numbers = range(first, min(first + LEAVES_A_CHUNK, leaves))
            hashes = [sha256(b"%d" % number).digest() for number in numbers]
            with cursor.copy(
                "COPY eventstore_log_leaf (log_index, position, hash) FROM STDIN"
            ) as copy:
                for number, hashed in zip(numbers, hashes, strict=True):
                    copy.write_row((number, FAR_POSITION + number, hashed))
            for tile in edge.push(hashes):
                cursor.execute(
                    "INSERT INTO eventstore_log_tile (level, n, hashes) VALUES (%s, %s, %s)",
                    (tile.level, tile.n, tile.hashes),
                )
        cursor.execute("UPDATE eventstore_log_state SET size = %s", (max(size, leaves),))
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE eventstore_log_leaf, eventstore_log_tile")
    sequencing = Sequencer()
    sequencing.start()
    sequencing.sign()
    connections.close_all()
    return tree.size()
