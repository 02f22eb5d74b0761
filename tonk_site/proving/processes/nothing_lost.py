"""Nothing that was acknowledged is lost when processes die (`trust.md` sections 1 and 5).

The product runs as `manage.py up` starts it, on servers of its own; people play by the shipped
client, over HTTP. A nemesis kills, stops and cuts what the trial started; a broker loses all that
it holds. Then what the clients were told is held against the log, and all that lives against what
the log says. Same seed, same faults; processes of a machine never meet in the same way twice.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress

import psycopg
from psycopg.conninfo import make_conninfo

from tonk_site.product import HOST
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.processes import inspection
from tonk_site.proving.processes.crowd import Cast, Crowd, answers
from tonk_site.proving.processes.fragile import Running, running
from tonk_site.proving.processes.history_checks import (
    Snapshot,
    Wrong,
    bank,
    durable,
    excused,
    order_of_reads,
)
from tonk_site.proving.processes.nemesis import Fault, Nemesis, plan
from tonk_site.proving.scratch import fresh_processes

BRIEF, LONG = Cast(cash=2, people=1, bots=2), Cast(cash=3, people=3, bots=12, ghosts=1)
PLAY_BRIEF, PLAY_LONG = (0.3, 0.6), (1.0, 3.0)  # seconds of play after a fault
BRIEF_KILLS = 20  # up to so many, the trial is a brief one
DONE_SECONDS = 60  # after the last fault everything due is done
DUE_SECONDS = 10  # what waits so long is not being done
END_SECONDS_MAX = 600  # until the last tournament is over
SNAPSHOT_SECONDS = 0.5
LOOK_SECONDS = 0.5
PLURALS = {"kill": "kills", "loss": "losses", "cut": "cuts", "pause": "pauses"}
_SUMS = """SELECT b.currency, sum(b.balance * b.sign)::bigint, sum(p.amount)::bigint,
    count(*) FILTER (WHERE b.balance * b.sign <> coalesce(p.amount, 0))
    FROM ledger.account_balance b LEFT JOIN (
        SELECT account_id, sum(amount)::bigint AS amount FROM ledger.posting GROUP BY account_id
    ) p USING (account_id) GROUP BY b.currency"""


def run(order: Order) -> Found:
    """The trial with the faults of a seed."""
    sizes = order.sizes
    is_brief = sizes["kills"] <= BRIEF_KILLS
    faults = plan(
        order.seed,
        {"kill": sizes["kills"], "loss": sizes["losses"], "cut": sizes["cuts"]},
        PLAY_BRIEF if is_brief else PLAY_LONG,
    )
    return trial(order, faults, BRIEF if is_brief else LONG)


def trial(order: Order, faults: Sequence[Fault], cast: Cast) -> Found:
    """What became of these faults with these people."""
    found = Found(seen={"faults": Counter(), "met": Counter()})
    with running() as product, fresh_processes(1, product.variables) as pool:
        crowd = Crowd(f"http://{HOST}:{product.port}", cast, product.servers.data / "clients")
        host = crowd.host
        host.take(pool.submit(inspection.host, host.username, host.password).result())
        wrongs = crowd.wrongs
        with _snapshots(product) as snapshots:
            try:
                crowd.begin()
                nemesis = Nemesis(product)
                for number, fault in enumerate(faults, start=1):
                    order.say(f"{number} of {len(faults)}: {fault.kind} {fault.what}")
                    nemesis.strike(fault)
                    found.done[PLURALS[fault.kind]] += 1
                    found.seen["faults"][f"{fault.kind} {fault.what}"] += 1
                wrongs += _undone(pool, DUE_SECONDS, "after the last fault")
                order.say("no more faults")
                crowd.end(END_SECONDS_MAX)
            finally:
                crowd.close()
        wrongs += _undone(pool, 0, "after the last move")
        for name in ("web", "beat", "worker", "worker-2", "sequencer", "followers"):
            product.children.stop(name)
        order.say("comparing histories, log and books")
        log = pool.submit(inspection.records).result()
        judged = durable(crowd.calls, log)
        wrongs += [*judged.wrongs, *order_of_reads(crowd.calls), *excused(crowd.calls)]
        wrongs += bank(snapshots)
        wrongs += pool.submit(inspection.unsound).result()
    found.done.update(judged.counts)
    found.done["snapshots"] = len(snapshots)
    found.seen["met"].update(answers(crowd.calls))
    found.seen["met"].update({"events": len(log), "tournaments": len(crowd.held)})
    rerun = f"manage.py prove {CHECK.name} --seed {order.seed}"
    found.breaches = [Breach(*wrong, rerun) for wrong in wrongs]
    return found


def _undone(pool: ProcessPoolExecutor, seconds: int, when: str) -> list[Wrong]:
    """What has waited longer than `seconds`, a minute after now; nothing as soon as all is done."""
    deadline, pause = time.monotonic() + DONE_SECONDS, threading.Event()
    while left := pool.submit(inspection.undone, seconds).result():
        if time.monotonic() > deadline:
            return [Wrong(f"not done {DONE_SECONDS} s {when}", one, "done", "due") for one in left]
        pause.wait(LOOK_SECONDS)
    return []


@contextmanager
def _snapshots(product: Running) -> Iterator[list[Snapshot]]:
    """Snapshots of the books, taken all the while; those that a fault cut short are not there."""
    found: list[Snapshot] = []
    stop = threading.Event()
    address = make_conninfo(product.servers.superuser_url, dbname="tonk")

    def look() -> None:
        while not stop.wait(LOOK_SECONDS):
            with suppress(psycopg.OperationalError), psycopg.connect(address) as connection:
                rows = connection.execute(_SUMS).fetchall()
                sums = {currency: (balances, legs or 0) for currency, balances, legs, _ in rows}
                found.append(Snapshot(sums, sum(row[-1] for row in rows)))

    thread = threading.Thread(target=look, name="snapshots")
    thread.start()
    try:
        yield found
    finally:
        stop.set()
        thread.join()


CHECK = Check(
    name="nothing-lost",
    promise=4,
    quick={
        "kills": 4, "losses": 1, "cuts": 2, "acknowledged": 10, "snapshots": 10, "lost": 0,
        "twice": 0,
    },
    full={
        "kills": 1_000, "losses": 200, "cuts": 200, "acknowledged": 3_000, "snapshots": 1_000,
        "lost": 0, "twice": 0,
    },
    run=run,
)  # fmt: skip
