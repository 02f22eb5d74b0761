"""A player's own limits hold wherever money goes into play (`trust.md` section 1).

Every way in is tried against every limit that it must ask: at the limit it is open, one unit
tighter it is shut at once, and a looser limit holds a day later and not before. Each way has a
player of his own; nothing is taken from whoever is refused. An event that takes money from a player
and is no way in, nor named here as none, is a breach.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db import connection, connections

from eventstore.core.refusal import Refused
from eventstore.services import in_transaction
from ledger.core.currencies import EUR
from ledger.core.entries import INLINE
from ledger.selectors import available
from players.core.limits import DEPOSITS, LOSSES, PLAY_MINUTES_DAY, STAKE_MAX, Key
from players.core.roles import ORGANISER
from players.selectors import Person, limits_of
from players.services.limits import LimitsWish, exclude, set_limits
from tonk_site.proving.acting.factories import (
    a_deposit,
    a_player,
    a_table,
    a_tournament,
    pays_in,
    receipt,
    sits_down,
)
from tonk_site.proving.checks import Breach, Check, Found, Order
from tonk_site.proving.differing import Differs, same
from tonk_site.proving.scratch import database, fresh_processes
from tournaments.services.entries import register

NAME = "limits"
MONEY = 50_000
STAKE, BUY_IN, PRICE, DEPOSIT = 10, 500, 1_000, 5_000
PLAYED_MINUTES = 60
EXCLUSION = "exclusion"
DONE, REACHED, EXCLUDED = "done", "limit_reached", "excluded"
LOOSER_AFTER = timedelta(hours=24)  # what is promised, whatever the product's constant says
MOMENT = timedelta(minutes=1)
LONG, SHORTER = timedelta(days=30), timedelta(days=10)
# By `ledger.core.entries`: what pays a player, or is not his own act.
NO_WAY_IN = frozenset(
    {
        "CompensationPosted", "ChipsGranted", "WithdrawalRequested", "WithdrawalPaid",
        "WithdrawalReturned", "AdjustmentApproved", "WalletFrozen", "WalletReleased",
        "PeriodClosed",
    }
)  # fmt: skip
BY_THE_SAME = {"ReEntered": "EntryPaid"}
"""What the command of another way in makes of it where the player was in before."""
NOT_BUILT = frozenset({"StackToppedUp", "RebuyBought", "AddOnBought"})
"""No command makes them yet."""
_SAT = """
INSERT INTO games_sitting (player, table_id, taken_at, left_at)
SELECT %s, %s, now() - make_interval(mins => %s + 1), now() - interval '1 minute'"""


@dataclass(frozen=True, slots=True)
class Way:
    """A way in, and what each limit must be for it to be just open."""

    enter: Callable[[Person], object]
    least: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class House:
    """Who opens tables and holds tournaments, and a table where time was spent."""

    organiser: Person
    table: UUID


def ways(house: House) -> dict[str, Way]:
    """Every way in that the product has, by the event that it makes."""
    of_play = {STAKE_MAX: STAKE, **dict.fromkeys(LOSSES, BUY_IN)}
    of_entry = {STAKE_MAX: PRICE, **dict.fromkeys(LOSSES, PRICE)}
    always: dict[str, int | None] = {PLAY_MINUTES_DAY: PLAYED_MINUTES + 1, EXCLUSION: None}
    return {
        "SeatTaken": Way(partial(_sit_down, house), of_play | always),
        "EntryPaid": Way(partial(_register, house), of_entry | always),
        "DepositRecorded": Way(_deposit, {**dict.fromkeys(DEPOSITS, DEPOSIT), EXCLUSION: None}),
    }


def _sit_down(house: House, who: Person) -> object:
    table = a_table(house.organiser, currency=EUR.code, stake=STAKE)
    return sits_down(table, who, BUY_IN)


def _register(house: House, who: Person) -> object:
    fee = 100
    tournament = a_tournament(house.organiser, currency=EUR.code, buy_in=PRICE - fee, fee=fee)
    return register(tournament, who, receipt())


def _deposit(who: Person) -> object:
    return a_deposit(who, DEPOSIT)


# --- the trial ------------------------------------------------------------------------------------


def run(order: Order) -> Found:
    """All cells in a database of their own."""
    with database() as place, fresh_processes(1, place.variables) as pool:
        return pool.submit(try_all, f"manage.py prove {NAME} --seed {order.seed}").result()


def try_all(rerun: str) -> Found:
    """Every way against every limit."""
    found = Found()
    organiser = a_player("jonas", ORGANISER)
    house = House(organiser, a_table(organiser))
    known = {*ways(house), *NO_WAY_IN, *BY_THE_SAME, *NOT_BUILT}
    found.breaches += [
        Breach("a way in that is not tried", name, "tried", "unknown", rerun)
        for name, _ in INLINE
        if name not in known
    ]
    for number, (name, way, limit) in enumerate(_cells(house)):
        try:
            _try(house, way, limit, f"player{number}")
        except Differs as error:
            told = str(error.expected), str(error.got)
            found.breaches.append(Breach(error.what, f"{name}: {limit}", *told, rerun))
        found.done["cells"] += 1
    connections.close_all()
    return found


def _cells(house: House) -> Iterator[tuple[str, Way, str]]:
    for name, way in ways(house).items():
        for limit in way.least:
            yield name, way, limit


def _try(house: House, way: Way, limit: str, name: str) -> None:
    """One cell, by two players. Raises: Differs."""
    at_limit, beyond = (_somebody(house, f"{name}{letter}", limit) for letter in "ab")
    least = way.least[limit]
    if least is not None:
        _set(at_limit, limit, least)
    same("at the limit", DONE, _end(way, at_limit))
    if least is None:
        _try_exclusion(way, beyond)
        return
    _set(beyond, limit, least - 1)
    same("tightened", REACHED, _end(way, beyond))
    same("the money of whoever was refused", MONEY, available(beyond.id, EUR.code))
    _set(beyond, limit, least)
    same("loosened a moment ago", REACHED, _end(way, beyond))
    now = in_transaction(lambda tx: tx.now)
    key = Key(limit, "" if limit == PLAY_MINUTES_DAY else EUR.code)
    extra = MONEY if limit in DEPOSITS else 0
    for later, looser in ((LOOSER_AFTER - MOMENT, 0), (LOOSER_AFTER, 1)):
        held = limits_of([beyond.id], now + later)[str(beyond.id)]
        same(f"the limit after {later}", least - 1 + looser + extra, held.setting(key).amount)


def _try_exclusion(way: Way, who: Person) -> None:
    now = in_transaction(lambda tx: tx.now)
    exclude(who, now + LONG, receipt())
    same("excluded", EXCLUDED, _end(way, who))
    same(
        "a shorter exclusion",
        "invalid_field",
        _code(partial(exclude, who, now + SHORTER, receipt())),
    )
    same("still excluded", EXCLUDED, _end(way, who))
    same("the money of whoever was refused", MONEY, available(who.id, EUR.code))


def _somebody(house: House, name: str, limit: str) -> Person:
    """A player with money, and an hour at a table where time is limited."""
    who = a_player(name)
    pays_in(who, MONEY)
    if limit == PLAY_MINUTES_DAY:
        with connection.cursor() as cursor:
            cursor.execute(_SAT, [who.id, house.table, PLAYED_MINUTES])
    return who


def _set(who: Person, limit: str, amount: int) -> None:
    if limit == PLAY_MINUTES_DAY:
        set_limits(who, LimitsWish(others={limit: amount}))
    else:
        # What was paid in before counts in the windows of deposits.
        extra = MONEY if limit in DEPOSITS else 0
        set_limits(who, LimitsWish(money={limit: {EUR.code: amount + extra}}))


def _end(way: Way, who: Person) -> str:
    return _code(partial(way.enter, who))


def _code(act: Callable[[], object]) -> str:
    try:
        act()
    except Refused as refused:
        return refused.refusal.code
    return DONE


CELLS = 2 * (2 + 1 + len(LOSSES)) + len(DEPOSITS) + 1
CHECK = Check(name=NAME, promise=1, quick={"cells": CELLS}, full={"cells": CELLS}, run=run)
