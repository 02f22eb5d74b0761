"""Manual money needs two people, and no money moves without an event (`trust.md` section 1).

Live: every manual entry and every act of two people, read from the facts as they were stored.
Trial: every way to be one person is tried on the played world and refused; then it is read.

A second factor is no part of the product yet, so none is asked for here.
"""

from collections.abc import Iterator
from datetime import datetime

from eventstore import store
from eventstore.core.ids import player_stream
from eventstore.core.record import Stored
from ledger.core.adjustments import TYPES, Told, fold
from ledger.core.entries import MANUAL
from ledger.store.books import LIVE
from players.core.roles import ADMIN, ORGANISER
from tonk_site.proving import live
from tonk_site.proving.acting import played
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.money import four_eyes_trial
from tonk_site.proving.scratch import fresh_processes

NAME = "four-eyes"
_STREAMS = "SELECT DISTINCT stream FROM eventstore_event WHERE type = ANY(%s::text[]) ORDER BY 1"
BY_HAND = ("DepositRecorded", "WithdrawalApproved", "WithdrawalPaid")
"""With a list of two people, where no provider has said it."""
BY_PROPOSAL = ("WalletFrozen", "WalletReleased", "PeriodClosed")
_ROLES = ("RoleGranted", "RoleRevoked")
_STRANGE = """
SELECT e.stream || '@' || e.version, coalesce(ev.type, 'no event') FROM ledger.entry e
LEFT JOIN eventstore_event ev ON (ev.stream, ev.version) = (e.stream, e.version)
WHERE ev.type IS NULL OR (e.kind >= 40) <> (ev.type = 'AdjustmentApproved') ORDER BY 1"""
_COUNT = "SELECT count(*) FROM ledger.entry"
# What nobody has taken back yet can be: every account of it takes money.
_CLOSED = """
SELECT DISTINCT e.stream || '@' || e.version FROM ledger.entry e
JOIN ledger.posting p ON p.entry_id = e.id JOIN ledger.account_balance b USING (account_id)
WHERE e.kind >= 40 AND b.state = 'closed'
    AND NOT EXISTS (SELECT FROM ledger.entry r WHERE r.reverses = e.id) ORDER BY 1"""


def look() -> Found:
    """Every manual entry, every other act of two people, every entry's event."""
    found = Found()
    for (stream,) in LIVE.rows(_STREAMS, [list(TYPES)]):
        events = store.events_after(stream, 0, types=TYPES)
        at = {event.version: event.at for event in events}
        for told in fold(events).values():
            found.done["adjustments"] += told.state == "approved"
            found.breaches += _of_adjustment(f"{stream} {told.id}", told, at)
    for (stream,) in LIVE.rows(_STREAMS, [[*BY_HAND, *BY_PROPOSAL]]):
        for event in store.events_after(stream, 0, types=(*BY_HAND, *BY_PROPOSAL)):
            found.done["acts"] += 1
            found.breaches += _of_act(event)
    found.done["entries"] = LIVE.rows(_COUNT)[0][0]
    for where, event_type in LIVE.rows(_STRANGE):
        found.breaches.append(
            live.told("an entry of no such event", where, expected="its own", got=event_type)
        )
    for (where,) in LIVE.rows(_CLOSED):
        found.breaches.append(
            live.told("can not be reversed", where, expected="open", got="closed")
        )
    return found


def _of_adjustment(where: str, told: Told, at: dict[int, datetime]) -> Iterator[Breach]:
    """What is wrong with the people of a manual entry, or with its words."""
    for fault in told.faults:
        yield live.told(fault, where, expected="two people, a reason", got=told.state)
    proposer = str(told.said.get("proposer"))
    if not {ADMIN, ORGANISER} & _roles(proposer, at.get(told.version)):
        yield live.told("who proposed", where, expected="one of the staff", got=proposer)
    if told.state == "approved" and ADMIN not in _roles(
        str(told.decided_by), at.get(told.decided or 0)
    ):
        yield live.told("who approved", where, expected="an admin", got=told.decided_by)


def _roles(person: str, at: datetime | None) -> set[str]:
    """The roles that somebody held then, by the log."""
    held: set[str] = set()
    for event in store.events_after(player_stream(person), 0, types=_ROLES):
        if at is not None and event.at <= at:
            change = held.add if event.type == "RoleGranted" else held.discard
            change(str(event.payload["role"]))
    return held


def _of_act(event: Stored) -> Iterator[Breach]:
    said = event.payload
    if event.type in BY_PROPOSAL:
        people = [said.get("proposer"), said.get("approver")]
    elif said.get("method", MANUAL) == MANUAL:
        named = said.get("approved_by")
        people = named if isinstance(named, list) else []
    else:  # a provider told it
        return
    if len(people) != 2 or None in people or people[0] == people[1]:
        where = f"{event.stream}@{event.version}"
        yield live.told(f"one person: {event.type}", where, expected="two people", got=people)


def run(order: Order) -> Found:
    """The played world attacked, then read."""
    rerun = f"manage.py prove {NAME} --seed {order.seed}"
    with played.database() as place:
        with fresh_processes(1, place.variables) as pool:
            ends = pool.submit(four_eyes_trial.attack).result()
        found = live.read_there(look, place, rerun)
    for end in ends:
        if end.got == end.expected:
            found.done["refused"] += 1
        else:
            found.breaches.append(Breach("not refused", end.what, end.expected, end.got, rerun))
    return found


SIZES = {"adjustments": 2, "acts": 6, "entries": 50, "refused": four_eyes_trial.COUNT}
CHECK = Check(name=NAME, promise=1, quick=SIZES, full=SIZES, run=run, live=look)
