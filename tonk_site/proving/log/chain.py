"""A log that was changed says so, and where (`trust.md` 1).

The trial plays a log in its own database, where writers meet too, then changes it as a superuser
would, once at a time: a column, a row, a tail, a stream with all its hashes, the signatures too.
Whoever looks has the log's public key and the notes that were shown to him, nothing else from
before."""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from eventstore.verification import verify_log
from tonk_site.proving import live
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.log import chain_world
from tonk_site.proving.log.chain_world import Made, Part, Report
from tonk_site.proving.scratch import database, fresh_processes

JOBS = 2
TASK_TAMPERINGS = 250  # that a process makes before it reports


def run(order: Order) -> Found:
    """The trial, in processes that read their addresses."""
    with database() as place:
        with fresh_processes(1, place.variables) as maker:
            made = maker.submit(chain_world.make).result()
        order.say(f"{made.events} events under {made.checkpoints} signatures")
        found = Found(seen={"ways": Counter()})
        found.done["events"] = made.events
        if made.told:
            what, rerun = "named before any change", f"manage.py prove {CHECK.name}"
            found.breaches = [Breach(what, name, "nothing", "", rerun) for name in made.told]
            return found
        with contextlib.ExitStack() as stack:
            copies = [stack.enter_context(database(lambda _: place)) for _ in range(JOBS)]
            pools = [stack.enter_context(fresh_processes(1, copy.variables)) for copy in copies]
            for report in _reports(order, made, pools):
                _add(found, report, order.seed)
                done, asked = found.done["tamperings"], order.sizes["tamperings"]
                order.say(f"{done:,} of {asked:,} tamperings")
    return found


def _reports(order: Order, made: Made, pools: Sequence[ProcessPoolExecutor]) -> Iterator[Report]:
    """What the processes report, each of a copy of the log that is its own."""
    numbers = range(1, order.sizes["tamperings"] + 1)
    tasks = []
    for job, pool in enumerate(pools):
        own = numbers[job :: len(pools)]
        for first in range(0, len(own), TASK_TAMPERINGS):
            part = Part(order.seed, own[first : first + TASK_TAMPERINGS], made.key)
            tasks.append(pool.submit(chain_world.attack, part))
    for task in as_completed(tasks):
        yield task.result()


def _add(found: Found, report: Report, seed: str) -> None:
    rerun = f"manage.py prove {CHECK.name} --seed {seed}"
    found.done.update(tamperings=report.tamperings, found=report.found, exports=report.exports)
    found.seen["ways"] += report.kinds
    found.breaches += [Breach(*wrong, rerun) for wrong in report.wrongs]


def look() -> Found:
    """The whole log anew: records, chains, leaves, tiles, roots, signatures by its own keys."""
    log = verify_log()
    tree = log.tree
    found = Found(Counter(events=log.events, leaves=tree.leaves, checkpoints=tree.checkpoints))
    wrongs = [(one.code, f"{one.stream}@{one.version}") for one in log.faults]
    wrongs += [(one.code, f"{one.relation} {one.row}") for one in tree.faults]
    found.breaches = [
        live.told(code, where, expected="as recorded", got="otherwise") for code, where in wrongs
    ]
    return found


CHECK = Check(
    name="chain",
    promise=7,
    quick={"events": 300, "tamperings": 200, "found": 200, "exports": 20},
    full={"events": 300, "tamperings": 10_000, "found": 10_000, "exports": 1_000},
    run=run,
    live=look,
)
