"""Nothing is lost on the way from a commit to a follower, nothing comes twice (`trust.md` 1).

16 writers append with random delays and roll much of it back, one transaction stays open all the
while, processes are killed; then what was delivered is what was committed. The trial starts
servers of its own and ends only processes that it started.
"""

from collections import Counter

from django.db import connection

from eventstore import followers
from tonk_site.proving import live, scratch
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.log import gapless_world
from tonk_site.proving.log.gapless_trial import MISSED
from tonk_site.proving.log.gapless_world import Report, Trial

_STREAMS = """SELECT stream, count(*), min(version), max(version) FROM eventstore_event
    GROUP BY stream"""
_LEAVES = """SELECT count(*), coalesce(min(log_index), 0), coalesce(max(log_index) + 1, 0),
        count(DISTINCT position), count(e.position)
    FROM eventstore_log_leaf LEFT JOIN eventstore_event e USING (position)"""


def run(order: Order) -> Found:
    """The trial on throwaway servers, in a fresh process that reads their addresses."""
    trial = Trial(order.seed, events=order.sizes["events"], kills=order.sizes["kills"])
    with scratch.servers() as (_, variables):
        order.say(f"{trial.events:,} events, {trial.kills} kills")
        with scratch.fresh_processes(1, variables) as pool:
            report = pool.submit(gapless_world.run, trial).result()
    return found_in(report, order.seed)


def found_in(report: Report, seed: str) -> Found:
    """A report of the trial as the check tells it."""
    rerun = f"manage.py prove {CHECK.name} --seed {seed}"
    found = Found(seen={"met": Counter(report.met)})
    found.done.update(report.counts)
    found.done["kills"] = sum(count for name, count in report.met.items() if "killed" in name)
    found.done["missed"] = sum(wrong["what"] == MISSED for wrong in report.wrongs)
    found.breaches = [Breach(**wrong, rerun=rerun) for wrong in report.wrongs]
    return found


def look() -> Found:
    """Versions are 1..n, places 0..n-1, each of one event; no follower is past the end."""
    with connection.cursor() as cursor:
        cursor.execute(_STREAMS)
        streams = cursor.fetchall()
        cursor.execute(_LEAVES)
        leaves, *places = cursor.fetchone()
    standings = followers.standings()
    found = Found(Counter(streams=len(streams), leaves=leaves, followers=len(standings)))
    for stream, count, first, last in streams:
        if (first, last) != (1, count):
            got = f"{first}..{last}"
            found.breaches.append(live.told("versions", stream, expected=f"1..{count}", got=got))
    wanted = [0, leaves, leaves, leaves]
    if places != wanted:
        found.breaches.append(live.told("places of the log", "", expected=wanted, got=places))
    found.breaches += [
        live.told("past the end", f"{one.name}/{one.version}", expected=0, got=one.lag)
        for one in standings
        if one.lag < 0
    ]
    return found


CHECK = Check(
    name="gapless",
    promise=2,
    # `late`: events whose position is lower than that of one before them in the log. Without any
    # the trial would show nothing.
    quick={"streams": 33, "events": 2_000, "late": 1, "kills": 3, "missed": 0},
    full={"streams": 33, "events": 100_000, "late": 20, "kills": 300, "missed": 0},
    run=run,
    live=look,
)
