"""Whoever entered a tournament that is called off has everything back, once (`trust.md` section 1).

Today that is so before the start; from then on no command calls a tournament off. Trial: it is
tried in each state of a life, and once more after it. Live: every tournament that was called off.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connections

from eventstore import store
from eventstore.core.ids import subject, tournament_stream
from eventstore.core.record import Stored
from eventstore.core.refusal import Refused
from ledger.selectors import available, escrow
from ledger.services import settle_due
from ledger.store.books import LIVE
from players.core.roles import ORGANISER
from players.selectors import Person
from tonk_site.proving import live
from tonk_site.proving.acting.factories import SHORT, a_player, a_tournament, pays_in, receipt
from tonk_site.proving.acting.play import hasty, play_tournament
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.differing import Differs, same
from tonk_site.proving.scratch import database, fresh_processes
from tournaments import selectors
from tournaments.core import closing
from tournaments.core.drafting import Decision
from tournaments.core.state import Tournament
from tournaments.services import drafting
from tournaments.services.drafting import Act, Draft, directed
from tournaments.services.entries import register
from tournaments.services.loading import lot_of
from tournaments.services.steps import step

NAME = "cancel-safe"
MONEY = 50_000
FIELD = 3
TYPES = ("EntryPaid", "EntryRefunded", "Cancelled")
POLICY = "before_start"
_BOOKED = """
SELECT a.owner::text, p.amount FROM ledger.entry e
JOIN ledger.posting p ON p.entry_id = e.id JOIN ledger.account a ON a.id = p.account_id
WHERE e.stream = %s AND a.role = 'wallet'"""

Refunds = Counter[str]
"""What each player gets back, in minor units."""


# --- the live tournaments -------------------------------------------------------------------------


def look() -> Found:
    """Every tournament that was called off: its refunds are what was paid, stated and booked."""
    found = Found()
    for stream in store.streams(tournament_stream("")):
        told = store.events_after(stream, 0, types=TYPES)
        cancelled = _of(told, "Cancelled")
        if cancelled:
            found.done["cancellations"] += 1
            found.breaches += list(_faults(stream, told, cancelled))
            found.done["refunds"] += sum(len(one["refunds"]) for one in cancelled)
    return found


def _of(told: Iterable[Stored], name: str) -> list[Mapping[str, Any]]:
    return [one.payload for one in told if one.type == name]


def _faults(
    stream: str, told: Iterable[Stored], cancelled: Iterable[Mapping[str, Any]]
) -> Iterator[Breach]:
    back = {(one["player"], one["entry_no"]) for one in _of(told, "EntryRefunded")}
    due = _summed(
        one for one in _of(told, "EntryPaid") if (one["player"], one["entry_no"]) not in back
    )
    stated = Refunds()
    for part in cancelled:
        for one in part["refunds"]:
            stated[one["player"]] += one["pool"] + one["fee"] + one["bounty"]
        kept = (part["policy"], part["rake"], part["fees_kept"])
        if due and kept != (POLICY, 0, 0):
            yield live.told("what the house kept", stream, expected=(POLICY, 0, 0), got=kept)
    if stated != due:
        yield live.told("refunds as stated", stream, expected=due, got=stated)
    left = _left(stream)
    if any(left.values()):
        yield live.told("money that stayed", stream, expected="none", got=+left)
    held = {role: balance for role, balance in escrow(subject(stream)).items() if balance}
    if held:
        yield live.told("escrow", stream, expected="empty", got=held)


def _summed(entries: Iterable[Mapping[str, Any]]) -> Refunds:
    found = Refunds()
    for one in entries:
        found[one["player"]] += one["buy_in"] + one["fee"] + one["bounty"]
    return found


def _left(stream: str) -> Refunds:
    """What went out of each wallet and has not come back, by the books."""
    found = Refunds()
    for owner, amount in LIVE.rows(_BOOKED, [stream]):
        found[owner] += amount
    return found


# --- the trial ------------------------------------------------------------------------------------


def run(order: Order) -> Found:
    """Every state as often as asked; then the live part there."""
    rerun = f"manage.py prove {NAME} --seed {order.seed}"
    rounds = order.sizes["cancellations"] // len(OPEN)
    with database() as place:
        with fresh_processes(1, place.variables) as pool:
            found = pool.submit(try_all, rounds, rerun).result()
        seen = live.read_there(look, place, rerun)
    found.breaches += seen.breaches
    found.done["refunds"] = seen.done["refunds"]
    return found


def try_all(rounds: int, rerun: str) -> Found:
    """A tournament in each state of its life, called off."""
    found = Found()
    organiser = a_player("jonas", ORGANISER)
    people = [a_player(f"player{number}") for number in range(FIELD)]
    for who in people:
        pays_in(who, MONEY)
    for number in range(rounds):
        for state, make in STATES.items():
            try:
                _try(make(organiser, people), organiser, people, state)
            except (Differs, Refused) as error:
                found.breaches.append(Breach(str(error), f"{state} {number}", "", "", rerun))
            found.done["cancellations" if state in OPEN else "refused"] += 1
    connections.close_all()
    return found


def _try(tournament: UUID, organiser: Person, people: list[Person], state: str) -> None:
    """Call it off, twice. Raises: Differs."""
    before = [available(who.id, "EUR") for who in people]
    spent = _left(tournament_stream(tournament))
    ends = [call_off(tournament, organiser) for _ in range(2)]
    same("the ends", ["done" if state in OPEN else "wrong_state", "wrong_state"], ends)
    while settle_due() or step(tournament):
        pass
    after = [available(who.id, "EUR") for who in people]
    back = [spent[str(who.id)] if state in OPEN else 0 for who in people]
    wanted = [had + one for had, one in zip(before, back, strict=True)]
    same("the wallets", wanted, after)


def call_off(tournament: UUID, organiser: Person) -> str:
    """The director's act, by the product's own decision."""
    state = selectors.see(tournament, organiser.id).state

    def decide(now: Tournament) -> Decision:
        seed = lot_of(tournament) if now.seed_commit and not now.seed else None
        return closing.cancel(now, reason_code="trial", seed=seed)

    try:
        directed(tournament, organiser, state.version, receipt(), Act(decide))
    except Refused as refused:
        return refused.refusal.code
    return "done"


def _drafted(organiser: Person, people: list[Person]) -> UUID:
    del people
    draft = Draft(template="sim-short", name="Evening", overrides=OPTIONS)
    return UUID(str(drafting.create(draft, organiser, receipt()).result["tournament_id"]))


def _announced(organiser: Person, people: list[Person]) -> UUID:
    tournament = _drafted(organiser, people)
    drafting.publish(tournament, organiser, 1, receipt())
    return tournament


def _entered(organiser: Person, people: list[Person], *, count: int) -> UUID:
    tournament = a_tournament(organiser, **OPTIONS)
    for who in people[:count]:
        register(tournament, who, receipt())
    return tournament


def _settled(organiser: Person, people: list[Person]) -> UUID:
    tournament = _entered(organiser, people, count=FIELD)
    play_tournament(tournament, hasty)
    return tournament


OPTIONS: dict[str, Any] = {
    "currency": "EUR", "entries_min": FIELD, "entries_max": FIELD, "buy_in": 1_000, "fee": 100,
} | SHORT  # fmt: skip
Make = Callable[[Person, list[Person]], UUID]
OPEN: Mapping[str, Make] = {
    "draft": _drafted,
    "announced": _announced,
    "registration": partial(_entered, count=0),
    "entered": partial(_entered, count=FIELD - 1),
}
"""States in which a tournament can be called off; the others refuse."""
STATES: Mapping[str, Make] = {
    **OPEN,
    "running": partial(_entered, count=FIELD),
    "settled": _settled,
}
ROUNDS, ROUNDS_FULL = 3, 200


def _sizes(rounds: int) -> Mapping[str, int]:
    return {
        "cancellations": rounds * len(OPEN),
        "refused": rounds * (len(STATES) - len(OPEN)),
        "refunds": rounds * (FIELD - 1),
    }


CHECK = Check(
    name=NAME,
    promise=1,
    quick=_sizes(ROUNDS),
    full=_sizes(ROUNDS_FULL),
    run=run,
    live=look,
)
