"""Everything beside the log is what the log says, whoever folds it (`trust.md` section 1).

Live: rows of tables, seats, hands, tournaments and entrants, served states and the whole of the
books, against their replay. Trial: the same of the played world, in two processes whose hashing and
time zone differ, and everything that they fold is equal byte by byte.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain

import msgspec
from django.db import connection

from eventstore import store
from eventstore.core.record import Stored
from eventstore.core.refusal import Refusal
from eventstore.verification import Difference
from games import replay as tables
from ledger.core.entries import entries_for
from tonk_site.proof import TABLES, TOURNAMENTS, prove_log
from tonk_site.proving import live
from tonk_site.proving.acting import played
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.scratch import Place, fresh_processes
from tournaments import replay as tournaments

NAME = "replay"
# Hashing and the clock on the wall of a process must mean nothing.
SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC"},
    {"PYTHONHASHSEED": "2", "TZ": "Asia/Kathmandu"},
)
LEAVES_MAX = 1_000_000  # of one table: more than any has
# What a replay makes, and is compared row by row.
ROWS = (
    "games_table", "games_seat", "games_sitting", "games_anchor", "games_hand",
    "tournaments_tournament", "tournaments_entrant", "ledger.entry", "ledger.account",
)  # fmt: skip
_WITHOUT_A_STREAM = """
SELECT '{relation}', id FROM {relation} live
WHERE NOT EXISTS (SELECT FROM eventstore_event e WHERE e.stream = '{prefix}' || live.id)"""
_COUNT = "SELECT count(*) FROM {relation}"
_REACHED = "SELECT log_index FROM eventstore_follower WHERE name = 'hands' AND status = 'live'"


def look() -> Found:
    """The whole log replayed and compared with what lies beside it."""
    proof, found = prove_log(by_auditor=True), Found()
    found.done["events"] = proof.events
    found.done["rows"] = sum(_count(relation) for relation in ROWS)
    found.breaches = [
        live.told(
            "a chain is broken", f"{one.stream}@{one.version}", expected="whole", got=one.code
        )
        for one in proof.faults
    ]
    for one in chain(proof.differences, _index_differences()):
        where = f"{one.stream}@{one.version} {one.field}"
        found.breaches.append(live.told("not as replayed", where, expected=one.log, got=one.live))
    for relation, prefix in (("games_table", TABLES), ("tournaments_tournament", TOURNAMENTS)):
        for name, row in _rows(_WITHOUT_A_STREAM.format(relation=relation, prefix=prefix)):
            found.breaches.append(
                live.told("a row of no stream", f"{name} {row}", expected="none", got="one")
            )
    return found


def _index_differences() -> Iterator[Difference]:
    """The index of hands, as far as its follower has come."""
    for (reached,) in _rows(_REACHED):
        for stream in store.streams(TABLES):
            leaves = store.leaves_of(stream, 0, LEAVES_MAX)
            applied = [one for one in leaves if one.index < int(str(reached))]
            yield from tables.index_differences(applied)


def _count(relation: str) -> int:
    return int(str(_rows(_COUNT.format(relation=relation))[0][0]))


def _rows(sql: str) -> Sequence[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        found: Sequence[tuple[object, ...]] = cursor.fetchall()
        return found


# --- the trial ------------------------------------------------------------------------------------


def run(order: Order) -> Found:
    """The played world in two surroundings."""
    rerun = f"manage.py prove {NAME} --seed {order.seed}"
    with played.database() as place:
        one, other = (_folded(place, surroundings) for surroundings in SURROUNDINGS)
        found = live.read_there(look, place, rerun)
    found.done["folds"] = len(one)
    found.breaches += [
        Breach("folds differ", name, one.get(name, "none"), other.get(name, "none"), rerun)
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    ]
    return found


def _folded(place: Place, surroundings: Mapping[str, str]) -> dict[str, str]:
    with fresh_processes(1, {**place.variables, **surroundings}) as pool:
        return pool.submit(folded).result()


def folded() -> dict[str, str]:
    """What this process folds of each stream, and makes of its money: digests by stream."""
    found = {}
    for stream in store.streams():
        stored = store.load(stream).events
        summed = sha256(msgspec.json.encode(_document(stored)))
        for one in stored:
            made = entries_for(one)
            if not isinstance(made, Refusal):
                summed.update(b"".join(entry.canonical for entry in made))
        found[stream] = summed.hexdigest()
    connection.close()
    return found


def _document(stored: Sequence[Stored]) -> object:
    """The state after these events, where there is one."""
    if stored[0].stream.startswith(TABLES):
        return tables.public_document(stored)
    if stored[0].stream.startswith(TOURNAMENTS):
        return tournaments.state_document(stored)
    return None


CHECK = Check(
    name=NAME,
    promise=2,
    quick={"events": 500, "rows": 200, "folds": 20},
    full={"events": 500, "rows": 200, "folds": 20},
    run=run,
    live=look,
)
